"""Reads mem0's filters: of which users they speak, and which memories pass them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext as _

from foundation.exceptions import ValidationFailed
from memory.retrieval.condition_trees import ConditionTree, named_in
from memory.retrieval.conditions import ValueKind

SCOPE_IDS: Final = ("agent_id", "app_id", "run_id")
_USER: Final = "user_id"
_KINDS: Final[Mapping[str, ValueKind | None]] = {
    _USER: ValueKind.NAME,
    **dict.fromkeys((*SCOPE_IDS, "id", "memory_ids", "memory", "keywords", "categories"), ValueKind.TEXT),
    **dict.fromkeys(("created_at", "updated_at"), ValueKind.MOMENT),
    "metadata": None,
}


class Filters(ConditionTree):
    """mem0's conditions: entities, dates and words under AND, OR and NOT, with ``*`` for any."""

    def __init__(self, tree: object) -> None:
        super().__init__(tree, _KINDS)

    @property
    def names(self) -> set[str]:
        """The users that the conditions name, ``*`` for any; not those that a NOT excludes."""
        named = (one for one in self.conditions if one.field == _USER and not one.is_excluding)
        return {name for one in named for name in named_in(one.condition)}

    @property
    def is_about_people_alone(self) -> bool:
        """Whether either all memories of a user pass, or none."""
        return all(one.field == _USER for one in self.conditions)


def user_ids_of_filters(tree: object) -> set[str]:
    """The users named by a tree that filters by ``user_id`` alone. Raises ``ValidationFailed`` for any other condition:
    an act on everything of a user would ignore it.
    """
    filters = Filters(tree)
    plain = (isinstance(one.condition, str) or list(one.condition) == ["eq"] for one in filters.conditions)
    if not (filters.is_about_people_alone and filters.operators <= {"AND"} and all(plain)):
        told = _("This is about all of one user: filter by user_id and nothing else.")
        raise ValidationFailed(details={"filters": [told]})
    return filters.names
