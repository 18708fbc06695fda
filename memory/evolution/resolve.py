"""What a new statement does to the known ones: a structural guard, then time. No similarity is involved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from memory.evolution.confidence import PROVENANCE_RANK
from memory.evolution.slots import DIET, consumed, contraries, holds_several, met_by, value_key
from memory.evolution.types import Action, Candidate, Decision, KnownItem

_TOO_OLD: Final = "an older statement never replaces a newer one"


def decide(candidate: Candidate, known: Sequence[KnownItem], corrected: Sequence[KnownItem] = ()) -> Decision:
    """Compare a candidate with the items in force, by subject and slot alone.

    ``valid_at`` decides, never the order of processing (seed B §3.1.0.1): an older statement changes nothing.
    ``corrected`` are those of the known that it corrects without naming them (see ``last_said``).
    """
    if candidate.attributes["polarity"] == "negative":
        return _retire(candidate, _latest(item for item in known if _takes_back(candidate, item)))
    same = _latest(item for item in known if _meets(candidate, item) and _same_value(candidate, item.value))
    if same is not None:
        return _repeat(candidate, same, _rival(candidate, [item for item in known if item is not same]))
    rival = _named(candidate, known) if candidate.corrects_only else _rival(candidate, known)
    if rival is None and candidate.corrects_only:
        return Decision("NONE", None, "what it corrects is not known")
    if rival is None and corrected:
        return Decision("SUPERSEDE", corrected[0].memory_id, "corrects what was said just before")
    if rival is None:
        return Decision("ADD", None, "nothing known in this slot")
    return _unless_older(candidate, rival, "SUPERSEDE", f"newer value for {candidate.attributes['slot']}")


def _meets(candidate: Candidate, item: KnownItem) -> bool:
    return (item.subject, item.slot) == (candidate.attributes["subject"], candidate.attributes["slot"])


def _same_value(candidate: Candidate, value: str) -> bool:
    return value_key(candidate.attributes["value"]) == value_key(value)


def _takes_back(candidate: Candidate, item: KnownItem) -> bool:
    """In a slot of one value "I left Berlin" takes back "Berlin, Germany"; in a list, only itself. Who stopped going
    to the gym takes back its days.
    """
    if not _meets(candidate, item):
        return False
    value = value_key(candidate.attributes["value"])
    within = value in value_key(item.value) or item.slot.endswith(f".{value}")
    return _same_value(candidate, item.value) or (within and not holds_several(item.slot))


def _latest(items: Iterable[KnownItem]) -> KnownItem | None:
    return max(items, key=lambda item: item.valid_at, default=None)


def _retire(candidate: Candidate, same: KnownItem | None) -> Decision:
    if same is None:
        return Decision("NONE", None, "nothing to retire")
    return _unless_older(candidate, same, "RETIRE", "the user took it back")


def _repeat(candidate: Candidate, same: KnownItem, rival: KnownItem | None) -> Decision:
    """What waits has rivals in use, which its confirmation would put away."""
    if PROVENANCE_RANK[candidate.provenance] <= PROVENANCE_RANK.get(same.provenance, 0):
        return Decision("NONE", same.memory_id, "already known", repeats=True)
    if rival is not None and candidate.valid_at < rival.valid_at:
        return Decision("NONE", rival.memory_id, _TOO_OLD, too_old=True)
    return Decision("CONFIRM", same.memory_id, "said again, explicitly")


def _rival(candidate: Candidate, known: Sequence[KnownItem]) -> KnownItem | None:
    """The item this candidate puts away: the value named, the contrary, or the one value of its slot."""
    subject, slot = candidate.attributes["subject"], candidate.attributes["slot"]
    own = [item for item in known if _meets(candidate, item)]
    if (named := _named(candidate, known)) is not None:
        return named
    if not holds_several(slot):
        return _latest(own)
    others = (item for item in known if item.subject == subject and item.slot in contraries(slot))
    return _latest(item for item in others if _is_contrary(candidate, item))


def _is_contrary(candidate: Candidate, item: KnownItem) -> bool:
    """Liking against disliking the same; not eating or drinking it against liking to. Who likes fish, and eats none,
    may keep them: there the liking ends by the words "no longer" alone.
    """
    told = candidate.attributes
    if DIET not in (told["slot"], item.slot):
        return _same_value(candidate, item.value)
    liked = item.value if told["slot"] == DIET else told["value"]
    is_one = consumed(told["value"]) == consumed(item.value)
    return is_one and (consumed(liked) != value_key(liked) or candidate.replaces)


def _named(candidate: Candidate, known: Sequence[KnownItem]) -> KnownItem | None:
    """The item whose value the candidate says it puts away. A model names values of the very slot alone."""
    if candidate.replaced_value is None:
        return None
    subject, slot = candidate.attributes["subject"], candidate.attributes["slot"]
    slots = (slot,) if candidate.by_model else met_by(slot)
    gone = value_key(candidate.replaced_value)
    named = (item for item in known if item.subject == subject and item.slot in slots)
    return _latest(item for item in named if value_key(item.value) == gone)


def _unless_older(candidate: Candidate, item: KnownItem, action: Action, reason: str) -> Decision:
    since = candidate.valid_at if candidate.corrects else candidate.happened_by or candidate.valid_at
    if since < item.valid_at:
        return Decision("NONE", item.memory_id, _TOO_OLD, too_old=True)
    return Decision(action, item.memory_id, reason)
