"""Primary keys."""

from __future__ import annotations

from uuid import UUID

from uuid_utils.compat import uuid7 as _uuid7


def new_id() -> UUID:
    """A UUIDv7: unique, and ordered by its millisecond. Never used as the order of messages."""
    return _uuid7()
