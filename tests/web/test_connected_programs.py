"""Settings list the programs that a user connected, and disconnect them."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from consent.models import AuditEvent
from foundation.accounts.models import ConnectedProgram, User
from foundation.accounts.scopes import READ
from foundation.database.acting_user import acting_as
from tests.support.cast import allow
from tests.support.oauth import Assistant, register
from tests.web.support import signed_in

PAGE = "/settings/programs/"


def connected(user: User, name: str = "Assistant") -> tuple[ConnectedProgram, Assistant]:
    """A program that this person connected."""
    assistant = Assistant(register(client_name=name).json()["client_id"])
    allow(user)
    assistant.connect(user, scope=READ)
    with acting_as(user.pk):
        return ConnectedProgram.objects.get(name=name), assistant


def disconnect(client: Client, program: ConnectedProgram, method: str = "post") -> int:
    status: int = getattr(client, method)(reverse("web:program_disconnect", args=[program.pk])).status_code
    return status


def test_nobody_disconnects_what_is_somebody_elses(alice: User, charlie: User) -> None:
    program, assistant = connected(alice)
    allow(charlie)
    outsider = signed_in(charlie)
    assert "Assistant" not in outsider.get(PAGE).content.decode()
    assert disconnect(outsider, program, "get") == 404
    assert disconnect(outsider, program) == 302  # as one that was disconnected already
    assert assistant.refresh().status_code == 200
    assert disconnect(Client(), program) == 302  # to sign in
    assert assistant.refresh().status_code == 200


def test_the_list_says_what_a_program_may(alice: User) -> None:
    connected(alice, "A <b>bold</b> name")
    page = signed_in(alice).get(PAGE).content.decode()
    assert "A &lt;b&gt;bold&lt;/b&gt; name" in page
    assert "Read and search your memories" in page
    assert "Talk with FinClaw" not in page
    assert "Never" in page


def test_what_is_disconnected_ends_at_once_and_is_recorded(alice: User) -> None:
    program, assistant = connected(alice)
    browser = signed_in(alice)
    assert disconnect(browser, program, "get") == 200
    assert assistant.refresh().status_code == 200  # to be asked is not to be disconnected
    assert disconnect(browser, program) == 302
    assert assistant.refresh().json()["error"] == "invalid_grant"
    assert "No program is connected" in browser.get(PAGE).content.decode()
    with acting_as(alice.pk):
        event = AuditEvent.objects.get(action="program.disconnected")
    assert (event.actor_id, event.subject_id) == (alice.pk, program.pk)
    assert disconnect(browser, program) == 302


def choose(client: Client, program: ConnectedProgram, *kinds: str) -> Any:
    return client.post(reverse("web:program_kinds", args=[program.pk]), {"withheld_kinds": kinds})


def test_nobody_chooses_what_somebody_elses_program_sees(alice: User, charlie: User) -> None:
    program, _assistant = connected(alice)
    allow(charlie)
    outsider = signed_in(charlie)
    assert outsider.get(reverse("web:program_kinds", args=[program.pk])).status_code == 404
    assert choose(outsider, program, "event").status_code == 404
    assert choose(Client(), program, "event").status_code == 302  # to sign in
    with acting_as(alice.pk):
        program.refresh_from_db()
    assert program.withheld_kinds == []


def test_what_a_program_does_not_see_is_chosen_and_shown(alice: User) -> None:
    program, _assistant = connected(alice)
    browser = signed_in(alice)
    assert "It does not see:" not in browser.get(PAGE).content.decode()
    refused = choose(browser, program, "gossip")
    assert refused.status_code == 400
    assert "gossip" in refused.content.decode()
    assert choose(browser, program, "preference").status_code == 302
    page = browser.get(PAGE).content.decode()
    assert "It does not see: Preference, Events, Portraits, Chats that it did not begin" in page
    form = browser.get(reverse("web:program_kinds", args=[program.pk])).content.decode()
    assert form.count(" checked") == 1
    assert choose(browser, program).status_code == 302
    assert "It does not see:" not in browser.get(PAGE).content.decode()
