"""Reads the consents that an archive records of its user: they are shown as history and never applied."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from foundation.personal_data import ConsentScope
from memory.importing.archives.archive_file import ArchiveFile
from memory.importing.chats.exported_chats import moment_of

PATH: Final = "consents/consents.json"
MOST_SHOWN: Final = 20
_SWITCHES: Final = tuple(scope.value for scope in ConsentScope)


def past_consents(archive: ArchiveFile) -> list[dict[str, Any]]:
    """The last ``MOST_SHOWN`` consents, the latest first: from when until when, and what was allowed.

    A row that cannot be read as a consent is skipped: nothing depends on it.
    """
    rows = archive.rows(PATH, ("granted_at", "revoked_at", *_SWITCHES))
    found = [_consent(row.values) for row in islice(rows, 1_000)]
    told = [consent for consent in found if consent]
    return sorted(told, key=lambda consent: consent["granted_at"], reverse=True)[:MOST_SHOWN]


def _consent(row: dict[str, Any]) -> dict[str, Any]:
    granted, revoked = moment_of(row.get("granted_at")), moment_of(row.get("revoked_at"))
    if granted is None:
        return {}
    return {
        "granted_at": granted.isoformat(),
        "revoked_at": revoked.isoformat() if revoked else None,
        "allowed": [name for name in _SWITCHES if row.get(name) is True],
    }
