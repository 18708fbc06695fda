"""What a new statement does to the known ones: a structural guard, then time. Nearness counts only for what a change
means where no slot says so, above a margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.evolution.confidence import PROVENANCE_RANK
from memory.evolution.slots import DIET, consumed, contraries, holds_several, slots_met_by, value_key
from memory.evolution.types import Action, EvolutionDecision, KnownItem, StatementCandidate

CONFLICT_FROM: Final = 0.1
"""Probability from which both stand, marked as in conflict, until the user says which holds."""
CHANGES_FROM: Final = 0.05
"""Probability of a change below which nothing is looked for that it might change: nine of ten changes are above."""
TEACHES_FROM: Final = 0.1
CHANGES_ALONE_FROM: Final = 0.3
"""Probabilities of teaching something and of changing something from which a sentence that is not to be kept by itself
is kept where it surely changes something.
"""
CORRECTS_BY_WORDS: Final = 0.9
"""Probability of a change where a rule found its words: "Actually, …", "no longer"."""
_TOO_OLD: Final = "an older statement never replaces a newer one"


@dataclass(frozen=True, slots=True)
class LikelyChange:
    """What a statement likely changes: an item, or else the message of that id, which taught none. ``probability`` says
    how likely it changes something, and this; from ``margin`` on it takes its place.
    """

    probability: float
    margin: float
    item: KnownItem | None = None
    message_id: UUID | None = None

    @property
    def is_sure(self) -> bool:
        """Whether it is likely enough to be put away."""
        return self.probability >= self.margin


def decide(
    candidate: StatementCandidate, known: Sequence[KnownItem], corrected: Sequence[KnownItem] = ()
) -> EvolutionDecision:
    """Compare a candidate with the items in force, by subject and slot alone.

    ``valid_at`` decides, never the order of processing: an older statement changes nothing. ``corrected`` are those of
    the known that it corrects without naming them (see ``last_said``).
    """
    if candidate.attributes["polarity"] == "negative":
        return _decide_retirement(candidate, _latest(item for item in known if _is_retracted_by(candidate, item)))
    same = _latest(item for item in known if _is_same_slot(candidate, item) and _same_value(candidate, item.value))
    if same is not None:
        return _decide_repeat(candidate, same, _rival_of(candidate, [item for item in known if item is not same]))
    rival = _replaced_item(candidate, known) if candidate.corrects_only else _rival_of(candidate, known)
    if rival is None and candidate.corrects_only:
        return EvolutionDecision("NONE", None, "what it corrects is not known")
    if rival is None and corrected:
        return EvolutionDecision("SUPERSEDE", corrected[0].memory_id, "corrects what was said just before")
    if rival is None:
        return EvolutionDecision("ADD", None, "nothing known in this slot")
    return _unless_older(candidate, rival, "SUPERSEDE", f"newer value for {candidate.attributes['slot']}")


def change_probability(candidate: StatementCandidate) -> float:
    """How likely the candidate changes an earlier statement, by the gate or by the words that a rule went by."""
    by_words = candidate.replaces or candidate.corrects or candidate.attributes["polarity"] == "negative"
    return max(candidate.change, CORRECTS_BY_WORDS if by_words else 0.0)


def is_open_to_change(candidate: StatementCandidate, decision: EvolutionDecision) -> bool:
    """Whether no slot decided what the candidate does, and it may yet change something."""
    if decision.target is not None or candidate.corrects_only or change_probability(candidate) < CHANGES_FROM:
        return False
    return decision.action == "ADD" or candidate.attributes["polarity"] == "negative"


def with_change(
    candidate: StatementCandidate, decision: EvolutionDecision, meant: LikelyChange | None
) -> EvolutionDecision:
    """``decision``, which no slot led to, with what the candidate changes by its meaning.

    Where that is sure it takes the item's place, or ends it where it only says that something holds no more. Below, and
    where the item is better attested or a model alone found the candidate, both stand as in conflict; with an item that
    awaits the user's confirmation there is none.
    """
    item = meant.item if meant else None
    if meant is None or item is None or meant.probability < CONFLICT_FROM or _holds_since(candidate) < item.valid_at:
        return decision
    is_weaker = PROVENANCE_RANK[candidate.provenance] < PROVENANCE_RANK.get(item.provenance, 0)
    if meant.is_sure and not is_weaker and not (candidate.by_model and not candidate.replaces):
        return EvolutionDecision(
            "SUPERSEDE" if decision.action == "ADD" else "RETIRE", item.memory_id, "changes what was said"
        )
    is_conflict = decision.action == "ADD" and not item.waits
    return replace(decision, may_change=item.memory_id) if is_conflict else decision


def changes_surely(decision: EvolutionDecision, meant: LikelyChange) -> bool:
    """Whether the decision puts away what is meant and believed: whoever says so means it, however they say it."""
    return meant.item is not None and not meant.item.waits and decision.target == meant.item.memory_id


def decide_named(candidate: StatementCandidate, named: KnownItem) -> EvolutionDecision:
    """What a candidate does to the item that a model says it changes or retracts: it takes its place, unless it says
    the same. ``valid_at`` decides here too.
    """
    if value_key(candidate.content) == value_key(named.content):
        return EvolutionDecision("NONE", named.memory_id, "already known", repeats=True)
    return _unless_older(candidate, named, "SUPERSEDE", "a model read it as a change")


def _is_same_slot(candidate: StatementCandidate, item: KnownItem) -> bool:
    return (item.subject, item.slot) == (candidate.attributes["subject"], candidate.attributes["slot"])


def _same_value(candidate: StatementCandidate, value: str) -> bool:
    return value_key(candidate.attributes["value"]) == value_key(value)


def _is_retracted_by(candidate: StatementCandidate, item: KnownItem) -> bool:
    """In a slot of one value "I left Berlin" takes back "Berlin, Germany"; in a list, only itself. Who stopped going
    to the gym takes back its days.
    """
    if not _is_same_slot(candidate, item):
        return False
    value = value_key(candidate.attributes["value"])
    within = value in value_key(item.value) or item.slot.endswith(f".{value}")
    return _same_value(candidate, item.value) or (within and not holds_several(item.slot))


def _latest(items: Iterable[KnownItem]) -> KnownItem | None:
    return max(items, key=lambda item: item.valid_at, default=None)


def _decide_retirement(candidate: StatementCandidate, same: KnownItem | None) -> EvolutionDecision:
    if same is None:
        return EvolutionDecision("NONE", None, "nothing to retire")
    return _unless_older(candidate, same, "RETIRE", "the user took it back")


def _decide_repeat(candidate: StatementCandidate, same: KnownItem, rival: KnownItem | None) -> EvolutionDecision:
    """What waits has rivals in use, which its confirmation would put away."""
    if PROVENANCE_RANK[candidate.provenance] <= PROVENANCE_RANK.get(same.provenance, 0):
        return EvolutionDecision("NONE", same.memory_id, "already known", repeats=True)
    if rival is not None and candidate.valid_at < rival.valid_at:
        return EvolutionDecision("NONE", rival.memory_id, _TOO_OLD, too_old=True)
    return EvolutionDecision("CONFIRM", same.memory_id, "said again, explicitly")


def _rival_of(candidate: StatementCandidate, known: Sequence[KnownItem]) -> KnownItem | None:
    """The item this candidate puts away: the value named, the contrary, or the one value of its slot."""
    subject, slot = candidate.attributes["subject"], candidate.attributes["slot"]
    own = [item for item in known if _is_same_slot(candidate, item)]
    if (named := _replaced_item(candidate, known)) is not None:
        return named
    if not holds_several(slot):
        return _latest(own)
    others = (item for item in known if item.subject == subject and item.slot in contraries(slot))
    return _latest(item for item in others if _is_contrary(candidate, item))


def _is_contrary(candidate: StatementCandidate, item: KnownItem) -> bool:
    """Liking against disliking the same; not eating or drinking it against liking to. Who likes fish, and eats none,
    may keep them: there the liking ends by the words "no longer" alone.
    """
    told = candidate.attributes
    if DIET not in (told["slot"], item.slot):
        return _same_value(candidate, item.value)
    liked = item.value if told["slot"] == DIET else told["value"]
    is_one = consumed(told["value"]) == consumed(item.value)
    return is_one and (consumed(liked) != value_key(liked) or candidate.replaces)


def _replaced_item(candidate: StatementCandidate, known: Sequence[KnownItem]) -> KnownItem | None:
    """The item whose value the candidate says it puts away. A model names values of the very slot alone."""
    if candidate.replaced_value is None:
        return None
    subject, slot = candidate.attributes["subject"], candidate.attributes["slot"]
    slots = (slot,) if candidate.by_model else slots_met_by(slot)
    gone = value_key(candidate.replaced_value)
    named = (item for item in known if item.subject == subject and item.slot in slots)
    return _latest(item for item in named if value_key(item.value) == gone)


def _unless_older(candidate: StatementCandidate, item: KnownItem, action: Action, reason: str) -> EvolutionDecision:
    if _holds_since(candidate) < item.valid_at:
        return EvolutionDecision("NONE", item.memory_id, _TOO_OLD, too_old=True)
    return EvolutionDecision(action, item.memory_id, reason)


def _holds_since(candidate: StatementCandidate) -> datetime:
    """Since when what it says holds, at the latest."""
    return candidate.valid_at if candidate.corrects else candidate.happened_by or candidate.valid_at
