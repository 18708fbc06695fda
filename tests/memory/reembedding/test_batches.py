"""Entries are embedded anew in batches, the latest first, by one job a person at a time; what was cut off goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox import services as outbox
from foundation.outbox.job_run import run
from foundation.outbox.jobs import Job
from foundation.outbox.leases import claim
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.tasks import drain
from memory.indexing import embedding, reembedding
from memory.indexing.backlog import PAUSE_AFTER_FAILURE
from memory.indexing.reembedding import BACKLOG, PAUSE, REEMBED_TOPIC, queue_waiting, reembed
from memory.models import SearchEntry
from tests.support.cast import allow
from tests.support.embedders import WordsEmbedder, embedding_with, models_of
from tests.support.talk import open_session, say

QUESTIONS = tuple(f"What is bond number {number}?" for number in range(7))  # which teach nothing


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembedding, "BATCH", 2)
    monkeypatch.setattr(reembedding, "LISTED", 3)


@pytest.fixture
def switched(alice: User, new: WordsEmbedder) -> Iterator[WordsEmbedder]:
    """Alice said all the questions before the new model was configured."""
    allow(alice)
    say(alice, open_session(alice), *QUESTIONS)
    with embedding_with(new):
        yield new


def _jobs(**fields: object) -> list[OutboxMessage]:
    with in_role(WORKER_ROLE):
        return list(OutboxMessage.objects.filter(topic=REEMBED_TOPIC, **fields).order_by("created_at"))


def _run_one() -> None:
    claimed = claim()
    assert claimed is not None
    run(claimed)


def test_each_job_embeds_a_batch_and_queues_the_next_until_nothing_is_left(
    alice: User, switched: WordsEmbedder, old: str
) -> None:
    assert BACKLOG.queue_now() == 1
    left = []
    while _jobs(state="pending"):
        assert len(_jobs(state="pending")) == 1
        _run_one()
        left.append(models_of(alice).count(old))

    assert left == [5, 4, 2, 1, 0]  # of a list of three one is left over for a job of its own
    assert {job.state for job in _jobs()} == {"done"}


def test_the_latest_come_first(switched: WordsEmbedder) -> None:
    BACKLOG.queue_now()
    drain()

    order = [text.rpartition(": ")[2] for text in switched.asked]
    batches = [set(QUESTIONS[5:]), {QUESTIONS[4]}, set(QUESTIONS[2:4]), {QUESTIONS[1]}, {QUESTIONS[0]}]
    assert [{order.pop(0) for _ in batch} for batch in batches] == batches
    assert order == []


def test_one_persons_entries_are_done_before_the_next_ones_are_begun(
    alice: User, bob: User, switched: WordsEmbedder, old: str
) -> None:
    allow(bob)
    with embedding_with(WordsEmbedder(old)):
        say(bob, open_session(bob), *QUESTIONS)
    assert BACKLOG.queue_now() == 2
    drain()

    speakers = ["Alice" if " Alice: " in text else "Bob" for text in switched.asked]
    assert len(speakers) == 2 * len(QUESTIONS)
    assert len(set(speakers[: len(QUESTIONS)])) == 1


def test_the_model_is_asked_outside_any_transaction(switched: WordsEmbedder) -> None:
    BACKLOG.queue_now()
    depths = [_depth()]
    switched.before_answering = lambda _: depths.append(_depth())
    _run_one()

    assert depths == [depths[0]] * 2


def _depth() -> int:
    """How many savepoints are open: a test's own transaction is one."""
    return len(transaction.get_connection().savepoint_ids)


def test_whoever_is_queued_is_not_queued_again(switched: WordsEmbedder) -> None:
    assert (BACKLOG.queue_now(), BACKLOG.queue_now(), queue_waiting()) == (1, 0, 0)
    assert claim() is not None
    assert (BACKLOG.queue_now(), queue_waiting()) == (0, 0)
    assert len(_jobs()) == 1


def test_jobs_come_after_everything_else(switched: WordsEmbedder) -> None:
    BACKLOG.queue_now()

    assert [job.priority for job in _jobs()] == [Priority.LOW]


def test_a_job_whose_worker_died_is_done_by_the_next(alice: User, switched: WordsEmbedder, old: str) -> None:
    BACKLOG.queue_now()
    with override_settings(OUTBOX_LEASE_SECONDS=-1):
        assert claim() is not None  # and its worker is killed
    outbox.reclaim()
    drain()

    assert old not in models_of(alice)


def test_a_worker_that_lost_its_lease_changes_nothing(alice: User, switched: WordsEmbedder) -> None:
    BACKLOG.queue_now()
    with override_settings(OUTBOX_LEASE_SECONDS=-1):
        late = claim()
    assert late is not None
    outbox.reclaim()
    drain()
    before = models_of(alice), len(_jobs())
    run(late)

    assert (models_of(alice), len(_jobs())) == before


def test_a_batch_done_twice_asks_no_model_again(alice: User, switched: WordsEmbedder) -> None:
    BACKLOG.queue_now()
    [first] = _jobs()
    drain()
    asked = len(switched.asked)
    with acting_as(alice.pk):
        outbox.enqueue(REEMBED_TOPIC, user_id=alice.pk, payload=first.payload)
    claimed = claim()
    assert claimed is not None
    reembed(Job(claimed))

    assert len(switched.asked) == asked
    assert set(models_of(alice)) == {switched.model_id}


def test_what_cannot_be_embedded_ends_the_round_and_is_not_tried_at_once_again(
    alice: User, switched: WordsEmbedder, monkeypatch: pytest.MonkeyPatch, old: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(embedding, "_texts", lambda *_: {})
        assert queue_waiting() == 1
        drain()
    assert set(models_of(alice)) == {old}
    assert queue_waiting() == 0
    with time_machine.travel(timezone.now() + PAUSE + timedelta(seconds=1)):
        assert queue_waiting() == 1
        drain()

    assert set(models_of(alice)) == {switched.model_id}


def test_whoever_has_a_dead_letter_is_left_alone_for_a_day(switched: WordsEmbedder) -> None:
    queue_waiting()
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(topic=REEMBED_TOPIC).update(state="failed", finished_at=timezone.now())
    with time_machine.travel(timezone.now() + PAUSE_AFTER_FAILURE - timedelta(minutes=1)):
        assert queue_waiting() == 0
    with time_machine.travel(timezone.now() + PAUSE_AFTER_FAILURE + timedelta(minutes=1)):
        assert queue_waiting() == 1


def test_an_operator_waits_for_no_pause(switched: WordsEmbedder) -> None:
    queue_waiting()
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(topic=REEMBED_TOPIC).update(state="failed", finished_at=timezone.now())

    assert BACKLOG.queue_now() == 1


def test_a_full_queue_is_given_nothing_more(switched: WordsEmbedder) -> None:
    with override_settings(OUTBOX_COLD_LIMIT=0, OUTBOX_COUNT_SECONDS=0):
        assert queue_waiting() == 0


def test_one_run_begins_with_so_many_people_and_the_next_with_others(
    alice: User, bob: User, switched: WordsEmbedder, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(bob)
    with embedding_with(WordsEmbedder(old)):
        say(bob, open_session(bob), *QUESTIONS[:1])
    monkeypatch.setattr(reembedding, "BACKLOG", replace(reembedding.BACKLOG, most_people=1))
    assert (queue_waiting(), queue_waiting(), queue_waiting()) == (1, 1, 0)
    assert {job.user_id for job in _jobs()} == {alice.pk, bob.pk}


def test_where_everything_is_embedded_no_model_is_asked(alice: User, new: WordsEmbedder) -> None:
    allow(alice)
    with embedding_with(new):
        say(alice, open_session(alice), *QUESTIONS)
        asked = len(new.asked)
        assert (queue_waiting(), BACKLOG.queue_now()) == (0, 0)
    assert len(new.asked) == asked
    with acting_as(alice.pk):
        assert not SearchEntry.objects.exclude(model_id=new.model_id).exists()
