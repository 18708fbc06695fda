"""Feedback and drift signals that an erasure of named rows takes along. Whole scopes follow the declarations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import reduce
from itertools import chain
from operator import or_
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from consent.erasure.types import Targets
from drift.models import DriftSignal, Feedback
from memory.erasure.disclosure import NO_WORDS, ErasedWords
from memory.erasure.portraits import EVENT, PORTRAIT
from memory.models import CognitiveEvent, EntityProfile

FEEDBACK, SIGNAL = Feedback._meta.label, DriftSignal._meta.label
_LEARNED: Final = ("memory", "event", "profile")  # kinds of references


def with_drift(user_id: UUID, targets: Targets, words: ErasedWords = NO_WORDS) -> Targets:
    """The targets, and with them what the person said of any of their rows, and the reversals observed in that; of a
    row that keeps some sentences what tells those ``words`` that it loses.

    Call acting for them, before the rows hide.
    """
    gone = _ids_of(targets)
    kept = {str(key) for cuts in targets.cut.values() for key in cuts}
    said = Feedback.objects.filter(user_id=user_id).values_list("pk", "object_ref", "comment")
    observed = DriftSignal.objects.filter(user_id=user_id).only("object_ref", "prior_signal", "current_signal")
    found = {
        FEEDBACK: tuple(
            sorted(
                key
                for key, ref, comment in said
                if _names_any([ref], gone) or (_names_any([ref], kept) and words.disclosed_in(comment))
            )
        ),
        SIGNAL: tuple(sorted(signal.pk for signal in observed if _names_any(_refs_of(signal), gone))),
    }
    return replace(targets, delete={**targets.delete, **{label: keys for label, keys in found.items() if keys}})


def of_everything_learned(
    user_id: UUID, before: datetime, *, with_messages: bool
) -> tuple[QuerySet[Feedback], QuerySet[DriftSignal]]:
    """What the person said up to ``before`` of anything learned, with ``with_messages`` of what they said too, and the
    reversals observed in that. Read it as the eraser, acting for them.
    """
    kinds = (*_LEARNED, *(("message",) if with_messages else ()))
    of_these = reduce(or_, (Q(object_ref__startswith=f"{kind}:") for kind in kinds))
    mine = Q(user_id=user_id, created_at__lte=before)
    return Feedback.with_erased.filter(mine & of_these), DriftSignal.with_erased.filter(mine & of_these)


def _ids_of(targets: Targets) -> set[str]:
    """The ids that references use: an event's ``event_id``, a portrait's entity, else the row's id."""
    rows = chain.from_iterable((*targets.delete.values(), *targets.redact.values()))
    events = CognitiveEvent.objects.filter(pk__in=targets.delete.get(EVENT, ()))
    portraits = EntityProfile.objects.filter(pk__in=targets.delete.get(PORTRAIT, ())).values_list(
        "entity_id", flat=True
    )
    return {str(key) for key in (*rows, *portraits)} | set(events.values_list("event_id", flat=True))


def _refs_of(signal: DriftSignal) -> list[str]:
    moments = (signal.prior_signal, signal.current_signal)
    return [signal.object_ref, *(str(moment.get("captured_in_object_ref", "")) for moment in moments)]


def _names_any(refs: Iterable[str], ids: set[str]) -> bool:
    return any(ref.partition(":")[2] in ids for ref in refs)
