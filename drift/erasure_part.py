"""The part of an erasure that covers feedback and drift signals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from consent.erasure.plan import Counts, ErasurePart
from consent.erasure.types import Targets
from consent.permit import Permit
from drift.models import DriftSignal, Feedback
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.erased_statements import erased_words
from memory.erasure.labels import EVENT, PORTRAIT
from memory.erasure.object_names import unnamed_refs
from memory.models import CognitiveEvent, EntityProfile

FEEDBACK, SIGNAL = Feedback._meta.label, DriftSignal._meta.label
_LEARNED: Final = ("memory", "event", "profile")  # kinds of references to what was learned


class DriftErasure(ErasurePart):
    """Erases feedback on erased rows and the drift signals that name them.

    If everything learned is erased, all feedback on it is erased, too.
    """

    def extend(self, permit: Permit) -> Targets:
        """Add the feedback and the drift signals that name an erased row, and comments that retell what is cut."""
        targets, words = self.plan.targets, erased_words(self.plan)
        erased_ids = _ids_of(targets)
        cut_ids = {str(key) for cuts in targets.cut.values() for key in cuts}  # rows that lose some sentences
        all_feedback = Feedback.objects.filter(user_id=permit.user_id).values_list("pk", "object_ref", "comment")
        all_signals = DriftSignal.objects.filter(user_id=permit.user_id).only(
            "object_ref", "prior_signal", "current_signal"
        )
        feedback = {
            key
            for key, ref, comment in all_feedback
            if _names_any([ref], erased_ids) or (_names_any([ref], cut_ids) and words.disclosed_in(comment))
        }
        signals = {signal.pk for signal in all_signals if _names_any(_refs_of(signal), erased_ids)}
        return targets | Targets(delete={FEEDBACK: feedback, SIGNAL: signals})

    def clean(self) -> Counts:
        with in_role(ERASER_ROLE):
            unname_feedback_and_signals(self.plan.user_id)
            return {rows.model._meta.label: rows.delete()[0] for rows in self._rows_on_everything_learned()}

    def count_residue(self) -> Counts:
        counted = Counter[str]()
        for rows in (
            *self._rows_on_everything_learned(),
            *(rows for rows, _ in _rows_with_lost_names(self.plan.user_id)),
        ):
            counted[rows.model._meta.label] += rows.count()
        return counted

    def _rows_on_everything_learned(self) -> list[QuerySet[Any]]:
        """Feedback and signals on anything learned and, if the erasure takes messages, on these. Read as the eraser."""
        if not self.plan.is_everything_learned:
            return []
        kinds = (*_LEARNED, *(("message",) if self.plan.takes_messages else ()))
        of_these = reduce(or_, (Q(object_ref__startswith=f"{kind}:") for kind in kinds))
        mine = Q(user_id=self.plan.user_id, created_at__lte=self.plan.before)
        return [model.with_erased.filter(mine & of_these) for model in (Feedback, DriftSignal)]


def unname_feedback_and_signals(user_id: UUID) -> None:
    """Remove the object's name from feedback and signals on research whose object has lost its name.

    Call as the eraser, acting for the user.
    """
    for rows, values in _rows_with_lost_names(user_id):
        rows.update(**values)


def _rows_with_lost_names(user_id: UUID) -> list[tuple[QuerySet[Any], dict[str, Any]]]:
    """Feedback and signals that still name a research object whose name was erased, and the values that clear it.

    Read it as the eraser.
    """
    of_these: dict[str, Any] = {"user_id": user_id, "object_ref__in": unnamed_refs(user_id)}
    feedback = Feedback.with_erased.filter(**of_these).exclude(object_name="")
    signals = DriftSignal.with_erased.filter(**of_these).exclude(cognition_object={})
    return [(feedback, {"object_kind": "", "object_name": ""}), (signals, {"cognition_object": {}})]


def _ids_of(targets: Targets) -> set[str]:
    """The ids that references use: an event's ``event_id``, a portrait's entity, else the row's id."""
    rows = chain.from_iterable((*targets.delete.values(), *targets.redact.values()))
    events = CognitiveEvent.objects.filter(pk__in=targets.delete.get(EVENT, ()))
    portraits = EntityProfile.objects.filter(pk__in=targets.delete.get(PORTRAIT, ())).values_list(
        "entity_id", flat=True
    )
    return {str(key) for key in (*rows, *portraits)} | set(events.values_list("event_id", flat=True))


def _refs_of(signal: DriftSignal) -> list[str]:
    sides = (signal.prior_signal, signal.current_signal)
    return [signal.object_ref, *(str(side.get("captured_in_object_ref", "")) for side in sides)]


def _names_any(refs: Iterable[str], ids: set[str]) -> bool:
    return any(ref.partition(":")[2] in ids for ref in refs)
