"""Plans what the texts around a forgotten statement lose: the sentences that disclose it, or the whole text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from django.db.models import Q

from consent.erasure.types import SentenceCut, Targets
from consent.permit import Permit
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.disclosure import ErasedWords
from memory.erasure.erased_statements import date_head_of
from memory.erasure.labels import EVENT, JOB, TURN
from memory.erasure.reply_echoes import replies_given
from memory.erasure.sentence_cuts import cut_sentences, remaining_texts, removed_sentences, texts_of_blocks
from memory.mentions import core_terms
from memory.models import CognitiveEvent, CognitiveJob, ConversationEvent

_ROLE: Final = ConversationEvent.Role


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
) -> tuple[Targets, list[str]]:
    """Plan the sentences that disclose the statement in the messages it was said in; returns them too.

    If none of the messages behind a row (``said_in``) has such a sentence, all of them are emptied. So is a message
    behind a row that has none and is in another language.
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
    cut = {key: cut for key, cut in cuts.items() if cut.spans and key not in whole}
    return Targets(redact={TURN: whole}, cut={TURN: cut}), list(_sentences_going(said, cuts, unclear))


def plan_for_neighbours(permit: Permit, said: Sequence[ConversationEvent], words: ErasedWords) -> Targets:
    """Plan the sentences that disclose the statement in the user's other messages of the same conversations."""
    around = Q(session_id__in={message.session_id for message in said}, role=_ROLE.USER)
    others = [other for other in _messages_matching(permit, around) if other.pk not in {message.pk for message in said}]
    return plan_for_messages(others, (), words, ())[0]


def plan_for_replies(permit: Permit, replies: Collection[UUID], words: ErasedWords, given: Collection[UUID]) -> Targets:
    """Plan the sentences of replies that quote the statement.

    A reply in another language that was ``given`` one of the erased rows is emptied: its words prove nothing.
    """
    prompted = replies_given([permit.user_id], given)
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
    return Targets(redact={TURN: emptied}, cut={TURN: cuts})


def plan_for_events(
    permit: Permit, said: Sequence[ConversationEvent], lost: Targets, sentences: Collection[str], words: ErasedWords
) -> Targets:
    """Plan what events made from these messages, and the historian's jobs ("ends") behind them, lose.

    Rows in ``lost`` that are deleted anyway are left out; messages in it that lose words count like these messages. An
    event made only from the lost ``sentences`` is deleted; others lose the sentences that disclose the statement. An
    event without such a sentence that names no sentence it was made from is deleted, too: it may disclose the statement
    in other words.
    """
    keys = lost.emptied_or_cut(TURN)
    around = Q(message_ids__overlap=list(keys)) | Q(session_id__in={message.session_id for message in said})
    with in_role(ERASER_ROLE):
        rows = CognitiveEvent.with_erased.filter(around, user_id=permit.user_id)
        events = rows.exclude(pk__in=lost.delete.get(EVENT, ()))
        planned = _deleted_or_cut(
            EVENT, {event.pk: _plan_for_event(event, keys, frozenset(sentences), words) for event in events}
        )
        ends = CognitiveJob.with_erased.filter(around, user_id=permit.user_id)
        found = dict[UUID, SentenceCut | bool]()
        for job in ends.exclude(pk__in=lost.delete.get(JOB, ())):
            is_unclear = not keys.isdisjoint(job.message_ids) and _is_wholly_gone(job, planned.delete.get(EVENT, ()))
            found[job.pk] = _plan_for_texts(texts_of_job(job), words.disclosed_by, is_unclear)
    return planned | _deleted_or_cut(JOB, found)


def _deleted_or_cut(label: str, found: Mapping[UUID, SentenceCut | bool]) -> Targets:
    """The rows with what was found for each: a cut, or whether it is to be deleted."""
    cut = {key: what for key, what in found.items() if isinstance(what, SentenceCut)}
    return Targets(delete={label: {key for key, what in found.items() if what is True}}, cut={label: cut})


def _is_wholly_gone(job: CognitiveJob, events: Collection[UUID]) -> bool:
    """Whether an end was written up as events, and all of them are deleted."""
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
