"""Signing up, in and out, coming back with a code, and what Settings change."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from finclaw.web.browser_sessions import web_sessions_of
from foundation.accounts.models import User
from tests.support.cast import PASSWORD, allow
from tests.web.support import signed_in

NEW_PASSWORD = "another long pass phrase"


def sign_up(browser: Client, username: str = "alice") -> list[str]:
    """Make an account; the recovery codes shown."""
    fields = {"username": username, "password": PASSWORD, "time_zone": "Asia/Shanghai"}
    return list(browser.post(reverse("web:sign_up"), fields).context["codes"])


def enters(username: str, password: str) -> bool:
    """Whether a fresh browser gets in."""
    answer = Client().post(reverse("web:sign_in"), {"username": username, "password": password})
    return answer.status_code == 302


@pytest.mark.django_db
def test_signing_up_signs_in_and_shows_codes_that_no_later_page_holds(client: Client) -> None:
    codes = sign_up(client)
    assert len(codes) == 8
    assert User.objects.get().time_zone == "Asia/Shanghai"
    assert codes[0] not in client.get(reverse("web:onboarding")).content.decode()


def test_a_name_is_taken_once(alice: User, client: Client) -> None:
    answer = client.post(reverse("web:sign_up"), {"username": "alice", "password": PASSWORD})
    assert answer.context["form"].errors["username"]
    assert User.objects.count() == 1


@pytest.mark.django_db
def test_a_recovery_code_opens_the_account_once(client: Client) -> None:
    code = sign_up(client)[0]
    fields = {"username": "alice", "code": code.lower(), "new_password": NEW_PASSWORD}
    assert Client().post(reverse("web:recover"), fields).status_code == 302
    assert enters("alice", NEW_PASSWORD)
    assert not enters("alice", PASSWORD)
    again = Client().post(reverse("web:recover"), fields | {"new_password": PASSWORD})
    assert again.context["form"].non_field_errors()


@pytest.mark.django_db
def test_a_recovery_with_a_weak_password_uses_no_code_up(client: Client) -> None:
    code = sign_up(client)[0]
    fields = {"username": "alice", "code": code, "new_password": "12345678"}
    assert Client().post(reverse("web:recover"), fields).context["form"].errors["new_password"]
    assert Client().post(reverse("web:recover"), fields | {"new_password": NEW_PASSWORD}).status_code == 302


@pytest.mark.parametrize(("wanted", "reached"), [("/privacy/", "/privacy/"), ("https://evil.example/", "/chat/")])
def test_signing_in_leads_on_within_this_site_only(alice: User, client: Client, wanted: str, reached: str) -> None:
    fields = {"username": "alice", "password": PASSWORD, "next": wanted}
    assert client.post(reverse("web:sign_in"), fields)["Location"] == reached


def test_signing_out_ends_the_session(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    assert browser.post(reverse("web:sign_out"))["Location"] == reverse("web:welcome")
    assert browser.get(reverse("web:settings")).status_code == 302


def test_a_changed_password_keeps_this_browser_and_shuts_the_others(alice: User) -> None:
    allow(alice)
    here, there = signed_in(alice), signed_in(alice)
    fields = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    here.post(reverse("web:settings"), {"section": "password", **fields})
    assert here.get(reverse("web:settings")).status_code == 200
    assert there.get(reverse("web:settings")).status_code == 302
    assert len(here.get(reverse("web:web_sessions")).context["web_sessions"]) == 1


def test_other_browsers_are_ended_one_by_one_or_all(alice: User) -> None:
    allow(alice)
    here, *others = [signed_in(alice) for _ in range(4)]
    listed = here.get(reverse("web:web_sessions")).context["web_sessions"]
    assert [entry.is_current for entry in listed] == [True, False, False, False]
    here.post(reverse("web:web_sessions"), {"end": listed[1].key})
    assert sum(other.get(reverse("web:settings")).status_code == 200 for other in others) == 2
    here.post(reverse("web:web_sessions"), {"end": "others"})
    assert [other.get(reverse("web:settings")).status_code for other in others] == [302, 302, 302]
    assert here.get(reverse("web:settings")).status_code == 200


def test_a_persons_list_of_browsers_reads_no_row_of_others(alice: User, bob: User, charlie: User) -> None:
    own = signed_in(alice)
    for person in (bob, bob, charlie):
        signed_in(person)
    with CaptureQueriesContext(connection) as queries:
        listed = web_sessions_of(alice, own.session.session_key)
    assert [one.is_current for one in listed] == [True]
    (query,) = queries
    with connection.cursor() as cursor:
        cursor.execute(query["sql"])
        assert len(cursor.fetchall()) == 1


def test_no_page_holds_a_session_key(alice: User) -> None:
    allow(alice)
    here, there = signed_in(alice), signed_in(alice)
    page = here.get(reverse("web:web_sessions")).content.decode()
    assert str(there.session.session_key) not in page
    assert str(here.session.session_key) not in page


def test_a_key_is_shown_once_and_revoked(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    plain = browser.post(reverse("web:token_create"), {"name": "Notebook"}).context["new_token"]
    page = browser.get(reverse("web:tokens"))
    assert plain not in page.content.decode()
    (token,) = page.context["tokens"]
    browser.post(reverse("web:token_revoke", args=[token["token_id"]]))
    assert browser.get(reverse("web:tokens")).context["tokens"] == []


def test_the_account_form_changes_name_and_zone(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    fields = {"display_name": "Alice A.", "time_zone": "Asia/Shanghai"}
    browser.post(reverse("web:settings"), {"section": "account", **fields})
    changed = User.objects.get(pk=alice.pk)
    assert (changed.display_name, changed.time_zone) == ("Alice A.", "Asia/Shanghai")


def test_the_zones_to_choose_from_are_places_and_the_one_somebody_has(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    zones = dict(browser.get(reverse("web:settings")).context["account_form"].fields["time_zone"].choices)
    assert {"Asia/Shanghai", "Asia/Calcutta", "Europe/Berlin", "UTC"} <= set(zones)
    assert not {"Factory", "localtime", "posixrules", "Etc/GMT+5", "EST"} & set(zones)
    User.objects.filter(pk=alice.pk).update(time_zone="EST")
    fields = {"section": "account", "display_name": "Alice A.", "time_zone": "EST"}
    assert browser.post(reverse("web:settings"), fields).status_code == 302
    assert browser.post(reverse("web:settings"), fields | {"time_zone": "Factory"}).status_code == 400


@pytest.mark.django_db
def test_a_zone_that_is_no_place_becomes_utc(client: Client) -> None:
    client.post(reverse("web:sign_up"), {"username": "alice", "password": PASSWORD, "time_zone": "Factory"})
    assert User.objects.get().time_zone == "UTC"
