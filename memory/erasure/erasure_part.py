"""The part of an erasure that memory carries out: it removes the words, lexemes and traces of the erased rows, and has
failed ends of conversations that lost words written up anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import cached_property
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from consent.erasure.plan import Counts, ErasurePart, ErasurePlan
from consent.erasure.types import Ids, KeptRows, Targets
from consent.models import ErasureScope
from consent.permit import Permit
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox import services as outbox
from foundation.personal_data import KeptFor
from memory.erasure import groups
from memory.erasure.disclosure import ErasedWords
from memory.erasure.erased_statements import erased_words
from memory.erasure.groups import SharedWords
from memory.erasure.labels import EVENT, ITEM, JOB, PORTRAIT, SESSION, TASK, TURN
from memory.erasure.message_redaction import count_words_left, redact
from memory.erasure.object_names import ObjectNameCleaning
from memory.erasure.partial_redaction import SENTENCES, CutRows, cut_rows
from memory.erasure.portraits import LINES, clean_portraits, count_lines_left, forget_revisions
from memory.erasure.receipt_figures import strip_receipts
from memory.erasure.replaced_answers import with_replaced_answers
from memory.erasure.research import STATEMENTS, ResearchCleaning, detach_sessions
from memory.erasure.research_requests import PROMPTS, count_prompts_left, empty_prompts, with_requested_research
from memory.erasure.search_entries import rebuild_entries
from memory.erasure.session_traces import clean_everything, clean_named, count_traces_left
from memory.indexing.event_terms import rebuild_event_terms
from memory.indexing.services import rebuild_shared_terms
from memory.models import (
    CognitiveEvent,
    CognitiveJob,
    ConversationEvent,
    EvolutionEvent,
    ReceiptLine,
    SearchEntry,
    ToolReceipt,
)

REDACTED: Final = "memory.ConversationEvent words"
REPLIES: Final = "replies to others"
CONVERSATIONS: Final = "memory.Session words"


class MemoryErasure(ErasurePart):
    """Erases messages, memories, events, portraits and research."""

    def __init__(self, plan: ErasurePlan) -> None:
        super().__init__(plan)
        self._cut = CutRows()
        self._around: set[UUID] = set()  # the conversations of the messages that go
        self._told_in: set[UUID] = set()  # the conversations of the events that go
        self._stripped: Counts = {}

    def extend(self, permit: Permit) -> Targets:
        return with_requested_research(permit, with_replaced_answers(permit, self.plan.targets))

    def clean_at_once(self) -> None:
        """Clean titles, slots, research and portrait lines at once, because they are not rows that could be hidden.

        Replies that quote such a line are cleaned now, too: afterwards nothing connects them with it.
        """
        with in_role(ERASER_ROLE):
            lines = groups.shared_in_portraits(self.plan.user_id, self.plan.targets.losing(EVENT))
        self._clean_traces(lines)

    def clean(self) -> Counts:
        if self.plan.scope == ErasureScope.PROFILE:  # only research uses what it states
            self._research.clean()
            return {}
        with in_role(ERASER_ROLE):
            self._around, self._told_in = self._conversations_around()
            shared = self._shared_words()
        replies = self._clean_traces(shared)
        with in_role(ERASER_ROLE):
            self._stripped = strip_receipts(self._receipts_going())
        if self.plan.is_account:
            groups.hand_over_sessions(self.plan.user_id)
            return {REPLIES: replies, **self._stripped}
        with in_role(ERASER_ROLE):
            if self.plan.is_everything_learned:
                outbox.forget_results(self.plan.user_id, self.plan.before)
            return {REPLIES: replies, **self._stripped, **self._redact_words()}

    def finish(self) -> Counts:
        user_id, targets = self.plan.user_id, self.plan.targets
        gone = set(targets.delete.get(SESSION, ()))
        rebuild_shared_terms(self._around - gone)
        _write_up_anew(user_id, targets)
        rebuild_entries(self.plan, self._cut.removed)
        rebuild_event_terms(user_id, self._told_in - gone)
        return {}

    def count_residue(self) -> Counts:
        user_id, targets, residue = self.plan.user_id, self.plan.targets, {STATEMENTS: self._research.count_left()}
        if self.plan.scope == ErasureScope.PROFILE:
            return residue
        residue[STATEMENTS] += self._object_names.count_left()
        return residue | {
            REDACTED: count_words_left(self._redacted()),
            CONVERSATIONS: self._count_conversations_left(),
            SENTENCES: self._cut.count_left(),
            LINES: count_lines_left(user_id, targets, self._words),
            PROMPTS: count_prompts_left(user_id, targets),
        }

    def list_kept_rows(self) -> list[KeptRows]:
        """The rows that stay: messages, with or without their words, and the figures of stripped receipts.

        For an erasure of single rows, also the receipt lines that name them.
        """
        redacted, unlearned = self._redacted().count(), self._unlearned().count()
        reason = KeptFor.CHOICE if unlearned else KeptFor.ORDER
        messages = KeptRows(TURN, redacted + unlearned + len(self.plan.targets.cut.get(TURN, {})), reason)
        figures = Counter(self._stripped)
        if not self.plan.is_whole:
            named = {key for label in (ITEM, EVENT, TURN, PORTRAIT) for key in self.plan.targets.losing(label)}
            uses = ReceiptLine.objects.filter(user_id=self.plan.user_id, ref_id__in=named)
            figures[ReceiptLine._meta.label] += uses.count()
        return [messages, *(KeptRows(label, rows, KeptFor.FIGURES) for label, rows in figures.items())]

    def _receipts_going(self) -> Q:
        """The receipts to strip: those of the account, or of conversations and replies that are erased as a whole."""
        mine, delete = Q(user_id=self.plan.user_id), self.plan.targets.delete
        explains = Q(session_id__in=delete.get(SESSION, ())) | Q(message_id__in=delete.get(TURN, ()))
        return mine if self.plan.is_account else mine & explains

    def _count_conversations_left(self) -> int:
        return count_traces_left(self.plan.user_id, self.plan.before) if self.plan.takes_messages else 0

    @cached_property
    def _words(self) -> ErasedWords:
        return erased_words(self.plan)

    @cached_property
    def _research(self) -> ResearchCleaning:
        return ResearchCleaning.of(self.plan, self._words)

    @cached_property
    def _object_names(self) -> ObjectNameCleaning:
        return ObjectNameCleaning(self._research, self.plan.targets.delete.get(TASK, ()))

    @property
    def _is_whole(self) -> bool:
        """Whether the erasure covers all of the user's rows, so that the plan names none of them."""
        return self.plan.is_account or self.plan.is_everything_learned

    def _clean_traces(self, shared: SharedWords) -> int:
        """Clean the words of erased rows in other rows; returns how many replies to others lost their words."""
        user_id, targets, words = self.plan.user_id, self.plan.targets, self._words
        if self.plan.takes_messages:
            clean_everything(user_id, self.plan.before)
        clean_named(user_id, targets, words)
        empty_prompts(user_id, targets)
        replies = groups.redact_replies_to_others(user_id, shared, words)
        clean_portraits(user_id, targets, words)
        self._research.clean()
        self._object_names.clean()
        detach_sessions(user_id, targets)
        return replies

    def _shared_words(self) -> SharedWords:
        user_id, targets = self.plan.user_id, self.plan.targets
        if self._is_whole:
            return groups.content_shared_by(user_id, before=self.plan.before, with_messages=self.plan.takes_messages)
        return groups.shared_part_of(user_id, targets.losing(TURN), targets.losing(EVENT))

    def _conversations_around(self) -> tuple[set[UUID], set[UUID]]:
        targets = self.plan.targets
        turns = {*targets.losing(TURN), *targets.unlearn.get(TURN, ())}
        in_groups = Q(user_id=self.plan.user_id, group__isnull=False)
        said = ConversationEvent.with_erased.filter(in_groups if self._is_whole else Q(pk__in=turns))
        told = CognitiveEvent.with_erased.filter(pk__in=targets.losing(EVENT))
        return set(said.values_list("session_id", flat=True)), set(told.values_list("session_id", flat=True))

    def _redacted(self) -> QuerySet[ConversationEvent]:
        """The messages that lose all their words."""
        return self._own_messages(self.plan.targets.redact.get(TURN, ()), or_all=self.plan.takes_messages)

    def _unlearned(self) -> QuerySet[ConversationEvent]:
        """The messages that keep their words and are never learned from again."""
        keeps_all = self._is_whole and not self.plan.takes_messages
        return self._own_messages(self.plan.targets.unlearn.get(TURN, ()), or_all=keeps_all)

    def _own_messages(self, named: Collection[UUID], *, or_all: bool) -> QuerySet[ConversationEvent]:
        which = Q(created_at__lte=self.plan.before) if or_all else Q(pk__in=named)
        return ConversationEvent.with_erased.filter(which, user_id=self.plan.user_id)

    def _redact_words(self) -> Counts:
        """Cut, redact and unlearn messages, and delete what belongs to erased rows. Call as the eraser."""
        delete = self.plan.targets.delete
        self._cut = cut_rows(self.plan, self._words)
        _delete_hanging(delete)
        EvolutionEvent.objects.filter(item_id__in=delete.get(ITEM, ())).delete()
        forget_revisions(delete.get(PORTRAIT, ()))
        redacted = redact(self._redacted(), self.plan.user_id)
        unlearned = self._unlearned().update(learnable=False)
        return {REDACTED: redacted + (unlearned if self._is_whole else 0), **self._cut.counts}


def _write_up_anew(user_id: UUID, targets: Targets) -> None:
    """Queue again the historian's jobs that keep some words and have not written an event yet."""
    for job in CognitiveJob.objects.filter(pk__in=list(targets.cut.get(JOB, {})), user_id=user_id):
        if not CognitiveEvent.objects.filter(user_id=user_id, event_id=job.event_id).exists():
            outbox.run_again(job.pk)


def _delete_hanging(delete: Ids) -> None:
    """Delete rows of erased conversations, replies and research that the plan does not name.

    These are the receipts of what the assistant ran, and messages that arrived meanwhile.
    """
    if runs := {*delete.get(TASK, ()), *delete.get(TURN, ())}:  # of a group's conversation only one's own replies go
        ToolReceipt.objects.filter(run_id__in=runs).delete()
    if sessions := delete.get(SESSION, ()):
        ToolReceipt.objects.filter(session_id__in=sessions).delete()
        for model in (SearchEntry, CognitiveEvent, CognitiveJob, ConversationEvent):
            named = delete.get(model._meta.label, ())
            model.with_erased.filter(session_id__in=sessions).exclude(pk__in=named).delete()
