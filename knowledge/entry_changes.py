"""How owners and admins write what their organisation knows: entries by version, with history and undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.accounts.exceptions import PermissionDenied
from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed
from knowledge.exceptions import EntryChanged, NothingToUndo
from knowledge.member_access import require_writer, visible_entry
from knowledge.models import KnowledgeEntry
from knowledge.promoted_entries import PROMOTED
from knowledge.services import require_safe_text, save_entry

EDITABLE: Final = (
    "kind", "subject", "slot", "external_id", "text", "graph_node_id", "source", "org_tiers", "roles", "platforms",
    "valid_from", "valid_to",
)  # fmt: skip
"""The fields of an entry that its writers choose."""
SCREENED: Final = ("text", "subject", "source", "slot", "external_id", "graph_node_id")
"""The fields whose words ``require_safe_text`` is asked about."""


class EntryChange(models.TextChoices):
    """What made a version of an entry, where it is stored as the reason, or of a relation."""

    CREATED = "created", gettext_lazy("written")
    CHANGED = "changed", gettext_lazy("changed")
    WITHDRAWN = "withdrawn", gettext_lazy("withdrawn")
    UNDONE = "undone", gettext_lazy("undone")
    IMPORTED = "imported", gettext_lazy("imported")


@dataclass(frozen=True)
class EntryVersion:
    """A version of an entry or a relation: what it said, what made it, and the name of the member who did; "" for an
    operator, or one who left.
    """

    row: Any  # of the history
    change: EntryChange
    changed_by: str


def create_entry(user: User, fields: Mapping[str, Any]) -> KnowledgeEntry:
    """Write a new entry. Raises ``PermissionDenied``, ``NotFound``, and as ``check_entry``."""
    require_writer(user)
    return _store_entry(KnowledgeEntry(tenant=user.tenant, **fields), user, EntryChange.CREATED)


def change_entry(user: User, entry_id: UUID, version: int, changes: Mapping[str, Any]) -> KnowledgeEntry:
    """Change fields of the entry that was read at this version; without a difference it stays as it is.

    Raises ``NotFound``, ``PermissionDenied``, ``EntryChanged``, and as ``check_entry``.
    """
    with transaction.atomic():
        entry = _lock_entry(user, entry_id, version)
        return _store_changes(entry, changes, user, EntryChange.CHANGED)


def withdraw_entry(user: User, entry_id: UUID, version: int) -> KnowledgeEntry:
    """End an entry now; it stays with its history, and an undo brings it back. Raises as ``change_entry``."""
    with transaction.atomic():
        entry = _lock_entry(user, entry_id, version)
        now = timezone.now()
        if entry.has_ended(now):
            return entry
        ended = {"valid_to": max(now, entry.valid_from)}  # one that has not begun never holds
        return _store_changes(entry, ended, user, EntryChange.WITHDRAWN)


def undo_change(user: User, entry_id: UUID, version: int) -> KnowledgeEntry:
    """Make the entry what it was before its last change, as a new version: an undo is undone likewise.

    Raises ``NothingToUndo`` for an entry as it was first written, and as ``change_entry``.
    """
    with transaction.atomic():
        return restore_previous(_lock_entry(user, entry_id, version), user)


def restore_previous(entry: KnowledgeEntry, user: User | None = None) -> KnowledgeEntry:
    """Store an entry as it was before its last change: as the latest version that differs from what it says now.

    Raises ``NothingToUndo``, and as ``check_entry``.
    """
    with transaction.atomic():
        current = KnowledgeEntry.objects.select_for_update().get(pk=entry.pk)
        for before in current.history.filter(version__lt=current.version).order_by("-version"):
            if changes := current.differing({name: getattr(before, name) for name in EDITABLE}):
                return _store_changes(current, changes, user, EntryChange.UNDONE)
    raise NothingToUndo()


def entry_history(user: User, entry_id: UUID) -> QuerySet[Any]:
    """The rows of an entry's history, the latest first. Raises ``NotFound``, ``PermissionDenied``."""
    entry = visible_entry(user, entry_id)
    require_writer(user)
    rows: QuerySet[Any] = entry.history.order_by("-version", "-pk")
    return rows


def entry_versions(user: User, rows: Sequence[Any]) -> list[EntryVersion]:
    """The rows of a history with what was done and by whom: colleagues are named, nobody else is."""
    people = {row.history_user_id for row in rows} - {None}
    names = {person.pk: person.name for person in User.objects.filter(pk__in=people, tenant=user.tenant)}
    return [EntryVersion(row, change_of(row), names.get(row.history_user_id, "")) for row in rows]


def check_entry(entry: KnowledgeEntry, require_safe: Callable[[str], None] = require_safe_text) -> None:
    """Refuse what an entry cannot be: ``ValidationFailed`` by field, ``SensitiveInput``, ``OrdersAssistant``."""
    try:
        entry.clean_fields(exclude={"tenant", "terms"})
    except ValidationError as error:
        raise ValidationFailed(details=error.message_dict) from None
    if wrong := contradictions(entry):
        raise ValidationFailed(details={name: [told] for name, told in wrong.items()})
    for name in SCREENED:
        require_safe(getattr(entry, name))


def store_checked(entry: KnowledgeEntry, user: User | None, change: EntryChange) -> KnowledgeEntry:
    """Store an entry that ``check_entry`` let pass. Its history says what was done and by which user: that of the
    request, if none is named.
    """
    if user is not None:
        entry._history_user = user
    entry._change_reason = change.value
    try:
        with transaction.atomic():
            return save_entry(entry, embeds=change is not EntryChange.IMPORTED)
    except IntegrityError:  # every other constraint was checked
        raise ValidationFailed(details={"external_id": [_("Another entry has this id.")]}) from None


def _lock_entry(user: User, entry_id: UUID, version: int) -> KnowledgeEntry:
    """The entry, locked for a change, as it was read at this version."""
    entry = visible_entry(user, entry_id)
    require_writer(user)
    if entry.is_promoted:
        raise PermissionDenied(_("A member shared this. Only they can take it back."))
    locked = KnowledgeEntry.objects.select_for_update().get(pk=entry_id)
    if locked.version != version:
        raise EntryChanged(locked.version)
    return locked


def _store_entry(entry: KnowledgeEntry, user: User | None, change: EntryChange) -> KnowledgeEntry:
    check_entry(entry)
    return store_checked(entry, user, change)


def _store_changes(
    entry: KnowledgeEntry, changes: Mapping[str, Any], user: User | None, change: EntryChange
) -> KnowledgeEntry:
    differing = entry.differing(changes)
    if not differing:
        return entry
    for name, value in differing.items():
        setattr(entry, name, value)
    return _store_entry(entry, user, change)


def contradictions(entry: KnowledgeEntry) -> dict[str, str]:
    """What of an entry disagrees with the rest of it, by field."""
    wrong = {}
    if entry.valid_to is not None and entry.valid_to < entry.valid_from:
        wrong["valid_to"] = _("It would end before it begins.")
    if entry.kind == KnowledgeEntry.Kind.ROLE_RULE and not entry.roles:
        wrong["roles"] = _("Say for which roles it holds.")
    if entry.kind == KnowledgeEntry.Kind.PLATFORM_TONE and not entry.platforms:
        wrong["platforms"] = _("Say on which platforms it holds.")
    if entry.source == PROMOTED:
        wrong["source"] = _("Only what was promoted from a memory says so.")
    return wrong


_CHANGES: Final = {"+": EntryChange.CREATED, "~": EntryChange.CHANGED, "-": EntryChange.WITHDRAWN}


def change_of(row: Any) -> EntryChange:
    """What made a version; one that an operator wrote has no reason."""
    if row.history_change_reason in EntryChange.values:
        return EntryChange(row.history_change_reason)
    return _CHANGES[row.history_type]
