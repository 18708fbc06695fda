"""Describes what happened to a memory: what and why, by whom, and what an undo would do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.permit import Permit
from finclaw.web.types import TemplateData
from memory.evolution import health_statements
from memory.evolution.review_reasons import ASKED_BY_GATE
from memory.learning.reread_jobs import UNDO_RULE
from memory.models import EvolutionEvent, MemoryItem
from memory.services.history import undoable_change
from memory.services.item_queries import items_of

Action = EvolutionEvent.Action
_PERSON = EvolutionEvent.Actor.PERSON

# The sentence of a change made by the user, and of one made by upkeep.
_BY_PERSON: Mapping[str, Any] = {
    Action.ADDED: gettext_lazy("You had me keep it"),
    Action.SUPERSEDED: gettext_lazy("You said something newer"),
    Action.RETIRED: gettext_lazy("You said it no longer holds"),
    Action.CONFIRMED: gettext_lazy("You confirmed it"),
    Action.CORRECTED: gettext_lazy("You corrected it"),
    Action.ACCEPTED: gettext_lazy("You said it is right"),
    Action.REJECTED: gettext_lazy("You said it is wrong"),
    Action.RESOLVED: gettext_lazy("You said that both are true"),
    Action.UNDONE: gettext_lazy("You took a change back"),
}
_BY_ITSELF: Mapping[str, Any] = {
    Action.ADDED: gettext_lazy("I learned it from what you said"),
    Action.SUPERSEDED: gettext_lazy("You said something newer, so it took the place of what stood there"),
    Action.RETIRED: gettext_lazy("It no longer holds, going by what you said"),
    Action.CONFIRMED: gettext_lazy("You said it again, in so many words"),
    Action.CORRECTED: gettext_lazy("You corrected it while we talked"),
    Action.QUARANTINED: gettext_lazy("I was not sure enough, so I set it aside until you decide"),
    Action.ACCEPTED: gettext_lazy("You said it again, so I use it"),
    Action.REJECTED: gettext_lazy("It turned out never to have been true"),
    Action.MERGED: gettext_lazy("It says the same as another one, so the two are one now"),
    Action.RESOLVED: gettext_lazy("It contradicted something else I knew, so I weighed the two"),
    Action.FUSED: gettext_lazy("It was called wrong more than once, so I hold it back"),
    Action.OUTDATED: gettext_lazy("Nothing has confirmed it for a long time, so it counts as out of date"),
}
# Sentences by upkeep rule, which say more than the kind of change.
_BY_RULE: Mapping[str, Any] = {
    ASKED_BY_GATE: gettext_lazy("It sounded like something about you, so I ask you before I use it"),
    UNDO_RULE: gettext_lazy("I had read it out of an older message, and that was taken back"),
    health_statements.RULE: gettext_lazy("It is about your health, so I ask you before I use it"),
    "validity over": gettext_lazy("Its time is over, so it no longer holds"),
    "conflict.newer": gettext_lazy("You said something newer that contradicts it"),
    "conflict.provenance": gettext_lazy("Something that you told me yourself contradicts it"),
    "conflict.keep": gettext_lazy("It seemed to contradict something else; I looked closer and kept both"),
}
_WHO: Mapping[str, Any] = {EvolutionEvent.Actor.GOVERNOR: gettext_lazy("in regular upkeep")}
# The sentence of an undo that only restores a memory's state.
_PUT_BACK: Mapping[str, Any] = {
    Action.RETIRED: gettext_lazy("I go by it again."),
    Action.QUARANTINED: gettext_lazy("I use it without asking."),
    Action.ACCEPTED: gettext_lazy("It waits for your word again."),
    Action.REJECTED: gettext_lazy("It waits for your word again."),
    Action.CALIBRATED: gettext_lazy("I am as sure of it as I was before."),
    Action.RESOLVED: gettext_lazy("I use it again, alongside what it contradicted."),
    Action.FUSED: gettext_lazy("I use it again."),
    Action.OUTDATED: gettext_lazy("It counts as up to date again."),
}


def show_changes(changes: Iterable[EvolutionEvent]) -> dict[UUID, list[TemplateData]]:
    """The changes of each version by its id, latest first."""
    shown: dict[UUID, list[TemplateData]] = defaultdict(list)
    for change in changes:
        entry = {
            "what": describe_change(change),
            "who": _WHO.get(change.actor, ""),
            "at": change.created_at,
            "is_undone": change.undone_at is not None,
        }
        shown[change.item_id].insert(0, entry)
    return dict(shown)


def describe_change(change: EvolutionEvent) -> str:
    """One change as a sentence; a kind without a sentence is described by its label."""
    if change.action in {Action.CALIBRATED, Action.NUDGED}:
        return _describe_calibration(change)
    if change.actor == _PERSON:
        return str(_BY_PERSON.get(change.action) or change.get_action_display())
    return str(_BY_RULE.get(change.rule) or _BY_ITSELF.get(change.action) or change.get_action_display())


def _describe_calibration(change: EvolutionEvent) -> str:
    if "state" in change.after:
        return _("Answers with it were not well received, so I set it aside until you decide")
    if change.after.get("confidence", 0) > change.before.get("confidence", 0):
        return _("Answers with it were well received, so I am surer of it")
    return _("Answers with it were not well received, so I am less sure of it")


def show_undo(permit: Permit, item: MemoryItem) -> TemplateData | None:
    """What an undo of the last change of the item's chain would do; None where there is nothing to undo."""
    change = undoable_change(permit, item)
    if change is None:
        return None
    return {
        "change_id": change.pk,
        "memory_id": item.pk,
        "what": describe_change(change),
        "does": _undo_effect(permit, change),
    }


def _undo_effect(permit: Permit, change: EvolutionEvent) -> str:
    if change.action == Action.CONFIRMED:
        return _("Your confirmation is taken back; the words stay.")
    if change.action == Action.RESOLVED and change.actor == _PERSON:
        return _("I ask you again which of the two holds.")
    if change.action == Action.REJECTED and change.before.get("state") == MemoryItem.State.ACTIVE:
        return _("I go by it again.")
    before = _previous_contents(permit, change)
    if not before:
        return str(_PUT_BACK.get(change.action, _("It stands again as it stood before.")))
    words = {"old": _(", ").join(f"“{content}”" for content in before), "new": change.item.content}
    return _("I use %(old)s again, and no longer “%(new)s”.") % words


def _previous_contents(permit: Permit, change: EvolutionEvent) -> list[str]:
    """The statements that the change replaced, which an undo restores."""
    named = [change.inputs["previous"]] if "previous" in change.inputs else change.inputs.get("merged", [])
    return list(items_of(permit).filter(pk__in=named).values_list("content", flat=True))


def describe_undone(current: MemoryItem) -> str:
    """What holds after an undo."""
    if current.state == MemoryItem.State.QUARANTINED:
        return _("Undone. It waits for your word again.")
    if current.state == MemoryItem.State.ACTIVE:
        return _("Undone. I go by “%(words)s” again.") % {"words": current.content}
    return _("Undone.")
