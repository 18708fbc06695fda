"""The four detectors (seed A §9.1, D-3): histories in, signals out. Pure: no database, no model, no clock of their own.

Each reads a whole history, so that what is found as things happen and what a scan of the past finds are the same.
A moment exactly as far away as a window is long lies within it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from drift.configuration import DriftThresholds
from drift.stance_lexicon import stance_of
from drift.thesis_overlap import jaccard
from drift.types import Held, Moment, QuestionLife, Said, Signal, SignalKind, Stance, Turn, Update


def feedback_signals(history: Iterable[Said], thresholds: DriftThresholds) -> Iterator[Signal]:
    """What one person's feedback tells, the oldest first: reversals of ratings, and comments that contradict."""
    rated: dict[str, Said] = {}
    commented: dict[tuple[str, str], _Comments] = {}
    for said in history:
        yield from _grade_reversal(rated.get(said.object_ref), said, thresholds)
        rated[said.object_ref] = said
        yield from _feedback_conflict(commented.setdefault(said.topic, _Comments()), said, thresholds)


def _grade_reversal(before: Said | None, said: Said, thresholds: DriftThresholds) -> Iterator[Signal]:
    """The rating before, of the same object, went the other way, and within the window."""
    if before is None or before.is_positive == said.is_positive:
        return
    if said.at - before.at <= thresholds.grade_reversal_within:
        yield _signal("grade_reversal", before, said, (before.rating, said.rating), "graded {name} as {value}")


@dataclass(slots=True)
class _Comments:
    """What was said of one topic so far: the last of all, the last that took a side, and how often sides changed."""

    last: Said | None = None
    taken: Said | None = None
    stance: Stance | None = None
    reversals: int = 0


def _feedback_conflict(known: _Comments, said: Said, thresholds: DriftThresholds) -> Iterator[Signal]:
    """The comment takes the other side than the one before, or calls an earlier judgement wrong; and it is not the
    first to do so.
    """
    stance = stance_of(said.keywords) if said.keywords else None
    before = _reversed_by(known, said, stance)
    known.last = said
    if stance is not None:
        known.taken, known.stance = said, stance
    if before is None:
        return
    known.reversals += 1
    if known.reversals >= thresholds.conflict_reversals:
        values = _words(before) or before.rating, _words(said)
        yield _signal("feedback_conflict", before, said, values, "said of {name}: {value}")


def _reversed_by(known: _Comments, said: Said, stance: Stance | None) -> Said | None:
    """What was said before that this comment turns against."""
    if stance is not None and known.taken is not None and stance != known.stance:
        return known.taken
    retracts = any(keyword.stance == "retraction" for keyword in said.keywords)
    return (known.taken or known.last) if retracts else None


def _words(said: Said) -> str:
    return ", ".join(keyword.word for keyword in said.keywords)


def stance_flip(turn: Turn, thresholds: DriftThresholds) -> Signal | None:
    """A refresh changed many inferences, and its thesis shares next to no keyword with the one held back then.

    Back then is ``stance_flip_days`` before the refresh; a younger thread is compared with its first thesis.
    """
    if turn.changes <= thresholds.stance_flip_changes_over or len(turn.theses) < 2:
        return None
    *earlier, new = turn.theses
    held = _held_at(earlier, new.at - thresholds.stance_flip_after)
    overlap = jaccard(held.text, new.text)
    if overlap is None or overlap >= thresholds.stance_flip_jaccard_below:
        return None
    return Signal(
        kind="refresh_stance_flip",
        object_ref=turn.thread_ref,
        about=turn.about,
        prior=Moment("thesis held", held.at, held.ref),
        current=Moment("thesis turned round", new.at, new.ref),
        summary=f"The thesis of {_day(new.at)} shares {overlap:.0%} of its keywords with that of {_day(held.at)}; "
        f"{turn.changes} inferences changed.",
    )


def _held_at(theses: Sequence[Held], moment: datetime) -> Held:
    return next((held for held in reversed(theses) if held.at <= moment), theses[0])


def reopenings(life: QuestionLife, now: datetime, thresholds: DriftThresholds) -> list[Signal]:
    """Each time a resolved question was reopened within the window, and stayed so for the delay at least."""
    standing_until = [*(update.at for update in life.updates[1:]), now]
    return [
        _reopening(life, before, update)
        for (before, update), until in zip(pairwise(life.updates), standing_until[1:], strict=True)
        if (before.state, update.state) == ("resolved", "reopened")
        and update.at - before.at <= thresholds.reopened_within
        and until - update.at >= thresholds.reopened_delay
    ]


def _reopening(life: QuestionLife, resolved: Update, reopened: Update) -> Signal:
    return Signal(
        kind="watch_question_resolved_then_reopened",
        object_ref=life.thread_ref,
        about=life.about,
        prior=Moment("resolved", resolved.at, life.question_ref),
        current=Moment("reopened", reopened.at, life.question_ref),
        summary=f"{_day(resolved.at)} resolved a watch question, {_day(reopened.at)} reopened it.",
    )


def _signal(kind: SignalKind, before: Said, said: Said, values: tuple[str, str], wording: str) -> Signal:
    name = said.about.name if said.about else said.object_ref
    told = (
        f"{_day(one.at)} {wording.format(name=name, value=value)}"
        for one, value in zip((before, said), values, strict=True)
    )
    return Signal(
        kind=kind,
        object_ref=said.object_ref,
        about=said.about,
        prior=Moment(values[0], before.at, before.object_ref),
        current=Moment(values[1], said.at, said.object_ref),
        summary=", ".join(told),
    )


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
