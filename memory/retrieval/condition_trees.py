"""Conditions on the fields of a row under AND, OR and NOT, as programs filter memories by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from foundation.exceptions import ValidationFailed
from memory.retrieval.conditions import ValueKind, is_condition, meets

MOST_DEPTH, MOST_CONDITIONS = 8, 200
_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})


@dataclass(frozen=True)
class FieldCondition:
    """A condition of a tree. ``is_excluding`` is set under an odd number of NOTs: a row that meets it is left out."""

    field: str
    condition: Any
    is_excluding: bool


class ConditionTree:
    """A validated tree of conditions. Raises ``ValidationFailed`` for an unsupported field, operator or operand.

    ``kinds`` are those of the fields; one that is None holds fields of its own, of any name and value.
    """

    def __init__(self, tree: object, kinds: Mapping[str, ValueKind | None]) -> None:
        self.operators = set[str]()
        self.conditions = list[FieldCondition]()
        self._kinds, self._left = kinds, MOST_CONDITIONS
        self._check(tree, MOST_DEPTH, is_excluding=False)
        self._tree: Any = tree

    def passes(self, row: Mapping[str, Any]) -> bool:
        """Whether a row meets the conditions."""
        return self._all_hold(self._tree, row)

    def _check(self, tree: object, depth: int, *, is_excluding: bool) -> None:
        if not isinstance(tree, Mapping) or not depth:
            raise _unknown("filters")
        self._count(1 + len(tree))
        for field, condition in tree.items():
            if field in _OPERATORS:
                self.operators.add(field)
                for branch in branches(condition):
                    # a NOT within a NOT includes again
                    self._check(branch, depth - 1, is_excluding=is_excluding != (field == "NOT"))
            else:
                self._check_condition(field, condition)
                self.conditions.append(FieldCondition(field, condition, is_excluding))

    def _check_condition(self, field: str, condition: object) -> None:
        if field not in self._kinds:
            raise _unknown(field)
        kind = self._kinds[field]
        if kind is not None:
            _require_condition(kind, field, condition)
        elif isinstance(condition, Mapping):
            self._count(len(condition))
            for name, one in condition.items():
                _require_condition(ValueKind.FREE, f"{field}.{name}", one)
        else:
            raise _unknown(field)

    def _count(self, conditions: int) -> None:
        self._left -= conditions
        if self._left < 0:
            raise _unknown("filters")

    def _all_hold(self, tree: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
        return all(self._holds(field, condition, row) for field, condition in tree.items())

    def _holds(self, field: str, condition: Any, row: Mapping[str, Any]) -> bool:
        if field in _OPERATORS:
            held = (self._all_hold(branch, row) for branch in branches(condition))
            if field == "AND":
                return all(held)
            return not any(held) if field == "NOT" else any(held)
        if self._kinds[field] is None:
            return all(meets(row[field].get(name), one) for name, one in condition.items())
        return meets(row[field], condition)


def branches(condition: object) -> list[Any]:
    """The parts of an operator, which may be one or a list."""
    return condition if isinstance(condition, list) else [condition]


def named_in(condition: object) -> Iterator[str]:
    """The values that a condition names, if it is met by these alone."""
    if isinstance(condition, Mapping):
        condition = [*condition.get("in", ()), *([condition["eq"]] if "eq" in condition else [])]
    yield from branches(condition)


def _require_condition(kind: ValueKind, field: str, condition: object) -> None:
    if not is_condition(kind, condition):
        raise _unknown(field)


def _unknown(field: object) -> ValidationFailed:
    known = _("This filter is not known: %(field)s.") % {"field": str(field)[:60]}
    return ValidationFailed(details={"filters": [known]})
