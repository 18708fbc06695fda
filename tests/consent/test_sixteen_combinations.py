"""For each of the 16 scope combinations exactly what the scopes allow is written, and used (C-2)."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from consent.services import grant, permit_for
from finclaw.brain.recall import recall
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.personal_data import Scope
from memory.retrieval.services import embed_query
from memory.services.events import events_of
from memory.services.items import items_of
from memory.services.sessions import start_session
from tests.consent.support import NOTHING_LEARNED, contexts, learned, live_a_little, messages
from tests.support.cast import allow

COMBINATIONS = [frozenset(chosen) for chosen in chain.from_iterable(combinations(Scope, n) for n in range(5))]


def _name(scopes: frozenset[Scope]) -> str:
    return "+".join(sorted(scopes)) or "nothing"


def _grant(user: User, scopes: frozenset[Scope]) -> None:
    with acting_as(user.pk):
        grant(user, scopes, source="api")


def _recalled(user: User) -> tuple[bool, set[str]]:
    """Whether the stated context is used in a new conversation, and the kinds of memory that are."""
    query = embed_query("short answers, a spreadsheet, a summary")
    with acting_as(user.pk):
        permit = permit_for(user)
        recalled = recall(permit, start_session(permit, user), query, user.name)
    return recalled.context is not None, {candidate.kind for candidate in recalled.candidates}


def test_there_are_sixteen() -> None:
    assert len(set(COMBINATIONS)) == 16


@pytest.mark.django_db
@pytest.mark.parametrize("scopes", COMBINATIONS, ids=_name)
def test_exactly_what_is_allowed_is_written(alice: User, scopes: frozenset[Scope]) -> None:
    _grant(alice, scopes)
    live_a_little(alice)

    assert messages(alice) == 1
    assert contexts(alice)[0] == (Scope.SAVE_TO_PROFILE in scopes)
    if Scope.MEMORY_LEARNING in scopes:
        rows = learned(alice)
        assert rows["items"] >= 2
        assert (rows["events"], rows["jobs"]) == (1, 1)
        assert rows["entries"] == rows["items"] + rows["events"] + messages(alice)
    else:
        assert learned(alice) == NOTHING_LEARNED


@pytest.mark.django_db
@pytest.mark.parametrize("scopes", COMBINATIONS, ids=_name)
def test_exactly_what_is_allowed_is_used_even_while_the_rows_are_still_there(
    alice: User, scopes: frozenset[Scope]
) -> None:
    allow(alice)
    live_a_little(alice)
    _grant(alice, scopes)  # the purge of what was withdrawn is queued and has not run

    context_used, kinds = _recalled(alice)

    assert context_used == (Scope.SAVE_TO_PROFILE in scopes)
    learning = Scope.MEMORY_LEARNING in scopes
    assert kinds == ({"item", "event", "turn"} if learning else set())
    with acting_as(alice.pk):
        permit = permit_for(alice)
        assert items_of(permit).exists() == learning
        assert events_of(permit).exists() == learning


@pytest.mark.django_db
def test_a_withdrawal_while_the_job_waits_is_seen_by_the_job(alice: User) -> None:
    allow(alice)
    live_a_little(alice)
    _grant(alice, frozenset(Scope) - {Scope.MEMORY_LEARNING})
    live_a_little(alice)

    assert learned(alice) == NOTHING_LEARNED
