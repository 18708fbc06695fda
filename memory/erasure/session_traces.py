"""Cleans what a conversation's row stores of its messages: entity slots, summaries, awaited tools, a title from one.

If a single statement is forgotten, a summary that quotes messages loses the lines that disclose it. A summary that a
model wrote is removed as a whole, because the source of each of its lines is not known; the remaining messages are
summarised again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from consent.erasure.types import Targets
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from memory.erasure.disclosure import NO_WORDS, ErasedWords
from memory.erasure.labels import SESSION, TURN
from memory.erasure.sentence_cuts import matches_lengths, remaining_texts, texts_of_blocks
from memory.external_refs import NAMED, forgotten_refs
from memory.models import ConversationEvent, ObjectKind, Session
from memory.models.sessions import text_of
from memory.research.asset_names import names_of_object
from memory.research.types import CognitionObject
from memory.services.sessions import title_from
from memory.services.summaries import EXTRACTIVE
from memory.types import SummaryBlock

NOTHING_SUMMARISED: Final[dict[str, Any]] = {"summary_blocks": [], "summarized_seq": 0}


def clean_named(user_id: UUID, targets: Targets, words: ErasedWords = NO_WORDS) -> None:
    """Clean the conversations that the targets touch; with ``words``, of those words alone.

    Call while acting for the user, before the words are erased.
    """
    said = {*targets.delete.get(TURN, ()), *targets.redact.get(TURN, ())}
    with in_role(ERASER_ROLE):  # they may be invisible already
        titles = dict.fromkeys(_titles_from(ConversationEvent.with_erased.filter(pk__in=said, user_id=user_id)), "")
        titles |= _titles_left(user_id, targets)
    touched = targets.touched.get(SESSION, ())
    if words.statements:
        _as_their_owners(touched, partial(_cleaned_fields, words=words, titles=titles))
    else:
        clean_sessions(touched, set(titles))


def _titles_left(user_id: UUID, targets: Targets) -> dict[str, str]:
    """The titles that partly cut messages gave, each with the title they give now."""
    cuts = targets.cut.get(TURN, {})
    titles = {}
    for message in ConversationEvent.with_erased.filter(pk__in=list(cuts), user_id=user_id):
        texts = texts_of_blocks(message.content)
        if matches_lengths(cuts[message.pk], texts):
            left = "\n".join(filter(None, remaining_texts(cuts[message.pk], texts)))
            titles[title_from(message.text)] = title_from(left)
    return titles


def _cleaned_fields(rows: QuerySet[Session], words: ErasedWords, titles: Mapping[str, str]) -> None:
    for session in rows:
        title = titles.get(session.title, session.title)
        session.title = "" if words.disclosed_in(title) else title
        session.location = "" if words.named_in(session.location) else session.location
        session.entity_slots = _slots_left(session.entity_slots, words)
        session.awaited_tools = {}
        fields = ["title", "location", "entity_slots", "awaited_tools"]
        blocks = _blocks_left(session.summary_blocks, words)
        if blocks != session.summary_blocks:
            session.summary_blocks = blocks
            session.summarized_seq = session.summarized_seq if blocks else 0
            fields += ["summary_blocks", "summarized_seq"]
        session.save(update_fields=fields)


def _slots_left(slots: Mapping[str, Sequence[str]], words: ErasedWords) -> dict[str, list[str]]:
    """The entity slots without what the forgotten words named, by whatever name; without times, which are noted in
    other words than they were said in.
    """
    left = {
        name: [value for value in values if not any(map(words.named_in, _names_of(str(value))))]
        for name, values in slots.items()
        if name != "times"
    }
    return {name: values for name, values in left.items() if values}


def _names_of(value: str) -> tuple[str, ...]:
    return names_of_object(CognitionObject(ObjectKind.ASSET, value))


def _blocks_left(blocks: Sequence[SummaryBlock], words: ErasedWords) -> list[SummaryBlock]:
    """The summary blocks without the lines that disclose the statement.

    No block is left if a model wrote one of them, or if one would become empty. The new ``created_at`` of the first
    block keeps an answer from being stored that is being made with the old ones.
    """
    if not all(map(_is_verbatim, blocks)):
        return []
    texts = [_lines_left(block["text"], words) for block in blocks]
    if texts == [block["text"] for block in blocks]:
        return list(blocks)
    if not all(texts):
        return []
    left = [block | {"text": text} for block, text in zip(blocks, texts, strict=True)]
    return [left[0] | {"created_at": timezone.now().isoformat()}, *left[1:]]


def _is_verbatim(block: object) -> bool:
    """Whether a summary consists of quoted messages, letter for letter."""
    return isinstance(block, dict) and block.get("made_by") == EXTRACTIVE


def _lines_left(text: str, words: ErasedWords) -> str:
    return "\n".join(line for line in text.split("\n") if not words.disclosed_in(line))


def clean_everything(user_id: UUID, before: datetime) -> None:
    """Clean every conversation that the user began, or spoke in, up to ``before``."""
    with in_role(ERASER_ROLE):
        begun = Session.with_erased.filter(user_id=user_id, created_at__lte=before)
        begun.update(
            title="", location="", program="", history_hash="", external_ref=forgotten_refs(user_id), entity_slots={},
            awaited_tools={}, **NOTHING_SUMMARISED,
        )  # fmt: skip
        said = ConversationEvent.with_erased.filter(user_id=user_id, group__isnull=False, created_at__lte=before)
        titles, shared = _titles_from(said), set(said.values_list("session_id", flat=True))
    clean_sessions(shared, titles)


def count_traces_left(user_id: UUID, before: datetime) -> int:
    """How many conversations that the user began up to ``before`` still say where, through which program, or how an
    import called them.

    Titles, slots and summaries grow with whatever is said since. Call as the eraser.
    """
    begun = Session.with_erased.filter(user_id=user_id, created_at__lte=before)
    return begun.filter(~Q(location="") | ~Q(program="") | NAMED).count()


def _titles_from(said: QuerySet[ConversationEvent]) -> set[str]:
    return {title_from(text_of(content)) for content in said.values_list("content", flat=True).iterator()}


def clean_sessions(session_ids: Collection[UUID], titles: Collection[str]) -> None:
    """Remove slots, summaries and awaited tools from these conversations, and a title that is among ``titles``."""

    def take(rows: QuerySet[Session]) -> None:
        rows.update(entity_slots={}, awaited_tools={}, **NOTHING_SUMMARISED)
        rows.filter(title__in=titles).update(title="")

    _as_their_owners(session_ids, take)


def forget_summaries(session_ids: Collection[UUID]) -> None:
    """Remove the summaries alone, for words that made neither title nor slot."""
    _as_their_owners(session_ids, lambda rows: rows.update(**NOTHING_SUMMARISED))


def _as_their_owners(session_ids: Collection[UUID], change: Callable[[QuerySet[Session]], object]) -> None:
    """Change the conversations, each as its owner: whoever began it, even if they have left its group since."""
    with in_role(OPERATOR_ROLE):
        owners = list(Session.objects.filter(pk__in=session_ids).values_list("user_id", "pk"))
    by_owner: dict[UUID, list[UUID]] = defaultdict(list)
    for owner, session_id in owners:
        by_owner[owner].append(session_id)
    for owner in sorted(by_owner):
        with acting_as(owner), in_role(ERASER_ROLE):
            change(Session.with_erased.filter(pk__in=by_owner[owner]))
