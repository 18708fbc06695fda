"""The kinds of memory that a user can keep a program from, and which of them retell the content of other kinds."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.database.acting_program import acting_program
from memory.exceptions import KindWithheld
from memory.models import MemoryItem, SearchEntry

TURN: Final = SearchEntry.Kind.TURN.value
EVENT: Final = SearchEntry.Kind.EVENT.value
PORTRAIT: Final = SearchEntry.Kind.PROFILE.value

KIND_NAMES: Final[Mapping[str, str | Promise]] = MappingProxyType(
    dict(MemoryItem.MemoryType.choices)
    | {EVENT: _("Events"), PORTRAIT: _("Portraits"), TURN: _("Chats that it did not begin")}
)
"""Every kind: of memories the ``memory_type``, of other records the ``kind`` of search."""

KINDS: Final = tuple(KIND_NAMES)


def with_retellings(kinds: Collection[str]) -> tuple[str, ...]:
    """These kinds and those that tell the same in other words, in the order of ``KINDS``.

    Events and portraits are made of what memories are learned from, portraits of events too, and chats tell all of it.
    """
    withheld = set(kinds)
    if withheld & set(MemoryItem.MemoryType.values):
        withheld |= {EVENT, PORTRAIT, TURN}
    if EVENT in withheld:
        withheld |= {PORTRAIT, TURN}
    return tuple(kind for kind in KINDS if kind in withheld)


def require_shown(kind: str) -> None:
    """Let the acting program write a kind of memory. Raises ``KindWithheld`` for one that its user keeps from it."""
    if kind in acting_program().withheld:
        raise KindWithheld()


def withheld_names(kinds: Collection[str]) -> list[str]:
    """The names of all kinds that go with these."""
    return [str(KIND_NAMES[kind]) for kind in with_retellings(kinds)]
