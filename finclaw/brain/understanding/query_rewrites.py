"""Makes the search queries for a message: its own text, with other names of what it mentions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from finclaw.brain.types import Intent
from finclaw.brain.understanding.aliases import AliasGroup, other_names

_FINDS_NOTHING: Final = frozenset({"small_talk"})


@dataclass(frozen=True)
class QueryRewrites:
    """What to search for. ``queries`` begins with the message itself; ``names`` are other names of what it mentions,
    for full text search.
    """

    queries: tuple[str, ...]
    names: tuple[str, ...] = ()


def named_query(text: str, intent: Intent, aliases: Collection[AliasGroup] = ()) -> QueryRewrites:
    """The message itself, with the other names of what it mentions; ``aliases`` join the shipped ones."""
    names = () if intent.intent_type in _FINDS_NOTHING else other_names(text, aliases)
    return QueryRewrites((text,), names)
