"""Primary keys."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7 as _uuid7


def new_id() -> UUID:
    """A UUIDv7: unique, and ordered by its millisecond. Never used as the order of messages."""
    return _uuid7()


def first_id_at(moment: datetime) -> UUID:
    """The least key of all that are made from this moment on: finds rows by their age through the primary key."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def creation_time_of(key: UUID) -> int:
    """When a key was made: seconds since 1970."""
    return (key.int >> 80) // 1000
