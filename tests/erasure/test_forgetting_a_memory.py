"""Forgetting one memory: invisible at once, then gone with everything derived from it (C-9)."""

from __future__ import annotations

import pytest

from consent.erasure.services import erasure_of
from consent.models import AuditEvent, ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent, MemoryItem, SearchEntry
from memory.services import items
from tests.support.cast import allow
from tests.support.talk import memories, open_session, permit_of, say


def _forget(user: User, scope: ErasureScope, target: str = "", sources: Sources = Sources.REDACT) -> Tombstone:
    with acting_as(user.pk):
        return forget(user, scope, target, sources, source="api")


def _state(user: User, tombstone: Tombstone) -> Tombstone:
    with acting_as(user.pk):
        return erasure_of(user.pk, tombstone.pk)


def test_an_outsider_can_forget_nothing_of_alice(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    say(alice, open_session(alice), "I prefer concise answers.")
    memory = memories(alice)[0]
    with pytest.raises(NotFound):
        _forget(charlie, ErasureScope.ITEM, str(memory.pk))
    assert memories(alice) == [memory]


@pytest.mark.parametrize("target", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
def test_a_target_that_is_none_is_not_found(alice: User, target: str) -> None:
    allow(alice)
    for scope in (ErasureScope.ITEM, ErasureScope.EVENT, ErasureScope.SESSION, ErasureScope.THREAD):
        with pytest.raises(NotFound):
            _forget(alice, scope, target)


def test_it_is_invisible_before_the_worker_ran(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    (said,) = say(alice, session, "I prefer concise answers.")
    memory = memories(alice)[0]
    _forget(alice, ErasureScope.ITEM, str(memory.pk))
    assert memories(alice) == []
    with acting_as(alice.pk):
        assert not ConversationEvent.objects.filter(pk=said.pk).exists()
        assert not SearchEntry.objects.exists()
        assert MemoryItem._base_manager.count() == 0  # row-level security says so, whatever a query forgets


def test_the_worker_erases_the_chain_and_redacts_its_source(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    (said,) = say(alice, session, "I prefer concise answers.")
    with acting_as(alice.pk):
        items.confirm(permit_of(alice), memories(alice)[0].pk)
    memory = memories(alice)[-1]
    tombstone = _forget(alice, ErasureScope.ITEM, str(memory.pk))
    drain()
    done = _state(alice, tombstone)
    assert done.state == "completed"
    assert done.verification is not None
    assert done.verification["residual"] == 0
    assert done.deleted["memory.MemoryItem"] == 2
    assert [step.state for step in done.steps.all()] == [
        "requested", "verified", "tombstoned", "queued", "processing", "completed",
    ]  # fmt: skip
    with acting_as(alice.pk):
        row = ConversationEvent.objects.get(pk=said.pk)
        assert (row.content, row.learnable, row.redacted_at is not None) == ([], False, True)
        assert AuditEvent.objects.filter(subject_id=tombstone.pk).count() == 2


def test_kept_messages_are_never_learned_from_again(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    (said,) = say(alice, session, "I prefer concise answers.")
    _forget(alice, ErasureScope.ITEM, str(memories(alice)[0].pk), Sources.KEEP)
    drain()
    with acting_as(alice.pk):
        row = ConversationEvent.objects.get(pk=said.pk)
        assert (row.text, row.learnable) == ("I prefer concise answers.", False)
        assert not SearchEntry.objects.filter(pk=said.pk).exists()
