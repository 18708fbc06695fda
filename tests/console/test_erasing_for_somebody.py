"""Operators erase for a person who asked for it: one asks, another approves, and the person sees that it was done."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from uuid import UUID

import pytest
import time_machine
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from consent.models import AuditEvent, ErasureRequest, ErasureScope, Sources, Tombstone
from consent.sensitive.exceptions import SensitiveInput
from finclaw import operator_sign_in
from finclaw.erasure_requests import (
    ErasureWish,
    OperatorMayNot,
    approve_request,
    ask_for_erasure,
    decline_request,
    expire_requests,
    preview_request,
)
from foundation.accounts.models import User
from foundation.database.acting_user import in_role, on_behalf_of
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from foundation.exceptions import NotFound, ValidationFailed
from foundation.outbox.tasks import drain
from tests.support.api import signed_in
from tests.support.cast import PASSWORD, allow
from tests.support.operators import sign_in_operator
from tests.support.talk import memories, open_session, say

LIST = reverse("admin:consent_erasurerequest_changelist")
ADD = reverse("admin:consent_erasurerequest_add")


def _officer(name: str) -> User:
    user = User.objects.create_user(username=name, password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name="privacy officer"))
    return user


@pytest.fixture
def olga(db: None) -> User:
    """The privacy officer who asks."""
    return _officer("olga")


@pytest.fixture
def pat(db: None) -> User:
    """The privacy officer who approves."""
    return _officer("pat")


@pytest.fixture
def taught(alice: User) -> User:
    """Alice, of whom something was learned."""
    allow(alice)
    say(alice, open_session(alice), "I prefer short answers.")
    assert len(memories(alice)) == 1
    return alice


def _wish(person: User, scope: ErasureScope = ErasureScope.MEMORIES, target: UUID | None = None) -> ErasureWish:
    return ErasureWish(person, scope, target, Sources.REDACT, "T-2026/17")


def _request(key: UUID) -> ErasureRequest:
    with in_role(OPERATOR_ROLE):
        return ErasureRequest.objects.get(pk=key)


def _acts(request: ErasureRequest) -> list[tuple[str, UUID | None]]:
    with in_role(OPERATOR_ROLE):
        rows = AuditEvent.objects.filter(subject_id=request.pk).order_by("at", "id")
        return [(row.action, row.actor_id) for row in rows]


def _tombstones() -> list[Tombstone]:
    with in_role(OPERATOR_ROLE):
        return list(Tombstone.objects.all())


def _approval(client: Client, request: ErasureRequest, stamp: str, typed: str) -> str:
    data = {"action": "approve", "_selected_action": [str(request.pk)], "confirmed": "yes"}
    return client.post(LIST, data | {"stamp": stamp, "typed": typed}, follow=True).content.decode()


# Who may not.


def test_nobody_approves_what_they_asked_for_themselves(taught: User, olga: User) -> None:
    request = ask_for_erasure(_wish(taught), olga)

    with pytest.raises(OperatorMayNot, match="yourself"):
        approve_request(request.pk, olga)
    assert (_request(request.pk).state, _tombstones()) == ("pending", [])


def test_the_database_itself_refuses_one_person_in_both_parts(taught: User, olga: User, pat: User) -> None:
    request = ask_for_erasure(_wish(taught), olga)
    tombstone = approve_request(request.pk, pat)

    refused = pytest.raises(IntegrityError, match="erasure_approved_by_another")
    with refused, on_behalf_of(taught.pk), in_role(ERASER_ROLE):
        ErasureRequest.objects.filter(tombstone=tombstone).update(decided_by=olga.pk)


def test_nobody_asks_for_or_approves_an_erasure_of_themselves(taught: User, olga: User, pat: User) -> None:
    request = ask_for_erasure(_wish(olga), pat)

    with pytest.raises(OperatorMayNot, match="about yourself"):
        ask_for_erasure(_wish(pat), pat)
    with pytest.raises(OperatorMayNot, match="about yourself"):
        approve_request(request.pk, olga)


@pytest.mark.parametrize("role", ["viewer", "operator", ""])
def test_other_roles_neither_ask_nor_decide(taught: User, olga: User, bob: User, role: str) -> None:
    request = ask_for_erasure(_wish(taught), olga)
    bob.is_staff = True
    bob.save()
    bob.groups.set(Group.objects.filter(name=role))

    for attempt in (
        lambda: ask_for_erasure(_wish(taught, ErasureScope.PROFILE), bob),
        lambda: approve_request(request.pk, bob),
        lambda: decline_request(request.pk, bob),
    ):
        with pytest.raises(OperatorMayNot):
            attempt()


def test_the_permission_alone_is_not_enough_for_somebody_who_is_no_operator(taught: User, charlie: User) -> None:
    charlie.user_permissions.add(Permission.objects.get(codename="add_erasurerequest"))

    with pytest.raises(OperatorMayNot):
        ask_for_erasure(_wish(taught), charlie)


# What is malformed.


@pytest.mark.parametrize("reference", ["", "T 17", "x" * 41, "T-17\n", "alice@example.com"])
def test_a_reference_is_one_word(taught: User, olga: User, reference: str) -> None:
    wish = ErasureWish(taught, ErasureScope.PROFILE, None, Sources.REDACT, reference)
    with pytest.raises((ValidationError, SensitiveInput)):
        ask_for_erasure(wish, olga)


def test_a_row_of_somebody_else_or_of_nobody_is_not_found(taught: User, bob: User, olga: User) -> None:
    session = open_session(taught)

    for person, scope, target in (
        (bob, ErasureScope.SESSION, session.pk),
        (taught, ErasureScope.SESSION, None),
        (taught, ErasureScope.EVENT, session.pk),
        (taught, ErasureScope.MEMORIES, session.pk),
        (taught, ErasureScope.IMPORT, session.pk),
    ):
        with pytest.raises(NotFound):
            ask_for_erasure(_wish(person, scope, target), olga)


def test_the_same_waits_once(taught: User, olga: User, pat: User) -> None:
    ask_for_erasure(_wish(taught), olga)

    with pytest.raises(ValidationFailed):
        ask_for_erasure(_wish(taught), pat)


# What it does.


def test_two_people_erase_and_the_audit_names_both(taught: User, olga: User, pat: User) -> None:
    request = ask_for_erasure(_wish(taught), olga)
    assert len(memories(taught)) == 1
    tombstone = approve_request(request.pk, pat)

    assert memories(taught) == []
    drain()
    (done,) = _tombstones()
    assert (done.pk, done.state, done.source) == (tombstone.pk, "completed", "operator")
    assert _acts(request) == [("erasure.asked_for_person", olga.pk), ("erasure.approved", pat.pk)]
    decided = _request(request.pk)
    assert (decided.state, decided.decided_by, decided.tombstone_id) == ("approved", pat.pk, tombstone.pk)


def test_one_conversation_goes_and_the_other_stays(taught: User, olga: User, pat: User) -> None:
    session = open_session(taught)
    say(taught, session, "I follow BTC.")

    approve_request(ask_for_erasure(_wish(taught, ErasureScope.SESSION, session.pk), olga).pk, pat)
    drain()

    assert [item.content for item in memories(taught)] == ["Prefers short answers"]


def test_an_account_goes_and_the_request_is_kept(taught: User, olga: User, pat: User) -> None:
    request = ask_for_erasure(_wish(taught, ErasureScope.ACCOUNT), olga)
    approve_request(request.pk, pat)
    drain()

    assert not User.objects.filter(pk=taught.pk).exists()
    assert _request(request.pk).user_id == taught.pk


def test_what_is_decided_is_not_decided_again(taught: User, olga: User, pat: User) -> None:
    request = ask_for_erasure(_wish(taught), olga)
    decline_request(request.pk, olga)  # taken back

    with pytest.raises(NotFound):
        approve_request(request.pk, pat)
    assert _tombstones() == []
    assert _acts(request)[-1] == ("erasure.declined", olga.pk)


def test_a_request_that_nobody_decides_expires(taught: User, olga: User, pat: User) -> None:
    request = ask_for_erasure(_wish(taught), olga)

    with time_machine.travel(timezone.now() + timedelta(days=8)):
        with pytest.raises(NotFound):
            approve_request(request.pk, pat)
        expire_requests()
        assert _request(request.pk).state == "expired"
        assert _acts(request)[-1] == ("erasure.request_expired", None)
        approve_request(ask_for_erasure(_wish(taught), pat).pk, olga)


def test_the_person_sees_that_it_was_done_on_their_request(taught: User, olga: User, pat: User) -> None:
    tombstone = approve_request(ask_for_erasure(_wish(taught), olga).pk, pat)
    drain()

    client = Client()
    client.force_login(taught, backend="django.contrib.auth.backends.ModelBackend")
    assert "done for you on your request T-2026/17" in client.get(reverse("web:erasures")).content.decode()
    receipt = client.get(reverse("web:erasure", args=[tombstone.pk])).content.decode()
    assert "Two of the people who run this did it for you, on your request T-2026/17." in receipt
    assert "olga" not in receipt
    assert signed_in(taught).get("/api/erasures").json()["results"][0]["on_request"] == "T-2026/17"


# The operators' pages.


def test_asking_and_approving_on_the_pages(client: Client, taught: User, olga: User, pat: User) -> None:
    given = {"username": "alice", "scope": "memories", "target_id": "", "sources": "redact", "reference": "T-1"}
    page = sign_in_operator(client, olga).post(ADD, given, follow=True).content.decode()
    with in_role(OPERATOR_ROLE):
        request = ErasureRequest.objects.get()
    assert (request.user_id, request.asked_by, request.reference) == (taught.pk, olga.pk, "T-1")
    assert "Waiting for a second person" in page

    sign_in_operator(client, pat)
    question = client.post(LIST, {"action": "approve", "_selected_action": [str(request.pk)]}).content.decode()
    assert "1 memory" in question
    assert "short answers" not in question
    assert _tombstones() == []
    stamp = preview_request(_wish(taught)).stamp
    assert "Type alice to confirm." in _approval(client, request, stamp, "Alice")
    assert "has changed since" in _approval(client, request, "", "alice")
    assert _tombstones() == []
    assert "Approved." in _approval(client, request, stamp, "alice")
    assert memories(taught) == []


def test_the_page_says_to_whoever_asked_that_somebody_else_approves(client: Client, taught: User, olga: User) -> None:
    request = ask_for_erasure(_wish(taught), olga)
    sign_in_operator(client, olga)

    assert "Somebody else must approve it." in _approval(client, request, preview_request(_wish(taught)).stamp, "alice")
    assert _tombstones() == []


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"username": "nobody"}, "Nobody goes by that user name."),
        ({"scope": "item"}, "There is nothing here by that id."),
        ({"scope": "import"}, "Select a valid choice."),
        ({"reference": "by her mail"}, "One word"),
    ],
)
def test_the_form_says_what_is_wrong(
    client: Client, taught: User, olga: User, change: dict[str, str], answer: str
) -> None:
    given = {"username": "alice", "scope": "memories", "target_id": "", "sources": "redact", "reference": "T-1"}
    page = sign_in_operator(client, olga).post(ADD, given | change).content.decode()

    assert answer in page
    with in_role(OPERATOR_ROLE):
        assert not ErasureRequest.objects.exists()


def test_declining_on_the_page(client: Client, taught: User, olga: User, pat: User) -> None:
    request = ask_for_erasure(_wish(taught), olga)
    data = {"action": "decline", "_selected_action": [str(request.pk)], "confirmed": "yes"}

    assert "1 request is declined." in sign_in_operator(client, pat).post(LIST, data, follow=True).content.decode()
    assert _request(request.pk).state == "declined"


# The command.


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Callable[..., str]:
    """Runs the command with what is typed: the password, then what confirms."""
    settings.OPERATOR_SECOND_FACTOR = False

    def run(*arguments: str, password: str = PASSWORD, confirm: str = "alice") -> str:
        monkeypatch.setattr(operator_sign_in, "getpass", lambda prompt: password)
        monkeypatch.setattr("builtins.input", lambda prompt: confirm)
        out = StringIO()
        call_command("erase_for", *arguments, stdout=out)
        return out.getvalue()

    return run


def test_the_command_asks_and_another_operator_approves(
    taught: User, olga: User, pat: User, typing: Callable[..., str]
) -> None:
    said = typing("alice", "--scope", "memories", "--reference", "T-1", "--operator", "olga")
    assert "- 1 memory" in said
    with in_role(OPERATOR_ROLE):
        request = ErasureRequest.objects.get()
    assert str(request.pk) in typing("--pending")
    with pytest.raises(CommandError, match="Somebody else must approve it"):
        typing("--approve", str(request.pk), "--operator", "olga")
    with pytest.raises(CommandError, match="Not confirmed"):
        typing("--approve", str(request.pk), "--operator", "pat", confirm="yes")
    assert "Approved." in typing("--approve", str(request.pk), "--operator", "pat")
    assert memories(taught) == []


def test_the_command_knows_operators_by_their_password(
    taught: User, bob: User, olga: User, typing: Callable[..., str]
) -> None:
    ask = ("alice", "--scope", "memories", "--reference", "T-1")
    for arguments in ((*ask, "--operator", "olga"), (*ask, "--operator", "bob")):
        with pytest.raises(CommandError, match="No operator has this name and password"):
            typing(*arguments, password="wrong" if "olga" in arguments else PASSWORD)
    with pytest.raises(CommandError, match="--operator"):
        typing(*ask)
    with in_role(OPERATOR_ROLE):
        assert not ErasureRequest.objects.exists()


def test_the_command_asks_for_the_second_factor(
    taught: User, olga: User, typing: Callable[..., str], settings: Settings
) -> None:
    settings.OPERATOR_SECOND_FACTOR = True

    with pytest.raises(CommandError, match="second factor"):
        typing("alice", "--scope", "memories", "--reference", "T-1", "--operator", "olga")
