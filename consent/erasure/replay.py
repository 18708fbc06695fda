"""Applying an erasure of the journal to a database that a restore took back before it."""

from __future__ import annotations

from consent.erasure import services
from consent.erasure.states import State
from consent.erasure.types import Targets
from consent.models import Tombstone
from foundation.accounts.models import User
from foundation.accounts.services import close_account
from foundation.database.acting import acting_as

APPLIED, KNOWN, GONE = "applied", "known already", "nobody by that id"


def replay(tombstone: Tombstone) -> str:
    """Accept the erasure again, as it was asked for then, unless the database knows it; answers what was done.

    One that was accepted before the backup and completed after it is open in the backup: its own queued work, or
    the sweep, brings it to its end.
    """
    with acting_as(tombstone.user_id):
        if Tombstone.objects.filter(pk=tombstone.pk).exists():
            return KNOWN
        user = User.objects.filter(pk=tombstone.user_id).first()
        if user is None:
            return GONE
        tombstone.state, tombstone.step = State.REQUESTED, 1
        services.accept(tombstone, Targets.from_json(tombstone.targets), noting=False)
        if tombstone.scope == "account":
            close_account(user)
    return APPLIED
