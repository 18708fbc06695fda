"""The four drift detectors, which find reversals in histories. Pure: no database, no model, no clock of their own.

Each reads a whole history, so that detection at the time and a later scan of the past find the same. A moment exactly
at the end of a time window lies within it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from drift.configuration import DriftThresholds
from drift.stance_lexicon import stance_of
from drift.thesis_overlap import jaccard_overlap
from drift.types import (
    DatedThesis,
    QuestionHistory,
    QuestionUpdate,
    RatedFeedback,
    Reversal,
    ReversalSide,
    SignalKind,
    Stance,
    ThesisHistory,
)


def feedback_signals(history: Iterable[RatedFeedback], thresholds: DriftThresholds) -> Iterator[Reversal]:
    """The reversals in one user's feedback, given the oldest first: reversed ratings, contradicting comments."""
    rated: dict[str, RatedFeedback] = {}
    commented: dict[tuple[str, str], _TopicComments] = {}
    for said in history:
        yield from _grade_reversal(rated.get(said.object_ref), said, thresholds)
        rated[said.object_ref] = said
        yield from _feedback_conflict(commented.setdefault(said.topic, _TopicComments()), said, thresholds)


def _grade_reversal(
    before: RatedFeedback | None, said: RatedFeedback, thresholds: DriftThresholds
) -> Iterator[Reversal]:
    """A reversal where the previous rating of the same object went the other way, within the window."""
    if before is None or before.is_positive == said.is_positive:
        return
    if said.at - before.at <= thresholds.grade_reversal_within:
        yield _feedback_reversal(
            "grade_reversal", before, said, (before.rating, said.rating), "graded {name} as {value}"
        )


@dataclass(slots=True)
class _TopicComments:
    """The comments on one topic so far: the last one, the last with a stance (``taken``), and how many reversals."""

    last: RatedFeedback | None = None
    taken: RatedFeedback | None = None
    stance: Stance | None = None
    reversals: int = 0


def _feedback_conflict(known: _TopicComments, said: RatedFeedback, thresholds: DriftThresholds) -> Iterator[Reversal]:
    """A reversal where a comment changes sides or retracts a judgement, from the ``conflict_reversals``-th time on."""
    stance = stance_of(said.keywords) if said.keywords else None
    before = _contradicted_feedback(known, said, stance)
    known.last = said
    if stance is not None:
        known.taken, known.stance = said, stance
    if before is None:
        return
    known.reversals += 1
    if known.reversals >= thresholds.conflict_reversals:
        values = _keyword_list(before) or before.rating, _keyword_list(said)
        yield _feedback_reversal("feedback_conflict", before, said, values, "said of {name}: {value}")


def _contradicted_feedback(known: _TopicComments, said: RatedFeedback, stance: Stance | None) -> RatedFeedback | None:
    """The earlier feedback that this comment contradicts."""
    if stance is not None and known.taken is not None and stance != known.stance:
        return known.taken
    retracts = any(keyword.stance == "retraction" for keyword in said.keywords)
    return (known.taken or known.last) if retracts else None


def _keyword_list(said: RatedFeedback) -> str:
    return ", ".join(keyword.word for keyword in said.keywords)


def thesis_reversal(turn: ThesisHistory, thresholds: DriftThresholds) -> Reversal | None:
    """A reversal where a refresh changed many inferences and its thesis shares few keywords with the earlier one.

    The earlier thesis is the one held ``stance_flip_days`` before the refresh, or the first one of a younger thread.
    """
    if turn.changes <= thresholds.stance_flip_changes_over or len(turn.theses) < 2:
        return None
    *earlier, new = turn.theses
    held = _thesis_at(earlier, new.at - thresholds.stance_flip_after)
    overlap = jaccard_overlap(held.text, new.text)
    if overlap is None or overlap >= thresholds.stance_flip_jaccard_below:
        return None
    return Reversal(
        kind="refresh_stance_flip",
        object_ref=turn.thread_ref,
        cognition_object=turn.cognition_object,
        prior=ReversalSide("thesis held", held.at, held.ref),
        current=ReversalSide("thesis turned round", new.at, new.ref),
        summary=f"The thesis of {_iso_day(new.at)} shares {overlap:.0%} of its keywords with that of "
        f"{_iso_day(held.at)}; {turn.changes} inferences changed.",
    )


def _thesis_at(theses: Sequence[DatedThesis], moment: datetime) -> DatedThesis:
    return next((held for held in reversed(theses) if held.at <= moment), theses[0])


def reopenings(life: QuestionHistory, now: datetime, thresholds: DriftThresholds) -> list[Reversal]:
    """The reversals of a resolved question: reopened within the window, and open for at least the delay."""
    standing_until = [*(update.at for update in life.updates[1:]), now]
    return [
        _reopening(life, before, update)
        for (before, update), until in zip(pairwise(life.updates), standing_until[1:], strict=True)
        if (before.state, update.state) == ("resolved", "reopened")
        and update.at - before.at <= thresholds.reopened_within
        and until - update.at >= thresholds.reopened_delay
    ]


def _reopening(life: QuestionHistory, resolved: QuestionUpdate, reopened: QuestionUpdate) -> Reversal:
    return Reversal(
        kind="watch_question_resolved_then_reopened",
        object_ref=life.thread_ref,
        cognition_object=life.cognition_object,
        prior=ReversalSide("resolved", resolved.at, life.question_ref),
        current=ReversalSide("reopened", reopened.at, life.question_ref),
        summary=f"{_iso_day(resolved.at)} resolved a watch question, {_iso_day(reopened.at)} reopened it.",
    )


def _feedback_reversal(
    kind: SignalKind, before: RatedFeedback, said: RatedFeedback, values: tuple[str, str], wording: str
) -> Reversal:
    name = said.cognition_object.name if said.cognition_object else said.object_ref
    told = (
        f"{_iso_day(side.at)} {wording.format(name=name, value=value)}"
        for side, value in zip((before, said), values, strict=True)
    )
    return Reversal(
        kind=kind,
        object_ref=said.object_ref,
        cognition_object=said.cognition_object,
        prior=ReversalSide(values[0], before.at, before.object_ref),
        current=ReversalSide(values[1], said.at, said.object_ref),
        summary=", ".join(told),
    )


def _iso_day(moment: datetime) -> str:
    return moment.date().isoformat()
