"""Validates and applies mem0's filters: entities, dates and words under AND, OR and NOT, with ``*`` for any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from foundation.exceptions import ValidationFailed
from memory.retrieval.conditions import ValueKind, is_condition, meets

LABELS: Final = ("agent_id", "app_id", "run_id")
_FIELDS: Final = frozenset({"user_id", *LABELS, "id", "memory", "categories", "created_at", "updated_at", "metadata"})
_ALIASES: Final = {"memory_ids": "id", "keywords": "memory"}
_KINDS: Final = {
    "user_id": ValueKind.NAME, "created_at": ValueKind.MOMENT, "updated_at": ValueKind.MOMENT,
}  # fmt: skip
_DEPTH, _CONDITIONS = 8, 200


class Filters:
    """A validated tree of conditions. Raises ``ValidationFailed`` for an unsupported field, operator or operand."""

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self.tree = tree
        self.names = set[str]()
        """The users that the conditions name, ``*`` for any; not those that a NOT excludes."""
        self.is_about_people_alone = True  # then all memories of a user pass, or none
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
                    # a NOT within a NOT names people again
                    self._check(branch, depth - 1, is_excluding=is_excluding != (field == "NOT"))
            elif _ALIASES.get(field, field) not in _FIELDS:
                raise _unknown(field)
            elif field == "metadata":
                self._check_metadata(condition)
            else:
                _require_condition(_KINDS.get(field, ValueKind.TEXT), field, condition)
                if field == "user_id" and not is_excluding:
                    self.names.update(_named_in(condition))
                self.is_about_people_alone &= field == "user_id"

    def _check_metadata(self, condition: object) -> None:
        if not isinstance(condition, Mapping):
            raise _unknown("metadata")
        self._count(len(condition))
        self.is_about_people_alone = False
        for key, one in condition.items():
            _require_condition(ValueKind.FREE, f"metadata.{key}", one)

    def _count(self, conditions: int) -> None:
        self._left -= conditions
        if self._left < 0:
            raise _unknown("filters")


def names_alone(tree: object) -> set[str]:
    """The users named by a tree that filters by ``user_id`` alone. Raises ``ValidationFailed`` for any other condition:
    an act on everything of a user would ignore it.
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
        return all(meets(row["metadata"].get(key), one) for key, one in condition.items())
    return meets(row["names"] if field == "user_id" else row[_ALIASES.get(field, field)], condition)


def _require_condition(kind: ValueKind, field: str, condition: object) -> None:
    if not is_condition(kind, condition):
        raise _unknown(field)


def _unknown(field: object) -> ValidationFailed:
    known = _("This filter is not known: %(field)s.") % {"field": str(field)[:60]}
    return ValidationFailed(details={"filters": [known]})
