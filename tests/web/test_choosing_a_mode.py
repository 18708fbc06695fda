"""A way of speaking is chosen for good on "How I speak", and a change of it is said in the chat with its reason."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import MemoryItem, Session
from personas.configuration import PersonaConfig
from personas.services.mode_choice import choose_mode
from personas.services.preferences import preferences_of
from tests.support.cast import allow, allow_all_but_learning
from tests.support.talk import open_session, permit_of
from tests.web.support import signed_in

VOICE = "/voice/"


def chosen(user: User) -> list[str]:
    with acting_as(user.pk):
        return [one.value for one in preferences_of(permit_of(user)) if one.key == "mode"]


def said(browser: Client, session: Session, text: str) -> str:
    browser.post(reverse("web:chat_send", args=[session.pk]), {"content": text})
    return browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()


@pytest.mark.parametrize("mode", ["", "shouting", "\x00"])
def test_what_is_no_mode_is_not_kept(alice: User, mode: str) -> None:
    allow(alice)
    assert signed_in(alice).post(reverse("web:usual_mode"), {"mode": mode}).status_code == 400
    assert signed_in(alice).get(reverse("web:usual_mode")).status_code == 405
    assert chosen(alice) == []


def test_without_leave_to_learn_none_is_kept_and_the_page_says_where_to_give_it(alice: User) -> None:
    allow_all_but_learning(alice)
    browser = signed_in(alice)
    assert browser.post(reverse("web:usual_mode"), {"mode": "strict"}).status_code == 403
    page = browser.get(VOICE).content.decode()
    assert "Always speak like this" not in page
    assert "Turn it on under Privacy" in page


def test_the_mode_chosen_is_the_usual_one_of_every_chat(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    for mode in ("strict", "idol", "idol"):
        page = browser.post(reverse("web:usual_mode"), {"mode": mode}, follow=True)
        assert page.context["usual"] == mode
    assert "From now on I speak like this in every chat: Warm. You chose it here." in page.content.decode()
    assert chosen(alice) == ["idol"]
    shown = browser.get(reverse("web:chat_session", args=[open_session(alice).pk]))
    assert shown.context["mode"]["value"] == "idol"


def test_the_mode_chosen_is_a_memory_to_be_forgotten_like_any(alice: User) -> None:
    allow(alice)
    signed_in(alice).post(reverse("web:usual_mode"), {"mode": "strict"})
    with acting_as(alice.pk):
        (item,) = MemoryItem.objects.filter(user=alice)
    assert item.provenance == "confirmed_by_user"
    assert reverse("web:forget_memory", args=[item.pk]) in signed_in(alice).get(VOICE).content.decode()


def test_it_is_a_sentence_in_the_language_asked_for(alice: User) -> None:
    allow(alice)
    with acting_as(alice.pk):
        assert choose_mode(permit_of(alice), "strict", "zh").text == "希望用严格的方式回答：结构清楚、简短。"


def test_where_nobody_chooses_none_is_kept(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    monkeypatch.setattr("personas.services.mode_choice.configured_persona", lambda: PersonaConfig(dynamic_modes=False))
    assert signed_in(alice).post(reverse("web:usual_mode"), {"mode": "strict"}).status_code == 409
    assert chosen(alice) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("be strict", "From here on I speak in another way, “Strict”: you asked for it."),
        ("Write me a poem about the sea", "it seemed to fit what you said"),
    ],
)
def test_a_change_is_said_under_the_answer_with_its_reason(alice: User, text: str, why: str) -> None:
    allow(alice)
    session, browser = open_session(alice), signed_in(alice)
    assert "message__mode" not in said(browser, session, "I follow BTC")
    page = said(browser, session, text)
    assert why in page
    assert page.count("message__mode") == 1
    browser.post(reverse("web:chat_mode", args=[session.pk]), {"usual": "yes"})
    assert "message__mode" not in said(browser, session, "I follow ETH")


def test_a_change_by_hand_is_said_at_once(alice: User) -> None:
    allow(alice)
    address = reverse("web:chat_mode", args=[open_session(alice).pk])
    page = signed_in(alice).post(address, {"mode": "strict", "ttl_turns": "5"}, follow=True).content.decode()
    assert "For your next 5 messages I speak in another way, “Strict”: you chose it." in page
    page = signed_in(alice).post(address, {"usual": "yes"}, follow=True).content.decode()
    assert "I am back to my usual way: Balanced. You asked for it." in page
