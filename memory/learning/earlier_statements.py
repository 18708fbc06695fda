"""Finds the earlier statement of a user that a new one most likely changes.

It looks among memories in force, memories that await the user's confirmation, and sentences of messages from which
nothing was learned.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import F, Q
from numpy.typing import NDArray
from pgvector import HalfVector

from consent.permit import Permit
from foundation.embeddings import configured_embedder
from foundation.embeddings.local_embedder import LocalEmbedder
from foundation.embeddings.ports import Embedder
from foundation.language import split_sentences
from memory.evolution.change_target import MESSAGES_COUNTED, EarlierStatement, encoder_of, likeliest_target
from memory.evolution.clauses import ends_in_question
from memory.evolution.quoted_text import without_echoes
from memory.evolution.resolution import LikelyChange, change_probability
from memory.evolution.review_reasons import ASKED_BY_GATE
from memory.evolution.slots import OWN_SENTENCE, STATEMENT, USER_SUBJECT
from memory.evolution.types import KnownItem, StatementCandidate
from memory.indexing.vector_failures import with_vector_fallback
from memory.learning.extraction import EmbeddedCandidate
from memory.learning.item_lookup import KNOWN_FIELDS, known_item_of
from memory.models import ConversationEvent, MemoryItem, SearchEntry

NEAREST: Final = 32
"""How many entries are looked at because they are near in meaning."""
LATEST: Final = 12
"""How many entries are looked at because they were said last."""
MOST_SENTENCES: Final = 8
"""The most sentences of messages that taught nothing, the latest first: each is embedded again, for 10 ms."""
LONGEST_TURN: Final = 300
"""The most characters of a message that may be a statement about its speaker."""
_MANNER: Final = "persona."
"""The prefix of slots about how the user wants to be spoken to, which change by their own rules."""


@dataclass(frozen=True, slots=True)
class _EarlierText:
    """An earlier text: a memory, or a sentence of a message that taught none."""

    text: str
    at: datetime
    item: KnownItem | None = None
    message_id: UUID | None = None


def likely_change(
    permit: Permit, found: EmbeddedCandidate, event: ConversationEvent, since: int
) -> LikelyChange | None:
    """The earlier item or message that the candidate most likely changes; None where there is none.

    ``since`` is the consent version from which on memories may be used. Call while the permit is held.
    """
    near = _shortlist(permit, found, event)
    items = [
        entry
        for entry in _earlier_items(permit, near, event, since)
        if entry.item and _may_change(found.candidate, entry.item)
    ]
    said = [*items, *_earlier_sentences(permit, near, event, since)]
    if not said:
        return None
    embedder = _embedder()
    times = _times_of_turns(permit, event)
    earlier = [
        EarlierStatement(entry.text, vector, _messages_since(entry.at, times))
        for entry, vector in zip(said, _vectors_of(said, embedder), strict=True)
    ]
    quote = found.candidate.quote
    chosen = likeliest_target(
        quote, embedder.embed_passages([quote])[0], earlier, encoder_of(embedder.model_id) or "light"
    )
    if chosen is None:
        return None
    target = said[chosen.place]
    probability = chosen.probability_changed(change_probability(found.candidate))
    return LikelyChange(probability, chosen.margin, target.item, target.message_id)


def _may_change(candidate: StatementCandidate, item: KnownItem) -> bool:
    """Whether a candidate may change the item by its meaning. Where both have a slot, the slots alone decide."""
    return candidate.rule in OWN_SENTENCE or item.slot in ("", STATEMENT)


def _embedder() -> Embedder:
    """The configured embedder where weights were fitted for its vectors, else the light one."""
    embedder = configured_embedder()  # a remote model is not called while the user is locked
    return embedder if embedder.is_local and encoder_of(embedder.model_id) else LocalEmbedder()


def _vectors_of(said: Sequence[_EarlierText], embedder: Embedder) -> list[NDArray[np.float32]]:
    """A vector for each text: an item's from search where it is of this model, else computed."""
    entries = SearchEntry.objects.filter(pk__in=[entry.item.memory_id for entry in said if entry.item])
    held = dict(entries.filter(model_id=embedder.model_id).exclude(vector=None).values_list("pk", "vector"))
    stored = [held.get(entry.item.memory_id) if entry.item else None for entry in said]
    made = iter(
        embedder.embed_passages([entry.text for entry, vector in zip(said, stored, strict=True) if vector is None])
    )
    return [next(made) if vector is None else np.asarray(vector, np.float32) for vector in stored]


# The nearest by quantized vectors, which the index holds, and the latest by time.
_NEAR = """
    (SELECT id, kind FROM memory_searchentry
     WHERE user_id = %(user)s AND kind IN ('item', 'turn') AND live AND tombstone_id IS NULL AND model_id = %(model)s
       AND id <> %(event)s AND occurred_at <= %(until)s
     ORDER BY bit_count(quantized # binary_quantize(%(vector)s::halfvec)::varbit), id LIMIT %(nearest)s)
    UNION
"""
_LATE = """
    (SELECT id, kind FROM memory_searchentry
     WHERE user_id = %(user)s AND kind IN ('item', 'turn') AND live AND tombstone_id IS NULL
       AND id <> %(event)s AND occurred_at <= %(until)s
     ORDER BY occurred_at DESC, id DESC LIMIT %(latest)s)
"""


def _shortlist(permit: Permit, found: EmbeddedCandidate, event: ConversationEvent) -> Mapping[str, list[UUID]]:
    """The ids of entries to look at, by kind.

    The nearest and the latest; the latest alone where there is no vector, or the database fails on vectors.
    """
    parameters: dict[str, Any] = {
        "user": permit.user_id, "event": event.pk, "until": event.occurred_at, "model": found.model_id,
        "nearest": NEAREST, "latest": LATEST,
    }  # fmt: skip
    if found.vector is None:
        return _entries(_LATE, parameters)
    nearest = parameters | {"vector": HalfVector(np.asarray(found.vector)).to_text()}
    return with_vector_fallback(lambda: _entries(_NEAR + _LATE, nearest), lambda: _entries(_LATE, parameters))


def _entries(statement: str, parameters: Mapping[str, Any]) -> Mapping[str, list[UUID]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        found: dict[str, list[UUID]] = {"item": [], "turn": []}
        for key, kind in cursor.fetchall():
            found[kind].append(key)
    return found


def _earlier_items(
    permit: Permit, near: Mapping[str, list[UUID]], event: ConversationEvent, since: int
) -> list[_EarlierText]:
    """The shortlisted memories of the same group that are in force or that the user is asked about."""
    in_force = Q(pk__in=near["item"], state=MemoryItem.State.ACTIVE)
    asked = Q(state=MemoryItem.State.QUARANTINED, provenance_detail__doubt=ASKED_BY_GATE) & Q(
        provenance_detail__message_ids__0__in=[str(key) for key in near["turn"]]
    )
    rows = MemoryItem.objects.owned_by(permit.user_id).filter(
        in_force | asked, superseded_at=None, consent_version__gte=since, group_id=event.group_id
    ).exclude(attributes__slot__startswith=_MANNER)  # fmt: skip
    fields = rows.order_by("pk").values(*KNOWN_FIELDS, said_in=F("provenance_detail__message_ids"))
    known = [known_item_of(row | {"said_in": row["said_in"] or ()}) for row in fields]
    own = (item for item in known if item.subject in (USER_SUBJECT, "") and str(event.pk) not in item.said_in)
    return [_EarlierText(item.content, item.valid_at, item=item) for item in own]


def _earlier_sentences(
    permit: Permit, near: Mapping[str, list[UUID]], event: ConversationEvent, since: int
) -> list[_EarlierText]:
    """The sentences of the user's shortlisted messages that taught no memory and ask nothing."""
    rows = ConversationEvent.objects.filter(
        pk__in=near["turn"], user_id=permit.user_id, role=ConversationEvent.Role.USER, learnable=True,
        redacted_at=None, consent_version__gte=since, group_id=event.group_id, occurred_at__lte=event.occurred_at,
    )  # fmt: skip
    turns = list(rows.order_by("-occurred_at", "-pk"))
    taught = _messages_that_taught(permit, [turn.pk for turn in turns])
    silent = [turn for turn in turns if turn.pk not in taught and len(turn.text) <= LONGEST_TURN]
    sentences = (
        _EarlierText(sentence, turn.occurred_at, message_id=turn.pk)
        for turn in silent
        for sentence in split_sentences(without_echoes(turn.text))
        if not ends_in_question(sentence)
    )
    return list(islice(sentences, MOST_SENTENCES))


def _messages_that_taught(permit: Permit, messages: Sequence[UUID]) -> set[UUID]:
    """The messages that a memory was learned from, whatever became of it."""
    if not messages:
        return set()
    details = MemoryItem.objects.owned_by(permit.user_id).taught_by(messages)
    taught = details.values_list("provenance_detail__message_ids", flat=True)
    return {UUID(key) for keys in taught for key in keys} & set(messages)


def _times_of_turns(permit: Permit, event: ConversationEvent) -> list[datetime]:
    """The times of the latest turns between the user and the assistant before the message, the earliest first."""
    turns = SearchEntry.objects.filter(user_id=permit.user_id, kind=SearchEntry.Kind.TURN)
    before = turns.filter(occurred_at__lt=event.occurred_at).order_by("-occurred_at")
    return list(before.values_list("occurred_at", flat=True)[: 2 * MESSAGES_COUNTED])[::-1]


def _messages_since(at: datetime, times: Sequence[datetime]) -> int:
    """How many of the user's messages ago something was said, if each was answered."""
    # halved, because every second message is an answer
    later = len(times) - bisect_right(times, at)
    return 1 + later // 2
