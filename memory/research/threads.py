"""Starts, changes and reads threads: questions followed over time, each begun with a snapshot that the user saved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.exceptions import ConsentOutdated, ProfileConsentRequired
from consent.permit import Permit
from consent.sensitive.services import screen_text
from consent.services import hold_permit
from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed, require_found
from foundation.language import (
    is_blank,
)
from foundation.personal_data import ConsentScope
from memory.models import ObjectKind, Refresh, Snapshot, Thread
from memory.research.asset_names import object_id
from memory.research.contexts import add_thread_context, block_thread_contexts
from memory.research.types import (
    CORRECTION,
    CognitionObject,
    StatementSource,
    ThesisVersion,
    ThreadChange,
    ThreadDraft,
    is_corrected,
)
from memory.research.unnamed_objects import is_unnamed
from memory.research.watch_questions import add_watch_questions
from memory.research.write_guards import require_open

MAX_TITLE_CHARS: Final = 200
MAX_CONDITIONS: Final = 20
MAX_CONDITION_CHARS: Final = 300


def threads_of(permit: Permit) -> QuerySet[Thread]:
    """The user's threads, the one last worked on first."""
    return Thread.objects.filter(user_id=permit.user_id).order_by("-updated_at", "-id")


def thread_of(permit: Permit, thread_id: UUID) -> Thread:
    """One of the user's threads. Raises ``NotFound``."""
    return require_found(threads_of(permit).filter(pk=thread_id).first())


def open_threads_on(permit: Permit, about: CognitionObject) -> list[Thread]:
    """The user's open threads on an object, whatever they call it, the one last worked on first."""
    if is_unnamed(about):
        return []
    still_open = threads_of(permit).filter(state=Thread.State.OPEN, object_kind=about.kind)
    wanted = object_id(about)
    return [
        thread for thread in still_open if object_id(CognitionObject(thread.object_kind, thread.object_name)) == wanted
    ]


def threads_beside(permit: Permit, snapshot: Snapshot) -> list[Thread]:
    """The user's open threads on the object of a snapshot outside any thread; none for a snapshot of a thread."""
    if snapshot.thread_id is not None:
        return []
    return open_threads_on(permit, CognitionObject(snapshot.object_kind, snapshot.object_name))


def refreshes_of(permit: Permit, thread: Thread) -> QuerySet[Refresh]:
    """Every refresh of a thread with its snapshot, the latest first."""
    rows = Refresh.objects.filter(thread=thread, user_id=permit.user_id).select_related("snapshot")
    return rows.order_by("-created_at", "-id")


def save_as_thread(permit: Permit, user: User, snapshot: Snapshot, draft: ThreadDraft, consent_id: UUID) -> Thread:
    """Start a thread from a snapshot: its thesis becomes the thread's, its watch questions are kept open.

    ``consent_id`` is the consent that the user was shown. Raises ``ConsentOutdated`` for another than the one in force,
    ``ProfileConsentRequired`` without a grant or after a revocation, ``ConsentScopeMissing`` for a context to be saved
    without ``save_to_thread``, ``FinancialConfirmationRequired``, ``ValidationFailed``, ``SensitiveInput``, and
    ``NotFound`` for a snapshot that is gone.
    """
    if not permit.has_decided or permit.is_revoked:
        raise ProfileConsentRequired(details={"required_scopes": []})
    if consent_id != permit.consent_id:
        raise ConsentOutdated()
    if draft.save_user_context:
        permit.require(ConsentScope.SAVE_TO_THREAD)
    title, conditions = _checked_title(draft.title, user), _checked_conditions(draft.refresh_conditions or ())
    corrected = _checked_object(draft.cognition_object, user) if draft.cognition_object else None
    with transaction.atomic():
        hold_permit(permit)
        snapshot = _unsaved_snapshot(permit, snapshot)
        thread = Thread.objects.create(
            user_id=permit.user_id, title=title, object_kind=snapshot.object_kind, object_name=snapshot.object_name,
            object_alias=snapshot.object_alias, object_sources=_object_sources(snapshot),
            current_thesis=snapshot.main_thesis, refresh_conditions=conditions, consent_version=permit.version,
        )  # fmt: skip
        snapshot.thread = thread
        snapshot.save(update_fields=["thread"])
        if corrected:
            _correct_object(thread, corrected)
        add_watch_questions(permit, thread, snapshot.watch_questions)
        if draft.save_user_context:
            add_thread_context(permit, thread, draft.fields, confirm_financial=draft.confirm_financial)
    return thread


def _object_sources(snapshot: Snapshot) -> list[dict[str, str]]:
    """The sources of the thread's object: those of the snapshot, but the snapshot itself in place of a prompt."""
    handed_on = StatementSource("snapshot", str(snapshot.pk)).as_json()
    return [handed_on if source["kind"] == "prompt" else source for source in snapshot.object_sources]


def _unsaved_snapshot(permit: Permit, snapshot: Snapshot) -> Snapshot:
    found = require_found(Snapshot.objects.select_for_update().filter(pk=snapshot.pk, user_id=permit.user_id).first())
    if found.thread_id is not None:
        raise ValidationFailed(details={"snapshot": [_("This snapshot already belongs to a thread.")]})
    return found


def change_thread(permit: Permit, thread: Thread, change: ThreadChange) -> Thread:
    """Rename or close a thread, set its refresh conditions, correct what it is about, or block what was stated for it.

    A correction holds for the snapshots of the thread too; feedback keeps the object it was given on.
    Blocking is possible on a closed thread too; a closed thread stays closed. Raises ``ThreadClosed``,
    ``ValidationFailed``, ``SensitiveInput``, ``NotFound``.
    """
    values = _checked_changes(permit, change)
    corrected = (
        _checked_object(change.cognition_object, User.objects.get(pk=permit.user_id))
        if change.cognition_object
        else None
    )
    with transaction.atomic():
        hold_permit(permit)
        if change.consent_blocked:
            block_thread_contexts(permit, thread)
        if corrected:
            thread = require_open(permit, thread)
            _correct_object(thread, corrected)
        if values:
            thread = require_open(permit, thread)
            for name, value in values.items():
                setattr(thread, name, value)
            thread.save(update_fields=[*values, "updated_at"])
    return thread


def _correct_object(thread: Thread, about: CognitionObject) -> None:
    """Give the thread's object the name that the user corrected it to.

    If that names the same object, the former name becomes the alias. The alias keeps its sources beside the correction,
    and is erased only with them.
    """
    before = CognitionObject(thread.object_kind, thread.object_name, thread.object_alias)
    if about == before:
        return
    is_same = object_id(before) == object_id(about)
    behind = thread.object_sources if is_same and not is_corrected(thread.object_sources) else []
    values = {
        "object_kind": about.kind,
        "object_name": about.name,
        "object_alias": before.name if is_same else "",
        "object_sources": [*behind, CORRECTION.as_json()],
    }
    for name, value in values.items():
        setattr(thread, name, value)
    thread.save(update_fields=[*values, "updated_at"])
    Snapshot.objects.filter(thread=thread).update(**values)


def _checked_object(about: CognitionObject, user: User) -> CognitionObject:
    """The object as it may be stored: of a known kind, named in at most ``MAX_TITLE_CHARS``, screened."""
    name = " ".join(about.name.split())
    if about.kind not in ObjectKind.values:
        kinds = {"values": ", ".join(ObjectKind.values)}
        raise ValidationFailed(details={"cognition_object": [_("One of these kinds: %(values)s.") % kinds]})
    if is_blank(name) or len(name) > MAX_TITLE_CHARS:
        limit = {"limit": MAX_TITLE_CHARS}
        raise ValidationFailed(details={"cognition_object": [_("Name it in at most %(limit)d characters.") % limit]})
    return CognitionObject(about.kind, screen_text("cognition_object", name, [user.name]).text)


def close_thread(permit: Permit, thread: Thread) -> Thread:
    """Close a thread for good, so that it can only be read. Raises ``ThreadClosed`` for one that is."""
    return change_thread(permit, thread, ThreadChange(state=Thread.State.CLOSED))


def _checked_changes(permit: Permit, change: ThreadChange) -> dict[str, object]:
    if change.consent_blocked is False:
        raise ValidationFailed(details={"consent_blocked": [_("A blocked context cannot be unblocked.")]})
    values: dict[str, object] = {}
    if change.title is not None:
        values["title"] = _checked_title(change.title, User.objects.get(pk=permit.user_id))
    if change.refresh_conditions is not None:
        values["refresh_conditions"] = _checked_conditions(change.refresh_conditions)
    if change.state is not None:
        values |= _closing_fields(change.state)
    return values


def _closing_fields(state: str) -> dict[str, object]:
    if state != Thread.State.CLOSED:
        raise ValidationFailed(details={"state": [_("The only state you can set is closed.")]})
    return {"state": Thread.State.CLOSED, "closed_at": timezone.now()}


def _checked_title(title: str, user: User) -> str:
    title = title.strip()
    if is_blank(title) or len(title) > MAX_TITLE_CHARS:
        raise ValidationFailed(
            details={"title": [_("Give it a title of at most %(limit)d characters.") % {"limit": MAX_TITLE_CHARS}]}
        )
    return screen_text("title", title, [user.name]).text


def _checked_conditions(sentences: Iterable[str]) -> list[str]:
    kept = [sentence.strip() for sentence in sentences if sentence.strip()]
    if len(kept) > MAX_CONDITIONS or any(len(sentence) > MAX_CONDITION_CHARS for sentence in kept):
        limits = _("At most %(count)d conditions of %(limit)d characters.") % {
            "count": MAX_CONDITIONS,
            "limit": MAX_CONDITION_CHARS,
        }
        raise ValidationFailed(details={"refresh_conditions": [limits]})
    return [screen_text("refresh_conditions", sentence).text for sentence in kept]


def theses_of(thread: Thread) -> list[ThesisVersion]:
    """The theses the thread held, the oldest first, without erased ones. Call while acting for the user."""
    refreshes = list(thread.refreshes.select_related("snapshot").order_by("created_at", "id"))
    later = [
        ThesisVersion(refresh.created_at, refresh.snapshot.main_thesis, _is_thesis_changed(refresh))
        for refresh in refreshes
    ]
    first = refreshes[0].thesis_before if refreshes else thread.current_thesis
    return [version for version in (ThesisVersion(thread.created_at, first, changed=False), *later) if version.text]


def _is_thesis_changed(refresh: Refresh) -> bool:
    return refresh.thesis_before != refresh.snapshot.main_thesis
