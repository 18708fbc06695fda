"""Defines what an erasure names: rows to delete, words to redact, sentences to cut, rows to keep."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self
from uuid import UUID

from foundation.personal_data import KeptFor

Ids = Mapping[str, Collection[UUID]]


@dataclass(frozen=True)
class SentenceCut:
    """Positions of the sentences to cut out of one row; contains none of their words.

    ``lengths`` are the lengths of the row's texts in characters. Each of ``spans`` is the index of a text and the begin
    and end in it, in order. Other lengths at the time of cutting show that the row has changed since.
    """

    lengths: tuple[int, ...]
    spans: tuple[tuple[int, int, int], ...]

    def as_json(self) -> dict[str, list[Any]]:
        """For the tombstone and the journal."""
        return {"lengths": list(self.lengths), "spans": [list(span) for span in self.spans]}

    @classmethod
    def from_json(cls, value: Mapping[str, Sequence[Any]]) -> Self:
        """The inverse of ``as_json``."""
        return cls(tuple(value["lengths"]), tuple((index, begin, end) for index, begin, end in value["spans"]))


Cuts = Mapping[str, Mapping[UUID, SentenceCut]]
_IDS: Final = ("delete", "redact", "unlearn", "touched")
_CUTS: Final = "cut"


@dataclass(frozen=True)
class Targets:
    """The rows an erasure names, by model label: ``delete`` them, ``redact`` their words, ``cut`` sentences out of
    them, or keep them and ``unlearn`` them. ``touched`` rows contain traces of the others and are cleaned. The sets are
    fixed when the erasure is requested; ids are sorted, and a label without ids is left out.
    """

    delete: Ids = field(default_factory=dict)
    redact: Ids = field(default_factory=dict)
    unlearn: Ids = field(default_factory=dict)
    touched: Ids = field(default_factory=dict)
    cut: Cuts = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in _IDS:
            ids: Ids = getattr(self, name)
            object.__setattr__(self, name, {label: tuple(sorted({*keys})) for label, keys in ids.items() if keys})
        object.__setattr__(self, _CUTS, {label: rows for label, rows in self.cut.items() if rows})

    def __or__(self, other: Targets) -> Targets:
        """The rows of both; of a row that both cut, the cut of ``other``."""
        ids = {
            name: {label: {*mine.get(label, ()), *theirs.get(label, ())} for label in {*mine, *theirs}}
            for name in _IDS
            for mine, theirs in [(getattr(self, name), getattr(other, name))]
        }
        labels = {*self.cut, *other.cut}
        cut = {label: {**self.cut.get(label, {}), **other.cut.get(label, {})} for label in labels}
        return Targets(**ids, cut=cut)

    def hidden_rows(self) -> dict[str, set[UUID]]:
        """The rows to hide at once: those to delete or redact, and, until it is done, those to cut."""
        return {label: self.losing(label) for label in {*self.delete, *self.redact, *self.cut}}

    def losing(self, label: str) -> set[UUID]:
        """The rows of a table that are deleted or lose words."""
        return {*self.delete.get(label, ()), *self.emptied_or_cut(label)}

    def emptied_or_cut(self, label: str) -> set[UUID]:
        """The rows of a table that lose words and stay."""
        return {*self.redact.get(label, ()), *self.cut.get(label, {})}

    def as_json(self) -> dict[str, dict[str, Any]]:
        """For the tombstone and the journal."""
        ids: dict[str, dict[str, Any]] = {
            name: {label: [str(key) for key in keys] for label, keys in getattr(self, name).items()} for name in _IDS
        }
        cuts = {label: {str(key): cut.as_json() for key, cut in rows.items()} for label, rows in self.cut.items()}
        return ids | ({_CUTS: cuts} if cuts else {})

    @classmethod
    def from_json(cls, value: Mapping[str, Mapping[str, Any]]) -> Self:
        """The inverse of ``as_json``. Raises ``ValueError`` for a part that is none."""
        if unknown := set(value) - {*_IDS, _CUTS}:
            raise ValueError(f"unknown targets: {sorted(unknown)}")
        ids = {
            name: {label: [UUID(key) for key in keys] for label, keys in value.get(name, {}).items()} for name in _IDS
        }
        cuts = {
            label: {UUID(key): SentenceCut.from_json(cut) for key, cut in rows.items()}
            for label, rows in value.get(_CUTS, {}).items()
        }
        return cls(**ids, cut=cuts)


@dataclass(frozen=True)
class KeptRows:
    """The rows of one table that an erasure leaves on purpose, and why."""

    place: str  # the label of the table
    rows: int
    reason: KeptFor

    def as_json(self) -> dict[str, Any]:
        """One entry of ``kept`` on the certificate."""
        return {"place": self.place, "rows": self.rows, "reason": self.reason.value}


@dataclass(frozen=True)
class ResidueProbe:
    """What a search after an erasure found, by place: ``checked`` counts the rows that were deleted, ``residue`` those
    found all the same; ``kept_rows`` stay on purpose.
    """

    checked: Mapping[str, int]
    residue: Mapping[str, int]
    kept_rows: Sequence[KeptRows] = ()

    @property
    def residual(self) -> int:
        """How many rows should be gone and are not."""
        return sum(self.residue.values())

    def as_json(self) -> dict[str, Any]:
        """The ``verification`` of api.md."""
        return {"checked": dict(self.checked), "residual": self.residual}
