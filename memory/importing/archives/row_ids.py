"""Derives the ids that an archive's rows get in another account: the same at each import, still ordered by time."""

from __future__ import annotations

import hashlib
import re
from typing import Any, Final
from uuid import UUID

from foundation.accounts.models import User

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME_BYTES: Final = 6  # of an id of version 7: milliseconds since 1970
_VERSION, _VARIANT = 0x70, 0x80


def is_id(value: str) -> bool:
    """Whether a text is an id as archives write it, and nothing else."""
    return _UUID.fullmatch(value) is not None


class RowIds:
    """Maps ids of an archive to those of its rows here; in the account that it was exported from they stay the same."""

    def __init__(self, user: User, origin: UUID) -> None:
        self._key = bytes(user.content_key)
        self._user_id, self._origin = user.pk, origin

    def map_id(self, key: UUID) -> UUID:
        """The id of a row here. It depends on the account's own key, so that it does not reveal the archive's id."""
        if key == self._origin:
            return self._user_id
        return key if self._origin == self._user_id else self.fresh_id(key)

    def fresh_id(self, key: UUID) -> UUID:
        """A new id for ``key``, the same each time and with the same time in it."""
        digest = hashlib.sha256(self._key + key.bytes).digest()
        mixed = bytearray(key.bytes[:_TIME_BYTES] + digest[: 16 - _TIME_BYTES])
        mixed[6] = _VERSION | (mixed[6] & 0x0F)
        mixed[8] = _VARIANT | (mixed[8] & 0x3F)
        return UUID(bytes=bytes(mixed))

    def map_ids(self, value: Any) -> Any:
        """A JSON value with every id in it, whole strings alone, mapped as its row is."""
        if isinstance(value, str):
            return str(self.map_id(UUID(value))) if is_id(value) else value
        if isinstance(value, list):
            return [self.map_ids(entry) for entry in value]
        if isinstance(value, dict):
            return {name: self.map_ids(entry) for name, entry in value.items()}
        return value
