"""Carries out an erasure in memory: rows, words, lexemes and traces, all inside one transaction."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from consent.erasure.row_deletion import delete_named
from consent.erasure.types import Targets
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox import services as outbox
from memory.erasure.disclosure import NO_WORDS, ErasedWords
from memory.erasure.message_redaction import redact, with_words
from memory.erasure.partial_redaction import CutRows, cut_rows
from memory.erasure.portraits import EVENT, PORTRAIT, clean_portraits, forget_revisions
from memory.erasure.redaction_plan import JOB
from memory.erasure.research_requests import empty_prompts
from memory.erasure.search_entries import rebuild_entries
from memory.erasure.session_traces import clean_everything, clean_named
from memory.erasure.targets import ITEM, SESSION, TURN
from memory.indexing.event_terms import rebuild_event_terms
from memory.indexing.services import rebuild_shared_terms
from memory.models import (
    CognitiveEvent,
    CognitiveJob,
    ConversationEvent,
    EvolutionEvent,
    Receipt,
    ReceiptLine,
    SearchEntry,
)

REDACTED = "memory.ConversationEvent words"
NOBODY: Final = UUID(int=0)


@dataclass(frozen=True)
class ErasedRows:
    """The result of an erasure: ``deleted`` counts by place, and the rows that were ``cut``."""

    deleted: dict[str, int]
    cut: CutRows


def erase_targets(user_id: UUID, targets: Targets, words: ErasedWords = NO_WORDS, by: UUID = NOBODY) -> ErasedRows:
    """Delete, redact, cut and unlearn the named rows, and clean the traces they left elsewhere.

    ``by`` is the tombstone. Call in a transaction acting for the owner.
    """
    turns = [*targets.delete.get(TURN, ()), *targets.emptied_or_cut(TURN), *targets.unlearn.get(TURN, ())]
    around = _sessions_of(turns)
    told_in = _conversations_of([*targets.delete.get(EVENT, ()), *targets.cut.get(EVENT, {})])
    redacted = targets.redact.get(TURN, ())
    clean_named(user_id, targets, words)
    empty_prompts(user_id, targets)
    clean_portraits(user_id, targets, words)
    with in_role(ERASER_ROLE):
        cut = cut_rows(user_id, targets, words, by)
        _delete_hanging(targets.delete.get(SESSION, ()))
        EvolutionEvent.objects.filter(item_id__in=targets.delete.get(ITEM, ())).delete()
        forget_revisions(targets.delete.get(PORTRAIT, ()))
        deleted = delete_named(targets.delete)
        emptied = redact(ConversationEvent.with_erased.filter(pk__in=redacted, user_id=user_id))
        _unlearn_turns(targets.unlearn.get(TURN, ()))
    gone = set(targets.delete.get(SESSION, ()))
    rebuild_shared_terms(around - gone)
    _write_up_anew(user_id, targets)
    rebuild_entries(user_id, targets, cut.gone, by)
    rebuild_event_terms(user_id, told_in - gone)
    return ErasedRows(deleted | {REDACTED: emptied} | cut.counts, cut)


def redact_messages(user_id: UUID, before: datetime) -> int:
    """Remove the words of all the user's messages up to ``before``; returns how many messages.

    With them go the titles, slots and summaries that conversations made of those.
    """
    clean_everything(user_id, before)
    with in_role(ERASER_ROLE):
        return redact(_own_messages(user_id, before))


def unlearn_messages(user_id: UUID, before: datetime) -> int:
    """Mark all the user's messages up to ``before`` as never to be learned from; returns how many."""
    with in_role(ERASER_ROLE):
        return _own_messages(user_id, before).update(learnable=False)


def shared_sessions_of(user_id: UUID) -> set[UUID]:
    """The group conversations in which the user has words. Call as the eraser, before they are deleted."""
    said = ConversationEvent.with_erased.filter(user_id=user_id, group__isnull=False)
    return set(said.values_list("session_id", flat=True).distinct())


def count_redacted_with_words(targets: Targets) -> int:
    """How many of the redacted messages still hold words. Call as the eraser."""
    return with_words(ConversationEvent.with_erased.filter(pk__in=targets.redact.get(TURN, ()))).count()


def count_messages_with_words(user_id: UUID, before: datetime) -> int:
    """How many of the user's messages up to ``before`` still hold words. Call as the eraser."""
    return with_words(_own_messages(user_id, before)).count()


def _own_messages(user_id: UUID, before: datetime) -> QuerySet[ConversationEvent]:
    return ConversationEvent.with_erased.filter(user_id=user_id, created_at__lte=before)


def _sessions_of(turns: Collection[UUID]) -> set[UUID]:
    said = ConversationEvent.with_erased.filter(pk__in=turns)
    with in_role(ERASER_ROLE):  # the turns are invisible already
        return set(said.values_list("session_id", flat=True))


def _conversations_of(events: Collection[UUID]) -> set[UUID]:
    with in_role(ERASER_ROLE):
        return set(CognitiveEvent.with_erased.filter(pk__in=events).values_list("session_id", flat=True))


def _write_up_anew(user_id: UUID, targets: Targets) -> None:
    """Queue the ends again that keep some words and of which no event was written yet."""
    for job in CognitiveJob.objects.filter(pk__in=list(targets.cut.get(JOB, {})), user_id=user_id):
        if not CognitiveEvent.objects.filter(user_id=user_id, event_id=job.event_id).exists():
            outbox.run_again(job.pk)


def _unlearn_turns(turns: Collection[UUID]) -> None:
    ConversationEvent.with_erased.filter(pk__in=turns).update(learnable=False)


def _delete_hanging(sessions: Collection[UUID]) -> None:
    """Delete what hangs on conversations that are erased: receipts, and messages that arrived meanwhile.

    Receipts of other conversations stay, since they hold ids and numbers.
    """
    if sessions:
        ReceiptLine.objects.filter(receipt__session_id__in=sessions).delete()
        Receipt.objects.filter(session_id__in=sessions).delete()
        for model in (SearchEntry, CognitiveEvent, CognitiveJob, ConversationEvent):
            model.with_erased.filter(session_id__in=sessions).delete()
