"""Template data of "How I speak": modes, learned preferences, persona documents."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from consent.permit import Permit
from consent.sensitive.types import SensitiveKind
from finclaw.web.forms.voice import MESSAGES, MODE_MEANINGS, MODE_NAMES
from finclaw.web.markdown import render_markdown
from finclaw.web.presenters import show_sources
from finclaw.web.types import TemplateData
from foundation.sanitization.services import excluded_lines
from foundation.sanitization.types import ExclusionReason
from memory.models import Session
from memory.services.sources import messages_by_id
from personas.configuration import configured_persona
from personas.services.states import last_mode_change, mode_of
from personas.types import MODES, PersonaContext, PersonaText, PersonaTexts, Preference

_WHY = {
    "explicit": gettext_lazy("You said that it always holds"),
    "repeated": gettext_lazy("You showed it several times in a row"),
    "confirmed": gettext_lazy("You confirmed it"),
    "waiting": gettext_lazy("You corrected me; does it hold from now on?"),
}

_LEFT_OUT = {
    ExclusionReason.ITSELF: ngettext_lazy(
        "I do not read line %(lines)s: it gives me orders, or holds code, instead of saying how to speak.",
        "I do not read lines %(lines)s: they give me orders, or hold code, instead of saying how to speak.",
        "count",
    ),
    ExclusionReason.TOGETHER: ngettext_lazy(
        "I do not read line %(lines)s either: together with the others it gives me orders.",
        "I do not read lines %(lines)s: together they give me orders.",
        "count",
    ),
}
_KINDS = {
    SensitiveKind.EMAIL: gettext_lazy("an e-mail address"),
    SensitiveKind.PHONE: gettext_lazy("a phone number"),
    SensitiveKind.IBAN: gettext_lazy("an account number"),
    SensitiveKind.WALLET_ADDRESS: gettext_lazy("a wallet address"),
    SensitiveKind.PERSONAL_NAME: gettext_lazy("a name given as somebody's real one"),
}


def show_modes() -> list[TemplateData]:
    """Every mode, with what it means."""
    return [{"value": mode, "name": MODE_NAMES[mode], "what_it_means": MODE_MEANINGS[mode]} for mode in MODES]


def show_mode(permit: Permit, session: Session) -> TemplateData | None:
    """The mode in force in a chat; None where none can be chosen."""
    if not configured_persona().dynamic_modes:
        return None
    state = mode_of(permit, session)
    return {
        "value": state.mode,
        "name": MODE_NAMES[state.mode],
        "source": state.mode_source,
        "left": state.ttl_turns,
        "notes": state.notes,
    }


def mode_context(permit: Permit, session: Session | None) -> TemplateData:
    """What ``web/partials/chat_mode_panel.html`` shows; nothing for an ended chat, or one not begun."""
    if session is None or session.archived_at is not None:
        return {"mode": None}
    usual = configured_persona().ttl_turns
    return {
        "mode": show_mode(permit, session),
        "modes": show_modes(),
        "durations": sorted({*MESSAGES, usual}),
        "usual_duration": usual,
    }


def mode_changes(permit: Permit, session: Session) -> dict[int, TemplateData]:
    """Where in a private chat the mode last changed, by the ``seq`` of the first answer in it, and why."""
    change = last_mode_change(permit, session) if session.group_id is None else None
    if change is None:
        return {}
    in_force = mode_of(permit, session).mode_source != "default" and session.archived_at is None
    answer = 2 * change.since_turn + 2  # each turn is a message and its answer
    return {answer: {"name": MODE_NAMES[change.mode], "source": change.source, "in_force": in_force}}


def show_preferences(permit: Permit, preferences: Sequence[Preference]) -> list[TemplateData]:
    """Reply preferences, each with the messages it was learned from."""
    said = messages_by_id(permit, {key for preference in preferences for key in preference.said_in}).in_bulk()
    return [
        {
            "id": preference.id,
            "text": preference.text,
            "why": _WHY.get(preference.source, ""),
            "waiting": preference.waiting,
            "memory_id": preference.memory_id,
            "updated_at": preference.updated_at,
            "evidence": show_sources(said[key] for key in preference.said_in if key in said),
        }
        for preference in preferences
    ]


def show_documents(documents: PersonaTexts) -> list[TemplateData]:
    """The persona documents that apply to everybody: readable, not editable here."""
    return [
        {
            "title": _("What I am"),
            "html": render_markdown(documents.identity.body),
            "shared": _document_owner(documents.identity),
        },
        {
            "title": _("How I think and speak"),
            "html": render_markdown(documents.soul.body),
            "shared": _document_owner(documents.soul),
        },
    ]


def _document_owner(document: PersonaText) -> str:
    return _("written by your operators") if document.version else _("as FinClaw comes")


def describe_left_out_lines(body: str) -> list[str]:
    """Which lines of the user's text are left out of the prompt, and why; by number, never by their words."""
    found = excluded_lines(body)
    by_reason = [(why, [omitted.line for omitted in found if omitted.why is why]) for why in ExclusionReason]
    return [
        str(_LEFT_OUT[why] % {"count": len(numbers), "lines": ", ".join(map(str, numbers))})
        for why, numbers in by_reason
        if numbers
    ]


def describe_masks(kinds: Sequence[SensitiveKind]) -> list[str]:
    """The kinds of sensitive input that were masked in a text before it was stored."""
    named = [_KINDS[kind] for kind in kinds if kind in _KINDS]
    return (
        [_("I masked: %(kinds)s. What you want to be called I keep.") % {"kinds": ", ".join(map(str, named))}]
        if named
        else []
    )


def show_preview(context: PersonaContext, body: str, *, is_draft: bool) -> TemplateData:
    """The parts of the prompt that come from the user's own text ``body`` and from the mode."""
    layers = [
        {"title": _("How you want to be spoken to"), "text": context.user_pref_prompt},
        {"title": _("My way of speaking"), "text": context.mode_prompt},
    ]
    return {
        "layers": [layer for layer in layers if layer["text"]],
        "notes": describe_left_out_lines(body),
        "truncated": context.meta.truncated,
        "is_draft": is_draft,
    }
