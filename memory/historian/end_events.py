"""Writes the events of one ``end`` call: those of its messages, and those of ``action_summary`` and ``new_info``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from foundation.language import split_sentences
from foundation.llm import LanguageModel
from memory.historian.event_parts import EventPart, SourceMessage, candidates_of, parts_by_rules
from memory.historian.model_events import parts_by_model
from memory.historian.rewrite_prompt import MOST_MESSAGES
from memory.historian.rewrite_prompt import RewriteRequest as Question
from memory.historian.rewriter import write_rewrite
from memory.rewriting.persons import People
from memory.rewriting.rule_rewriter import make_absolute, rewrite_by_rules, unresolved_in
from memory.rewriting.time_intervals import time_spoken_of
from memory.rewriting.types import Draft, EventClock

MOST_FIELD_PARTS: Final = 50
"""Events of the two fields of an end; what follows stays with the last of them."""


@dataclass(frozen=True, slots=True)
class EndContent:
    """The content of an ``end`` call: its two fields with their clock, and the messages it names."""

    draft: Draft
    clock: EventClock
    messages: tuple[SourceMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenParts:
    """The events of an end, in order. ``degraded`` says why the configured model could not write them;
    ``rewrites`` how often the model was asked again.
    """

    parts: tuple[EventPart, ...]
    degraded: str = ""
    rewrites: int = 0


def write_parts(ended: EndContent, model: LanguageModel, before_asking: Callable[[], None]) -> WrittenParts:
    """The events of an end. To be called outside any transaction: sentences are embedded, and a model may be asked;
    ``before_asking`` runs before every call.

    What became known is taken from the messages, and from ``new_info`` only where they yield no event. What the
    assistant did is always taken from ``action_summary``. Raises ``EmbeddingUnavailable``.
    """
    reported = _message_events(ended.messages, model, before_asking)
    draft = replace(ended.draft, new_info="") if reported.parts else ended.draft
    fields = _field_events(replace(ended, draft=draft), model, before_asking)
    rewrites = reported.rewrites + fields.rewrites
    return WrittenParts((*reported.parts, *fields.parts), reported.degraded or fields.degraded, rewrites)


def _message_events(
    messages: Sequence[SourceMessage], model: LanguageModel, before_asking: Callable[[], None]
) -> WrittenParts:
    candidates = candidates_of(messages)
    if model.is_offline or not candidates:
        return WrittenParts(tuple(parts_by_rules(candidates)))
    by_model = parts_by_model(candidates, model, before_asking)
    return WrittenParts(by_model.parts, by_model.degraded, by_model.rewrites)


def _field_events(ended: EndContent, model: LanguageModel, before_asking: Callable[[], None]) -> WrittenParts:
    draft = ended.draft
    if not (draft.action_summary.strip() or draft.new_info.strip()):
        return WrittenParts(())
    if model.is_offline:
        return WrittenParts(tuple(_field_events_by_rules(draft, ended.clock)))
    messages = tuple(message.text for message in ended.messages[:MOST_MESSAGES])
    written = write_rewrite(Question(draft, ended.clock, messages), model, before_asking)
    speaks_of = time_spoken_of(f"{written.rewritten.did_what} {written.rewritten.new_info}", ended.clock.time_zone)
    part = EventPart(written.rewritten, ended.clock, speaks_of=speaks_of, by=written.by)
    return WrittenParts((part,), written.degraded, written.rewrites)


def _field_events_by_rules(draft: Draft, clock: EventClock) -> Iterator[EventPart]:
    """One event where each field holds one sentence, else one for each sentence that can be read alone."""
    sender, assistant = draft.sender_name, draft.assistant_name
    did = _field_pieces(draft.action_summary, clock, People(first=assistant, second=sender))
    new = _field_pieces(draft.new_info, clock, People(first=sender, second=assistant))
    if len(did) <= 1 and len(new) <= 1:
        drafts = [draft]
    else:
        drafts = [
            *(replace(draft, action_summary=piece, new_info="") for piece in did),
            *(replace(draft, action_summary="", new_info=piece) for piece in new),
        ]
    for each in drafts:
        rewritten = rewrite_by_rules(each, clock)
        speaks_of = time_spoken_of(f"{rewritten.did_what} {rewritten.new_info}", clock.time_zone)
        yield EventPart(rewritten, clock, speaks_of=speaks_of, by="offline")


def _field_pieces(text: str, clock: EventClock, people: People) -> Sequence[str]:
    """The sentences of a field; one that points at what was said before is kept together with it."""
    pieces: list[str] = []
    for sentence in split_sentences(text):
        depends = bool(unresolved_in(make_absolute(sentence, clock, people)))
        if pieces and (depends or len(pieces) == MOST_FIELD_PARTS):
            pieces[-1] = f"{pieces[-1]} {sentence}"
        else:
            pieces.append(sentence)
    return pieces
