"""Embedding anew touches one person's entries, under the consent that holds, and nothing withdrawn or erased."""

from __future__ import annotations

import pytest

from consent.models import ErasureScope, Sources
from consent.services import withdraw_consent
from finclaw.erasure import forget
from foundation.accounts.groups import remove_member
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, WORKER_ROLE
from foundation.outbox.jobs import Job
from foundation.outbox.leases import claim
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.historian.services import end
from memory.indexing.reembedding import BACKLOG, REEMBED_TOPIC, queue_waiting, reembed
from memory.models import ConversationEvent, SearchEntry
from memory.types import EndInput
from tests.support.cast import allow, allow_all_but_learning, allow_nothing, group_with
from tests.support.embedders import WordsEmbedder, embedding_with, models_of
from tests.support.talk import memories, open_session, permit_of, say


def _withdraw(user: User) -> None:
    consent = permit_of(user).consent_id
    assert consent is not None
    with acting_as(user.pk):
        withdraw_consent(user, consent, [ConsentScope.MEMORY_LEARNING], source="api")


def _withdraw_and_allow_again(user: User) -> None:
    _withdraw(user)
    allow(user)


def _jobs() -> list[OutboxMessage]:
    with in_role(WORKER_ROLE):
        return list(OutboxMessage.objects.filter(topic=REEMBED_TOPIC).order_by("created_at"))


def _claim() -> Job:
    """The waiting job, claimed; every other is left to nobody, as if it were slow."""
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.exclude(topic=REEMBED_TOPIC).filter(state="pending").update(state="cancelled")
    claimed = claim()
    assert claimed is not None
    return Job(claimed)


def test_a_job_touches_its_own_persons_entries_alone(alice: User, bob: User, new: WordsEmbedder, old: str) -> None:
    allow(alice)
    allow(bob)
    talk = open_session(alice, group_id=group_with(alice, [bob]).pk)
    say(alice, talk, "The desk meets on Tuesdays.")
    say(bob, talk, "On Tuesdays I am late.")
    with embedding_with(new):
        BACKLOG.queue_now()
        job = _claim()
        reembed(job)

    by_model = {user.pk: set(models_of(user)) for user in (alice, bob)}
    other = bob if job.user_id == alice.pk else alice
    assert by_model == {job.user_id: {new.model_id}, other.pk: {old}}
    assert all("Tuesdays" in text for text in new.asked)
    assert len(new.asked) == len(models_of(alice if job.user_id == alice.pk else bob))


def test_every_kind_is_embedded(alice: User, new: WordsEmbedder) -> None:
    permit = allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow BTC")
    with acting_as(alice.pk):
        end(permit, alice, session, EndInput("r1", new_info="I bought BTC"))
    drain()
    with embedding_with(new):
        assert queue_waiting() == 1
        drain()

    with acting_as(alice.pk):
        found = set(SearchEntry.objects.values_list("kind", "model_id"))
    assert found == {(kind, new.model_id) for kind in ("turn", "item", "event", "profile")}


@pytest.mark.parametrize("given", [allow_nothing, allow_all_but_learning])
def test_whoever_does_not_allow_learning_is_not_queued(
    alice: User, new: WordsEmbedder, old: str, given: object
) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    given(alice)  # type: ignore[operator]
    with embedding_with(new):
        assert BACKLOG.queue_now() == 0

    assert _jobs() == []
    assert set(models_of(alice)) <= {old}


def test_a_withdrawal_cancels_what_is_queued(alice: User, new: WordsEmbedder) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    with embedding_with(new):
        assert BACKLOG.queue_now() == 1
    _withdraw(alice)

    assert [job.state for job in _jobs()] == ["cancelled"]


def test_what_was_stored_before_a_withdrawal_goes_to_no_model_although_granted_again(
    alice: User, new: WordsEmbedder, old: str
) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow zqbeforezq")
    _withdraw(alice)
    allow(alice)
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(state="pending").update(state="cancelled")  # its purge is late
    say(alice, open_session(alice), "I live in Oslo")
    with embedding_with(new):
        assert BACKLOG.queue_now() == 1
        drain()

    assert set(models_of(alice)) == {old, new.model_id}
    assert any("Oslo" in text for text in new.asked)
    assert not any("zqbeforezq" in text for text in new.asked)


def test_a_withdrawal_while_the_model_is_asked_leaves_the_entries_as_they_are(
    alice: User, new: WordsEmbedder, old: str
) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    with embedding_with(new):
        BACKLOG.queue_now()
        job = _claim()
        new.before_answering = lambda _: _withdraw_and_allow_again(alice)
        reembed(job)

    assert new.asked
    assert set(models_of(alice)) == {old}
    assert [row.state for row in _jobs()] == ["done"]  # and nothing goes on


@pytest.mark.parametrize("scope", [ErasureScope.MEMORIES, ErasureScope.ACCOUNT])
def test_nobody_is_queued_behind_a_fence(alice: User, new: WordsEmbedder, scope: ErasureScope) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    with acting_as(alice.pk):
        forget(alice, scope, "", Sources.REDACT, source="api")
    with embedding_with(new):
        assert BACKLOG.queue_now() == 0

    assert _jobs() == []


def test_an_entry_with_a_tombstone_goes_to_no_model(alice: User, new: WordsEmbedder, old: str) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow zqgonezq", "I live in Oslo")
    gone = next(item for item in memories(alice) if "zqgonezq" in item.content)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.ITEM, str(gone.pk), Sources.REDACT, source="api")
    with embedding_with(new):
        BACKLOG.queue_now()
        reembed(_claim())  # the erasure itself is slow

    assert not any("zqgonezq" in text for text in new.asked)
    with acting_as(alice.pk), in_role(ERASER_ROLE):
        marked = SearchEntry.with_erased.exclude(tombstone_id=None)
        assert set(marked.values_list("model_id", flat=True)) == {old}


def test_who_left_a_group_keeps_what_they_said_there_in_search(alice: User, bob: User, new: WordsEmbedder) -> None:
    allow(alice)
    allow(bob)
    desk = group_with(alice, [bob])
    say(bob, open_session(alice, group_id=desk.pk), "On Tuesdays I am late.")
    remove_member(bob, desk.pk, bob.pk)
    with embedding_with(new):
        BACKLOG.queue_now()
        drain()

    assert set(models_of(bob)) == {new.model_id}


def test_payloads_hold_ids_alone(alice: User, new: WordsEmbedder) -> None:
    allow(alice)
    [message] = say(alice, open_session(alice), "What is a bond ladder?")
    with embedding_with(new):
        BACKLOG.queue_now()

    assert [job.payload for job in _jobs()] == [{"entries": [str(message.pk)]}]
    with acting_as(alice.pk):
        assert ConversationEvent.objects.filter(pk=message.pk).exists()
