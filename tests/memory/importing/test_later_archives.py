"""A later archive of the same account, and one that meets what its reader changed or had forgotten since."""

from __future__ import annotations

from pathlib import Path

import pytest

from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.importing.chats.exceptions import ImportUnderWay
from memory.importing.file_imports import mark_undone
from memory.models import CognitiveEvent, ConversationEvent, MemoryItem, SearchEntry, Session, UserContext
from memory.services.history import undo
from memory.services.item_decisions import correct
from tests.memory.importing.archives import archive_of, bring, live
from tests.support.cast import allow
from tests.support.talk import open_session, permit_of, say
from tests.web.support import event_of

pytestmark = pytest.mark.django_db


def correct_bees(user: User, place: str) -> None:
    with acting_as(user.pk):
        item = MemoryItem.objects.open().get(content__contains="bees")
        correct(permit_of(user), item.pk, f"Keeps bees in {place}")


def open_bees(user: User) -> str:
    with acting_as(user.pk):
        return MemoryItem.objects.open().get(content__contains="bees").content


def conversation_of(user: User) -> Session:
    with acting_as(user.pk):
        return Session.objects.get(title="Moving")


def test_a_later_archive_brings_what_changed_since(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    allow(bob)
    first = bring(bob, archive_of(alice, tmp_path))
    correct_bees(alice, "Hull")
    said = say(alice, conversation_of(alice), "I sold the bicycle.", learn=False)
    later = bring(bob, archive_of(alice, tmp_path))
    assert (later.state, later.reason, later.left_out) == ("done", "", 0)
    assert later.known == first.recorded
    with acting_as(bob.pk):
        old, new = MemoryItem.objects.filter(content__contains="bees").order_by("version")[1:]
        assert (new.content, old.superseded_by, new.superseded_at) == ("Keeps bees in Hull", new, None)
        assert (old.state, old.invalid_at) == ("superseded", new.valid_at)
        assert not SearchEntry.objects.get(pk=old.pk).live
    moved = conversation_of(bob)
    assert moved.last_seq == moved.ended_seq == said[-1].seq
    assert say(bob, moved, "And I moved on.", learn=False)[0].seq == said[-1].seq + 1


def test_what_was_changed_here_stays_and_the_rest_comes(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    allow(bob)
    bring(bob, archive_of(alice, tmp_path))
    correct_bees(alice, "Hull")
    correct_bees(bob, "Bath")
    say(bob, conversation_of(bob), "Bath is lovely.", learn=False)
    say(alice, conversation_of(alice), "Hull is windy.", learn=False)
    later = bring(bob, archive_of(alice, tmp_path))
    assert (later.state, later.left_out) == ("done", 3)  # a version, what became of it, and a message
    assert open_bees(bob) == "Keeps bees in Bath"
    with acting_as(bob.pk):
        assert not ConversationEvent.objects.filter(content__contains=[{"text": "Hull is windy."}]).exists()


def test_an_event_of_the_same_name_is_left_out(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    allow(bob)
    event_of(bob, open_session(bob), "request-1:1", "3 March 2026: Bob sold a boat.")
    done = bring(bob, archive_of(alice, tmp_path))
    assert done.state == "done"
    assert done.left_out >= 1
    with acting_as(bob.pk):
        assert [event.canonical_text for event in CognitiveEvent.objects.all()] == ["3 March 2026: Bob sold a boat."]


def test_a_change_undone_since_ones_own_archive_stays_undone(alice: User, tmp_path: Path) -> None:
    live(alice)
    own = archive_of(alice, tmp_path)
    with acting_as(alice.pk):
        undo(permit_of(alice), MemoryItem.objects.open().get(content="Keeps bees in York").pk)
    done = bring(alice, own)
    assert (done.state, open_bees(alice)) == ("done", "Keeps bees in Leeds")


def test_what_was_forgotten_since_ones_own_archive_stays_forgotten(alice: User, tmp_path: Path) -> None:
    live(alice)
    own = archive_of(alice, tmp_path)
    with acting_as(alice.pk):
        for scope in (ErasureScope.MEMORIES, ErasureScope.PROFILE):
            forget(alice, scope, "", Sources.REDACT, source="api")
    drain()
    done = bring(alice, own)
    assert (done.state, done.recorded) == ("done", 0)
    with acting_as(alice.pk):
        assert [model.objects.count() for model in (MemoryItem, CognitiveEvent, UserContext)] == [0, 0, 0]


def test_no_import_begins_while_memories_of_an_undone_one_are_left(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    origin = archive_of(alice, tmp_path)
    allow(bob)
    done = bring(bob, origin)
    with acting_as(bob.pk):
        forget(bob, ErasureScope.SESSION, str(Session.objects.get().pk), Sources.REDACT, source="api")
    drain()
    with acting_as(bob.pk):
        mark_undone(done.pk)
        assert not Session.objects.exists()
    with pytest.raises(ImportUnderWay):
        bring(bob, origin)
