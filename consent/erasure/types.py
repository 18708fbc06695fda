from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import UUID

Ids = Mapping[str, Sequence[UUID]]


@dataclass(frozen=True)
class Targets:
    """The rows an erasure names, by model label: ``delete`` them, ``redact`` their words, or keep them and
    ``unlearn``; ``touched`` ones hold traces of those and are cleaned. All ids, fixed when it was asked for.
    """

    delete: Ids = field(default_factory=dict)
    redact: Ids = field(default_factory=dict)
    unlearn: Ids = field(default_factory=dict)
    touched: Ids = field(default_factory=dict)

    def hidden(self) -> dict[str, list[UUID]]:
        """What disappears at once: whatever is deleted or redacted."""
        labels = [*self.delete, *(label for label in self.redact if label not in self.delete)]
        return {label: [*self.delete.get(label, ()), *self.redact.get(label, ())] for label in labels}

    def as_json(self) -> dict[str, dict[str, list[str]]]:
        """For the tombstone and the journal."""
        return {
            name: {label: [str(key) for key in keys] for label, keys in getattr(self, name).items() if keys}
            for name in ("delete", "redact", "unlearn", "touched")
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Mapping[str, Sequence[str]]]) -> Self:
        """The inverse of ``as_json``."""
        return cls(
            **{
                name: {label: tuple(UUID(key) for key in keys) for label, keys in by_label.items()}
                for name, by_label in value.items()
            }
        )


@dataclass(frozen=True)
class Probe:
    """What was looked through after an erasure: rows looked at by place, and how many were left of it there."""

    checked: Mapping[str, int]
    left: Mapping[str, int]

    @property
    def residual(self) -> int:
        return sum(self.left.values())

    def as_json(self) -> dict[str, Any]:
        """The ``verification`` of api.md."""
        return {"checked": dict(self.checked), "residual": self.residual}
