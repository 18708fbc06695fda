"""Cuts single sentences out of messages, events and the historian's jobs ("ends"), which keep the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from consent.erasure.plan import ErasurePlan
from consent.erasure.types import SentenceCut, Targets
from consent.models import Tombstone
from foundation.language import split_sentences
from memory.erasure.disclosure import ErasedWords
from memory.erasure.erased_statements import date_head_of
from memory.erasure.labels import ENTRY, EVENT, JOB, TURN
from memory.erasure.message_redaction import redact
from memory.erasure.redaction_plan import quotes_of, texts_of_event, texts_of_job
from memory.erasure.sentence_cuts import (
    blocks_without_cut,
    cut_sentences,
    leaves_words,
    matches_lengths,
    relocate_cut,
    remaining_texts,
    removed_sentences,
    texts_of_blocks,
)
from memory.models import CognitiveEvent, CognitiveJob, ConversationEvent, SearchEntry
from memory.rewriting.time_intervals import time_spoken_of
from memory.types import ASSISTANT, IMPORTED_ASSISTANT

SENTENCES: Final = "memory.ConversationEvent sentences"
REWRITTEN: Final = "memory.CognitiveEvent rewritten"


@dataclass
class CutRows:
    """The result of a partial redaction.

    ``counts`` are by kind of place. ``sentences`` are those cut from each row that stays, only for checking afterwards.
    Rows ``removed`` were to be cut, but were emptied or deleted.
    """

    counts: dict[str, int] = field(default_factory=lambda: {SENTENCES: 0, REWRITTEN: 0})
    sentences: dict[tuple[str, UUID], frozenset[str]] = field(default_factory=dict)
    removed: set[UUID] = field(default_factory=set)

    def count_left(self) -> int:
        """How many rows still hold a sentence that was cut from them, or another's name. Call as the eraser."""
        return sum(self._holds(label, key, said) for (label, key), said in self.sentences.items())

    def _holds(self, label: str, key: UUID, said: frozenset[str]) -> bool:
        row = _MODELS[label].with_erased.filter(pk=key).first()
        if label == TURN and row is not None and row.speaker and not _is_own_name(row):
            return True
        texts = _TEXTS[label](row) if row is not None else ()
        return any(sentence in said for text in texts for sentence in split_sentences(text))


def cut_rows(plan: ErasurePlan, words: ErasedWords) -> CutRows:
    """Cut the named sentences out of the user's rows. Call as the eraser.

    A row that has changed since is searched again. If nothing is found, or the named sentences cannot be told from
    others, the whole row is removed.
    """
    done = CutRows()
    for label, cuts in plan.targets.cut.items():
        for row in _MODELS[label].with_erased.filter(pk__in=list(cuts), user_id=plan.user_id):
            _cut_row(label, row, cuts[row.pk], words, done)
        unhide_rows(plan, label, list(cuts))
    return done


def _cut_row(label: str, row: Any, named: SentenceCut, words: ErasedWords, done: CutRows) -> None:
    texts = _TEXTS[label](row)
    cut = named if matches_lengths(named, texts) else _locate_again(label, texts, named, words)
    if not cut.spans or not leaves_words(cut, texts):
        _remove_row(label, row)
        done.removed.add(row.pk)
        return
    _CUTTERS[label](row, cut, words)
    done.sentences[label, row.pk] = frozenset(removed_sentences(cut, texts))
    if label == TURN:
        done.counts[SENTENCES] += len(cut.spans)
    elif label == EVENT:
        done.counts[REWRITTEN] += 1


def _locate_again(label: str, texts: Sequence[str], named: SentenceCut, words: ErasedWords) -> SentenceCut:
    """The cut of a row that has changed since, for example by another erasure.

    In a message a named sentence may disclose nothing by its words, so it is found again by its length.
    """
    if label != TURN:
        return cut_sentences(texts, words.disclosed_by)
    again = relocate_cut(named, texts)
    quotes = frozenset(removed_sentences(again, texts))
    return (
        cut_sentences(texts, lambda sentence: sentence in quotes or words.disclosed_by(sentence)) if quotes else again
    )


def unhide_rows(plan: ErasurePlan, label: str, keys: Sequence[UUID]) -> None:
    """Make rows visible again that this erasure hid, unless another one under way covers them. Call as the eraser."""
    rows = _MODELS[label].with_erased.filter(pk__in=keys, user_id=plan.user_id)
    hidden = rows.filter(tombstone_id=plan.tombstone_id)
    for other in Tombstone.objects.filter(user_id=plan.user_id, completed_at=None).exclude(pk=plan.tombstone_id):
        covered = Targets.from_json(other.targets).losing(label) & set(keys)
        hidden.filter(pk__in=covered).update(tombstone_id=other.pk)
    hidden.update(tombstone_id=None)


def _cut_message(row: Any, cut: SentenceCut, _: ErasedWords) -> None:
    """Cut a message. A speaker's name that a caller gave is removed, too: the sentence may be about that person."""
    row.content = blocks_without_cut(cut, row.content, timezone.now())
    row.speaker = row.speaker if _is_own_name(row) else ""
    row.save(update_fields=["content", "speaker"])


def _is_own_name(row: ConversationEvent) -> bool:
    """Whether a message stands under the assistant's name, or one that its user's account holds anyway."""
    if row.role == ConversationEvent.Role.ASSISTANT:
        return row.speaker in (ASSISTANT, IMPORTED_ASSISTANT)
    return row.speaker in (row.user.name, row.user.username)


def _cut_event(row: Any, cut: SentenceCut, words: ErasedWords) -> None:
    head = date_head_of(row, row.canonical_text)
    canonical, row.did_what, row.new_info = remaining_texts(cut, texts_of_event(row))
    row.canonical_text = f"{head}{canonical}"
    row.has_new_info = bool(row.new_info)
    row.unresolved = [word for word in row.unresolved if str(word) in canonical]
    fields = ["canonical_text", "did_what", "new_info", "has_new_info", "unresolved"]
    if row.speaks_of_start is not None:  # the removed words may have named it
        spoken_of = time_spoken_of(f"{row.did_what} {row.new_info}", row.timezone)
        row.speaks_of_start, row.speaks_of_end = spoken_of or (None, None)
        fields += ["speaks_of_start", "speaks_of_end"]
    if list(quotes_of(row)):
        row.sources = [source for source in row.sources if not words.disclosed_in(str(source["quote"]))]
        fields.append("sources")
    row.save(update_fields=fields)


def _cut_job(row: Any, cut: SentenceCut, _: ErasedWords) -> None:
    row.action_summary, row.new_info = remaining_texts(cut, texts_of_job(row))
    row.save(update_fields=["action_summary", "new_info"])


def _remove_row(label: str, row: Any) -> None:
    rows = _MODELS[label].with_erased.filter(pk=row.pk)
    if label == TURN:
        redact(rows, row.user_id)
    else:
        rows.delete()


_MODELS: Final[dict[str, type[Any]]] = {
    TURN: ConversationEvent,
    EVENT: CognitiveEvent,
    JOB: CognitiveJob,
    ENTRY: SearchEntry,
}
_TEXTS: Final[dict[str, Callable[[Any], Sequence[str]]]] = {
    TURN: lambda row: texts_of_blocks(row.content),
    EVENT: texts_of_event,
    JOB: texts_of_job,
}
_CUTTERS: Final[dict[str, Callable[[Any, SentenceCut, ErasedWords], None]]] = {
    TURN: _cut_message,
    EVENT: _cut_event,
    JOB: _cut_job,
}
