"""How the assistant speaks, as the pages show it."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.permit import Permit
from finclaw.web.forms.voice import MESSAGES, MODE_MEANINGS, MODE_NAMES
from finclaw.web.markdown import rendered
from finclaw.web.presenters import show_sources
from finclaw.web.types import Shown
from memory.models import Session
from memory.services.sources import messages_by_id
from personas.configuration import configured
from personas.services.states import state_of
from personas.types import MODES, Document, Documents, PersonaContext, Preference

_WHY = {
    "explicit": gettext_lazy("You said that it always holds"),
    "repeated": gettext_lazy("You showed it several times in a row"),
    "confirmed": gettext_lazy("You confirmed it"),
    "waiting": gettext_lazy("You corrected me; does it hold from now on?"),
}


def show_modes() -> list[Shown]:
    """Every way of speaking, with what it means."""
    return [{"value": mode, "name": MODE_NAMES[mode], "what_it_means": MODE_MEANINGS[mode]} for mode in MODES]


def show_mode(permit: Permit, session: Session) -> Shown | None:
    """The way of speaking in force in a chat; None where none can be chosen."""
    if not configured().dynamic_modes:
        return None
    state = state_of(permit, session)
    return {
        "value": state.mode,
        "name": MODE_NAMES[state.mode],
        "source": state.mode_source,
        "left": state.ttl_turns,
    }


def mode_context(permit: Permit, session: Session | None) -> Shown:
    """What ``web/partials/chat_mode_panel.html`` shows; nothing for a chat that is over, or is yet to begin."""
    if session is None or session.archived_at is not None:
        return {"mode": None}
    usual = configured().ttl_turns
    return {
        "mode": show_mode(permit, session),
        "modes": show_modes(),
        "durations": sorted({*MESSAGES, usual}),
        "usual_duration": usual,
    }


def show_preferences(permit: Permit, preferences: Sequence[Preference]) -> list[Shown]:
    """How somebody likes to be answered, each with the words it was learned from."""
    said = messages_by_id(permit, {key for one in preferences for key in one.said_in}).in_bulk()
    return [
        {
            "id": one.id,
            "text": one.text,
            "why": _WHY.get(one.source, ""),
            "waiting": one.waiting,
            "memory_id": one.memory_id,
            "updated_at": one.updated_at,
            "evidence": show_sources(said[key] for key in one.said_in if key in said),
        }
        for one in preferences
    ]


def show_documents(documents: Documents) -> list[Shown]:
    """Who the assistant is to everybody: readable, nobody's here to change."""
    return [
        {"title": _("What I am"), "html": rendered(documents.identity.body), "shared": _whose(documents.identity)},
        {"title": _("How I think and speak"), "html": rendered(documents.soul.body), "shared": _whose(documents.soul)},
    ]


def _whose(document: Document) -> str:
    return _("written by your operators") if document.version else _("as FinClaw comes")


def show_preview(context: PersonaContext, *, is_draft: bool) -> Shown:
    """What of the person's own, and of the way of speaking, stands before the model."""
    layers = [
        {"title": _("How you want to be spoken to"), "text": context.user_pref_prompt},
        {"title": _("My way of speaking"), "text": context.mode_prompt},
    ]
    return {
        "layers": [layer for layer in layers if layer["text"]],
        "truncated": context.meta.truncated,
        "is_draft": is_draft,
    }
