"""In a group an answer is not stored that was made of a message or an event that lost a sentence meanwhile."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from consent.exceptions import ErasureInProgress
from consent.models import ErasureScope, Sources
from finclaw.brain import turn
from finclaw.brain.records.turn_storage import store_turn
from finclaw.brain.types import TurnRequest
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.llm import Reply
from foundation.llm.types import TokenUsage
from foundation.outbox.tasks import drain
from memory.indexing.documents import event_document
from memory.indexing.embedding import index_now
from memory.models import CognitiveEvent, ConversationEvent
from memory.services.sessions import are_unchanged
from tests.support.cast import A_MONDAY, allow, group_with
from tests.support.talk import memories, open_session, say


def test_a_message_that_lost_a_sentence_has_lost_words_to_whoever_read_it_before(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    (said,) = say(alice, session, "I follow BTC. My cat is called Miso.")
    before = timezone.now()
    with acting_as(bob.pk):
        assert are_unchanged([said.pk], before)
    memory = next(item for item in memories(alice) if "BTC" in item.content)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.ITEM, str(memory.pk), Sources.REDACT, source="api")
    with acting_as(bob.pk):
        assert not are_unchanged([said.pk], before)  # hidden
    drain()
    with acting_as(bob.pk):
        assert not are_unchanged([said.pk], before)
        assert not are_unchanged([said.pk], None)
        assert are_unchanged([said.pk], timezone.now() + timedelta(seconds=1))


def event_for_the_group(said: ConversationEvent, text: str) -> CognitiveEvent:
    """What the group is told of a message, several things at once as a former release wrote them."""
    with acting_as(said.user_id):
        event = CognitiveEvent.objects.create(
            user_id=said.user_id, sender_id=said.user_id, session=said.session, group_id=said.group_id, event_id="r:1",
            request_id="r", end_seq=1, perspective="group", request_type="group", message_ids=[said.pk],
            canonical_text=text, new_info=text, has_new_info=True, rewritten_by="offline", consent_version=1,
            timestamp_utc=A_MONDAY, timestamp_local=A_MONDAY.isoformat(), timezone="UTC",
        )  # fmt: skip
        index_now([event_document(event, ())])
    return event


def test_an_answer_made_of_an_event_that_lost_a_sentence_meanwhile_is_not_stored(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    desk = group_with(alice, [bob])
    (said,) = say(alice, open_session(alice, group_id=desk.pk), "I follow BTC. My cat is called Miso.")
    event = event_for_the_group(said, "Alice follows BTC. Alice has a cat called Miso.")
    asked = ({"type": "text", "text": "Who has a cat called Miso and follows BTC?"},)
    answer = Reply("Alice follows BTC.", "echo", TokenUsage(1, 1))
    prepared = turn.prepare(bob, TurnRequest(open_session(bob, group_id=desk.pk).pk, asked))
    assert [shown.id for shown in prepared.assembly.injected if shown.kind == "event"] == [event.pk]
    memory = next(item for item in memories(alice) if "BTC" in item.content)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.ITEM, str(memory.pk), Sources.REDACT, source="api")
    drain()
    with acting_as(bob.pk):
        assert CognitiveEvent.objects.get(pk=event.pk).canonical_text == "Alice has a cat called Miso."
    with pytest.raises(ErasureInProgress):
        store_turn(prepared, answer)
    again = turn.prepare(bob, TurnRequest(open_session(bob, group_id=desk.pk).pk, asked))
    assert [shown.text for shown in again.assembly.injected if shown.kind == "event"] == [
        "Alice has a cat called Miso."
    ]
    assert store_turn(again, Reply("Alice has a cat.", "echo", TokenUsage(1, 1))).reply == "Alice has a cat."
