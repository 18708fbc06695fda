"""Chats are renamed, opened again and looked through; an empty one says how to begin, and words are said again."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Session
from memory.research.profile_context import save_profile_context
from memory.services.sessions import archive, record_messages
from memory.types import NewMessage
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.talk import open_session, permit_of, say
from tests.web.support import chat_of, said_in, signed_in


@pytest.fixture
def outsider(charlie: User) -> Client:
    allow(charlie)
    return signed_in(charlie)


def title_of(user: User, session: Session) -> str:
    with acting_as(user.pk):
        return Session.objects.get(pk=session.pk).title


def test_an_outsider_changes_and_finds_no_chat_of_alice(alice: User, outsider: Client) -> None:
    allow(alice)
    session = chat_of(alice)
    say(alice, session, "I bought a vineyard")
    for name in ("chat_rename", "chat_reopen"):
        assert outsider.post(reverse(f"web:{name}", args=[session.pk]), {"title": "Mine"}).status_code == 404
        assert outsider.get(reverse(f"web:{name}", args=[session.pk])).status_code == 405
    assert outsider.get(reverse("web:chat_search"), {"q": "vineyard"}).context["found"] == []
    assert title_of(alice, session) == "BTC"


@pytest.mark.parametrize("title", ["", "   ", "x" * 121])
def test_a_name_that_cannot_be_changes_nothing(alice: User, title: str) -> None:
    allow(alice)
    session = chat_of(alice)
    assert signed_in(alice).post(reverse("web:chat_rename", args=[session.pk]), {"title": title}).status_code == 400
    assert title_of(alice, session) == "BTC"


@pytest.mark.parametrize("title", ["My vineyard", "我的葡萄园"])
def test_a_chat_is_renamed(alice: User, title: str) -> None:
    allow(alice)
    session = chat_of(alice, "I bought a vineyard")
    browser = signed_in(alice)
    browser.post(reverse("web:chat_rename", args=[session.pk]), {"title": title})
    assert title in browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()


def test_a_name_that_must_not_be_kept_is_refused(alice: User) -> None:
    allow(alice)
    session = chat_of(alice)
    card = {"title": "My card 4111 1111 1111 1111"}
    answer = signed_in(alice).post(reverse("web:chat_rename", args=[session.pk]), card)
    assert answer.status_code == 422
    assert title_of(alice, session) == "BTC"


def test_an_ended_chat_goes_on(alice: User) -> None:
    allow(alice)
    session = chat_of(alice, "I bought a vineyard")
    browser = signed_in(alice)
    browser.post(reverse("web:chat_end", args=[session.pk]))
    page = reverse("web:chat_session", args=[session.pk])
    assert "Go on with this chat" in browser.get(page).content.decode()
    browser.post(reverse("web:chat_reopen", args=[session.pk]))
    shown = browser.get(page)
    assert shown.context["session"]["ended_at"] is None
    assert 'name="content"' in shown.content.decode()
    assert browser.get(reverse("web:chat"))["Location"] == page


def test_a_search_finds_what_was_said_and_leads_to_it(alice: User) -> None:
    allow(alice)
    session = chat_of(alice)
    say(alice, session, "Hello", "I bought a vineyard in Burgundy", "我买了一个葡萄园")
    say(alice, chat_of(alice), "I follow BTC")
    browser = signed_in(alice)
    message = said_in(alice, session)[1]
    answer = browser.get(reverse("web:chat_search"), {"q": "vineyards"})
    (found,) = answer.context["found"]
    assert found["address"].endswith(f"#message-{message.pk}")
    assert f'id="message-{message.pk}"' in browser.get(found["address"]).content.decode()
    assert "I bought a <mark>vineyard</mark> in Burgundy" in answer.content.decode()
    chinese = browser.get(reverse("web:chat_search"), {"q": "葡萄园"}).content.decode()
    assert "我买了一个<mark>葡萄园</mark>" in chinese


def test_a_search_finds_nothing_and_says_so(alice: User) -> None:
    allow(alice)
    say(alice, chat_of(alice), "I bought a vineyard")
    answer = signed_in(alice).get(reverse("web:chat_search"), {"q": "zzzqqq"})
    assert answer.context["found"] == []
    assert "In none of your chats was anything said about “zzzqqq”." in answer.content.decode()


def test_a_search_finds_nothing_of_a_group_or_a_temporary_chat(alice: User, bob: User) -> None:
    allow(alice)
    group = group_with(alice, [bob])
    for session in (open_session(alice, group_id=group.pk), open_session(alice, remember=False)):
        say(alice, session, "I bought a vineyard")
    assert signed_in(alice).get(reverse("web:chat_search"), {"q": "vineyard"}).context["found"] == []


def test_without_leave_to_learn_no_chat_is_searched(alice: User) -> None:
    allow_nothing(alice)
    say(alice, chat_of(alice), "I bought a vineyard")
    answer = signed_in(alice).get(reverse("web:chat_search"), {"q": "vineyard"})
    assert answer.context["found"] == []
    assert "Remembering is off" in answer.content.decode()


@pytest.mark.parametrize(
    ("chosen", "accepted", "prompt"),
    [
        ("", "en-GB,en;q=0.9", "What do you remember about me?"),
        ("", "zh-CN,zh;q=0.9,en;q=0.5", "你记得我的哪些事？"),
        ("zh", "en-GB,en;q=0.9", "你记得我的哪些事？"),
        ("en", "zh-CN,zh;q=0.9", "What do you remember about me?"),
        ("", "", "What do you remember about me?"),
    ],
)
def test_an_empty_chat_says_how_to_begin(alice: User, chosen: str, accepted: str, prompt: str) -> None:
    permit = allow(alice)
    if chosen:
        with acting_as(alice.pk):
            save_profile_context(permit, {"language_preference": chosen})
    browser = signed_in(alice)
    answer = browser.get(reverse("web:chat"), headers={"accept-language": accepted})
    texts = [starter.text for starter in answer.context["starters"]]
    assert len(texts) == 3
    assert prompt in texts
    assert "autofocus" in answer.content.decode()
    session = chat_of(alice, "I follow BTC")
    assert "starters" not in browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()


def test_a_starter_to_be_finished_stands_in_the_composer(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    assert ">Remember that I </textarea>" in browser.get("/chat/?new=1&begin=remember").content.decode()
    assert browser.get("/chat/?new=1&begin=nonsense").context["draft"] == ""


@pytest.mark.django_db(transaction=True)
def test_a_starter_is_sent_without_scripts(alice: User) -> None:
    allow(alice)
    prompt = "What do you remember about me?"
    answer = signed_in(alice).post(reverse("web:chat_start"), {"starter": prompt, "content": ""}, follow=True)
    assert answer.context["turns"][0]["text"] == prompt


def test_ones_own_words_are_put_into_the_composer_again(alice: User, bob: User) -> None:
    for person in (alice, bob):
        allow(person)
    group = group_with(alice, [bob])
    with acting_as(alice.pk):
        session = open_session(alice, group_id=group.pk)
        record_messages(permit_of(alice), session, [NewMessage.of_text("user", "I follow <BTC>", alice.name)])
    (message,) = said_in(alice, session)
    address = reverse("web:chat_session", args=[session.pk]) + f"?again={message.pk}"
    assert signed_in(alice).get(address).context["draft"] == "I follow <BTC>"
    assert "I follow &lt;BTC&gt;</textarea>" in signed_in(alice).get(address).content.decode()
    assert signed_in(bob).get(address).context["draft"] == ""
    assert signed_in(alice).get(address + "x").context["draft"] == ""


def test_a_chat_that_is_over_offers_no_words_again(alice: User) -> None:
    allow(alice)
    session = chat_of(alice, "I follow BTC")
    page = reverse("web:chat_session", args=[session.pk])
    browser = signed_in(alice)
    assert "data-again-message" in browser.get(page).content.decode().split("<template")[0]
    with acting_as(alice.pk):
        archive(session)
    assert "data-again-message" not in browser.get(page).content.decode().split("<template")[0]
