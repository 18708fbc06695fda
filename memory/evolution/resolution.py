"""Resolves a new statement against the known ones: by subject and slot, then by time.

Nearness in meaning counts only where no slot decides, above a margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.confidence import PROVENANCE_RANK
from memory.evolution.slots import DIET, contraries, food_or_drink_in, holds_several, slots_affected_by, value_key
from memory.evolution.types import Action, EvolutionDecision, KnownItem, StatementCandidate

CONFLICT_FROM: Final = 0.1
"""Least probability of a change for both statements to stay in force as a conflict until the user decides."""
CHANGES_FROM: Final = 0.05
"""The probability of a change below which no target is looked for; nine of ten changes are above."""
TEACHES_FROM: Final = 0.1
CHANGES_ALONE_FROM: Final = 0.3
"""``TEACHES_FROM`` and ``CHANGES_ALONE_FROM`` are the least probabilities of teaching and of changing something for a
sentence that the gate ignores to be looked at: it is kept only if it surely changes a known item.
"""
CORRECTS_BY_WORDS: Final = 0.9
"""The probability of a change where a rule found its words: "Actually, …", "no longer"."""
_TOO_OLD: Final = "an older statement never replaces a newer one"


@dataclass(frozen=True, slots=True)
class LikelyChange:
    """What a statement likely changes: an item, or the message ``message_id``, from which no item was learned.

    ``probability`` is that the statement changes something, and that this is it; from ``margin`` on it replaces it.
    """

    probability: float
    margin: float
    item: KnownItem | None = None
    message_id: UUID | None = None

    @property
    def is_sure(self) -> bool:
        """Whether the change is probable enough to replace its target."""
        return self.probability >= self.margin


def decide(
    candidate: StatementCandidate, known: Sequence[KnownItem], corrected: Sequence[KnownItem] = ()
) -> EvolutionDecision:
    """Decide what a candidate does to the items in force, by subject and slot alone.

    ``valid_at`` decides, never the order of processing: an older statement changes nothing. ``corrected`` are the known
    items that it corrects without naming them (see ``preceding_message``).
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
    """The probability that the candidate changes an earlier statement, by the gate or by a rule's words."""
    by_words = candidate.replaces or candidate.corrects or candidate.attributes["polarity"] == "negative"
    return max(candidate.change, CORRECTS_BY_WORDS if by_words else 0.0)


def is_open_to_change(candidate: StatementCandidate, decision: EvolutionDecision) -> bool:
    """Whether no slot decided about the candidate, and it may yet change something."""
    if decision.target is not None or candidate.corrects_only or change_probability(candidate) < CHANGES_FROM:
        return False
    return decision.action == "ADD" or candidate.attributes["polarity"] == "negative"


def with_change(
    candidate: StatementCandidate, decision: EvolutionDecision, meant: LikelyChange | None
) -> EvolutionDecision:
    """The decision, extended by what the candidate changes by its meaning.

    If the change is sure, the candidate replaces the item, or ends it if it only says that something no longer holds.
    Below the margin, and if the item is better attested or a model alone found the candidate, both stay in force as a
    conflict; an item that awaits the user's confirmation is in no conflict.
    """
    item = meant.item if meant else None
    if meant is None or item is None or meant.probability < CONFLICT_FROM or _holds_since(candidate) < item.valid_at:
        return decision
    is_weaker = PROVENANCE_RANK[candidate.provenance] < PROVENANCE_RANK.get(item.provenance, 0)
    if meant.is_sure and not is_weaker and not (candidate.by_model and not candidate.replaces):
        return EvolutionDecision(
            "SUPERSEDE" if decision.action == "ADD" else "RETIRE", item.memory_id, "changes what was said"
        )
    is_conflict = decision.action == "ADD" and not item.awaits_confirmation
    return replace(decision, may_change=item.memory_id) if is_conflict else decision


def changes_surely(decision: EvolutionDecision, meant: LikelyChange) -> bool:
    """Whether the decision replaces a believed item that the candidate means: then it is kept whatever its band."""
    return meant.item is not None and not meant.item.awaits_confirmation and decision.target == meant.item.memory_id


def decide_named(candidate: StatementCandidate, named: KnownItem) -> EvolutionDecision:
    """Decide what a candidate does to the item that a model says it changes or retracts.

    It replaces the item, unless it says the same or is older by ``valid_at``.
    """
    if value_key(candidate.content) == value_key(named.content):
        return EvolutionDecision("NONE", named.memory_id, "already known", repeats=True)
    return _unless_older(candidate, named, "SUPERSEDE", "a model read it as a change")


def _is_same_slot(candidate: StatementCandidate, item: KnownItem) -> bool:
    return (item.subject, item.slot) == (candidate.attributes["subject"], candidate.attributes["slot"])


def _same_value(candidate: StatementCandidate, value: str) -> bool:
    return value_key(candidate.attributes["value"]) == value_key(value)


def _is_retracted_by(candidate: StatementCandidate, item: KnownItem) -> bool:
    """Whether a negative candidate retracts the item.

    In a slot of one value "I left Berlin" retracts "Berlin, Germany"; in a list, only the value itself. Who stopped
    going to the gym retracts its days.
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
    """Decide on a repetition.

    An item that awaits confirmation has rivals in use, which its confirmation would replace.
    """
    if PROVENANCE_RANK[candidate.provenance] <= PROVENANCE_RANK.get(same.provenance, 0):
        return EvolutionDecision("NONE", same.memory_id, "already known", repeats=True)
    if rival is not None and candidate.valid_at < rival.valid_at:
        return EvolutionDecision("NONE", rival.memory_id, _TOO_OLD, too_old=True)
    return EvolutionDecision("CONFIRM", same.memory_id, "said again, explicitly")


def _rival_of(candidate: StatementCandidate, known: Sequence[KnownItem]) -> KnownItem | None:
    """The item this candidate replaces: the value it names, the contrary, or the one value of its slot."""
    subject, slot = candidate.attributes["subject"], candidate.attributes["slot"]
    own = [item for item in known if _is_same_slot(candidate, item)]
    if (named := _replaced_item(candidate, known)) is not None:
        return named
    if not holds_several(slot):
        return _latest(own)
    others = (item for item in known if item.subject == subject and item.slot in contraries(slot))
    return _latest(item for item in others if _is_contrary(candidate, item))


def _is_contrary(candidate: StatementCandidate, item: KnownItem) -> bool:
    """Whether an item contradicts the candidate: liking against disliking, or not consuming against liking to.

    Who likes fish, and eats none, may keep both: there only the words "no longer" end the liking.
    """
    told = candidate.attributes
    if DIET not in (told["slot"], item.slot):
        return _same_value(candidate, item.value)
    liked = item.value if told["slot"] == DIET else told["value"]
    is_one = food_or_drink_in(told["value"]) == food_or_drink_in(item.value)
    return is_one and (food_or_drink_in(liked) != value_key(liked) or candidate.replaces)


def _replaced_item(candidate: StatementCandidate, known: Sequence[KnownItem]) -> KnownItem | None:
    """The item whose value the candidate says it replaces. A model names values of the same slot alone."""
    if candidate.replaced_value is None:
        return None
    subject, slot = candidate.attributes["subject"], candidate.attributes["slot"]
    slots = (slot,) if candidate.by_model else slots_affected_by(slot)
    gone = value_key(candidate.replaced_value)
    named = (item for item in known if item.subject == subject and item.slot in slots)
    return _latest(item for item in named if value_key(item.value) == gone)


def _unless_older(candidate: StatementCandidate, item: KnownItem, action: Action, reason: str) -> EvolutionDecision:
    if _holds_since(candidate) < item.valid_at:
        return EvolutionDecision("NONE", item.memory_id, _TOO_OLD, too_old=True)
    return EvolutionDecision(action, item.memory_id, reason)


def _holds_since(candidate: StatementCandidate) -> datetime:
    """The latest moment since which the candidate's statement holds."""
    return candidate.valid_at if candidate.corrects else candidate.happened_by or candidate.valid_at
