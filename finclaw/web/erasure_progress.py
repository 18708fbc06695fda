"""Template data of an erasure: its progress, and what was checked afterwards."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from consent.declarations import personal_models
from consent.erasure.services import on_request_of
from consent.models import ErasureScope, ErasureStep, Sources, Tombstone
from consent.models.erasure_states import ErasureState
from finclaw.data_inventory import NEVER_SHOWN, count_in_words
from finclaw.web.types import TemplateData
from foundation.personal_data import KeptFor

# The states in plain words, as one sequence; failures are shown beside it.
_WAY = {
    ErasureState.REQUESTED: gettext_lazy("You asked for it"),
    ErasureState.VERIFIED: gettext_lazy("Confirmed to be yours"),
    ErasureState.TOMBSTONED: gettext_lazy("Invisible, and used no more"),
    ErasureState.QUEUED: gettext_lazy("Waiting for its turn"),
    ErasureState.PROCESSING: gettext_lazy("Being forgotten"),
    ErasureState.COMPLETED: gettext_lazy("Forgotten and verified"),
}
_WAY_ON_REQUEST = {
    ErasureState.REQUESTED: gettext_lazy("You asked the people who run this for it"),
    ErasureState.VERIFIED: gettext_lazy("Approved by two of them"),
}
_ASIDE = {
    ErasureState.FAILED: ErasureState.PROCESSING,
    ErasureState.RETRY_PENDING: ErasureState.PROCESSING,
    ErasureState.ESCALATED: ErasureState.PROCESSING,
}
# Places that no confirmation names: auxiliary rows, earlier versions, and tables of libraries.
_PLACES = {
    "memory.ConversationEvent words": ngettext_lazy("the words of %d message", "the words of %d messages"),
    "memory.ConversationEvent sentences": ngettext_lazy(
        "%d sentence of your messages", "%d sentences of your messages"
    ),
    "memory.CognitiveEvent rewritten": ngettext_lazy(
        "%d event written anew without it", "%d events written anew without it"
    ),
    "memory.Session words": ngettext_lazy("the title of %d chat", "the titles of %d chats"),
    "memory.ResearchTask words": ngettext_lazy(
        "the question of %d piece of research", "the questions of %d pieces of research"
    ),
    "research statements": ngettext_lazy("%d line of your research", "%d lines of your research"),
    "replies to others": ngettext_lazy("the words of %d reply to others", "the words of %d replies to others"),
    "imports": ngettext_lazy("%d imported file", "%d imported files"),
    "exports": ngettext_lazy("%d exported file", "%d exported files"),
    "stored files": ngettext_lazy("%d stored file", "%d stored files"),
    "memory.HistoricalUserContext": ngettext_lazy(
        "%d earlier version of your preferences", "%d earlier versions of your preferences"
    ),
    "memory.HistoricalEntityProfile": ngettext_lazy(
        "%d earlier version of a portrait", "%d earlier versions of portraits"
    ),
    "memory.EntityProfile lines": ngettext_lazy("%d line of a portrait", "%d lines of portraits"),
    "personas.HistoricalUserDocument": ngettext_lazy(
        "%d earlier version of how you want to be spoken to", "%d earlier versions of how you want to be spoken to"
    ),
    "knowledge.HistoricalKnowledgeEntry": ngettext_lazy(
        "%d earlier version of something shared", "%d earlier versions of something shared"
    ),
    "consent.HistoricalProfileConsent": ngettext_lazy("%d earlier consent", "%d earlier consents"),
    "consent.ErasureFence": ngettext_lazy("%d lock that kept new notes out", "%d locks that kept new notes out"),
    "outbox.OutboxMessage": ngettext_lazy("%d task in the background", "%d tasks in the background"),
    "accounts.User": ngettext_lazy("%d account", "%d accounts"),
    # In receipts from when django-axes counted failed sign-ins.
    "axes.AccessAttempt": ngettext_lazy("%d failed sign-in", "%d failed sign-ins"),
    "axes.AccessFailureLog": ngettext_lazy("%d note of a failed sign-in", "%d notes of failed sign-ins"),
    "axes.AccessLog": ngettext_lazy("%d note of a sign-in", "%d notes of sign-ins"),
    "otp_static.StaticToken": ngettext_lazy("%d backup code of a second factor", "%d backup codes of a second factor"),
    "otp_static.StaticDevice": ngettext_lazy("%d set of backup codes", "%d sets of backup codes"),
    "otp_totp.TOTPDevice": ngettext_lazy("%d authenticator app", "%d authenticator apps"),
    "oauth2_provider.Grant": ngettext_lazy("%d unused permission for a program", "%d unused permissions for programs"),
    "oauth2_provider.RefreshToken": ngettext_lazy(
        "%d renewable access of a connected program", "%d renewable accesses of connected programs"
    ),
    "oauth2_provider.AccessToken": ngettext_lazy(
        "%d temporary access of a connected program", "%d temporary accesses of connected programs"
    ),
    "admin.LogEntry": ngettext_lazy("%d note on the work of operators", "%d notes on the work of operators"),
}

_REASONS: dict[KeptFor, Promise] = {
    KeptFor.ACCESS: gettext_lazy("so that you can sign in and stay in your groups"),
    KeptFor.STATED: gettext_lazy("you stated it yourself; delete it in your preferences"),
    KeptFor.LEARNED: gettext_lazy("what I learned; forget it under Privacy"),
    KeptFor.RESEARCH: gettext_lazy("research you asked for; you can forget it on its own page"),
    KeptFor.ORDER: gettext_lazy("when and in which order something was said, without the words"),
    KeptFor.CHOICE: gettext_lazy("you asked to keep it"),
    KeptFor.FIGURES: gettext_lazy("ids and numbers of why I used something, without the words"),
    KeptFor.WORK: gettext_lazy("ids of work that was done, without the words"),
    KeptFor.PROOF: gettext_lazy("what you allowed, and proof that it was done"),
}


def show_erasure(tombstone: Tombstone) -> TemplateData:
    """One erasure, on its own page and in the list."""
    state = ErasureState(tombstone.state)
    return {
        "erasure_id": tombstone.pk,
        "what": ErasureScope(tombstone.scope).label,
        "on_request": on_request_of(tombstone),
        "keeps_messages": tombstone.sources == Sources.KEEP,
        "state": state.value,
        "state_label": _state_label(state),
        "requested_at": tombstone.requested_at,
        "last_day": localtime(tombstone.last_minute),
        "completed_at": tombstone.completed_at,
        "is_running": state not in {ErasureState.COMPLETED, ErasureState.ESCALATED},
    }


def show_receipt(tombstone: Tombstone) -> TemplateData:
    """One erasure with its steps and certificate; reads the steps."""
    steps = list(tombstone.steps.all())
    verification = tombstone.verification
    shown = show_erasure(tombstone)
    return shown | {
        "steps": _show_stations(ErasureState(tombstone.state), steps, is_for_them=bool(shown["on_request"])),
        "failures": sum(step.state == ErasureState.FAILED for step in steps),
        "checked": _checked_places(verification["checked"]) if verification else [],
        "left": verification["residual"] if verification else None,
        "kept": _kept_places(tombstone.kept or ()),
    }


def proof_of(tombstone: Tombstone) -> dict[str, Any]:
    """The input of ``manage.py verify_certificate``; the certificate is None until the erasure is complete."""
    return {
        "certificate": tombstone.certificate,
        "signature": tombstone.signature,
        "public_key_id": tombstone.public_key_id,
    }


def _state_label(state: ErasureState) -> str:
    return str(_WAY.get(state, state.label))


def _show_stations(now: ErasureState, steps: Sequence[ErasureStep], *, is_for_them: bool = False) -> list[TemplateData]:
    """The six states of a regular erasure, each with the time it was last entered; no time for those still ahead.

    ``is_for_them``: operators requested it for the user.
    """
    way = _WAY | (_WAY_ON_REQUEST if is_for_them else {})
    order = list(_WAY)
    position = order.index(_ASIDE.get(now, now))
    reached = {ErasureState(step.state): step.at for step in steps}
    return [
        {
            "label": way[state],
            "at": reached.get(state) if number <= position else None,
            "is_done": number < position or now == ErasureState.COMPLETED,
            "is_now": number == position and now != ErasureState.COMPLETED,
        }
        for number, state in enumerate(order)
    ]


def _checked_places(places: dict[str, int]) -> list[str]:
    """The places that were checked, with the number of rows each had, the fullest first."""
    shown = ((place, rows) for place, rows in places.items() if place not in NEVER_SHOWN)
    fullest_first = sorted(shown, key=lambda place: place[1], reverse=True)
    return [_place_sentence(place, rows) for place, rows in fullest_first]


def _kept_places(kept: Collection[dict[str, Any]]) -> list[dict[str, str]]:
    """What was left on purpose: each reason with the places that it applies to."""
    shown = [row for row in kept if row["place"] not in NEVER_SHOWN]
    by_reason = {reason: [row for row in shown if row["reason"] == reason] for reason in KeptFor}
    return [
        {
            "what": _(", ").join(_place_sentence(row["place"], row["rows"]) for row in rows),
            "why": str(_REASONS[reason]),
        }
        for reason, rows in by_reason.items()
        if rows
    ]


def _place_sentence(place: str, rows: int) -> str:
    if place in _PLACES:
        return str(_PLACES[place] % rows)
    named: Collection[Any] = [model for model in personal_models() if model.label == place]
    return next(
        (count_in_words(model, rows) for model in named), _("%(rows)d in %(place)s") % {"rows": rows, "place": place}
    )
