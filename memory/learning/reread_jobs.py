"""Reads again, in the background, messages that an earlier version of the product learned from by rules alone.

Each user's messages are read batch by batch, the oldest first, and the trained gate judges every sentence. Only what no
rule had found is added; what is remembered stays in force meanwhile. Messages that are no longer in search (erased,
withdrawn or withheld) are not read.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from consent.permit import Permit
from consent.services import learning_permit, permit_for, scope_held_since
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import ValidationFailed
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from memory.evolution.free_statements import reread_statements
from memory.evolution.slots import GATE_ANEW
from memory.indexing import services as indexing
from memory.indexing.backlog import Backlog
from memory.learning.extraction import MessageReading, candidate_sentences, with_sentence_vectors
from memory.learning.preceding_messages import utterance_of
from memory.learning.services import job_result, learn_candidates
from memory.models import ConversationEvent, EvolutionEvent, MemoryItem, SearchEntry
from memory.services import history, item_queries, items

REREAD_TOPIC = "memory.reread"
BATCH: Final = 20
"""How many messages one job reads."""
LISTED: Final = 10 * BATCH
MOST_PEOPLE: Final = 500
"""For how many users one run of the schedule queues a job, so that the queue has room for new messages."""
UNDO_RULE: Final = "reread.undone"
"""The rule that a change names which withdraws what was learned this way."""
_MessageAndPrevious = tuple[ConversationEvent, ConversationEvent | None]


def waiting_entries() -> QuerySet[SearchEntry]:
    """The entries of messages still to be read again, of all users visible to the role."""
    return SearchEntry.objects.filter(to_be_read=True, kind=SearchEntry.Kind.TURN)


@dataclass(frozen=True)
class RereadingProgress:
    """How far rereading has come: ``messages`` that wait, and ``jobs`` that wait or run."""

    messages: int
    jobs: int


def rereading_progress() -> RereadingProgress:
    """The progress of rereading over all users."""
    with in_role(OPERATOR_ROLE):
        messages = waiting_entries().count()
    return RereadingProgress(messages, BACKLOG.unfinished_count())


def queue_waiting() -> int:
    """Queue a job for users whose messages wait; returns for how many. For the schedule."""
    return BACKLOG.queue_due()


def reread(job: Job) -> None:
    """Read the first ``BATCH`` messages that the job lists again, and queue the others, or the next that wait.

    If they take too long together, each is read in a job of its own; one that takes too long alone is given up.
    """
    BACKLOG.work_on(job, BATCH, _reread, _mark_as_read)


def _reread(job: Job, batch: Sequence[UUID], others: Sequence[UUID]) -> None:
    with job.acting():
        said = _own_messages(job.user_id, batch)
        readings = dict.fromkeys((utterance_of(*message) for message in said), MessageReading(()))
    readings = {utterance: MessageReading(tuple(reread_statements(utterance))) for utterance in readings}
    sentences = candidate_sentences(readings)
    vectors, model_id = indexing.embed(sentences) if sentences else ([], "")
    found = with_sentence_vectors(readings, vectors, model_id)
    with job.completing():
        permit = learning_permit(job.user_id)
        if permit is None:
            return
        learned = [
            learn_candidates(permit, *message, found[utterance])
            for message in _own_messages(job.user_id, batch)
            if (utterance := utterance_of(*message)) in found  # not if its words changed meanwhile
        ]
        job.result |= job_result(learned, ())
        _mark_as_read(batch)
        BACKLOG.queue_next(job, others)


def _own_messages(user_id: UUID, keys: Collection[UUID]) -> list[_MessageAndPrevious]:
    """The user's own messages among those named that may be learned from, each with the one before it.

    Messages marked as past are left out: what they state is no longer true.
    """
    permit = permit_for(User.objects.get(pk=user_id))
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return []
    own = ConversationEvent.objects.filter(
        pk__in=SearchEntry.objects.filter(pk__in=keys, user_id=user_id, live=True).values("pk"),
        user_id=user_id,
        role=ConversationEvent.Role.USER,
        learnable=True,
        redacted_at=None,
        consent_version__gte=scope_held_since(user_id, ConsentScope.MEMORY_LEARNING),
    )
    events = list(own.with_clock().order_by("pk"))
    places = ((event.session_id, event.seq - 1) for event in events)
    before = ConversationEvent.objects.at(places).filter(redacted_at=None)
    by_place = {(message.session_id, message.seq): message for message in before}
    return [(event, by_place.get((event.session_id, event.seq - 1))) for event in events]


def _mark_as_read(keys: Collection[UUID]) -> None:
    SearchEntry.objects.filter(pk__in=keys).update(to_be_read=False)


def _list_waiting(user_id: UUID) -> list[UUID]:
    return list(waiting_entries().filter(user_id=user_id).order_by("pk").values_list("pk", flat=True)[:LISTED])


BACKLOG: Final = Backlog(REREAD_TOPIC, "messages", waiting_entries, _list_waiting, MOST_PEOPLE)


def undo_reread(permit: Permit) -> int:
    """Undo what rereading taught the user and nobody has confirmed since; returns how many memories.

    What it replaced is in force again. Call in a transaction acting for the user.
    """
    taken = 0
    while taught := list(_taught_anew(permit)):  # an undo may reopen another that rereading taught
        for item in taught:
            _undo_item(permit, item)
        taken += len(taught)
    return taken


def _taught_anew(permit: Permit) -> QuerySet[MemoryItem]:
    """The open items that were learned by rereading only, and that the user has not accepted."""
    accepted = EvolutionEvent.objects.filter(
        item=OuterRef("pk"), action=EvolutionEvent.Action.ACCEPTED, actor=history.Actor.PERSON, undone_at=None
    )
    return (
        item_queries.items_of(permit)
        .open()
        .filter(
            ~Exists(accepted),
            provenance_detail__rule=GATE_ANEW,
            provenance_detail__change__in=("add", "supersede"),
        )
    )


def _undo_item(permit: Permit, item: MemoryItem) -> None:
    """Undo one item, or end it where an undo would restore what is in force already. Its message stays searchable."""
    change = history.undoable_change(permit, item)
    if change is not None and change.rule == GATE_ANEW:
        with suppress(ValidationFailed), transaction.atomic():
            history.undo(permit, item.pk)
            return
    items.retire(permit, item, at=item.valid_at, rule=UNDO_RULE, is_restated=True)


def undo_reread_for_all() -> int:
    """Undo rereading for every user and read nothing more; returns how many memories. For an operator."""
    with in_role(OPERATOR_ROLE):
        taught = MemoryItem.objects.open().filter(provenance_detail__rule=GATE_ANEW)
        people = set(taught.values_list("user_id", flat=True)) | set(
            waiting_entries().values_list("user_id", flat=True)
        )
    return sum(map(_undo_reread_for, sorted(people)))


def _undo_reread_for(user_id: UUID) -> int:
    with acting_as(user_id):
        permit = learning_permit(user_id)
        if permit is None:
            return 0
        waiting_entries().filter(user_id=user_id).update(to_be_read=False)
        return undo_reread(permit)
