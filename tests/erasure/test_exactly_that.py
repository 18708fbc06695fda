"""Forgetting a statement takes exactly that: whatever told it is gone, and what was told beside it is still there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from consent.erasure.services import erasure_of
from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from finclaw.erasure_preview import preview_erasure
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.embeddings import configured_embedder
from foundation.outbox.tasks import drain
from memory.indexing.documents import event_document, turn_text
from memory.indexing.embedding import index_now
from memory.models import (
    CognitiveEvent,
    CognitiveJob,
    ConversationEvent,
    EntityProfile,
    Receipt,
    ReceiptLine,
    SearchEntry,
    Session,
)
from memory.retrieval.services import search
from memory.services import sessions, summaries
from memory.services.sessions import title_from
from memory.services.versions import ItemDraft
from memory.types import NewMessage, SearchQuery
from tests.memory.portraits.support import bullets, edit, tell
from tests.support.cast import A_MONDAY, allow
from tests.support.items import add_item
from tests.support.needles import dump
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True)
class Told:
    """A message of two sentences, a word of each, and what is asked about the second."""

    forgotten: str
    stays: str
    needle: str
    neighbour: str
    question: str

    @property
    def text(self) -> str:
        """The whole message."""
        return self.forgotten + ("" if self.forgotten.endswith("。") else " ") + self.stays


ENGLISH = Told(
    "I work as a nurse at Zqneedle Hospital.",
    "I have a cat called Misoqz.",
    "Zqneedle",
    "Misoqz",
    "What is my cat called?",
)
CHINESE = Told("我住在鑫淼。", "我有一只猫叫咪咪。", "鑫淼", "咪咪", "我的猫叫什么？")
BOTH = pytest.mark.parametrize("told", [ENGLISH, CHINESE], ids=["en", "zh"])


@pytest.fixture(autouse=True)
def consent(alice: User) -> None:
    allow(alice)


def asked(user: User, needle: str, sources: Sources = Sources.REDACT) -> Tombstone:
    """Forget the memory that holds a word; nothing is carried out yet."""
    memory = next(item for item in memories(user) if needle in item.content)
    with acting_as(user.pk):
        return forget(user, ErasureScope.ITEM, str(memory.pk), sources, source="api")


def forgotten(user: User, needle: str, sources: Sources = Sources.REDACT) -> Tombstone:
    """Forget the memory that holds a word, and see it through."""
    tombstone = asked(user, needle, sources)
    drain()
    with acting_as(user.pk):
        done = erasure_of(user.pk, tombstone.pk)
    assert done.state == "completed", [step.reason for step in done.steps.all()]
    return done


def message(row: ConversationEvent) -> ConversationEvent:
    """The message as it stands now."""
    with acting_as(row.user_id):
        return ConversationEvent.objects.get(pk=row.pk)


def answer(user: User, session: Session, text: str, *given: UUID) -> ConversationEvent:
    """A reply before which these rows stood."""
    with acting_as(user.pk):
        permit = permit_of(user)
        reply = sessions.record_messages(permit, session, [NewMessage.of_text("assistant", text, "FinClaw")])[-1]
        receipt = Receipt.objects.create(
            kind=Receipt.Kind.INJECTION, user=user, session=session, message_id=reply.pk, policy_version="1",
            consent_version=permit.version,
        )  # fmt: skip
        ReceiptLine.objects.bulk_create(
            ReceiptLine(
                receipt=receipt, user=user, kind="item", ref_id=key, status="accepted", rank=1,
                decision_reason="relevance", candidate_score=1.0,
            )
            for key in given
        )  # fmt: skip
    return reply


@BOTH
def test_the_message_keeps_its_other_sentence_and_a_mark_where_the_first_stood(alice: User, told: Told) -> None:
    (said,) = say(alice, open_session(alice), told.text)
    forgotten(alice, told.needle)
    left = message(said)
    assert left.text == told.stays
    assert [block["type"] for block in left.content] == ["redacted", "text"]
    assert (left.redacted_at, left.learnable) == (None, True)
    assert told.needle not in dump()


@BOTH
def test_the_memory_learned_beside_it_stays(alice: User, told: Told) -> None:
    say(alice, open_session(alice), told.text)
    forgotten(alice, told.needle)
    assert [told.neighbour in item.content for item in memories(alice)] == [True]


@BOTH
def test_search_finds_the_message_by_what_is_left_and_by_no_word_that_went(alice: User, told: Told) -> None:
    session = open_session(alice)
    said, _ = say(alice, session, told.text, "The weather is fine.")
    forgotten(alice, told.needle)
    with acting_as(alice.pk):
        entries = {entry.pk: entry for entry in SearchEntry.objects.filter(kind="turn")}
        row = ConversationEvent.objects.with_clock().get(pk=said.pk)
        [anew] = configured_embedder().embed_passages([turn_text(row)])
        assert list(entries[said.pk].vector or ()) == pytest.approx(list(anew), abs=0.01)
        words = " ".join(str(entry.terms) for entry in entries.values())
        assert told.needle.lower() not in words.lower()
        found = search(permit_of(alice), SearchQuery(told.question, kinds=("turn",)))
    assert any(told.neighbour in hit.text for hit in found.hits)


def event_of_all(user: User, said: ConversationEvent, text: str) -> UUID:
    """An event of several things at once, as a former release wrote them, and the end behind it."""
    with acting_as(user.pk):
        fields = {
            "user": user, "session": said.session, "request_id": str(said.pk), "end_seq": 1, "new_info": text,
            "message_ids": [said.pk], "consent_version": 1,
        }  # fmt: skip
        CognitiveJob.objects.create(occurred_at=A_MONDAY, time_zone="UTC", sender_name=user.name, **fields)
        event = CognitiveEvent.objects.create(
            event_id=f"{said.pk}:1", perspective="sender", canonical_text=f"2 March 2026: {text}", sender=user,
            timestamp_utc=A_MONDAY, timestamp_local=A_MONDAY.isoformat(), timezone="UTC", request_type="private",
            has_new_info=True, rewritten_by="offline", unresolved=[text.split()[0]], **fields,
        )  # fmt: skip
        index_now([event_document(event, ())])
    return event.pk


@BOTH
def test_an_event_of_both_is_told_without_it(alice: User, told: Told) -> None:
    (said,) = say(alice, open_session(alice), told.text)
    key = event_of_all(alice, said, told.text)
    forgotten(alice, told.needle)
    with acting_as(alice.pk):
        event = CognitiveEvent.objects.get(pk=key)
        job = CognitiveJob.objects.get(request_id=event.request_id)
        entry = SearchEntry.objects.get(pk=key)
        [vector] = configured_embedder().embed_passages([event.canonical_text])
    assert event.canonical_text == f"2 March 2026: {told.stays}"
    assert (event.new_info, job.new_info) == (told.stays, told.stays)
    assert told.needle.lower() not in str(entry.terms).lower()
    assert list(entry.vector or ()) == pytest.approx(list(vector), abs=0.01)
    assert told.needle not in dump()


@pytest.mark.parametrize("is_dated", [True, False], ids=["what is left names a time", "it names none"])
def test_an_event_keeps_no_time_that_only_the_forgotten_sentence_named(alice: User, is_dated: bool) -> None:
    (said,) = say(alice, open_session(alice), ENGLISH.text)
    stays = "I have a cat called Misoqz since May 2025." if is_dated else ENGLISH.stays
    key = event_of_all(alice, said, f"I began work as a nurse at Zqneedle Hospital on 3 June 2019. {stays}")
    with acting_as(alice.pk):
        began, may = datetime(2019, 6, 3, tzinfo=UTC), datetime(2025, 5, 1, tzinfo=UTC)
        CognitiveEvent.objects.filter(pk=key).update(speaks_of_start=began, speaks_of_end=began + timedelta(days=1))
    forgotten(alice, ENGLISH.needle)
    with acting_as(alice.pk):
        event = CognitiveEvent.objects.get(pk=key)
    spoken_of = (may, may + timedelta(days=31)) if is_dated else (None, None)
    assert (event.new_info, event.speaks_of_start, event.speaks_of_end) == (stays, *spoken_of)


@BOTH
def test_what_the_historian_made_of_both_keeps_the_other(alice: User, told: Told) -> None:
    session = open_session(alice)
    (said,) = say(alice, session, told.text)
    tell(alice, session, told.text, message=said.pk)
    forgotten(alice, told.needle)
    with acting_as(alice.pk):
        texts = " ".join(CognitiveEvent.objects.values_list("canonical_text", flat=True))
    assert told.neighbour in texts
    assert told.needle not in dump()


@BOTH
def test_an_event_of_the_sentence_alone_goes_and_one_of_another_stays(alice: User, told: Told) -> None:
    session = open_session(alice)
    first, second = say(alice, session, told.forgotten, told.stays)
    event_of_all(alice, first, told.forgotten)
    kept = event_of_all(alice, second, told.stays)
    forgotten(alice, told.needle)
    with acting_as(alice.pk):
        assert list(CognitiveEvent.objects.values_list("pk", flat=True)) == [kept]
        assert [job.new_info for job in CognitiveJob.objects.all()] == [told.stays]
    assert told.needle not in dump()


@BOTH
def test_the_portrait_loses_its_line_in_every_revision_and_keeps_the_other(alice: User, told: Told) -> None:
    session = open_session(alice)
    (said,) = say(alice, session, told.text)
    tell(alice, session, told.text, message=said.pk)
    edit(alice, f"- {told.forgotten}\n- {told.stays}\n- I swim")
    forgotten(alice, told.needle)
    assert not any(told.needle in line for line in bullets(alice))
    assert any(told.neighbour in line for line in bullets(alice))
    with acting_as(alice.pk):
        versions = [*EntityProfile.objects.all(), *EntityProfile.history.all()]
    assert len(versions) > 1
    assert not any(told.needle in str(version.lines) + version.body for version in versions)
    assert told.needle not in dump()


@BOTH
def test_an_answer_loses_the_sentence_that_quotes_it_and_another_answer_nothing(alice: User, told: Told) -> None:
    session, other = open_session(alice), open_session(alice)
    say(alice, session, told.text)
    keys = [item.pk for item in memories(alice)]
    both = answer(alice, other, told.text.replace("I ", "You ").replace("我", "你"), *keys)
    fine = "The weather is fine." if told is ENGLISH else "天气很好。"
    neither = answer(alice, other, fine, *keys)
    forgotten(alice, told.needle)
    assert told.needle not in message(both).text
    assert told.neighbour in message(both).text
    assert message(neither).text == fine
    assert told.needle not in dump()


def test_an_answer_in_the_other_language_goes_whole_where_it_was_given_the_memory(alice: User) -> None:
    session, other = open_session(alice), open_session(alice)
    say(alice, session, ENGLISH.text)
    nurse = next(item for item in memories(alice) if ENGLISH.needle in item.content)
    given, not_given = answer(alice, other, "你是一名护士。", nurse.pk), answer(alice, other, "天气很好。")
    forgotten(alice, ENGLISH.needle)
    assert message(given).content == []
    assert message(not_given).text == "天气很好。"


@BOTH
def test_the_title_the_slots_and_the_summary_keep_what_is_left(alice: User, told: Told) -> None:
    session = open_session(alice)
    (said, *_) = say(alice, session, told.text, "The weather is fine.")
    with acting_as(alice.pk):
        rows = Session.objects.filter(pk=session.pk)
        rows.update(title=title_from(said.text), entity_slots={"topic": [told.needle, told.neighbour]})
        summaries.summarize_later(permit_of(alice), session, 2, 2)
    drain()
    forgotten(alice, told.needle)
    with acting_as(alice.pk):
        row = Session.objects.get(pk=session.pk)
    assert row.title == told.stays
    assert row.entity_slots["topic"][-1] == told.neighbour
    assert told.neighbour in str(row.summary_blocks)
    assert told.needle not in dump()


@BOTH
def test_other_messages_of_the_chat_that_say_it_again_lose_it_too(alice: User, told: Told) -> None:
    session = open_session(alice)
    say(alice, session, told.text)
    again = "Forget that I work as a nurse at Zqneedle Hospital." if told is ENGLISH else "忘掉我住在鑫淼。"
    asking, _ = say(alice, session, f"{again} {told.question}", "The weather is fine.", learn=False)
    forgotten(alice, told.needle)
    assert message(asking).text == told.question
    assert told.needle not in dump()


def test_an_event_made_of_another_message_that_says_it_again_goes_where_it_shows_no_sentence(alice: User) -> None:
    session = open_session(alice)
    say(alice, session, ENGLISH.text)
    again, other = say(
        alice, session, "I work as a nurse at Zqneedle Hospital, you know.", "The weather is fine.", learn=False
    )
    in_other_words = event_of_all(alice, again, "Alice cares for the sick.")
    kept = event_of_all(alice, other, "Alice likes the weather.")
    forgotten(alice, ENGLISH.needle)
    with acting_as(alice.pk):
        left = set(CognitiveEvent.objects.values_list("pk", flat=True))
    assert (in_other_words in left, kept in left) == (False, True)


def test_where_no_sentence_tells_it_the_whole_message_goes(alice: User) -> None:
    session = open_session(alice)
    (said,) = say(alice, session, "That is how I like it. And nothing else.", learn=False)
    with acting_as(alice.pk):
        detail = {"change": "add", "message_ids": [str(said.pk)]}
        draft = ItemDraft("Zebra crossings", "preference", "preference", "observation", 0.5, detail=detail)
        add_item(permit_of(alice), draft)
    forgotten(alice, "Zebra")
    assert message(said).content == []
    assert message(said).redacted_at is not None


@BOTH
def test_two_wishes_about_one_message_at_once_leave_neither(alice: User, told: Told) -> None:
    (said,) = say(alice, open_session(alice), told.text + " I like zqtea.")
    asked(alice, told.needle)
    asked(alice, told.neighbour)
    drain()
    text = dump()
    assert told.needle not in text
    assert told.neighbour not in text
    assert "zqtea" in message(said).text


@pytest.mark.parametrize("beside", ["We do like it here.", "It is fine."], ids=["of its length", "of another"])
def test_of_two_wishes_about_one_message_the_second_takes_a_sentence_known_by_its_place_alone(
    alice: User, beside: str
) -> None:
    quote = "We tied the zqknot."
    text = f"{ENGLISH.forgotten} {quote} My wedding was in Zqleeds. {beside} {ENGLISH.stays}"
    (said,) = say(alice, open_session(alice), text)
    key = event_of_all(alice, said, "Alice had a wedding in Zqleeds.")
    with acting_as(alice.pk):
        CognitiveEvent.objects.filter(pk=key).update(sources=[{"message": str(said.pk), "quote": quote}])
    asked(alice, ENGLISH.needle)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.EVENT, f"{said.pk}:1", Sources.REDACT, source="api")
    drain()
    assert "zqknot" not in dump()
    assert message(said).text == ("" if len(beside) == len(quote) else f"{beside} {ENGLISH.stays}")


TEN = {
    "nurse": "I work as a zqnurse.",
    "miso": "I have a cat called Zqmiso.",
    "leeds": "I live in Zqleeds.",
    "tea": "I prefer zqtea.",
    "budget": "My budget is 537 euros.",
    "tom": "My son is called Zqtom.",
    "nuts": "I am allergic to zqnuts.",
    "chess": "I love playing zqchess.",
    "porto": "I was born in Zqporto.",
    "piano": "I am learning to play the zqpiano.",
}  # fmt: skip


@pytest.mark.parametrize("in_one_message", [True, False], ids=["one message", "ten messages"])
def test_of_ten_facts_told_in_one_chat_nine_stay_findable(alice: User, in_one_message: bool) -> None:
    session = open_session(alice)
    texts = [" ".join(TEN.values())] if in_one_message else list(TEN.values())
    said = say(alice, session, *texts)
    tell(alice, session, " ".join(TEN.values()), message=said[0].pk)
    learned = {item.pk for item in memories(alice, superseded_at=None)}
    lines = len(bullets(alice))
    forgotten(alice, "zqnurse")
    assert len({item.pk for item in memories(alice, superseded_at=None)}) == len(learned) - 1
    kept = [sentence for name, sentence in TEN.items() if name != "nurse"]
    with acting_as(alice.pk):
        chat = "\n".join(row.text for row in ConversationEvent.objects.filter(role="user").order_by("seq"))
        events = " ".join(CognitiveEvent.objects.values_list("canonical_text", flat=True)).lower()
        searched = {
            sentence: search(permit_of(alice), SearchQuery(sentence, kinds=("turn", "item"))) for sentence in kept
        }
    words = [sentence.rstrip(".").split()[-1] for sentence in kept]
    assert [sentence for sentence in kept if sentence not in chat] == []
    assert [word for word in words if word.lower() not in events] == []
    for sentence, found in searched.items():
        assert any(sentence.rstrip(".").split()[-1] in hit.text for hit in found.hits), sentence
    assert len(bullets(alice)) >= lines - 1
    assert "zqnurse" not in dump()


@BOTH
def test_the_preview_counts_what_the_erasure_takes(alice: User, told: Told) -> None:
    session, other = open_session(alice), open_session(alice)
    (said, _) = say(alice, session, told.text, "I follow BTC. " + told.forgotten)
    event_of_all(alice, said, told.text)
    answer(alice, other, told.text, *[item.pk for item in memories(alice)])
    answer(alice, other, told.forgotten, *[item.pk for item in memories(alice)])
    drain()
    memory = next(item for item in memories(alice) if told.needle in item.content)
    with acting_as(alice.pk):
        counted = preview_erasure(permit_of(alice), ErasureScope.ITEM, str(memory.pk), Sources.REDACT)
    before = len(bullets(alice))
    tombstone = asked(alice, told.needle)
    assert counted.portrait_lines == before - len(bullets(alice))
    drain()
    with acting_as(alice.pk):
        deleted = erasure_of(alice.pk, tombstone.pk).deleted
    assert counted.memories == deleted["memory.MemoryItem"]
    assert len(counted.events) == deleted.get("memory.CognitiveEvent", 0)
    assert len(counted.rewritten_events) == deleted["memory.CognitiveEvent rewritten"] == 1
    assert counted.messages + counted.answers == deleted["memory.ConversationEvent words"]
    sentences = counted.message_sentences + counted.answer_sentences
    assert sentences == deleted["memory.ConversationEvent sentences"] >= 3
