"""Events written by the small model, judged by the same gates as any; the rules' own stand in where it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog
from django.conf import settings

from foundation.llm import LanguageModel, MalformedReply, ModelUnavailable, model_id_for
from memory.historian.anaphora import points_back
from memory.historian.event_parts import Candidate, Part, each_once, part_of
from memory.historian.event_prompt import SCHEMA, Answered, asked_again, events_in, prompt_for
from memory.historian.persons import People
from memory.historian.rewrite_prompt import Told as Question
from memory.historian.rewrite_verdict import judged
from memory.historian.rewriter import NOT_ABSOLUTE, UNAVAILABLE
from memory.historian.rule_rewriter import absolute, unresolved_in
from memory.historian.types import Draft, Rewritten

MOST_ASKED: Final = 30
"""Sentences of one question: an answer, which may hold each of them, must be finished."""
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ModelParts:
    """The parts, in the order of their first sentences; why the model's are not what they should be, and how often it
    was asked again.
    """

    parts: tuple[Part, ...]
    degraded: str = ""
    rewrites: int = 0


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What the gates leave of an answer, and the words for which they refuse the rest."""

    accepted: dict[tuple[int, ...], Part]
    refused: tuple[str, ...]


def parts_by_model(
    candidates: Sequence[Candidate], model: LanguageModel, before_asking: Callable[[], None]
) -> ModelParts:
    """The events that the model makes of these sentences. To be called outside any transaction.

    An answer of which the gates refuse an event is asked for again with the refused words,
    ``HISTORIAN_REWRITE_MAX_RETRY`` times; then the best answer's sound events stand, and of the sentences in none of
    them those that the rules can tell. ``before_asking`` runs before every call.
    """
    parts: list[Part] = []
    degraded, rewrites = "", 0
    for start in range(0, len(candidates), MOST_ASKED):
        asked = _asked(candidates[start : start + MOST_ASKED], model, before_asking)
        parts += asked.parts
        degraded, rewrites = degraded or asked.degraded, rewrites + asked.rewrites
    return ModelParts(tuple(each_once(parts)), degraded, rewrites)


def _asked(candidates: Sequence[Candidate], model: LanguageModel, before_asking: Callable[[], None]) -> ModelParts:
    context = list(dict.fromkeys(candidate.said.text for candidate in candidates))
    question = prompt = prompt_for(candidates, context)
    attempts: list[_Attempt] = []
    most = 1 + settings.HISTORIAN_REWRITE_MAX_RETRY
    for asked in range(1, most + 1):
        before_asking()
        try:
            reply = model.call(prompt, model_id_for("small"), schema=SCHEMA)
        except MalformedReply:
            continue
        except ModelUnavailable as error:
            log.warning(UNAVAILABLE, reason=error.details.get("reason"))
            return ModelParts(_with_rules(candidates, attempts), UNAVAILABLE, max(0, asked - 1))
        attempts.append(_judged(events_in(reply.text, len(candidates)), candidates, context, reply.model_id))
        if not attempts[-1].refused:
            return ModelParts(_with_rules(candidates, attempts), "", asked - 1)
        prompt = asked_again(question, reply.text, attempts[-1].refused)
    return ModelParts(_with_rules(candidates, attempts), NOT_ABSOLUTE if attempts else UNAVAILABLE, most - 1)


def _judged(
    events: Iterable[Answered], candidates: Sequence[Candidate], context: Sequence[str], model_id: str
) -> _Attempt:
    accepted: dict[tuple[int, ...], Part] = {}
    refused: list[str] = []
    for event in events:
        objections = _objections(event, candidates, context)
        refused += objections
        if not objections:
            first = candidates[event.sentences[0]]
            sources = tuple(dict.fromkeys(candidates[place].source for place in event.sentences))
            part = part_of(event.text, first.said.clock, first.said.speaker, sources, model_id)
            accepted[event.sentences] = part
    return _Attempt(accepted, tuple(dict.fromkeys(refused)))


def _objections(event: Answered, candidates: Sequence[Candidate], context: Sequence[str]) -> list[str]:
    """The words for which the gates refuse an event: still relative, pointing back, or given by nobody."""
    quoted = [candidates[place] for place in event.sentences]
    clock = quoted[0].said.clock
    told = Draft("", "\n".join(one.told.quote for one in quoted), quoted[0].said.speaker, _addressee(quoted))
    by_rules = "\n".join(_by_rules(one) for one in quoted)
    verdict = judged(
        Rewritten("", event.text, event.text),
        Question(told, clock, tuple(context)),
        Rewritten("", by_rules, by_rules),
    )
    back = [event.text] if points_back(event.text) else []
    return [*verdict.relative, *verdict.unfounded, *unresolved_in(event.text), *back]


def _by_rules(candidate: Candidate) -> str:
    said = candidate.said
    return absolute(candidate.told.quote, said.clock, People(said.speaker, said.addressee))


def _addressee(quoted: Sequence[Candidate]) -> str:
    return next((one.said.addressee for one in quoted if one.said.addressee), "")


def _with_rules(candidates: Sequence[Candidate], attempts: Sequence[_Attempt]) -> tuple[Part, ...]:
    """The best attempt's events, and the rules' of the sentences that were refused or never answered for.

    Of sentences that a sound answer leaves out nothing is told: the model has judged that they tell nothing.
    """
    best = max(attempts, key=lambda attempt: (not attempt.refused, len(attempt.accepted)), default=None)
    told = dict(best.accepted) if best is not None else {}
    quoted = {place for places in told for place in places}
    if best is None or best.refused:
        for place, candidate in enumerate(candidates):
            if place not in quoted and candidate.part is not None:
                told[(place,)] = candidate.part
    return tuple(part for _, part in sorted(told.items(), key=lambda item: item[0]))
