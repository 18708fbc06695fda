"""A database that 0.1.0 filled is migrated: its portraits are made anew in the background, and people without one get
theirs, as far as they consent.
"""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.job_run import run
from foundation.outbox.leases import claim
from foundation.outbox.tasks import drain
from memory.models import EntityProfile
from memory.portraits import services as portraits
from memory.portraits.rebuild_backlog import BACKLOGS, queue_waiting, rebuild_progress
from tests.memory.portraits.support import body, bullets, rollback
from tests.support.former import cancel_the_purge
from tests.support.talk import permit_of

pytestmark = pytest.mark.usefixtures("former_release")
BONDS = "Alice bought a ladder of treasury bonds on 1 March 2026."


def _user(name: str) -> User:
    return User.objects.get(username=name)


def _shown(name: str) -> set[str]:
    return set(bullets(_user(name)))


def test_portraits_are_made_anew_and_what_stood_before_is_kept() -> None:
    assert _shown("alice") == {BONDS}
    assert _shown("bob") == set()
    assert rebuild_progress().portraits == 1

    assert sum(backlog.queue_now() for backlog in BACKLOGS) == 2
    assert queue_waiting() == 0
    cancel_the_purge()
    claimed = claim()
    assert claimed is not None
    run(claimed)
    assert len(_shown("alice")) + len(_shown("bob")) == 2
    drain()

    assert _shown("alice") == {"Lives in Hamburg", "Prefers index funds with low fees"}
    assert _shown("bob") == {"喜欢简约的风格", "住在上海"}
    assert _shown("charlie") == set()
    alice = _user("alice")
    with acting_as(alice.pk):
        [former] = portraits.revisions(permit_of(alice), "user", alice.pk)
    assert BONDS in former.body
    assert sum(backlog.queue_now() for backlog in BACKLOGS) == 0
    said = StringIO()
    call_command("remake_portraits", "--status", stdout=said)
    assert said.getvalue().startswith("0 portraits wait to be made anew")


def test_who_goes_back_keeps_what_stood_there() -> None:
    alice = _user("alice")

    rollback(alice)

    assert BONDS in body(alice)
    with acting_as(alice.pk):
        assert EntityProfile.objects.get(user=alice).left_out
