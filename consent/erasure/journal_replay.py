"""Replay the erasure journal on a database that was restored from an older backup."""

from __future__ import annotations

from pathlib import Path

from consent.erasure import services
from consent.erasure.journal import journal_entries
from consent.erasure.journal_check import known_erasures
from consent.erasure.types import Targets
from consent.models import Tombstone
from consent.models.erasure_states import ErasureState
from foundation.accounts.models import User
from foundation.accounts.services import close_account
from foundation.database.acting_user import acting_as

APPLIED, KNOWN, GONE = "applied", "known already", "nobody by that id"


def replay_journal(path: Path | None = None) -> list[tuple[Tombstone, str]]:
    """Replay every erasure of the journal, each in a transaction of its own; returns what was done for each.

    Raises ``ValueError`` before anything is done where a line of the journal cannot be read.
    """
    erasures = list(journal_entries(path))
    known = known_erasures({tombstone.pk: None for tombstone in erasures})
    return [(tombstone, KNOWN if tombstone.pk in known else replay_erasure(tombstone)) for tombstone in erasures]


def replay_erasure(tombstone: Tombstone) -> str:
    """Accept an erasure of the journal again, unless the database knows it; returns what was done.

    An erasure that was accepted before the backup and completed after it is still open in the backup: its own queued
    job, or the sweep, completes it.
    """
    with acting_as(tombstone.user_id):
        if Tombstone.objects.filter(pk=tombstone.pk).exists():
            return KNOWN
        user = User.objects.filter(pk=tombstone.user_id).first()
        if user is None:
            return GONE
        tombstone.state, tombstone.step = ErasureState.REQUESTED, 1
        services.accept_erasure(tombstone, Targets.from_json(tombstone.targets), noting=False)
        if tombstone.scope == "account":
            close_account(user)
    return APPLIED
