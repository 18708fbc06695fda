"""A database that 0.1.0 filled is migrated, and what its people said is read anew while their memories stand."""

from __future__ import annotations

from typing import Final

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.job_run import run
from foundation.outbox.leases import claim
from foundation.outbox.tasks import drain
from memory.learning import reread_jobs
from memory.learning.reread_jobs import BACKLOG, rereading_progress, undo_reread
from memory.models import SearchEntry
from tests.memory.evolution.support import believed, recallable
from tests.support.former import cancel_the_purge
from tests.support.judging import judge_as, judgement
from tests.support.talk import permit_of

pytestmark = pytest.mark.usefixtures("former_release")
HELD: Final = {
    "alice": {"Lives in Hamburg", "Prefers index funds with low fees"},
    "bob": {"喜欢简约的风格", "住在上海"},
    "charlie": {"Follows BTC", "Allergic to peanuts"},  # who withdrew: it waits for its purge
}
MISSED: Final = {
    "alice": {"Their sister is a vet in Oslo", "The desk meets on Tuesdays at nine"},
    "bob": {"On 10 March 2026 they are on holiday"},
}


def _known() -> dict[str, set[str]]:
    return {user.username: believed(user) for user in User.objects.all()}


def _unread() -> dict[str, int]:
    with in_role(OPERATOR_ROLE):
        owners = list(SearchEntry.objects.filter(to_be_read=True, kind="turn").values_list("user__username", flat=True))
    return {name: owners.count(name) for name in sorted(set(owners))}


def test_what_was_missed_is_learned_and_may_be_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_as(monkeypatch, {word: judgement() for word in ("Hamburg", "Oslo", "desk", "holiday", "上海", "peanuts")})
    monkeypatch.setattr(reread_jobs, "BATCH", 1)
    monkeypatch.setattr(reread_jobs, "LISTED", 2)
    assert _known() == HELD
    assert _unread() == {"alice": 6, "bob": 4, "charlie": 2}

    assert BACKLOG.queue_now() == 2
    cancel_the_purge()
    claimed = claim()
    assert claimed is not None
    run(claimed)
    assert sum(_unread().values()) == 11
    assert all(held <= _known()[name] for name, held in HELD.items())
    drain()

    assert _unread() == {"charlie": 2}
    assert rereading_progress().jobs == 0
    learned = {name: held | MISSED.get(name, set()) for name, held in HELD.items()}
    assert _known() == learned
    alice = User.objects.get(username="alice")
    assert recallable(alice) == learned["alice"]
    with acting_as(alice.pk):
        assert undo_reread(permit_of(alice)) == 2
    assert _known() == learned | {"alice": HELD["alice"]}
