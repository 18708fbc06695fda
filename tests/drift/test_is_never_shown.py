"""No page, no answer of the API and no event of a stream tells somebody of their drift (seed A §4.3, §4.4)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.conf import settings

from foundation.accounts.models import User
from tests.consent.doors import all_read
from tests.consent.support import live_a_little
from tests.drift.support import log_of, turn_round
from tests.support.cast import allow
from tests.support.research import snapshot_made, thread_kept

EDGES = [path for part in ("api", "web") for path in sorted(Path(settings.BASE_DIR, "finclaw", part).rglob("*.py"))]


def _names(path: Path) -> set[str]:
    """What a module imports of drift."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "drift":
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "drift"}
    return found


def test_no_edge_but_the_operators_can_read_the_log() -> None:
    """They know how feedback is taken, and nothing of what is observed in it."""
    named = set().union(*map(_names, EDGES))

    assert "drift.services.give_feedback" in named  # else this looks in the wrong place
    assert {name for name in named if not name.startswith("drift.services.")} <= {"drift.models.Feedback"}
    assert not named & {"drift.services.record_thesis_reversal", "drift.services.check_reopened"}


@pytest.mark.timeout(300)
def test_9_3_it_is_no_event_of_its_own_and_whatever_somebody_reads_says_nothing_of_it(alice: User) -> None:
    allow(alice)
    live_a_little(alice)
    snapshot = snapshot_made(alice)
    thread_kept(alice, snapshot)
    turn_round(alice, f"snapshot:{snapshot.pk}", times=2)

    read = all_read(alice)

    for signal in log_of(alice):
        for needle in (signal.drift_id, str(signal.pk), signal.delta_summary, signal.signal_kind):
            assert needle not in read
