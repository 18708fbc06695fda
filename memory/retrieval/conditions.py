"""Checks the conditions by which programs filter memories: an operand, a list of them, or operators with operands."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from math import inf
from typing import Any, Final

ANY: Final = "*"
"""The operand that every value but ``None`` meets."""
MOST_OPERANDS: Final = 1_000


class ValueKind(Enum):
    """What a value is: the name of somebody, which is compared whole; a text; a moment; or anything of JSON."""

    NAME = "name"
    TEXT = "text"
    MOMENT = "moment"
    FREE = "free"


def is_condition(kind: ValueKind, condition: object) -> bool:
    """Whether the condition is valid for values of this kind.

    Callers reject an invalid one: as no value meets it, ``nin`` or a negation would let every value pass.
    """
    if not isinstance(condition, Mapping):
        condition = {"in" if isinstance(condition, list) else "eq": condition}
    return bool(condition) and all(_suits(kind, name, operand) for name, operand in condition.items())


def meets(value: Any, condition: Any) -> bool:
    """Whether a value meets a condition of its kind. A list or set of values meets it where one of them does."""
    if isinstance(condition, Mapping):
        return all(_OPERATORS[name](value, operand) for name, operand in condition.items())
    return _is_one_of(value, condition if isinstance(condition, list) else [condition])


def _suits(kind: ValueKind, operator: str, operand: Any) -> bool:
    if operator in ("in", "nin"):
        is_list = isinstance(operand, list) and len(operand) <= MOST_OPERANDS
        return is_list and all(_is_value(kind, one) for one in operand)
    if operator in ("eq", "ne"):
        return _is_value(kind, operand)
    if operator in ("contains", "icontains"):
        return kind is not ValueKind.NAME and isinstance(operand, str)
    has_order = kind in (ValueKind.MOMENT, ValueKind.FREE)
    is_number = kind is ValueKind.FREE and _is_number(operand)
    return operator in _OPERATORS and (is_number or (has_order and _is_moment(operand)))


def _is_value(kind: ValueKind, operand: Any) -> bool:
    if kind is ValueKind.NAME:
        return isinstance(operand, str) and bool(operand)
    return operand is None or isinstance(operand, str | bool) or _is_number(operand)


def _is_number(operand: Any) -> bool:
    return isinstance(operand, int | float) and not isinstance(operand, bool) and -inf < operand < inf


def _is_moment(operand: Any) -> bool:
    try:
        return isinstance(operand, str) and bool(_moment(operand))
    except (ValueError, OverflowError):
        return False


def _moment(text: Any) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.astimezone()


def _is_one_of(value: Any, wanted: list[Any]) -> bool:
    values = value if isinstance(value, list | frozenset) else [value]
    return (ANY in wanted and value is not None) or any(one in wanted for one in values)


def _compared(value: Any, operand: Any) -> int | None:
    """-1, 0 or 1 as the value is below, at or above the operand; None if the two cannot be compared."""
    try:
        if isinstance(value, str):
            value, operand = _moment(value), _moment(operand)
        return int(value > operand) - int(value < operand)
    except (TypeError, ValueError, OverflowError):
        return None


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
