"""A correction made in passing is acknowledged under its answer, with an undo."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from finclaw.web.views.chat import LEARNED_ATTEMPTS
from foundation.accounts.models import User
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.evolution.services import OBSERVE_TOPIC
from memory.models import Session
from tests.support.cast import allow
from tests.support.talk import memories, open_session, say
from tests.web.support import said_in, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


def answered(browser: Client, session: Session, text: str) -> str:
    """The HTML of the answer to a message, as the stream ends with it."""
    answer: Any = browser.post(reverse("web:chat_send", args=[session.pk]) + "?stream=true", {"content": text})
    last = b"".join(answer.streaming_content).decode().strip().split("\n\n")[-1]
    return str(json.loads(last.split("data: ", 1)[1])["html"])


def asks_again(html: str) -> str:
    """The address a piece of a page asks next, empty where it stops."""
    found = re.search(r'hx-get="([^"]+)" hx-trigger="load delay', html)
    return found[1] if found else ""


def chat(browser: Client, session: Session) -> list[dict[str, Any]]:
    """The messages as the page shows them when it is opened anew."""
    turns: list[dict[str, Any]] = browser.get(reverse("web:chat_session", args=[session.pk])).context["turns"]
    return turns


@pytest.mark.parametrize(
    ("known", "correction", "subject"),
    [
        ("I live in Hamburg", "Actually, I live in Berlin now", "Berlin"),
        ("我喜欢运动风", "我现在不喜欢运动风了,喜欢简约的", "简约"),
    ],
)
def test_a_correction_is_acknowledged_once_it_was_learned(
    alice: User, known: str, correction: str, subject: str
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, known)
    browser = signed_in(alice)
    address = asks_again(answered(browser, session, correction))
    waiting = browser.get(address)
    assert waiting.context["corrections"] == []
    drain()
    page = browser.get(asks_again(waiting.content.decode()))
    (told,) = page.context["corrections"]
    assert told["sentence"].startswith("From now on I go by")
    assert subject in told["sentence"]
    assert asks_again(page.content.decode()) == ""
    undo = {"change": told["undo"]["change_id"]}
    undone = browser.post(reverse("web:memory_undo", args=[told["memory_id"]]), undo, headers={"HX-Request": "true"})
    assert undone.templates[0].name == "web/partials/undone.html"
    (standing,) = memories(alice, state="active")
    assert standing.content in undone.content.decode()
    assert subject not in standing.content


def test_what_no_longer_holds_is_acknowledged_too(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow BTC")
    browser = signed_in(alice)
    address = asks_again(answered(browser, session, "I no longer follow BTC"))
    drain()
    assert "I no longer go by “Follows BTC”" in browser.get(address).content.decode()


@pytest.mark.parametrize(
    ("known", "correction", "sentence"),
    [
        ("I live in Hamburg", "Actually, I live in Berlin now", "From now on I go by “Lives in Berlin”."),
        ("I follow BTC", "I no longer follow BTC", "I no longer go by “Follows BTC”."),
        ("我住在汉堡", "其实我现在住在柏林", "柏林"),
    ],
)
def test_the_acknowledgement_stays_as_long_as_the_correction_can_be_undone(
    alice: User, known: str, correction: str, sentence: str
) -> None:
    allow(alice)
    session = open_session(alice)
    browser = signed_in(alice)
    for text in (known, correction, "What is a bond?"):
        answered(browser, session, text)
        drain()
    OutboxMessage.objects.filter(topic=OBSERVE_TOPIC).delete()  # finished work is not kept for ever
    turns = chat(browser, session)
    assert [len(turn["corrections"]) for turn in turns] == [0, 0, 0, 1, 0, 0]
    (told,) = turns[3]["corrections"]
    assert sentence in told["sentence"]
    browser.post(reverse("web:memory_undo", args=[told["memory_id"]]), {"change": told["undo"]["change_id"]})
    assert not any(turn["corrections"] for turn in chat(browser, session))


def test_what_is_being_forgotten_is_acknowledged_no_more(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    browser = signed_in(alice)
    for text in ("I live in Hamburg", "Actually, I live in Berlin now"):
        answered(browser, session, text)
        drain()
    (told,) = chat(browser, session)[-1]["corrections"]
    browser.post(reverse("web:forget_memory", args=[told["memory_id"]]), {"sources": "keep"})
    assert not any(turn["corrections"] for turn in chat(browser, session))


def test_what_was_only_learned_is_not_called_a_correction(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    browser = signed_in(alice)
    address = asks_again(answered(browser, session, "I follow BTC"))
    drain()
    page = browser.get(address)
    assert memories(alice)
    assert page.content.decode().strip() == ""


@pytest.mark.parametrize("later", ["Actually, I live in Berlin now", "I no longer live in Hamburg"])
def test_a_later_message_is_acknowledged_under_its_own_answer_alone(alice: User, later: str) -> None:
    allow(alice)
    session = open_session(alice)
    browser = signed_in(alice)
    first = asks_again(answered(browser, session, "I live in Hamburg"))
    drain()
    second = asks_again(answered(browser, session, later))
    drain()
    assert browser.get(first).context["corrections"] == []
    assert len(browser.get(second).context["corrections"]) == 1


def test_the_page_stops_asking_when_the_worker_takes_too_long(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    browser = signed_in(alice)
    address = asks_again(answered(browser, session, "I follow BTC"))
    asked = 0
    while address:
        asked += 1
        address = asks_again(browser.get(address).content.decode())
    assert asked == LEARNED_ATTEMPTS


def test_a_question_and_a_temporary_chat_are_not_watched(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    assert asks_again(answered(browser, open_session(alice), "What is a bond?")) == ""
    assert asks_again(answered(browser, open_session(alice, remember=False), "I follow BTC")) == ""


def test_an_outsider_learns_nothing_of_what_alice_corrected(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    session = open_session(alice)
    answered(signed_in(alice), session, "I no longer follow BTC")
    answer = said_in(alice, session)[-1]
    own = open_session(charlie)
    for key in (session.pk, own.pk):
        address = reverse("web:chat_learned", args=[key, answer.pk, 1])
        assert signed_in(charlie).get(address).status_code == 404
