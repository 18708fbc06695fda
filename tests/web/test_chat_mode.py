"""The way of speaking stands at the top of a chat, is changed there for a number of messages, and goes back."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Session
from memory.services.sessions import archive
from personas.configuration import PersonaConfig
from personas.models import PersonaState
from tests.support.cast import allow, group_with
from tests.support.talk import open_session
from tests.web.support import chat_of, signed_in


def address_of(session: Session) -> str:
    return reverse("web:chat_mode", args=[session.pk])


def mode_in(browser: Client, session: Session) -> dict[str, Any]:
    mode = browser.get(reverse("web:chat_session", args=[session.pk])).context["mode"]
    assert isinstance(mode, dict)
    return mode


def stored(user: User) -> list[str]:
    with acting_as(user.pk):
        return list(PersonaState.objects.filter(user=user).values_list("mode", flat=True))


def test_an_outsider_changes_no_chat_of_alice(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    session = chat_of(alice)
    assert signed_in(charlie).post(address_of(session), {"mode": "strict"}).status_code == 404
    assert signed_in(charlie).post(address_of(session), {"usual": "yes"}).status_code == 404
    assert signed_in(alice).get(address_of(session)).status_code == 405
    assert signed_in(alice).post(reverse("web:chat_mode", args=[uuid4()]), {"mode": "strict"}).status_code == 404
    assert stored(alice) == []


@pytest.mark.parametrize(
    "fields",
    [{}, {"mode": ""}, {"mode": "shouting"}, {"mode": "\x00"}, {"mode": "strict", "ttl_turns": "0"},
     {"mode": "strict", "ttl_turns": "x"}, {"mode": "strict", "ttl_turns": "9" * 30}],
)  # fmt: skip
def test_what_is_no_way_of_speaking_changes_nothing(alice: User, fields: dict[str, str]) -> None:
    allow(alice)
    session = chat_of(alice)
    assert signed_in(alice).post(address_of(session), fields).status_code == 400
    assert stored(alice) == []


def test_it_is_changed_for_a_number_of_messages_and_back(alice: User) -> None:
    allow(alice)
    session, browser = chat_of(alice), signed_in(alice)
    assert mode_in(browser, session)["source"] == "default"
    page = browser.post(address_of(session), {"mode": "strict", "ttl_turns": "5"}, follow=True)
    assert "for 5 more messages" in page.content.decode()
    assert (page.context["mode"]["value"], page.context["mode"]["source"]) == ("strict", "user")
    page = browser.post(address_of(session), {"usual": "yes"}, follow=True)
    assert (page.context["mode"]["value"], page.context["mode"]["left"]) == ("hybrid", 0)
    assert "Back to my usual way" not in page.content.decode()


def test_it_is_ones_own_in_a_group(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    signed_in(alice).post(address_of(session), {"mode": "idol"})
    assert mode_in(signed_in(alice), session)["value"] == "idol"
    assert mode_in(signed_in(bob), session)["value"] == "hybrid"


@pytest.mark.parametrize("mode", ["rational", "idol", "hybrid", "strict"])
def test_every_way_of_speaking_has_a_name_and_a_meaning_there(alice: User, mode: str) -> None:
    allow(alice)
    session, browser = chat_of(alice), signed_in(alice)
    page = browser.post(address_of(session), {"mode": mode}, follow=True)
    shown = {one["value"]: one for one in page.context["modes"]}
    assert str(shown[mode]["name"]) == str(page.context["mode"]["name"])
    assert str(shown[mode]["what_it_means"]) in page.content.decode()


def test_nothing_is_offered_where_modes_are_off_or_the_chat_is_over(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    session, browser = chat_of(alice), signed_in(alice)
    assert "mode-panel" not in browser.get(reverse("web:chat") + "?new=1").content.decode()
    for module in ("finclaw.web.voice", "finclaw.web.views.voice", "personas.services.states"):
        monkeypatch.setattr(f"{module}.configured_persona", lambda: PersonaConfig(dynamic_modes=False))
    assert "mode-panel" not in browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert browser.post(address_of(session), {"mode": "strict"}).status_code == 409
    assert "cannot be chosen" in browser.get(reverse("web:voice")).content.decode()
    monkeypatch.undo()
    with acting_as(alice.pk):
        archive(session)
    assert "mode-panel" not in browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
