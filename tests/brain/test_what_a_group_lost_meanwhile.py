"""In a group an answer is not stored that was made of a message which lost a sentence since its turn began."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.outbox.tasks import drain
from memory.services.sessions import keep_their_words
from tests.support.cast import allow, group_with
from tests.support.talk import memories, open_session, say


def test_a_message_that_lost_a_sentence_has_lost_words_to_whoever_read_it_before(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    (said,) = say(alice, session, "I follow BTC. My cat is called Miso.")
    before = timezone.now()
    with acting_as(bob.pk):
        assert keep_their_words([said.pk], before)
    memory = next(item for item in memories(alice) if "BTC" in item.content)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.ITEM, str(memory.pk), Sources.REDACT, source="api")
    with acting_as(bob.pk):
        assert not keep_their_words([said.pk], before)  # hidden
    drain()
    with acting_as(bob.pk):
        assert not keep_their_words([said.pk], before)
        assert not keep_their_words([said.pk], None)
        assert keep_their_words([said.pk], timezone.now() + timedelta(seconds=1))
