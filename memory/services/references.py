"""The ids by which a memory or a change names other rows, less those of rows that are kept from the acting program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final
from uuid import UUID

from foundation.database.acting_program import acting_program
from memory.models import BROUGHT_BY, ConversationEvent, EvolutionEvent, MemoryItem, Session

_ALWAYS_SHOWN: Final = {BROUGHT_BY}
"""An import is of no kind of memory."""


def without_hidden_ids(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each row's values without the ids of rows that are not in sight of a program that is kept from kinds of memory.

    A name is left out with its last id. Ids stand by themselves or in lists, as text. Call acting for the user: it asks
    once for all rows.
    """
    if not acting_program().withheld:
        return list(map(dict, rows))
    named = {key for row in rows for value in _concerned(row).values() for key in _ids_in(value)}
    hidden = named - _ids_in_sight(named) if named else set()
    return [_shown(row, hidden) for row in rows]


def _concerned(row: Mapping[str, Any]) -> dict[str, Any]:
    """What names other rows."""
    return {name: value for name, value in row.items() if name not in _ALWAYS_SHOWN and any(_ids_in(value))}


def _shown(row: Mapping[str, Any], hidden: Set[UUID]) -> dict[str, Any]:
    shown = {name: _without(value, hidden) for name, value in _concerned(row).items()}
    return {name: shown.get(name, value) for name, value in row.items() if name not in shown or shown[name]}


def _ids_in(value: Any) -> Iterator[UUID]:
    for part in value if isinstance(value, list) else [value]:
        try:
            yield UUID(part)
        except (TypeError, ValueError, AttributeError):  # a number, or words
            continue


def _without(value: Any, hidden: Set[UUID]) -> Any:
    """The list without hidden ids; None for an id that is hidden."""
    if isinstance(value, list):
        return [part for part in value if not hidden & set(_ids_in(part))]
    return None if hidden & set(_ids_in(value)) else value


def _ids_in_sight(named: Iterable[UUID]) -> set[UUID]:
    """The ids that name a memory, its chain or change, a chat or a message in sight."""
    keys = list(named)
    chains = MemoryItem.objects.filter(chain_id__in=keys).order_by().values_list("chain_id")
    tables = (MemoryItem, EvolutionEvent, Session, ConversationEvent)
    rows = (table._default_manager.filter(pk__in=keys).order_by().values_list("pk") for table in tables)
    return {key for (key,) in chains.union(*rows)}
