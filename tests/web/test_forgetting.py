"""Asking to forget: whose it is, what the page says before the button, and what is gone after it."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from consent.erasure.services import erasures_of
from consent.models import Sources, Tombstone
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import CognitiveEvent, ConversationEvent, MemoryItem, Session
from memory.research.profile_context import save_profile_context
from memory.services.sessions import record_messages
from memory.types import NewMessage
from tests.memory.portraits.support import bullets, tell
from tests.support.cast import allow, group_with
from tests.web.support import chat_of, event_of, memory_of, said_in, signed_in, used

LEARNED, ACCOUNT = reverse("web:forget_learned"), reverse("web:forget_account")
PROFILE = reverse("web:forget_profile")


def asked(user: User) -> list[Tombstone]:
    """What the person asked to be forgotten."""
    with acting_as(user.pk):
        return list(erasures_of(user.pk))


def learned(user: User, *texts: str) -> tuple[Session, MemoryItem]:
    """A chat, and a memory that its first message taught."""
    session = chat_of(user, *texts)
    return session, memory_of(user, "Alice follows BTC", message_ids=(said_in(user, session)[0].pk,))


def answered(user: User, text: str) -> Session:
    """A chat in which I answered this."""
    session = chat_of(user)
    with acting_as(user.pk):
        record_messages(permit_for(user), session, [NewMessage.of_text("assistant", text, "FinClaw")])
    return session


def forget_memory(browser: Client, item: MemoryItem, **fields: str) -> str:
    """Press the button; the address of the receipt."""
    return str(browser.post(reverse("web:forget_memory", args=[item.pk]), fields)["Location"])


def test_an_outsider_can_neither_ask_nor_forget(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    session, item = learned(alice, "I follow BTC")
    event = event_of(alice, session, "r:1", "2 March 2026: Alice follows BTC.")
    outsider = signed_in(charlie)
    for name, key in [("memory", item.pk), ("event", event.event_id), ("session", session.pk)]:
        address = reverse(f"web:forget_{name}", args=[key])
        assert outsider.get(address).status_code == 404
        assert outsider.post(address).status_code == 404
    assert asked(alice) == asked(charlie) == []
    assert signed_in(alice).get(reverse("web:memory", args=[item.pk])).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("address", [LEARNED, ACCOUNT, PROFILE])
def test_a_stranger_is_sent_to_sign_in(client: Client, address: str) -> None:
    assert client.post(address)["Location"].startswith(reverse("web:sign_in"))


@pytest.mark.parametrize("confirm", ["", "bob", "Alice", "\x00", "x" * 5_000])
@pytest.mark.parametrize("address", [LEARNED, ACCOUNT])
def test_another_name_than_ones_own_forgets_nothing(alice: User, address: str, confirm: str) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    answer = browser.post(address, {"confirm": confirm})
    assert answer.status_code == 400
    assert asked(alice) == []
    assert browser.get(reverse("web:memory", args=[item.pk])).status_code == 200


def test_a_choice_nobody_knows_forgets_nothing(alice: User) -> None:
    allow(alice)
    _session, item = learned(alice, "I follow BTC")
    answer = signed_in(alice).post(reverse("web:forget_memory", args=[item.pk]), {"sources": "shred"})
    assert answer.status_code == 400
    assert asked(alice) == []


def test_what_was_stated_goes_and_what_was_learned_stays(alice: User) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    with acting_as(alice.pk):
        save_profile_context(permit_for(alice), {"language_preference": "zh"})
    browser = signed_in(alice)
    assert "1 set of preferences" in browser.get(PROFILE).context["question"].goes
    receipt = str(browser.post(PROFILE)["Location"])
    drain()
    assert browser.get(receipt).context["erasure"]["state"] == "completed"
    assert browser.get(PROFILE).context["question"].goes == ["Nothing: you have not set anything about yourself."]
    assert browser.get(reverse("web:memory", args=[item.pk])).status_code == 200


def test_an_event_id_that_cannot_be_is_not_found(alice: User) -> None:
    allow(alice)
    for address in ("/events/%00/forget/", "/events/a/b:1/forget/"):
        assert signed_in(alice).get(address).status_code == 404
        assert signed_in(alice).post(address).status_code == 404


def test_the_page_of_a_memory_says_exactly_what_goes(alice: User) -> None:
    allow(alice)
    session, item = learned(alice, "I follow BTC", "Something else")
    browser = signed_in(alice)
    browser.post(reverse("web:memory_confirm", args=[item.pk]))
    question = browser.get(reverse("web:forget_memory", args=[item.pk])).context["question"]
    assert question.text == "Alice follows BTC"
    assert [message["quote"] for message in question.messages] == ["I follow BTC"]
    redact, keep = question.options
    assert redact.goes == ["2 memories, counting earlier versions", "The words of 1 message of yours"]
    assert keep.goes == ["2 memories, counting earlier versions"]
    assert asked(alice) == []
    assert len(said_in(alice, session)) == 2


def test_the_page_names_the_memories_that_stay_without_their_words(alice: User) -> None:
    allow(alice)
    session, item = learned(alice, "I follow BTC, ETH, SOL, XRP and ADA")
    source = (said_in(alice, session)[0].pk,)
    for name in ("ETH", "SOL", "XRP", "ADA"):
        memory_of(alice, f"Alice follows {name}", message_ids=source)
    page = signed_in(alice).get(reverse("web:forget_memory", args=[item.pk]))
    redact, keep = page.context["question"].options
    assert redact.stays == [
        "4 other memories from these messages stay, without the words they came from:",
        "Alice follows ETH", "Alice follows SOL", "Alice follows XRP", "and 1 more",
    ]  # fmt: skip
    assert keep.stays == []
    assert "Alice follows SOL" in page.content.decode()


def test_a_memory_without_messages_leaves_nothing_to_choose(alice: User) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    question = signed_in(alice).get(reverse("web:forget_memory", args=[item.pk])).context["question"]
    assert question.options == []
    assert question.goes == ["1 memory"]


def test_a_forgotten_memory_is_gone_at_once_and_its_words_after_the_work(alice: User) -> None:
    allow(alice)
    session, item = learned(alice, "I follow BTC", "Something else")
    browser = signed_in(alice)
    address = forget_memory(browser, item)
    assert browser.get(address).context["erasure"]["state"] == "queued"
    assert browser.get(reverse("web:memory", args=[item.pk])).status_code == 404
    assert browser.get(reverse("web:memories")).context["memories"] == []
    drain()
    assert browser.get(address).context["erasure"]["state"] == "completed"
    page = browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert "I follow BTC" not in page
    assert page.count("[forgotten at your request]") == 1
    assert "Something else" in page


def test_a_message_that_keeps_a_sentence_shows_it_and_a_mark(alice: User) -> None:
    allow(alice)
    session, item = learned(alice, "I follow BTC. My cat is called Miso.")
    other = memory_of(alice, "Alice's cat is called Miso", message_ids=(said_in(alice, session)[0].pk,))
    browser = signed_in(alice)
    redact, _ = browser.get(reverse("web:forget_memory", args=[item.pk])).context["question"].options
    assert redact.goes == ["1 memory", "1 sentence of your messages, the rest of which stays"]
    forget_memory(browser, item)
    drain()
    page = browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert "[forgotten]\nMy cat is called Miso." in page
    assert "I follow BTC" not in page
    sources = browser.get(reverse("web:memory", args=[other.pk])).context["sources"]
    assert [source["quote"] for source in sources] == ["[forgotten]\nMy cat is called Miso."]


def test_kept_messages_stay_and_look_as_ever(alice: User) -> None:
    allow(alice)
    session, item = learned(alice, "I follow BTC")
    browser = signed_in(alice)
    address = forget_memory(browser, item, sources=Sources.KEEP)
    drain()
    page = browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert "I follow BTC" in page
    assert "[forgotten at" not in page
    assert "I never learn from them again" in browser.get(address).content.decode()


def test_a_message_without_words_is_a_quiet_line_among_the_sources(alice: User) -> None:
    allow(alice)
    session, item = learned(alice, "I follow BTC and ETH")
    other = memory_of(alice, "Alice follows ETH", message_ids=(said_in(alice, session)[0].pk,))
    browser = signed_in(alice)
    forget_memory(browser, item)
    drain()
    page = browser.get(reverse("web:memory", args=[other.pk]))
    assert [source["is_redacted"] for source in page.context["sources"]] == [True]
    assert "[forgotten at your request]" in page.content.decode()


def test_an_answer_that_used_it_is_counted_and_loses_its_words(alice: User) -> None:
    allow(alice)
    session, item = learned(alice, "I follow BTC")
    elsewhere = answered(alice, "You follow BTC")
    used(alice, elsewhere, item)
    browser = signed_in(alice)
    redact, keep = browser.get(reverse("web:forget_memory", args=[item.pk])).context["question"].options
    assert keep.goes == ["1 memory", "The words of 1 answer of mine that drew on it"]
    assert redact.goes == ["1 memory", "The words of 1 message of yours", keep.goes[1]]
    forget_memory(browser, item, sources=Sources.KEEP)
    drain()
    assert [message.text for message in said_in(alice, elsewhere)] == [""]
    assert [message.text for message in said_in(alice, session)] == ["I follow BTC"]


def test_forgetting_an_event_takes_its_address_away(alice: User) -> None:
    allow(alice)
    event = event_of(alice, chat_of(alice), "a/b:1", "2 March 2026: Alice bought a bicycle.")
    browser = signed_in(alice)
    address = reverse("web:forget_event", args=[event.event_id])
    assert browser.get(address).context["question"].text == "2 March 2026: Alice bought a bicycle."
    receipt = browser.post(address)["Location"]
    assert browser.get(reverse("web:event", args=[event.event_id])).status_code == 404
    drain()
    assert browser.get(receipt).context["erasure"]["state"] == "completed"


def test_the_receipt_names_no_table(alice: User) -> None:
    """Each line of what was looked through is in the reader's words, also for parts of rows and for files."""
    allow(alice)
    _, item = learned(alice, "I follow BTC")
    browser = signed_in(alice)
    forget_memory(browser, item)
    receipt = browser.get(reverse("web:erasures")).context["erasures"][0]["erasure_id"]
    drain()
    erasure = browser.get(reverse("web:erasure", args=[receipt])).context["erasure"]
    named = [line for line in erasure["checked"] if re.fullmatch(r"\d+ in .+", line)]
    assert len(erasure["checked"]) > 3
    assert named == []


def test_a_groups_event_is_its_senders_to_forget(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    event = event_of(alice, chat_of(alice), "g:1", "2 March 2026: Alice bought a bicycle.")
    with acting_as(alice.pk):
        CognitiveEvent.objects.filter(pk=event.pk).update(group=group, perspective="group")
    address = reverse("web:forget_event", args=[event.event_id])
    for person, may in ((alice, True), (bob, False)):
        chat = answered(person, "You bought one.")
        used(person, chat, event, kind="event")
        browser = signed_in(person)
        page = browser.get(reverse("web:chat_session", args=[chat.pk])).content.decode()
        assert "Alice bought a bicycle" in page
        assert (address in page) is may
    assert not signed_in(bob).get(reverse("web:event", args=[event.event_id])).context["event"]["mine"]
    assert signed_in(bob).post(address).status_code == 404


def test_forgetting_a_chat_takes_what_was_learned_in_it(alice: User) -> None:
    allow(alice)
    session, _item = learned(alice, "I follow BTC", "Something else")
    browser = signed_in(alice)
    address = reverse("web:forget_session", args=[session.pk])
    assert "2 messages of this chat" in browser.get(address).context["question"].goes
    browser.post(address)
    assert browser.get(reverse("web:chat_session", args=[session.pk])).status_code == 404
    drain()
    with acting_as(alice.pk):
        assert not Session._base_manager.filter(pk=session.pk).exists()
        assert not ConversationEvent._base_manager.filter(session_id=session.pk).exists()


def test_forgetting_everything_learned_keeps_account_and_chats(alice: User) -> None:
    allow(alice)
    learned(alice, "I follow BTC")
    browser = signed_in(alice)
    question = browser.get(LEARNED).context["question"]
    assert "1 memory" in question.goes
    receipt = browser.post(LEARNED, {"confirm": "alice", "sources": "keep"})["Location"]
    assert "I am forgetting all of it" in browser.get(reverse("web:memories")).content.decode()
    drain()
    assert browser.get(receipt).context["erasure"]["state"] == "completed"
    assert browser.get(reverse("web:memories")).context["memories"] == []
    assert browser.get(reverse("web:chat") + "?new=1").status_code == 200


def test_asking_twice_for_everything_is_answered_kindly(alice: User) -> None:
    allow(alice)
    memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    browser.post(LEARNED, {"confirm": "alice"})
    again = browser.post(LEARNED, {"confirm": "alice"})
    assert again.status_code == 409
    assert "I am forgetting this right now" in again.content.decode()
    assert len(asked(alice)) == 1


def test_deleting_the_account_signs_out_and_leaves_a_receipt_behind(alice: User) -> None:
    allow(alice)
    learned(alice, "I follow BTC")
    browser = signed_in(alice)
    goes = browser.get(ACCOUNT).context["question"].goes
    assert {"1 memory", "1 conversation", "1 message"} <= set(goes)
    answer = browser.post(ACCOUNT, {"confirm": "alice"})
    assert "_auth_user_id" not in browser.session
    receipt = answer["Location"]
    assert receipt.startswith("/certificate/")
    assert browser.get(receipt).context["erasure"]["is_running"]
    drain()
    page = Client().get(receipt)
    assert page.context["erasure"]["state"] == "completed"
    assert page.context["erasure"]["left"] == 0
    assert not User.objects.filter(pk=alice.pk).exists()


@pytest.mark.parametrize(
    ("said", "told"),
    [("I like tea", "Alice likes tea. Alice lives in Lisbon."), ("我喜欢茶", "Alice 喜欢茶。Alice 住在里斯本。")],
)
def test_the_page_names_the_event_and_counts_the_lines_that_go_with_a_memory(alice: User, said: str, told: str) -> None:
    allow(alice)
    session = chat_of(alice, said)
    (message,) = said_in(alice, session)
    item = memory_of(alice, said, message_ids=(message.pk,))
    event_id = tell(alice, session, told, message=message.pk)
    browser = signed_in(alice)
    text = browser.get(reverse("web:event", args=[event_id])).context["event"]["text"]
    line = ["1 line of a portrait"] if bullets(alice) else []
    named = [f"The event “{text}”", *line]
    redact, keep = browser.get(reverse("web:forget_memory", args=[item.pk])).context["question"].options
    lines = [line for line in bullets(alice) if "tea" in line or "茶" in line]
    assert ("1 line of a portrait" in redact.goes) == bool(lines)
    assert redact.goes[1] not in keep.goes
    assert browser.get(reverse("web:forget_session", args=[session.pk])).context["question"].goes[1:3] == named
    redact, keep = browser.get(reverse("web:forget_event", args=[event_id])).context["question"].options
    of_event = ["This event", *line]
    assert redact.goes[: len(of_event)] == keep.goes[: len(of_event)] == of_event
    forget_memory(browser, item, sources="redact")
    drain()
    with acting_as(alice.pk):
        left = " ".join(CognitiveEvent.objects.values_list("canonical_text", flat=True))
    assert left.endswith(("Alice lives in Lisbon.", "Alice 住在里斯本。"))
    assert "tea" not in left
    assert "茶" not in left
    portrait = browser.get(reverse("web:portrait", args=["user", alice.pk])).content.decode()
    assert ("Lisbon" in portrait) or ("里斯本" in portrait)
    assert "likes tea" not in portrait
    assert "喜欢茶" not in portrait
