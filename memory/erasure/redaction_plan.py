"""Plans what the texts around a forgotten statement lose: the sentences that disclose it, or the whole text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from django.db.models import Q

from consent.erasure.types import SentenceCut
from consent.permit import Permit
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.disclosure import ErasedWords
from memory.erasure.erased_statements import EVENT, TURN, date_head_of
from memory.erasure.sentence_cuts import cut_sentences, remaining_texts, removed_sentences, texts_of_blocks
from memory.mentions import core_terms
from memory.models import CognitiveEvent, CognitiveJob, ConversationEvent, ReceiptLine

JOB = CognitiveJob._meta.label
_ROLE: Final = ConversationEvent.Role
Rows = Mapping[str, Mapping[UUID, SentenceCut]]


@dataclass(frozen=True)
class RedactionPlan:
    """Messages to be ``emptied``, rows to ``cut`` sentences from and rows to ``delete``, by label.

    ``sentences`` are those of the user's messages that will be removed.
    """

    emptied: frozenset[UUID] = frozenset()
    cut: Rows = field(default_factory=dict)
    delete: Mapping[str, set[UUID]] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()

    def with_rows(self, other: RedactionPlan) -> RedactionPlan:
        """Merge the emptied and the cut rows of two plans."""
        labels = {*self.cut, *other.cut}
        cut = {label: {**self.cut.get(label, {}), **other.cut.get(label, {})} for label in labels}
        return replace(self, emptied=self.emptied | other.emptied, cut=cut)


def quotes_of(event: CognitiveEvent) -> Iterator[str]:
    """The sentences of messages that an event was made of, letter for letter."""
    for source in getattr(event, "sources", ()):
        yield str(source["quote"])


def own_messages(permit: Permit, ids: Collection[UUID]) -> list[ConversationEvent]:
    """The user's messages, and replies to them, among ``ids`` that hold words.

    Messages that another erasure has hidden are included: it may leave some of their sentences.
    """
    return _messages_matching(permit, Q(pk__in=ids))


def replies_in(permit: Permit, sessions: Collection[UUID]) -> set[UUID]:
    """The replies to the user in these conversations, and every reply that another erasure has hidden."""
    there = Q(session_id__in=sessions) | Q(tombstone_id__isnull=False)
    return {message.pk for message in _messages_matching(permit, there & Q(role=_ROLE.ASSISTANT))}


def _messages_matching(permit: Permit, which: Q) -> list[ConversationEvent]:
    with in_role(ERASER_ROLE):
        rows = ConversationEvent.with_erased.filter(which, user_id=permit.user_id, redacted_at=None)
        return list(rows.order_by("session_id", "seq"))


def plan_for_messages(
    said: Sequence[ConversationEvent], said_in: Sequence[Collection[UUID]], words: ErasedWords, quotes: Collection[str]
) -> RedactionPlan:
    """Plan the sentences that disclose the statement in the messages it was said in.

    Where none of the messages behind a row (``said_in``) has one, or one is in another language, those messages are
    emptied.
    """
    cuts = {
        message.pk: cut_sentences(texts_of_blocks(message.content), _disclosure_test(words, quotes)) for message in said
    }
    sources = {key for behind in said_in for key in behind}
    foreign = (message.pk for message in said if words.speaks_another_language(message.text))
    unclear = {key for key in foreign if key in sources and not cuts[key].spans}
    for behind in said_in:
        known = [key for key in behind if key in cuts]
        if not any(cuts[key].spans for key in known):
            unclear |= set(known)
    whole = unclear | {
        message.pk for message in said if _leaves_nothing(cuts[message.pk], texts_of_blocks(message.content))
    }
    return RedactionPlan(
        emptied=frozenset(whole),
        cut={TURN: {key: cut for key, cut in cuts.items() if cut.spans and key not in whole}},
        sentences=tuple(_sentences_going(said, cuts, unclear)),
    )


def plan_for_neighbours(permit: Permit, said: Sequence[ConversationEvent], words: ErasedWords) -> RedactionPlan:
    """Plan the sentences that disclose the statement in the user's other messages of the same conversations."""
    around = Q(session_id__in={message.session_id for message in said}, role=_ROLE.USER)
    others = [other for other in _messages_matching(permit, around) if other.pk not in {message.pk for message in said}]
    return plan_for_messages(others, (), words, ())


def plan_for_replies(
    permit: Permit, replies: Collection[UUID], words: ErasedWords, given: Collection[UUID]
) -> RedactionPlan:
    """Plan the sentences of replies that quote the statement.

    A reply in another language that was ``given`` one of the erased rows is emptied: its words prove nothing.
    """
    lines = ReceiptLine.objects.filter(
        user_id=permit.user_id, ref_id__in=given, status=ReceiptLine.Status.ACCEPTED, receipt__kind="injection"
    )
    prompted = set(lines.values_list("receipt__message_id", flat=True))
    emptied: set[UUID] = set()
    cuts: dict[UUID, SentenceCut] = {}
    for row in _messages_matching(permit, Q(pk__in=replies, role=_ROLE.ASSISTANT)):
        texts = texts_of_blocks(row.content)
        cut = cut_sentences(texts, words.disclosed_by)
        if not cut.spans:
            emptied |= {row.pk} if row.pk in prompted and words.speaks_another_language(row.text) else set()
        elif _leaves_nothing(cut, texts):
            emptied.add(row.pk)
        else:
            cuts[row.pk] = cut
    return RedactionPlan(frozenset(emptied), {TURN: cuts})


def plan_for_events(
    permit: Permit,
    said: Sequence[ConversationEvent],
    lost: RedactionPlan,
    words: ErasedWords,
    gone: Mapping[str, Collection[UUID]],
) -> RedactionPlan:
    """Plan what the user's events, and the ends behind them, lose of these messages, except events ``gone`` anyway.

    Messages that ``lost`` words too count like the messages themselves. An event made of the lost sentences alone is
    deleted; others lose the sentences that disclose the statement. One that shows none of them and names no sentence it
    was made of is deleted too: it may disclose them in other words.
    """
    keys = {*lost.emptied, *lost.cut.get(TURN, {})}
    around = Q(message_ids__overlap=list(keys)) | Q(session_id__in={message.session_id for message in said})
    found = _PlannedRows()
    with in_role(ERASER_ROLE):
        events = CognitiveEvent.with_erased.filter(around, user_id=permit.user_id)
        for event in events.exclude(pk__in=gone.get(EVENT, ())):
            found.note(EVENT, event.pk, _plan_for_event(event, keys, frozenset(lost.sentences), words))
        ends = CognitiveJob.with_erased.filter(around, user_id=permit.user_id)
        for job in ends.exclude(pk__in=gone.get(JOB, ())):
            is_unclear = not keys.isdisjoint(job.message_ids) and _is_wholly_gone(job, found.delete[EVENT])
            found.note(JOB, job.pk, _plan_for_texts(texts_of_job(job), words.disclosed_by, is_unclear))
    return RedactionPlan(delete=found.delete, cut=found.cut)


@dataclass
class _PlannedRows:
    """Rows to delete, and rows to cut sentences from, by label."""

    delete: dict[str, set[UUID]] = field(default_factory=lambda: {EVENT: set(), JOB: set()})
    cut: dict[str, dict[UUID, SentenceCut]] = field(default_factory=lambda: {EVENT: {}, JOB: {}})

    def note(self, label: str, key: UUID, found: SentenceCut | bool) -> None:
        """Record what was found for a row: a cut, or whether the row is to be deleted."""
        if isinstance(found, SentenceCut):
            self.cut[label][key] = found
        elif found:
            self.delete[label].add(key)


def _is_wholly_gone(job: CognitiveJob, events: Collection[UUID]) -> bool:
    """Whether an end was written up, and every event made of it is deleted."""
    made = set(
        CognitiveEvent.with_erased.filter(user_id=job.user_id, event_id=job.event_id).values_list("pk", flat=True)
    )
    return bool(made) and made <= set(events)


def texts_of_event(event: CognitiveEvent) -> list[str]:
    """The texts of an event, without its opening date."""
    return [event.canonical_text[len(date_head_of(event, event.canonical_text)) :], event.did_what, event.new_info]


def texts_of_job(job: CognitiveJob) -> list[str]:
    """The texts of an end."""
    return [job.action_summary, job.new_info]


def _plan_for_event(
    event: CognitiveEvent, messages: Collection[UUID], sentences: frozenset[str], words: ErasedWords
) -> SentenceCut | bool:
    quotes = list(quotes_of(event))
    telling = [quote for quote in quotes if quote in sentences or words.disclosed_by(quote)]
    if quotes and len(telling) == len(quotes):
        return True
    is_unclear = bool(telling) if quotes else not set(messages).isdisjoint(event.message_ids)
    return _plan_for_texts(texts_of_event(event), words.disclosed_by, is_unclear)


def _plan_for_texts(texts: Sequence[str], discloses: Callable[[str], bool], is_unclear: bool) -> SentenceCut | bool:
    """The cut of these texts, or whether they are to be removed whole."""
    cut = cut_sentences(texts, discloses)
    if not cut.spans:
        return is_unclear
    return True if _leaves_nothing(cut, texts) else cut


def _disclosure_test(words: ErasedWords, quotes: Collection[str]) -> Callable[[str], bool]:
    return lambda sentence: sentence in quotes or words.disclosed_by(sentence)


def _leaves_nothing(cut: SentenceCut, texts: Sequence[str]) -> bool:
    """Whether a cut leaves no telling word."""
    return bool(cut.spans) and not any(core_terms(text) for text in remaining_texts(cut, texts))


def _sentences_going(
    said: Iterable[ConversationEvent], cuts: Mapping[UUID, SentenceCut], whole: Collection[UUID]
) -> Iterator[str]:
    for message in said:
        texts = texts_of_blocks(message.content)
        cut = cut_sentences(texts, lambda _: True) if message.pk in whole else cuts[message.pk]
        yield from removed_sentences(cut, texts)
