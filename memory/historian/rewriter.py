"""Rewrites the two fields of an ``end`` call, ``action_summary`` and ``new_info``.

The small model does where the gates accept its text, else the rules. The gates are the checks of ``rewrite_verdict``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import structlog
from django.conf import settings

from foundation.llm import LanguageModel, MalformedReply, ModelUnavailable, model_id_for
from foundation.text import estimate_tokens
from memory.historian.rewrite_prompt import SCHEMA, RewriteRequest, prompt_for, repeated_prompt, rewritten_texts_of
from memory.historian.rewrite_verdict import RewriteVerdict, judge_rewrite, relative_words
from memory.rewriting.canonical_text import (
    date_head,
    language_of_own_words,
)
from memory.rewriting.rule_rewriter import rewrite_by_rules, unresolved_in
from memory.rewriting.types import EventClock, RewrittenTexts

OFFLINE = "offline"
NOT_ABSOLUTE = "event_not_absolute"
"""A time or a pronoun stayed that a reader cannot place."""
UNAVAILABLE = "historian_model_unavailable"
"""The model was down for everybody: what it should have written is written anew once it is back."""
UNUSABLE = "historian_model_unusable"
"""The model answered these words with nothing that can be used."""
TOO_LONG = "event_too_long_for_model"
"""The model could not have finished its answer, and was not asked."""
_ANSWER_TOKENS = 1.3  # tokens of a rewrite for each of its source: names and dates are longer than pronouns
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WrittenRewrite:
    """A rewrite as it is stored; ``rewritten.unresolved`` lists the words that a reader cannot place.

    ``by`` is a model's id or "offline"; ``degraded`` why a configured model's rewrite is not what it should be;
    ``rewrites`` how often the model was asked again.
    """

    rewritten: RewrittenTexts
    by: str = OFFLINE
    degraded: str = ""
    rewrites: int = 0


@dataclass(frozen=True, slots=True)
class _RewriteAttempt:
    rewritten: RewrittenTexts
    verdict: RewriteVerdict
    by: str


def write_rewrite(request: RewriteRequest, model: LanguageModel, before_asking: Callable[[], None]) -> WrittenRewrite:
    """The best rewrite of an ``end`` call's fields. To be called outside any transaction: a model may be asked.

    A model's answer that the gates refuse is asked for again with the refused words, ``HISTORIAN_REWRITE_MAX_RETRY``
    times. Then the text with the fewest relative words wins, the model's before the rules' where they have as many.
    ``before_asking`` runs before every call.
    """
    by_rules = rewrite_by_rules(request.draft, request.clock)
    if model.is_offline:
        return WrittenRewrite(by_rules)
    if _too_long(request):
        return WrittenRewrite(by_rules, degraded=TOO_LONG)
    attempts, asked, failure = _ask_model(request, by_rules, model, before_asking)
    best = _best_attempt(attempts, len(relative_words(by_rules, request.clock)))
    if best is None:
        return WrittenRewrite(by_rules, degraded=failure, rewrites=max(0, asked - 1))
    return WrittenRewrite(_finish_rewrite(best, request.clock), best.by, failure, max(0, asked - 1))


def _too_long(request: RewriteRequest) -> bool:
    """Whether an answer could not be finished: it holds every sentence twice, in its field and in the whole text."""
    source = estimate_tokens(request.draft.action_summary) + estimate_tokens(request.draft.new_info)
    return 2 * _ANSWER_TOKENS * source > settings.MODEL_MAX_OUTPUT_TOKENS


def _ask_model(
    request: RewriteRequest, by_rules: RewrittenTexts, model: LanguageModel, before_asking: Callable[[], None]
) -> tuple[list[_RewriteAttempt], int, str]:
    """The model's attempts, how often it was asked, and why the last of them will not do, or ""."""
    prompt, attempts = prompt_for(request), list[_RewriteAttempt]()
    most = 1 + settings.HISTORIAN_REWRITE_MAX_RETRY
    for asked in range(1, most + 1):
        before_asking()
        try:
            reply = model.call(prompt, model_id_for("small"), kind="events", schema=SCHEMA)
        except MalformedReply:
            continue
        except ModelUnavailable as error:
            return attempts, asked, note_failure(error)
        answer = rewritten_texts_of(reply.text)
        attempts.append(_RewriteAttempt(answer, judge_rewrite(answer, request, by_rules), reply.model_id))
        verdict = attempts[-1].verdict
        if verdict.is_clean:
            return attempts, asked, ""
        prompt = repeated_prompt(request, reply.text, verdict.relative, verdict.unfounded)
    return attempts, most, NOT_ABSOLUTE if attempts else UNUSABLE


def note_failure(error: ModelUnavailable) -> str:
    """Log why the historian goes on without its model; returns the code that marks its events as degraded."""
    degraded = UNAVAILABLE if error.is_providers_fault else UNUSABLE
    log.warning(degraded, reason=error.reason)
    return degraded


def _best_attempt(attempts: Sequence[_RewriteAttempt], relative_by_rules: int) -> _RewriteAttempt | None:
    """The attempt without unfounded words that has the fewest relative ones; None where the rules leave fewer."""
    founded = [attempt for attempt in attempts if not attempt.verdict.unfounded]
    best = min(founded, key=lambda attempt: len(attempt.verdict.relative), default=None)
    return best if best and len(best.verdict.relative) <= relative_by_rules else None


def _finish_rewrite(attempt: _RewriteAttempt, clock: EventClock) -> RewrittenTexts:
    """The texts, with a date before them where the model gave none, and with the words that stay unresolved."""
    rewritten, day = attempt.rewritten, clock.local.date()
    text = rewritten.canonical_text
    if str(day.year) not in text:
        text = date_head(day, clock.language or language_of_own_words(text)) + text
    left = [*attempt.verdict.relative, *unresolved_in(rewritten.did_what), *unresolved_in(rewritten.new_info)]
    return replace(rewritten, canonical_text=text, unresolved=tuple(dict.fromkeys(left)))
