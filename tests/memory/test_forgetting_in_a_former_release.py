"""Rows that a former release wrote are forgotten sentence by sentence too."""

from __future__ import annotations

import pytest

from consent.erasure.services import erasure_of
from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox.tasks import drain
from memory.models import CognitiveEvent, ConversationEvent, EntityProfile
from memory.retrieval.services import search
from memory.types import SearchQuery
from tests.support.talk import memories, permit_of

pytestmark = pytest.mark.usefixtures("former_release")
BESIDE = " I keep bees in Bergen."


def test_what_was_stored_then_loses_the_sentence_and_keeps_the_rest() -> None:
    alice = User.objects.get(username="alice")
    memory = next(item for item in memories(alice) if "Hamburg" in item.content)
    [key] = memory.provenance_detail["message_ids"]
    with acting_as(alice.pk):
        message = ConversationEvent.objects.get(pk=key)
        with in_role(ERASER_ROLE):  # messages are never changed by anybody else
            ConversationEvent.objects.filter(pk=key).update(content=[{"type": "text", "text": message.text + BESIDE}])
        event = CognitiveEvent.objects.get(user=alice)
        told = f"{event.canonical_text} Alice lives in Hamburg."
        CognitiveEvent.objects.filter(pk=event.pk).update(canonical_text=told, message_ids=[key])
        lines = EntityProfile.objects.get(user=alice).lines
        tombstone = forget(alice, ErasureScope.ITEM, str(memory.pk), Sources.REDACT, source="api")
    drain()
    with acting_as(alice.pk):
        assert erasure_of(alice.pk, tombstone.pk).state == "completed"
        assert ConversationEvent.objects.get(pk=key).text == BESIDE.strip()
        assert CognitiveEvent.objects.get(pk=event.pk).canonical_text == event.canonical_text
        assert EntityProfile.objects.get(user=alice).lines == lines
        found = search(permit_of(alice), SearchQuery("treasury bonds", ("event", "turn", "item")))
        assert "treasury bonds" in found.hits[0].text
        assert not any("Hamburg" in hit.text for hit in found.hits)
    assert not any("Hamburg" in item.content for item in memories(alice))
