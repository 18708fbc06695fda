"""Turns sentences of messages into events: one for each thing told, with the sentences it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from foundation.lexicon import read_lexicon
from memory.historian.addressees import addresses_one_person
from memory.historian.anaphora import has_anaphora, has_open_reference
from memory.historian.corrections import is_source_of, retracted_places
from memory.historian.happenings import is_anchored, is_promised
from memory.historian.sentences import EventSentence, SentenceReading, read_sentences
from memory.rewriting.canonical_text import (
    compose_text,
    language_of_own_words,
    with_end_mark,
)
from memory.rewriting.persons import People
from memory.rewriting.rule_rewriter import make_absolute, unresolved_in
from memory.rewriting.time_intervals import Interval, time_spoken_of
from memory.rewriting.types import Draft, EventClock, RewrittenTexts

_WORDS: Final = read_lexicon(__file__)

_NAME: Final = re.compile(rf"(?:{_WORDS.phrase('name')})\s*", re.IGNORECASE)
MOST_PARTS: Final = 200
"""The most events of one ``end`` call; those beyond are dropped."""


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """A message to make events of; ``addressee`` is whom its "you" means, empty where that is not clear.

    ``past`` are the statements that were learned from it and no longer hold.
    """

    message_id: UUID
    text: str
    speaker: str
    clock: EventClock
    addressee: str = ""
    past: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EventSource:
    """A sentence of a message, verbatim."""

    message_id: UUID
    quote: str

    def as_json(self) -> dict[str, str]:
        """The JSON form that an event's row stores."""
        return {"message": str(self.message_id), "quote": self.quote}


@dataclass(frozen=True, slots=True)
class EventPart:
    """One event: its texts, the clock when it was said, the sentences it comes from and the time it speaks of.

    ``by`` names the model that wrote it, "offline" for the rules.
    """

    rewritten: RewrittenTexts
    clock: EventClock
    sources: tuple[EventSource, ...] = ()
    speaks_of: Interval | None = None
    by: str = ""
    speaker: str = ""

    @property
    def said_at(self) -> datetime:
        return self.clock.occurred_at


@dataclass(frozen=True, slots=True)
class EventCandidate:
    """A sentence that may become an event, with its message. ``part`` is the event that the rules make of it, None
    where it cannot be understood alone; ``sequel`` is then what they append to the event of the sentence before it.
    """

    message: SourceMessage
    sentence: EventSentence
    part: EventPart | None
    sequel: EventPart | None = None

    @property
    def source(self) -> EventSource:
        """The sentence in its message."""
        return EventSource(self.message.message_id, self.sentence.quote)


def candidates_of(messages: Sequence[SourceMessage]) -> list[EventCandidate]:
    """Every sentence of these messages that may become an event, in order, except those that a later one takes back and
    those that no longer hold. Call it outside any transaction: sentences are embedded. Raises ``EmbeddingUnavailable``.
    """
    readings = [
        (message, reading) for message in messages for reading in read_sentences(message.text, message.addressee)
    ]
    gone = retracted_places([reading for _, reading in readings])
    return [
        _candidate(reading.event_sentence, message)
        for at, (message, reading) in enumerate(readings)
        if reading.event_sentence is not None and at not in gone and not _is_past(reading, message)
    ]


def parts_by_rules(candidates: Iterable[EventCandidate]) -> list[EventPart]:
    """The events of the sentences that can be understood alone, each joined with the sentences that continue it. There
    are no repetitions, and at most ``MOST_PARTS``.
    """
    parts: list[EventPart] = []
    before: EventCandidate | None = None
    for candidate in candidates:
        if candidate.part is not None:
            parts.append(candidate.part)
        elif candidate.sequel is not None and before is not None and _continues(before, candidate):
            parts[-1] = _join_parts(parts[-1], candidate.sequel)
        else:
            before = None
            continue
        before = candidate
    return unique_parts(parts)


def _continues(before: EventCandidate, candidate: EventCandidate) -> bool:
    """Whether a sentence follows directly, in the same message, on one that tells of a happening or a plan."""
    text, quote = before.message.text, before.sentence.quote
    between = text[text.find(quote) + len(quote) : text.find(candidate.sentence.quote)]
    is_next = before.message is candidate.message and quote in text and not between.strip()
    return is_next and (before.sentence.needs_anchor or before.part is None or before.part.speaks_of is not None)


def _join_parts(first: EventPart, then: EventPart) -> EventPart:
    """One event that tells two parts in a row."""
    space = "" if first.rewritten.new_info.endswith("。") else " "
    words = f"{first.rewritten.new_info}{space}{then.rewritten.new_info}"
    return event_part_of(words, first.clock, first.speaker, (*first.sources, *then.sources))


def unique_parts(parts: Iterable[EventPart]) -> list[EventPart]:
    """The parts without repetitions, at most ``MOST_PARTS``."""
    distinct = dict[str, EventPart]()
    for part in parts:
        distinct.setdefault(part.rewritten.new_info.casefold(), part)
    return list(distinct.values())[:MOST_PARTS]


def _is_past(reading: SentenceReading, message: SourceMessage) -> bool:
    return any(is_source_of(reading.quote, statement) for statement in message.past)


def _candidate(sentence: EventSentence, message: SourceMessage) -> EventCandidate:
    """The candidate of a sentence: as much of it as can be read alone, or else after the sentence before it."""
    sequel: EventPart | None = None
    for text in (sentence.text, *sentence.shorter):
        people = People(first=message.speaker, second=message.addressee if addresses_one_person(text) else "")
        if (words := make_self_contained(text, message.clock, people)) is None:
            continue
        part = event_part_of(words, message.clock, message.speaker, (EventSource(message.message_id, sentence.quote),))
        if not has_open_reference(text) and (
            not sentence.needs_anchor or part.speaks_of is not None or is_anchored(text)
        ):
            return EventCandidate(message, sentence, part)
        sequel = sequel or (None if is_promised(text) else part)
    return EventCandidate(message, sentence, None, sequel)


def make_self_contained(text: str, clock: EventClock, people: People) -> str | None:
    """A sentence in absolute words; None where it needs the conversation to be understood, or would change if it were
    made absolute again.
    """
    if has_anaphora(text) or _names_only(text, people.first):
        return None
    words = make_absolute(text, clock, people)
    if unresolved_in(words) or (words != text and make_absolute(words, clock, people) != words):
        return None
    return words


def _names_only(text: str, name: str) -> bool:
    """Whether a sentence says no more than its speaker's name, which every event names."""
    named = _NAME.match(text)
    return named is not None and text[named.end() :].strip(" .!。！").casefold() == name.casefold()


def event_part_of(
    words: str, clock: EventClock, speaker: str, sources: tuple[EventSource, ...] = (), by: str = "offline"
) -> EventPart:
    """The event whose text are the absolute ``words`` of ``speaker``; ``clock`` says when and where they were said."""
    language = clock.language or language_of_own_words(words)
    words = with_end_mark(words, "。" if language == "zh" else ".")
    draft = Draft("", words, sender_name=speaker, assistant_name="")
    text = compose_text("", words, draft, clock.local.date(), language)
    return EventPart(
        RewrittenTexts("", words, text), clock, sources, time_spoken_of(words, clock.time_zone), by, speaker
    )
