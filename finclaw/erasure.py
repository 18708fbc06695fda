"""Erasure from request to signed certificate; read it top to bottom.

Request: resolve the targets through the user's own rows → tombstone, fence, invisibility and queued work in one
transaction. Worker: processing → one transaction with the walk, the probe, the signed certificate and the completed
state. The state machine belongs to consent, the rows to memory; they meet here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from django.utils import timezone

from consent.erasure import services as erasures
from consent.erasure.row_deletion import (
    account_tables,
    count_named,
    count_owned,
    delete_owned,
    scope_tables,
)
from consent.erasure.types import ResidueProbe, Targets
from consent.memory_telemetry import report_deleted_rows
from consent.models import ErasureScope, Sources, Tombstone
from consent.permit import Permit
from consent.services import permit_for
from drift.erasure_targets import FEEDBACK, SIGNAL, of_everything_learned, with_drift
from finclaw.brain.promotion import with_promoted
from finclaw.third_parties import FOLDERS, TABLES
from foundation.accounts.models import User
from foundation.accounts.services import close_account, lock_user, remove_account
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.exceptions import NotFound
from foundation.outbox.exceptions import LostLease
from foundation.outbox.jobs import Job
from foundation.outbox.services import sqlstate
from foundation.personal_data import ConsentScope
from memory.erasure import groups
from memory.erasure import services as memories
from memory.erasure.disclosure import ErasedWords
from memory.erasure.erased_statements import erased_words
from memory.erasure.partial_redaction import SENTENCES
from memory.erasure.portraits import EVENT, LINES, PORTRAIT, clean_portraits, count_lines_left
from memory.erasure.research import (
    STATEMENTS,
    THREAD,
    clean_research,
    count_statements_left,
    detach_sessions,
    discloses_partly,
    goes_with_erasure,
    targets_of_task,
    targets_of_thread,
)
from memory.erasure.research_requests import (
    PROMPTS,
    TASK,
    count_prompts_left,
    empty_prompts,
    research_requested_in_chats,
    with_requested_research,
)
from memory.erasure.session_traces import clean_everything, clean_named
from memory.erasure.targets import (
    ITEM,
    TURN,
    targets_of_event,
    targets_of_import,
    targets_of_item,
    targets_of_portrait,
    targets_of_session,
)
from memory.indexing.services import rebuild_shared_terms
from memory.models import CognitiveEvent, EntityProfile, MemoryItem, TaskContext
from memory.services.sessions import session_of
from personas.services.erasure_targets import with_persona

Counts = dict[str, int]
REPLIES = "replies to others"
_NAMED_BY_ID = {
    ErasureScope.ITEM,
    ErasureScope.SESSION,
    ErasureScope.PORTRAIT,
    ErasureScope.THREAD,
    ErasureScope.TASK,
    ErasureScope.IMPORT,
}


def forget(user: User, scope: ErasureScope, target: str, sources: Sources, *, source: str) -> Tombstone:
    """Accept a user's erasure request; call in a transaction acting for them.

    ``target`` is a memory's or conversation's id, or an event's ``event_id``; empty for scopes that name no row. Raises
    ``NotFound`` for another user's row, ``KeptInThread``, ``ErasureInProgress``.
    """
    # Writers lock the user too: their rows are among the targets, or they come too late.
    lock_user(user.pk)
    permit = permit_for(user)
    targets = targets_of(permit, scope, target, sources)
    tombstone = erasures.request_erasure(
        user,
        permit,
        scope,
        targets,
        target_id=_target_id(scope, target),
        sources=sources,
        item_count=_count_items(permit, scope, targets),
        source=source,
    )
    _clean_traces(tombstone, targets)
    if scope == ErasureScope.ACCOUNT:
        close_account(user)
    return tombstone


def targets_of(permit: Permit, scope: ErasureScope, target: str, sources: Sources) -> Targets:
    """The rows an erasure takes: what a confirmation counts, ``forget`` writes into the tombstone and the worker
    carries out.

    Raises as ``forget``; call acting for the user.
    """
    targets = with_promoted(
        permit.user_id, with_requested_research(permit, _find_targets(permit, scope, target, sources))
    )
    conversation = _target_id(scope, target) if scope == ErasureScope.SESSION else None
    words = erased_words(permit.user_id, scope, targets)
    return with_drift(permit.user_id, with_persona(permit.user_id, targets, conversation), words)


def erase(job: Job) -> None:
    """Carry out one erasure. Whatever it raises is an attempt of the outbox, and a failure of the tombstone."""
    user_id = UUID(job.payload["user"])
    tombstone = erasures.start_erasure(UUID(job.payload["tombstone"]), user_id)
    if tombstone is None:
        with job.completing():
            return
    try:
        with job.completing():
            _erase(tombstone)
    except LostLease:
        raise
    except Exception as error:
        reason = f"{type(error).__name__} {sqlstate(error)}".strip()
        erasures.record_failure(tombstone.pk, user_id, reason, final=job.message.is_last_attempt)
        raise


def _erase(tombstone: Tombstone) -> None:
    with acting_as(tombstone.user_id):
        erasing = _ERASERS.get(tombstone.scope, _erase_named)
        targets = Targets.from_json(tombstone.targets)
        left_in_research = _clean_research(tombstone, targets, _erased_words(tombstone, targets))
        deleted, left = erasing(tombstone)
        report_deleted_rows(tombstone.user_id, deleted)
        deleted |= {folder.name: folder.remove(tombstone.user_id) for folder in FOLDERS}
        copies = {folder.name: folder.count(tombstone.user_id) for folder in FOLDERS}
        erasures.complete_erasure(
            tombstone, deleted, ResidueProbe(checked=deleted, left=left | copies | left_in_research)
        )


def _find_targets(permit: Permit, scope: ErasureScope, target: str, sources: Sources) -> Targets:
    if scope == ErasureScope.EVENT:
        return targets_of_event(permit, target, sources)
    if scope == ErasureScope.ITEM:
        return targets_of_item(permit, _uuid(target), sources)
    if scope == ErasureScope.SESSION:
        return targets_of_session(permit, session_of(permit, _uuid(target)))
    if scope == ErasureScope.IMPORT:
        return targets_of_import(permit, _uuid(target))
    if scope == ErasureScope.PORTRAIT:
        return targets_of_portrait(permit, _uuid(target))
    if scope == ErasureScope.THREAD:
        return targets_of_thread(permit, _uuid(target))
    if scope == ErasureScope.TASK:
        return targets_of_task(permit, _uuid(target))
    if scope == ErasureScope.MEMORIES and sources == Sources.REDACT:
        return research_requested_in_chats(permit)
    return Targets()


def _target_id(scope: ErasureScope, target: str) -> UUID | None:
    return _uuid(target) if scope in _NAMED_BY_ID else None


def _clean_traces(tombstone: Tombstone, targets: Targets) -> None:
    """Clean titles, slots and portrait lines at once: they are no rows that could be hidden.

    What quotes such a line is cleaned with it: afterwards the connection is lost.
    """
    everything_said = tombstone.scope == ErasureScope.MEMORIES and tombstone.sources == Sources.REDACT
    if everything_said or tombstone.scope == ErasureScope.ACCOUNT:
        clean_everything(tombstone.user_id, tombstone.requested_at)
    words = _erased_words(tombstone, targets)
    clean_named(tombstone.user_id, targets, words)
    empty_prompts(tombstone.user_id, targets)
    with in_role(ERASER_ROLE):
        lines = groups.shared_in_portraits(tombstone.user_id, _touched_events(targets))
    groups.redact_replies_to_others(tombstone.user_id, lines, words)
    clean_portraits(tombstone.user_id, targets, words)
    _clean_research(tombstone, targets, words)


def _erased_words(tombstone: Tombstone, targets: Targets) -> ErasedWords:
    return erased_words(tombstone.user_id, tombstone.scope, targets)


def _touched_events(targets: Targets) -> set[UUID]:
    """The events that go, or lose a sentence."""
    return {*targets.delete.get(EVENT, ()), *targets.cut.get(EVENT, {})}


def _clean_research(tombstone: Tombstone, targets: Targets, words: ErasedWords) -> Counts:
    """Clean research at once, and again when the erasure is carried out: a restored backup may have brought words back.
    Returns what is left.
    """
    gone = goes_with_erasure(tombstone.scope, tombstone.sources, targets)
    what = (tombstone.user_id, gone, tombstone.requested_at, targets.touched.get(TASK, ()))
    also = discloses_partly(targets, words)
    clean_research(*what, also=also)
    detach_sessions(tombstone.user_id, targets)
    with in_role(ERASER_ROLE):
        return {STATEMENTS: count_statements_left(*what, also=also)}


def _uuid(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError:
        raise NotFound() from None


def _count_items(permit: Permit, scope: ErasureScope, targets: Targets) -> int:
    """The memories, events, portraits and threads that go, or the one task: what a user would count."""
    if scope in (ErasureScope.TASK, ErasureScope.PROFILE):
        return 1
    if scope in (ErasureScope.MEMORIES, ErasureScope.ACCOUNT):
        kinds = (MemoryItem, CognitiveEvent, EntityProfile)
        return sum(kind.objects.filter(user_id=permit.user_id).count() for kind in kinds)
    return sum(len(targets.delete.get(label, ())) for label in (ITEM, EVENT, PORTRAIT, THREAD))


def _erase_named(tombstone: Tombstone) -> tuple[Counts, Counts]:
    targets = Targets.from_json(tombstone.targets)
    words = _erased_words(tombstone, targets)
    messages = {*targets.delete.get(TURN, ()), *targets.emptied_or_cut(TURN)}
    with in_role(ERASER_ROLE):
        shared = groups.shared_among(tombstone.user_id, messages, _touched_events(targets))
    replies = groups.redact_replies_to_others(tombstone.user_id, shared, words)
    erased = memories.erase_targets(tombstone.user_id, targets, words, tombstone.pk)
    deleted = erased.deleted
    with in_role(ERASER_ROLE):
        left = count_named(targets.delete) | {
            memories.REDACTED: memories.count_redacted_with_words(targets),
            SENTENCES: erased.cut.left(),
            LINES: count_lines_left(tombstone.user_id, targets, words),
            PROMPTS: count_prompts_left(tombstone.user_id, targets),
        }
    deleted[REPLIES] = replies
    return deleted, left


def _erase_learned(tombstone: Tombstone) -> tuple[Counts, Counts]:
    learned, targets = scope_tables(ConsentScope.MEMORY_LEARNING), Targets.from_json(tombstone.targets)
    redacting = tombstone.sources == Sources.REDACT
    feedback, signals = of_everything_learned(tombstone.user_id, tombstone.requested_at, with_messages=redacting)
    with in_role(ERASER_ROLE):
        around = memories.shared_sessions_of(tombstone.user_id)
        shared = groups.shared_by(tombstone.user_id, before=tombstone.requested_at, with_messages=redacting)
    replies = groups.redact_replies_to_others(tombstone.user_id, shared)
    with in_role(ERASER_ROLE):
        deleted = Counter(delete_owned(learned, tombstone.user_id))
        deleted.update({FEEDBACK: feedback.delete()[0], SIGNAL: signals.delete()[0]})
    deleted.update(memories.erase_targets(tombstone.user_id, targets).deleted)
    take = memories.redact_messages if redacting else memories.unlearn_messages
    said = take(tombstone.user_id, tombstone.requested_at)
    rebuild_shared_terms(around)
    with in_role(ERASER_ROLE):
        left = count_owned(learned, tombstone.user_id) | {FEEDBACK: feedback.count(), SIGNAL: signals.count()}
        left[memories.REDACTED] = (
            memories.count_messages_with_words(tombstone.user_id, tombstone.requested_at) if redacting else 0
        )
        left |= count_named(targets.delete) | {PROMPTS: count_prompts_left(tombstone.user_id, targets)}
    deleted.update({memories.REDACTED: said, REPLIES: replies})
    return deleted, left


def _erase_stated(tombstone: Tombstone) -> tuple[Counts, Counts]:
    copied = [personal_model for personal_model in account_tables() if personal_model.model is TaskContext]
    stated = [*scope_tables(ConsentScope.SAVE_TO_PROFILE), *copied]
    with in_role(ERASER_ROLE):
        deleted = delete_owned(stated, tombstone.user_id)
        return deleted, count_owned(stated, tombstone.user_id)


@dataclass
class _AccountErasure:
    """The parts of an account, erased one after the other."""

    user: User
    deleted: Counts = field(default_factory=dict)

    def erase(self) -> None:
        user_id = self.user.pk
        been_in = set(self.user.memberships.values_list("group_id", flat=True))
        with in_role(ERASER_ROLE):
            around = memories.shared_sessions_of(user_id)
            shared = groups.shared_by(user_id, before=timezone.now())
        self.deleted[REPLIES] = groups.redact_replies_to_others(user_id, shared)
        groups.hand_over_sessions(user_id)
        clean_everything(user_id, timezone.now())
        with in_role(ERASER_ROLE):
            self.deleted |= {table.name: table.rows_of(self.user).delete()[0] for table in TABLES}
            tables = [personal_model for personal_model in account_tables() if personal_model.model is not User]
            self.deleted |= delete_owned(tables, user_id)
        rebuild_shared_terms(around)
        self.deleted["accounts.User"] = remove_account(self.user, been_in)

    def left(self) -> Counts:
        with in_role(ERASER_ROLE):
            rows = count_owned(account_tables(), self.user.pk)
            return rows | {table.name: table.rows_of(self.user).count() for table in TABLES}


def _erase_account(tombstone: Tombstone) -> tuple[Counts, Counts]:
    account = _AccountErasure(User.objects.get(pk=tombstone.user_id))
    account.erase()
    return account.deleted, account.left()


_ERASERS: dict[str, Callable[[Tombstone], tuple[Counts, Counts]]] = {
    ErasureScope.MEMORIES: _erase_learned,
    ErasureScope.PROFILE: _erase_stated,
    ErasureScope.ACCOUNT: _erase_account,
}
