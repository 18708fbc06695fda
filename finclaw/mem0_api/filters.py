"""mem0's filters: entities, dates and words under AND, OR and NOT, with ``*`` for any."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from foundation.exceptions import ValidationFailed

ANY: Final = "*"
LABELS: Final = ("agent_id", "app_id", "run_id")
_FIELDS: Final = frozenset({"user_id", *LABELS, "id", "memory", "categories", "created_at", "updated_at", "metadata"})
_ALIASES: Final = {"memory_ids": "id", "keywords": "memory"}
_DEPTH, _CONDITIONS = 8, 100


class Filters:
    """A validated tree of conditions. Raises ``ValidationFailed`` for a field or an operator that nothing obeys."""

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self.tree = tree
        self.names = set[str]()
        """The people it names, ``*`` for any; not those it excludes."""
        self._left = _CONDITIONS
        self._check(tree, _DEPTH, is_excluding=False)

    def passes(self, row: Mapping[str, Any]) -> bool:
        """Whether a memory meets the conditions; ``row`` is its mem0 shape, with all names of its user."""
        return _all_hold(self.tree, row)

    def _check(self, tree: object, depth: int, *, is_excluding: bool) -> None:
        if not isinstance(tree, Mapping) or not depth or len(tree) > self._left:
            raise _unknown("filters")
        self._left -= len(tree)
        for field, condition in tree.items():
            if field in ("AND", "OR", "NOT"):
                for branch in _branches(condition):
                    self._check(branch, depth - 1, is_excluding=is_excluding != (field == "NOT"))
            elif _ALIASES.get(field, field) not in _FIELDS:
                raise _unknown(field)
            else:
                _require_known_operators(field, condition)
                if field == "user_id" and not is_excluding:
                    self.names.update(_named_in(condition))


def _branches(condition: object) -> list[Any]:
    return condition if isinstance(condition, list) else [condition]


def _named_in(condition: object) -> Iterator[str]:
    if isinstance(condition, Mapping):
        condition = [*condition.get("in", ()), *([condition["eq"]] if "eq" in condition else [])]
    yield from (str(name) for name in _branches(condition))


def _all_hold(tree: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    return all(_holds(field, condition, row) for field, condition in tree.items())


def _holds(field: str, condition: Any, row: Mapping[str, Any]) -> bool:
    if field == "AND":
        return all(_all_hold(branch, row) for branch in _branches(condition))
    if field == "OR":
        return any(_all_hold(branch, row) for branch in _branches(condition))
    if field == "NOT":
        return not any(_all_hold(branch, row) for branch in _branches(condition))
    if field == "metadata":
        return all(_meets(row["metadata"].get(key), one) for key, one in condition.items())
    return _meets(row["names"] if field == "user_id" else row[_ALIASES.get(field, field)], condition)


def _meets(value: Any, condition: Any) -> bool:
    if condition == ANY:
        return value is not None
    if isinstance(condition, Mapping):
        return all(_OPERATORS[name](value, operand) for name, operand in condition.items())
    if isinstance(condition, list):
        return _is_one_of(value, condition)
    return _is_one_of(value, [condition])


def _is_one_of(value: Any, wanted: Any) -> bool:
    values = value if isinstance(value, list | frozenset) else [value]
    return isinstance(wanted, list) and any(one in wanted for one in values)


def _compared(value: Any, operand: Any) -> int | None:
    """Below, at or above; None for what cannot be compared."""
    try:
        if isinstance(value, str):
            value, operand = _moment(value), _moment(operand)
        return int(value > operand) - int(value < operand)
    except (TypeError, ValueError):
        return None


def _moment(text: Any) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.astimezone()


def _contains(value: Any, operand: Any) -> bool:
    return isinstance(operand, str) and (operand in value if isinstance(value, str | list) else False)


def _icontains(value: Any, operand: Any) -> bool:
    return isinstance(value, str) and isinstance(operand, str) and operand.casefold() in value.casefold()


_OPERATORS: Final[Mapping[str, Any]] = {
    "eq": lambda value, operand: _is_one_of(value, [operand]),
    "ne": lambda value, operand: not _is_one_of(value, [operand]),
    "in": _is_one_of,
    "nin": lambda value, operand: not _is_one_of(value, operand),
    "gt": lambda value, operand: _compared(value, operand) == 1,
    "gte": lambda value, operand: _compared(value, operand) in (0, 1),
    "lt": lambda value, operand: _compared(value, operand) == -1,
    "lte": lambda value, operand: _compared(value, operand) in (0, -1),
    "contains": _contains,
    "icontains": _icontains,
}


def _require_known_operators(field: str, condition: Any) -> None:
    if field == "metadata":
        if not isinstance(condition, Mapping):
            raise _unknown(field)
        for key, one in condition.items():
            _require_known_operators(f"metadata.{key}", one)
    elif isinstance(condition, Mapping):
        unknown: Collection[Any] = set(condition) - set(_OPERATORS)
        if unknown or not isinstance(condition.get("in", []), list):
            raise _unknown(field)


def _unknown(field: str) -> ValidationFailed:
    return ValidationFailed(details={"filters": [_("This filter is not known: %(field)s.") % {"field": field[:60]}]})
