"""Counts a memory's uses from receipts, and how many of these an earlier change was based on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from memory.models import EvolutionEvent, MemoryItem


@dataclass(frozen=True)
class UsageFigures:
    """The uses of one item: how often it was given to the model, called right, and called wrong."""

    injections: int = 0
    positives: int = 0
    corrections: int = 0

    @classmethod
    def of(cls, item: MemoryItem) -> UsageFigures:
        """All uses of an item counted so far."""
        return cls(item.injection_count, item.positive_count, item.correction_count)

    @classmethod
    def recorded_in(cls, event: EvolutionEvent) -> UsageFigures:
        """The uses that a recorded change was based on, from its inputs."""
        return cls(**{name: int(event.inputs.get(name, 0)) for name in cls.__dataclass_fields__})

    @property
    def is_judged(self) -> bool:
        """Whether any use was called right or wrong."""
        return self.positives + self.corrections > 0

    @property
    def positive_rate(self) -> float:
        """The share of judged uses that were called right; 0 for none.

        Silence is no judgement: counted as one, it would in time retire whatever is used.
        """
        judged = self.positives + self.corrections
        return self.positives / judged if judged else 0.0

    def since(self, before: UsageFigures) -> UsageFigures:
        """The uses on top of ``before``."""
        return UsageFigures(
            max(self.injections - before.injections, 0),
            max(self.positives - before.positives, 0),
            max(self.corrections - before.corrections, 0),
        )

    def as_inputs(self) -> dict[str, int]:
        """The figures as inputs of a recorded change."""
        return {"injections": self.injections, "positives": self.positives, "corrections": self.corrections}


def figures_at_last_change(items: Collection[MemoryItem], action: EvolutionEvent.Action) -> dict[UUID, UsageFigures]:
    """The figures by which each item was last changed in this way, so that no figure counts twice.

    Undone changes count too. The uses that a merged item took over from its sources count as acted on.
    """
    actions = (action, EvolutionEvent.Action.MERGED)
    events = EvolutionEvent.objects.filter(item__in=items, action__in=actions).order_by("created_at", "id")
    return {event.item_id: UsageFigures.recorded_in(event) for event in events}
