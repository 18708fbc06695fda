"""Lets the small model write events and checks them; where it fails, the events of the rules take their place.

The checks are called gates: an event must name its times, places and persons and add nothing to what was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from foundation.llm import LanguageModel, MalformedReply, ModelUnavailable, model_id_for
from memory.historian.anaphora import has_anaphora
from memory.historian.event_parts import EventCandidate, EventPart, event_part_of, unique_parts
from memory.historian.event_prompt import SCHEMA, AnsweredEvent, answered_events, prompt_for, repeated_prompt
from memory.historian.rewrite_prompt import RewriteRequest as Question
from memory.historian.rewrite_verdict import judge_rewrite
from memory.historian.rewriter import NOT_ABSOLUTE, UNUSABLE, note_failure
from memory.rewriting.persons import People
from memory.rewriting.rule_rewriter import make_absolute, unresolved_in
from memory.rewriting.types import Draft, RewrittenTexts

MOST_ASKED: Final = 30
"""Sentences of one model call: an answer that repeats each of them must not be cut off."""


@dataclass(frozen=True, slots=True)
class ModelParts:
    """The events, in the order of their first sentences. ``degraded`` says why the model's are missing or incomplete,
    ``rewrites`` how often it was asked again.
    """

    parts: tuple[EventPart, ...]
    degraded: str = ""
    rewrites: int = 0


@dataclass(frozen=True, slots=True)
class _EventAttempt:
    """The events of an answer that the gates accept, and the words for which they refuse the others."""

    accepted: dict[tuple[int, ...], EventPart]
    refused: tuple[str, ...]


def parts_by_model(
    candidates: Sequence[EventCandidate], model: LanguageModel, before_asking: Callable[[], None]
) -> ModelParts:
    """The events that the model makes of these sentences. To be called outside any transaction.

    An answer of which the gates refuse an event is asked for again with the refused words,
    ``HISTORIAN_REWRITE_MAX_RETRY`` times; then the best answer's sound events stand, and of the sentences in none of
    them those that the rules can tell. ``before_asking`` runs before every call.
    """
    parts: list[EventPart] = []
    degraded, rewrites = "", 0
    for start in range(0, len(candidates), MOST_ASKED):
        asked = _ask_model(candidates[start : start + MOST_ASKED], model, before_asking)
        parts += asked.parts
        degraded, rewrites = degraded or asked.degraded, rewrites + asked.rewrites
    return ModelParts(tuple(unique_parts(parts)), degraded, rewrites)


def _ask_model(
    candidates: Sequence[EventCandidate], model: LanguageModel, before_asking: Callable[[], None]
) -> ModelParts:
    context = list(dict.fromkeys(candidate.message.text for candidate in candidates))
    question = prompt = prompt_for(candidates, context)
    attempts: list[_EventAttempt] = []
    most = 1 + settings.HISTORIAN_REWRITE_MAX_RETRY
    for asked in range(1, most + 1):
        before_asking()
        try:
            reply = model.call(prompt, model_id_for("small"), kind="events", schema=SCHEMA)
        except MalformedReply:
            continue
        except ModelUnavailable as error:
            return ModelParts(_with_rules(candidates, attempts), note_failure(error), max(0, asked - 1))
        attempts.append(
            _judge_answer(answered_events(reply.text, len(candidates)), candidates, context, reply.model_id)
        )
        if not attempts[-1].refused:
            return ModelParts(_with_rules(candidates, attempts), "", asked - 1)
        prompt = repeated_prompt(question, reply.text, attempts[-1].refused)
    return ModelParts(_with_rules(candidates, attempts), NOT_ABSOLUTE if attempts else UNUSABLE, most - 1)


def _judge_answer(
    events: Iterable[AnsweredEvent], candidates: Sequence[EventCandidate], context: Sequence[str], model_id: str
) -> _EventAttempt:
    accepted: dict[tuple[int, ...], EventPart] = {}
    refused: list[str] = []
    for event in events:
        objections = _objections(event, candidates, context)
        refused += objections
        if not objections:
            first = candidates[event.sentences[0]]
            sources = tuple(dict.fromkeys(candidates[place].source for place in event.sentences))
            part = event_part_of(event.text, first.message.clock, first.message.speaker, sources, model_id)
            accepted[event.sentences] = part
    return _EventAttempt(accepted, tuple(dict.fromkeys(refused)))


def _objections(event: AnsweredEvent, candidates: Sequence[EventCandidate], context: Sequence[str]) -> list[str]:
    """The words for which the gates refuse an event: still relative, pointing back, or not in what was given."""
    quoted = [candidates[place] for place in event.sentences]
    clock = quoted[0].message.clock
    draft = Draft(
        "", "\n".join(candidate.sentence.quote for candidate in quoted), quoted[0].message.speaker, _addressee(quoted)
    )
    by_rules = "\n".join(_by_rules(candidate) for candidate in quoted)
    verdict = judge_rewrite(
        RewrittenTexts("", event.text, event.text),
        Question(draft, clock, tuple(context)),
        RewrittenTexts("", by_rules, by_rules),
    )
    back = [event.text] if has_anaphora(event.text) else []
    return [*verdict.relative, *verdict.unfounded, *unresolved_in(event.text), *back]


def _by_rules(candidate: EventCandidate) -> str:
    message = candidate.message
    return make_absolute(candidate.sentence.quote, message.clock, People(message.speaker, message.addressee))


def _addressee(quoted: Sequence[EventCandidate]) -> str:
    return next((candidate.message.addressee for candidate in quoted if candidate.message.addressee), "")


def _with_rules(candidates: Sequence[EventCandidate], attempts: Sequence[_EventAttempt]) -> tuple[EventPart, ...]:
    """The best attempt's events, and the rules' of the sentences that were refused or never answered for.

    Of sentences that a sound answer leaves out nothing is told: the model has judged that they tell nothing.
    """
    best = max(attempts, key=lambda attempt: (not attempt.refused, len(attempt.accepted)), default=None)
    parts = dict(best.accepted) if best is not None else {}
    quoted = {place for places in parts for place in places}
    if best is None or best.refused:
        for place, candidate in enumerate(candidates):
            if place not in quoted and candidate.part is not None:
                parts[(place,)] = candidate.part
    return tuple(part for _, part in sorted(parts.items(), key=lambda item: item[0]))
