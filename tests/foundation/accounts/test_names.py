"""Nobody passes for somebody else: look-alikes, reserved names, other people's names, names just erased."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from foundation.accounts.models import QuarantinedName, User
from foundation.accounts.names import RESERVED, delete_expired_quarantines
from foundation.accounts.services import remove_account, sign_up, update_profile
from foundation.exceptions import ValidationFailed
from foundation.text.confusables import skeleton_of
from tests.support.api import code_of
from tests.support.api import signed_in as api_client
from tests.support.cast import PASSWORD, allow, make_person
from tests.web.support import signed_in

CYRILLIC_ALICE = "\u0430lice"
CARD = "4111 1111 1111 1111"


@pytest.fixture
def as_bob(bob: User) -> APIClient:
    return api_client(bob)


def refuses(username: str) -> bool:
    """Whether nobody new may take it."""
    try:
        sign_up(username, PASSWORD)
    except ValidationFailed as refusal:
        return "username" in refusal.details
    return False


def erase(user: User) -> None:
    """The end of an erasure."""
    remove_account(user, ())


@pytest.mark.parametrize(
    "name",
    ["Alice", "ALICE", "a1ice", "aIice", CYRILLIC_ALICE, "ａlice", "𝐚lice", "al\u0456ce"],
)
def test_a_look_alike_of_a_user_name_is_refused(alice: User, name: str) -> None:
    assert refuses(name)


@pytest.mark.parametrize("name", ["vіctіm", "bob\u200b", "bob\u202e", "b\u3164ob", "αlex"])
def test_mixed_alphabets_and_invisible_characters_are_refused(db: None, name: str) -> None:
    assert refuses(name)


@pytest.mark.parametrize(
    "name",
    ["alicia", "张伟", "王小明", "Ёжик", "さくら", "김민수", "müller", "alice2", "a.lice"],
)
def test_other_names_are_taken(alice: User, name: str) -> None:
    assert not refuses(name)


@pytest.mark.parametrize(
    "name", [*RESERVED, "Admin", "аdmin", "a.d.m.i.n", "_root_", "FinClaw", "finclaw-support", "supp0rt"]
)
def test_names_that_speak_for_us_are_reserved(db: None, name: str) -> None:
    assert refuses(name)


def test_the_page_says_taken_and_makes_no_account(alice: User, client: Client) -> None:
    for name in (CYRILLIC_ALICE, "Alice", "admin", "客服"):
        answer = client.post("/sign-up/", {"username": name, "password": PASSWORD})
        assert answer.context["form"].errors["username"]
    assert User.objects.count() == 1


def test_two_at_once_are_told_apart_by_the_database(alice: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make_person("a1ice")


def test_an_operator_adds_no_look_alike_and_gets_no_error(alice: User) -> None:
    again = User(username="AIice")
    with pytest.raises(Exception, match="taken") as refused:
        again.full_clean(exclude=["password"])
    assert "username" in refused.value.message_dict  # type: ignore[attr-defined]
    alice.full_clean()


@pytest.mark.parametrize(
    "name", ["Alice", "alice", CYRILLIC_ALICE, "A l i c e", "Admin", "官方客服", "FinClaw Team", "ali\u200bce"]
)
def test_a_display_name_passes_for_nobody_else(alice: User, bob: User, name: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        update_profile(bob, display_name=name)
    assert list(refused.value.details) == ["display_name"]
    assert User.objects.get(pk=bob.pk).display_name == "Bob"


@pytest.mark.parametrize("name", ["Bob", "bob", "Bob Smith", "张伟", "Ёжик", "", "Alice's brother", "✨ Bob ✨"])
def test_a_display_name_of_ones_own_is_free(alice: User, bob: User, name: str) -> None:
    assert update_profile(bob, display_name=name).display_name == name


def test_page_and_api_refuse_such_a_display_name(alice: User, bob: User, as_bob: APIClient) -> None:
    allow(bob)
    fields = {"section": "account", "display_name": "Alice", "time_zone": "UTC"}
    page = signed_in(bob).post("/settings/", fields)
    assert (page.status_code, list(page.context["account_form"].errors)) == (400, ["display_name"])
    answer = as_bob.patch("/api/users/me", {"display_name": "Alice"})
    assert (answer.status_code, code_of(answer)) == (400, "validation_error")
    assert list(answer.json()["details"]) == ["display_name"]
    assert User.objects.get(pk=bob.pk).display_name == "Bob"


def test_display_names_are_no_way_to_ask_for_user_names(alice: User, bob: User, as_bob: APIClient) -> None:
    allow(bob)
    tries = [name for number in range(settings.SIGN_UP_LIMIT) for name in ("Alice", f"Robert {number}")]
    codes = [as_bob.patch("/api/users/me", {"display_name": name}).status_code for name in tries]
    assert codes == [400, 200] * (settings.SIGN_UP_LIMIT // 2) + [429] * settings.SIGN_UP_LIMIT
    page = signed_in(bob).post("/settings/", {"section": "account", "display_name": "Alice", "time_zone": "UTC"})
    assert (page.status_code, bool(page["Retry-After"])) == (429, True)
    assert as_bob.patch("/api/users/me", {"time_zone": "Asia/Shanghai"}).status_code == 200


def test_a_time_zone_is_saved_beside_a_name_that_was_there_before(alice: User, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(display_name="Alice")
    bob.refresh_from_db()
    assert update_profile(bob, display_name="Alice", time_zone="Asia/Shanghai").time_zone == "Asia/Shanghai"


@pytest.mark.parametrize("name", [CARD, "138-0013-8000", "alice@example.com"])
def test_a_display_name_is_no_place_for_what_is_never_kept(bob: User, as_bob: APIClient, name: str) -> None:
    allow(bob)
    answer = as_bob.patch("/api/users/me", {"display_name": name})
    assert (answer.status_code, code_of(answer)) == (422, "sensitive_input")
    assert answer.json()["details"]["field"] == "display_name"
    page = signed_in(bob).post("/settings/", {"section": "account", "display_name": name, "time_zone": "UTC"})
    assert page.context["account_form"].errors["display_name"]
    assert User.objects.get(pk=bob.pk).display_name == "Bob"


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["4111111111111111", "13800138000", "alice@example.com"])
def test_nor_is_a_user_name(client: Client, name: str) -> None:
    answer = client.post("/sign-up/", {"username": name, "password": PASSWORD})
    assert answer.context["form"].errors["username"]
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["John Smith", "Dr. Maria Fernández", "张伟", "欧阳娜娜", "Robert Johnson"])
def test_real_names_are_no_secrets(bob: User, as_bob: APIClient, name: str) -> None:
    assert as_bob.patch("/api/users/me", {"display_name": name}).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["john.smith", "JohnSmith", "张伟", "王小明"])
def test_nor_are_they_as_user_names(client: Client, name: str) -> None:
    client.post("/sign-up/", {"username": name, "password": PASSWORD})
    assert User.objects.filter(username=name).exists()


def test_an_erased_accounts_name_is_not_taken_over(alice: User) -> None:
    erase(alice)

    assert refuses("alice")
    assert refuses("aIice")
    row = QuarantinedName.objects.get()
    assert "alice" not in str(QuarantinedName.objects.values_list())
    assert skeleton_of("alice") not in row.digest


def test_the_quarantine_ends(alice: User) -> None:
    erase(alice)
    term = timedelta(days=settings.NAME_QUARANTINE_DAYS)
    with time_machine.travel(timezone.now() + term - timedelta(minutes=1), tick=False):
        assert delete_expired_quarantines() == 0
        assert refuses("alice")
    with time_machine.travel(timezone.now() + term + timedelta(minutes=1), tick=False):
        assert not refuses("alice")
        assert delete_expired_quarantines() == 1


def test_an_erasure_that_is_replayed_quarantines_once(alice: User) -> None:
    erase(alice)
    erase(make_person("alice"))
    assert QuarantinedName.objects.count() == 1


def test_look_alikes_that_were_there_before_stay_and_no_third_joins_them(alice: User) -> None:
    plain = skeleton_of("alice")
    twin = User.objects.create(username="AIice", username_skeleton=f"{plain}#before")
    beside = f"{plain}#{twin.pk.hex}"  # as it stands in a database that is older than skeletons
    User.objects.filter(pk=twin.pk).update(username_skeleton=beside)
    twin.refresh_from_db()

    assert alice.username_skeleton == plain
    twin.display_name = "Another"
    twin.full_clean(exclude=["password"])
    twin.save()
    assert User.objects.get(pk=twin.pk).username_skeleton == beside
    assert refuses("a1ice")
    erase(alice)
    QuarantinedName.objects.all().delete()
    assert refuses("a1ice")
