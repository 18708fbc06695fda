"""Finds lines of a user's portraits by the rows they were made of, in every version."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields
from typing import Any
from uuid import UUID

from memory.models import EntityProfile
from memory.portraits.lines import from_json
from memory.portraits.types import PortraitLine


def versions_of(user_id: UUID) -> Iterator[Any]:
    """The user's portraits and their former versions, with hidden ones where the role may see them."""
    yield from EntityProfile.with_erased.filter(user_id=user_id).iterator()
    yield from EntityProfile.history.filter(user_id=user_id).iterator()


def is_made_of(line: PortraitLine, rows: Collection[str]) -> bool:
    """Whether a line names one of these rows, by their keys, as a source."""
    return any(str(getattr(source, name.name)) in rows for source in line.sources for name in fields(source))


def lines_made_of(user_id: UUID, rows: Collection[UUID]) -> list[str]:
    """The texts of the lines that name one of these rows as a source, as the user may have reworded them.

    Call as the eraser.
    """
    keys = {str(key) for key in rows}
    lines = (line for row in versions_of(user_id) for line in from_json(row.lines)) if keys else ()
    leaves = (leaf for line in lines for leaf in (line, *line.parts))
    return list(dict.fromkeys(leaf.text for leaf in leaves if is_made_of(leaf, keys)))
