"""What is remembered of its person enters a section of its own, named by its rows, and leaves with them (M-6, C-9)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from consent.models import ErasureScope, Sources
from finclaw.brain.research.task_inputs import find_memories
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import CognitiveEvent, MemoryItem
from memory.retrieval.services import embed_query
from memory.services.item_decisions import add_stated
from memory.services.versions import close_version
from tests.brain.research.support import run, snapshot
from tests.brain.test_looking_up import tell
from tests.support.cast import allow
from tests.support.research import reread
from tests.support.talk import permit_of

pytestmark = pytest.mark.django_db
ASKED = "What speaks for Nvidia shares?"


def _told(user: User) -> Any:
    with acting_as(user.pk):
        add_stated(permit_of(user), "I hold Nvidia shares.")
    tell(user, "bought", "Alice bought Nvidia shares.", days_ago=30)
    return snapshot(user, run(user, ASKED))


def test_each_of_it_names_the_row_it_was_taken_from(alice: User) -> None:
    allow(alice)
    made = _told(alice)

    named = {source["kind"]: source["id"] for one in made.told for source in one["sources"]}
    with acting_as(alice.pk):
        assert named == {"item": str(MemoryItem.objects.get().pk), "event": str(CognitiveEvent.objects.get().pk)}


def test_it_leaves_with_its_row(alice: User) -> None:
    allow(alice)
    made = _told(alice)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.ITEM, str(MemoryItem.objects.get().pk), Sources.KEEP, source="api")
    drain()

    assert not [one for one in reread(alice, made).told if one["sources"][0]["kind"] == "item"]


def test_nothing_written_down_after_as_of_is_told_whatever_day_it_speaks_of(alice: User) -> None:
    allow(alice)
    _told(alice)
    question = embed_query(ASKED)
    with acting_as(alice.pk):
        now = timezone.now()
        written = MemoryItem.objects.get().created_at
        just_before, at = (
            {one.kind for one in find_memories(permit_of(alice), question, alice.name, moment)}
            for moment in (written - timedelta(hours=1), now)
        )

    assert (just_before, at) == (set(), {"item", "event"})


def test_what_was_corrected_since_is_told_as_it_was_held_then(alice: User) -> None:
    allow(alice)
    now = timezone.now()
    with acting_as(alice.pk):
        add_stated(permit_of(alice), "I hold Nvidia shares.")
        learned, corrected = now - timedelta(days=30), now - timedelta(days=5)
        MemoryItem.objects.update(created_at=learned, valid_at=learned)
        close_version(MemoryItem.objects.get(), at=corrected, state="invalid", now=corrected)
        question = embed_query(ASKED)
        then, today = (
            [one.text for one in find_memories(permit_of(alice), question, alice.name, moment)]
            for moment in (now - timedelta(days=20), now)
        )

    assert (then, today) == (["I hold Nvidia shares."], [])
