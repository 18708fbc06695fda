"""A database that 0.1.0 filled is migrated, and its events are written anew while the old ones are read."""

from __future__ import annotations

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.historian.event_backlog import BACKLOG, rewriting_progress
from memory.historian.events import events_of
from memory.models import CognitiveEvent, ConversationEvent, SearchEntry
from tests.support.former import cancel_the_purge
from tests.support.talk import permit_of

pytestmark = pytest.mark.usefixtures("former_release")


def _texts(user: User) -> list[str]:
    with acting_as(user.pk):
        return [event.canonical_text for event in events_of(permit_of(user))]


def test_old_events_are_read_as_they_were_and_then_replaced_or_kept() -> None:
    alice, bob = (User.objects.get(username=name) for name in ("alice", "bob"))
    before = {user: _texts(user) for user in (alice, bob)}
    assert all(before.values())
    with acting_as(alice.pk):  # a program told these two; let one be of her messages, as a chat's are
        event = CognitiveEvent.objects.get(user=alice)
        said = ConversationEvent.objects.filter(session=event.session_id, user=alice, role="user")
        keys = list(said.values_list("pk", flat=True))
        request_id = f"chat-{event.session_id}-9"
        CognitiveEvent.objects.filter(pk=event.pk).update(message_ids=keys, request_id=request_id)
    assert rewriting_progress().waiting == 2
    cancel_the_purge()

    assert BACKLOG.queue_now() == 2
    drain()

    progress = rewriting_progress()
    assert (progress.waiting, progress.kept, progress.jobs) == (0, 1, 0)
    assert _texts(bob) == before[bob]
    parts = _texts(alice)
    assert len(parts) > 1
    assert any("Hamburg" in text for text in parts)
    with acting_as(alice.pk):
        own = CognitiveEvent.objects.filter(user=alice)
        assert {source["message"] for part in own for source in part.sources} <= {str(key) for key in keys}
        entries = SearchEntry.objects.filter(kind="event", user=alice).values_list("pk", flat=True)
        assert set(entries) == set(own.values_list("pk", flat=True))
