"""Detects a database older than the erasure journal: restored from a backup, it would show erased rows again."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO
from uuid import UUID

from consent.erasure.journal import ids_in_line, journal_path
from consent.models import Tombstone
from foundation.accounts.models import User
from foundation.database.acting_user import give_back_connection, in_role
from foundation.database.roles import OPERATOR_ROLE

CHECK_SECONDS = 2.0  # how long an answer serves the requests of one process
LINES_AT_ONCE = 1_000
WITNESSES = 50  # the latest erasures of the journal that are looked for in the database again

Owners = Mapping[UUID, UUID | None]  # erasure → person; None where the line breaks off before the person's id


@dataclass(frozen=True)
class _ComparedJournal:
    """How much of the journal was found in the database.

    ``witnesses`` are the last entries, and ``known`` those of them that the database had: if it lacks one of these
    later, it was restored from a backup.
    """

    file: tuple[int, int] = (0, 0)  # device, inode
    size: int = 0
    witnesses: Owners = field(default_factory=dict)
    known: frozenset[UUID] = frozenset()


class JournalCheck:
    """Compares journal and database for one process, and reads only the new part of the journal each time."""

    def __init__(self) -> None:
        self._compared = _ComparedJournal()
        self._answer: bool | None = None
        self._asked_at = 0.0

    def has_unreplayed(self) -> bool:
        """Whether the journal has an erasure that is missing in the database, of a person who is in the database.

        A line whose id cannot be read counts as such an erasure; ``replay_erasures`` reports it.
        """
        try:
            with journal_path().open("rb") as journal:
                fcntl.flock(journal, fcntl.LOCK_SH)  # waits for writers, so that no line is half written
                self._answer = not self._is_known(journal)
        except FileNotFoundError:
            self._answer = False
        return self._answer

    def had_unreplayed(self) -> bool:
        """``has_unreplayed`` as of at most ``CHECK_SECONDS`` ago, for a check at every request."""
        now = time.monotonic()
        if self._answer is not None and now - self._asked_at < CHECK_SECONDS:
            return self._answer
        self._asked_at = now  # other threads go by the last answer while this one finds the next
        answer = self.has_unreplayed()
        give_back_connection()
        return answer

    def _is_known(self, journal: BinaryIO) -> bool:
        status = os.fstat(journal.fileno())
        compared, file = self._compared, (status.st_dev, status.st_ino)
        if compared.file != file or compared.size > status.st_size or not _still_holds(compared):
            compared = _ComparedJournal(file)
        journal.seek(compared.size)
        while lines := list(islice(journal, LINES_AT_ONCE)):
            identified = [ids_in_line(line) for line in lines if line.strip()]
            owners = dict(filter(None, identified))
            known = known_erasures(owners)
            if None in identified or _concerns_anybody(owners, known):
                return False
            latest = dict([*compared.witnesses.items(), *owners.items()][-WITNESSES:])
            known = frozenset(key for key in latest if key in known or key in compared.known)
            compared = _ComparedJournal(file, compared.size + sum(map(len, lines)), latest, known)
        self._compared = compared
        return True


journal_check = JournalCheck()


def known_erasures(erasures: Mapping[UUID, object]) -> frozenset[UUID]:
    """Those of the erasures that the database knows, in whatever state."""
    if not erasures:
        return frozenset()
    with in_role(OPERATOR_ROLE):
        return frozenset(Tombstone.objects.filter(pk__in=list(erasures)).values_list("pk", flat=True))


def _still_holds(compared: _ComparedJournal) -> bool:
    known = known_erasures(compared.witnesses)
    return compared.known <= known and not _concerns_anybody(compared.witnesses, known)


def _concerns_anybody(owners: Owners, known: frozenset[UUID]) -> bool:
    """Whether one of the erasures is unknown to the database and its user exists, or cannot be determined."""
    unknown = [owner for key, owner in owners.items() if key not in known]
    people = {owner for owner in unknown if owner is not None}
    return None in unknown or (bool(people) and User.objects.filter(pk__in=people).exists())
