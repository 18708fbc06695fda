"""mem0's filters: entities, dates and words under AND, OR and NOT, with ``*`` for any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from math import inf
from typing import Any, Final

from django.utils.translation import gettext as _

from foundation.exceptions import ValidationFailed

ANY: Final = "*"
LABELS: Final = ("agent_id", "app_id", "run_id")
_FIELDS: Final = frozenset({"user_id", *LABELS, "id", "memory", "categories", "created_at", "updated_at", "metadata"})
_ALIASES: Final = {"memory_ids": "id", "keywords": "memory"}
_MOMENTS: Final = frozenset({"created_at", "updated_at"})
_DEPTH, _CONDITIONS, _OPERANDS = 8, 200, 1_000


class Filters:
    """A validated tree of conditions. Raises ``ValidationFailed`` for any field, operator or operand nothing obeys."""

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self.tree = tree
        self.names = set[str]()
        """The people it names, ``*`` for any; not those it excludes."""
        self.is_about_people_alone = True  # so that all of somebody passes, or nothing
        self._left = _CONDITIONS
        self._check(tree, _DEPTH, is_excluding=False)

    def passes(self, row: Mapping[str, Any]) -> bool:
        """Whether a memory meets the conditions; ``row`` is its mem0 shape, with all names of its user."""
        return _all_hold(self.tree, row)

    def _check(self, tree: object, depth: int, *, is_excluding: bool) -> None:
        if not isinstance(tree, Mapping) or not depth:
            raise _unknown("filters")
        self._count(1 + len(tree))
        for field, condition in tree.items():
            if field in ("AND", "OR", "NOT"):
                for branch in _branches(condition):
                    self._check(branch, depth - 1, is_excluding=is_excluding != (field == "NOT"))
            elif _ALIASES.get(field, field) not in _FIELDS:
                raise _unknown(field)
            elif field == "metadata":
                self._check_metadata(condition)
            else:
                _require_known_operators(field, condition)
                if field == "user_id" and not is_excluding:
                    self.names.update(_named_in(condition))
                self.is_about_people_alone &= field == "user_id"

    def _check_metadata(self, condition: object) -> None:
        if not isinstance(condition, Mapping):
            raise _unknown("metadata")
        self._count(len(condition))
        self.is_about_people_alone = False
        for key, one in condition.items():
            _require_known_operators(f"metadata.{key}", one)

    def _count(self, conditions: int) -> None:
        self._left -= conditions
        if self._left < 0:
            raise _unknown("filters")


def names_alone(tree: object) -> set[str]:
    """Whom a tree names that says nothing but who. Raises ``ValidationFailed`` for any other condition: what is done
    to all of a person would not obey it.
    """
    filters = Filters(tree)  # type: ignore[arg-type]  # which refuses what is no tree
    _require_names_alone(filters.tree)
    return filters.names


def _require_names_alone(tree: Mapping[str, Any]) -> None:
    for field, condition in tree.items():
        if field == "AND":
            for branch in _branches(condition):
                _require_names_alone(branch)
        elif field != "user_id" or not (isinstance(condition, str) or list(condition) == ["eq"]):
            raise ValidationFailed(
                details={"filters": [_("This is about all of one user: filter by user_id and nothing else.")]}
            )


def _branches(condition: object) -> list[Any]:
    return condition if isinstance(condition, list) else [condition]


def _named_in(condition: object) -> Iterator[str]:
    if isinstance(condition, Mapping):
        condition = [*condition.get("in", ()), *([condition["eq"]] if "eq" in condition else [])]
    yield from _branches(condition)


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
    if isinstance(condition, Mapping):
        return all(_OPERATORS[name](value, operand) for name, operand in condition.items())
    return _is_one_of(value, _branches(condition))


def _is_one_of(value: Any, wanted: list[Any]) -> bool:
    values = value if isinstance(value, list | frozenset) else [value]
    return (ANY in wanted and value is not None) or any(one in wanted for one in values)


def _compared(value: Any, operand: Any) -> int | None:
    """Below, at or above; None for what cannot be compared."""
    try:
        if isinstance(value, str):
            value, operand = _moment(value), _moment(operand)
        return int(value > operand) - int(value < operand)
    except (TypeError, ValueError, OverflowError):
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
    if not isinstance(condition, Mapping):
        condition = {"in" if isinstance(condition, list) else "eq": condition}
    if not condition or not all(_suits(field, name, operand) for name, operand in condition.items()):
        raise _unknown(field)


def _suits(field: str, operator: str, operand: Any) -> bool:
    """Whether a field has this operator, with such an operand; of a wrong one ``nin`` or ``NOT`` would let all pass."""
    if operator in ("in", "nin"):
        is_list = isinstance(operand, list) and len(operand) <= _OPERANDS
        return is_list and all(_is_value(field, one) for one in operand)
    if operator in ("eq", "ne"):
        return _is_value(field, operand)
    if operator in ("contains", "icontains"):
        return field != "user_id" and isinstance(operand, str)
    is_number = field.startswith("metadata.") and _is_number(operand)
    return operator in _OPERATORS and (is_number or (_has_order(field) and _is_moment(operand)))


def _is_value(field: str, operand: Any) -> bool:
    if field == "user_id":
        return isinstance(operand, str) and bool(operand)
    return operand is None or isinstance(operand, str | bool) or _is_number(operand)


def _has_order(field: str) -> bool:
    return field in _MOMENTS or field.startswith("metadata.")


def _is_number(operand: Any) -> bool:
    return isinstance(operand, int | float) and not isinstance(operand, bool) and -inf < operand < inf


def _is_moment(operand: Any) -> bool:
    try:
        return isinstance(operand, str) and bool(_moment(operand))
    except (ValueError, OverflowError):
        return False


def _unknown(field: object) -> ValidationFailed:
    known = _("This filter is not known: %(field)s.") % {"field": str(field)[:60]}
    return ValidationFailed(details={"filters": [known]})
