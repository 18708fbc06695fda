"""What a confirmation counts is what the erasure takes, whatever was said: random chats in both languages."""

from __future__ import annotations

import os
from dataclasses import dataclass
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies

from consent.erasure.services import erasure_of
from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from finclaw.erasure_preview import ErasurePreview, preview_erasure
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent, MemoryItem, SearchEntry
from memory.services.sessions import record_messages
from memory.types import NewMessage
from tests.memory.portraits.support import bullets, tell
from tests.support.cast import allow, make_person
from tests.support.talk import memories, open_session, permit_of, say

# Each tells another thing in a word of its own, which the number makes.
FACTS = (
    "I prefer zqtea{}.", "I have a cat called Zqmiso{}.", "My budget is 5{}7 euros.", "I dislike zqolives{}.",
    "I am allergic to zqnuts{}.", "I like zqjazz{}.", "我喜欢zq乐{}。", "我有一只狗叫zq旺{}。", "我对zq花{}过敏。",
)  # fmt: skip
NOISE = ("The weather is fine.", "Thanks!", "今天天气不错。", "")
EXAMPLES = int(os.environ.get("PREVIEW_EXAMPLES", "3"))  # `make prove` asks for more
MESSAGE = strategies.tuples(
    strategies.lists(strategies.integers(0, len(FACTS) - 1), min_size=1, max_size=4), strategies.sampled_from(NOISE)
)


@dataclass(frozen=True)
class Chat:
    """What was said, a list of sentences a message."""

    user: User
    messages: list[list[str]]

    def said(self) -> str:
        """The person's words as they stand now."""
        with acting_as(self.user.pk):
            rows = ConversationEvent.objects.filter(role="user").order_by("seq")
            return "\n".join(row.text for row in rows)


def _chat(messages: list[tuple[list[int], str]]) -> Chat:
    user = make_person(f"alice-{uuid4()}")
    allow(user)
    session, other = open_session(user), open_session(user)
    number, texts = 300, []
    for facts, noise in messages:
        sentences = []
        for which in facts:
            number += 1
            sentences.append(FACTS[which].format(number))
        texts.append([*sentences, *([noise] if noise else [])])
    said = say(user, session, *(" ".join(sentences) for sentences in texts))
    for message, sentences in zip(said, texts, strict=True):
        tell(user, session, " ".join(sentences), message=message.pk)
    with acting_as(user.pk):
        answers = [NewMessage.of_text("assistant", " ".join(sentences), "FinClaw") for sentences in texts]
        record_messages(permit_of(user), session, answers)
        record_messages(permit_of(user), other, [NewMessage.of_text("assistant", "Hello.", "FinClaw")])
    return Chat(user, texts)


def _taken(counted: ErasurePreview) -> dict[str, int]:
    """The preview in the words of the certificate; events that go in two perspectives are not made here."""
    return {
        "memory.MemoryItem": counted.memories,
        "memory.CognitiveEvent": len(counted.events),
        "memory.CognitiveEvent rewritten": len(counted.rewritten_events),
        "memory.ConversationEvent words": counted.messages + counted.answers,
        "memory.ConversationEvent sentences": counted.message_sentences + counted.answer_sentences,
    }


@pytest.mark.django_db
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    messages=strategies.lists(MESSAGE, min_size=1, max_size=4),
    which=strategies.integers(0, 99),
    keep=strategies.booleans(),
)
def test_the_preview_counts_what_goes_and_nothing_else_goes(
    messages: list[tuple[list[int], str]], which: int, keep: bool
) -> None:
    chat = _chat(messages)
    forms = [_without_digits(sentence) for sentences in chat.messages for sentence in sentences if _number(sentence)]
    assume(len(set(forms)) == len(forms))  # one that differs from the forgotten by its figure alone goes with it
    learned: list[MemoryItem] = memories(chat.user, superseded_at=None)
    if not learned:
        return
    item, sources = learned[which % len(learned)], Sources.KEEP if keep else Sources.REDACT
    lines = len(bullets(chat.user))
    with acting_as(chat.user.pk):
        counted = preview_erasure(permit_of(chat.user), ErasureScope.ITEM, str(item.pk), sources)
        tombstone = forget(chat.user, ErasureScope.ITEM, str(item.pk), sources, source="api")
    assert counted.portrait_lines == lines - len(bullets(chat.user))
    drain()
    with acting_as(chat.user.pk):
        done = erasure_of(chat.user.pk, tombstone.pk)
    assert done.state == "completed", [step.reason for step in done.steps.all()]
    assert _taken(counted) == {place: done.deleted.get(place, 0) for place in _taken(counted)}
    _require_exactly_that(chat, item, keep)


def _require_exactly_that(chat: Chat, item: MemoryItem, keep: bool) -> None:
    said = chat.said()
    told = [sentence for sentences in chat.messages for sentence in sentences if _number(sentence)]
    [number] = {word for word in map(_number, told) if word and word in item.content} or {""}
    going = [sentence for sentence in told if number and number in sentence]
    if keep:
        assert all(sentence in said for sentence in told)
        return
    assert [sentence for sentence in told if sentence not in going and sentence not in said] == []
    assert [sentence for sentence in going if sentence in said] == []
    with acting_as(chat.user.pk):
        answers = "\n".join(row.text for row in ConversationEvent.objects.filter(role="assistant"))
        entries = SearchEntry.objects.filter(live=True, kind="turn").values_list("terms", flat=True)
        assert not [sentence for sentence in going if sentence in answers]
        assert not any(number and number in str(terms) for terms in entries)


def _without_digits(sentence: str) -> str:
    return "".join(letter for letter in sentence if not letter.isdigit())


def _number(sentence: str) -> str:
    return "".join(letter for letter in sentence if letter.isdigit())
