"""Describes in words what the model looked up by tools for an answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import ToolReceipt

_LOOKUPS: Final = {
    "cognitive_search_events": gettext_lazy("Searched what happened"),
    "cognitive_get_profile": gettext_lazy("Read a portrait"),
    "cognitive_search_profiles": gettext_lazy("Searched in portraits"),
}


def show_lookups(tools: Iterable[ToolReceipt]) -> list[str]:
    """A sentence for each thing that was looked up; what only ended the turn is left out."""
    return [f"{_LOOKUPS[row.tool]}: {_outcome_text(row)}" for row in tools if row.tool in _LOOKUPS]


def _outcome_text(row: ToolReceipt) -> str:
    if row.outcome == ToolReceipt.Outcome.REFUSED:
        return _("not possible")
    if row.outcome == ToolReceipt.Outcome.FAILED:
        return _("it failed")
    if not row.counts.get("found"):
        return _("nothing found")
    return _("%(found)d found, %(taken)d read") % {"found": row.counts["found"], "taken": row.counts["taken"]}
