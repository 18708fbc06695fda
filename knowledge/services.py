"""Writes organisations' knowledge; stores read it (``knowledge.configuration``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from consent.permit import Permit
from consent.sensitive.services import screen_text
from consent.services import hold_permit
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.language import normalize
from foundation.personal_data import ConsentScope
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SanitizationResult
from knowledge.entry_vectors import embed_later, embed_now
from knowledge.exceptions import OrdersAssistant
from knowledge.models import KnowledgeEntry, KnowledgeRelation
from knowledge.projection import project_graph_later, project_later
from knowledge.search_terms import terms_literal
from knowledge.types import Org

PROMOTED = "promoted"  # the source of what was made from a memory
FIELD = "knowledge"  # what the policy on sensitive input calls its text


@dataclass(frozen=True)
class PromotedText:
    """A de-identified text to become knowledge, with the memory's ``subject`` and ``slot``."""

    text: str
    subject: str = ""
    slot: str = ""


def org_of(user: User, platform: str = "") -> Org | None:
    """The user's organisation, and their tier and role in it; None without one."""
    return Org(user.tenant.pk, user.tenant.org_tier, user.role, platform) if user.tenant else None


def require_safe_text(text: str) -> None:
    """Raise ``SensitiveInput`` for text that nobody should keep, and ``OrdersAssistant`` for one that no prompt may
    hold.
    """
    screen_text(FIELD, text)
    if sanitize(text).result is SanitizationResult.BLOCKED:
        raise OrdersAssistant()


def save_entry(entry: KnowledgeEntry, *, embeds: bool = True) -> KnowledgeEntry:
    """Store an entry that was written, not promoted: screened, indexed by its words and its meaning, as a new version.

    Call in the operators' role, or for an owner or admin of the organisation (``knowledge.entry_changes``). Raises
    ``SensitiveInput`` for text that nobody should keep. Without ``embeds`` the vector is left to the schedule.
    """
    entry.text = screen_text(FIELD, entry.text).text
    entry.subject = screen_text(FIELD, entry.subject).text
    entry.terms = terms_literal(entry.subject, entry.text)
    if embeds:
        embed_now(entry)
    else:
        embed_later(entry)
    with transaction.atomic():
        if not entry._state.adding:
            # The stored version, because a change meanwhile took the number after the one that was read.
            stored = KnowledgeEntry.objects.select_for_update().values_list("version", flat=True)
            entry.version = stored.get(pk=entry.pk) + 1
        entry.save()
        project_later(entry)
    return entry


def retire_entry(entry: KnowledgeEntry, at: datetime | None = None) -> KnowledgeEntry:
    """End an operator's entry as it is now, whatever it was when it was read. It stays, with its history."""
    with transaction.atomic():
        current = KnowledgeEntry.objects.select_for_update().get(pk=entry.pk)
        current.valid_to = max(at or timezone.now(), current.valid_from)
        return save_entry(current)


def save_relation(relation: KnowledgeRelation) -> KnowledgeRelation:
    """Store a relation between two nodes. Call in the operators' role, or for an owner or admin of the organisation
    (``knowledge.relation_changes``). Raises as ``require_safe_text``.
    """
    require_safe_text(relation.from_node)
    require_safe_text(relation.to_node)
    relation.save()
    project_graph_later(relation.tenant_id)
    return relation


def remove_relation(relation: KnowledgeRelation) -> bool:
    """Delete a relation, whose history stays; returns whether it was there. Call as ``save_relation``."""
    deleted, _ = relation.delete()
    project_graph_later(relation.tenant_id)
    return deleted > 0


def add_promoted(permit: Permit, user: User, promoted: PromotedText) -> KnowledgeEntry:
    """Add an entry promoted from a user's memory. Call in a transaction acting for them.

    It has no history, because it is never edited, and a copy would be a second text to erase. Raises
    ``ConsentScopeMissing``, ``ConsentOutdated`` or ``ErasureInProgress``; ``SensitiveInput`` for text that names
    anybody.
    """
    permit.require(ConsentScope.MEMORY_LEARNING)
    hold_permit(permit)
    entry = KnowledgeEntry(
        tenant=user.tenant,
        kind=KnowledgeEntry.Kind.FACT,
        subject=promoted.subject,
        slot=promoted.slot,
        text=screen_text(FIELD, promoted.text).text,
        terms=terms_literal(promoted.subject, promoted.text),
        source=PROMOTED,
        derived_from_user=permit.user_id,
        consent_version=permit.version,
    )
    entry.skip_history_when_saving = True
    embed_now(entry)
    entry.save(force_insert=True)
    return entry


def remove_promoted(user_id: UUID, entry_id: UUID) -> bool:
    """Remove an entry promoted from this user; returns whether it was there. Call while acting for the user."""
    with in_role(ERASER_ROLE):
        deleted, _ = KnowledgeEntry.with_erased.filter(pk=entry_id, derived_from_user=user_id).delete()
    return deleted > 0


def count_contradictions(org: Org, subject: str, slot: str, text: str) -> tuple[int, int]:
    """The number of entries in force on this subject and slot, and of those that say something else."""
    if not slot:
        return 0, 0
    related = KnowledgeEntry.objects.in_force(org, timezone.now()).filter(subject=subject, slot=slot)
    texts = list(related.values_list("text", flat=True))
    same = normalize(text)
    return len(texts), sum(normalize(other) != same for other in texts)


def asset_name_sets(user: User) -> list[frozenset[str]]:
    """Sets of names that mean the same asset: everybody's, and those of the user's organisation.

    Call in a transaction acting for the user. A ``DatabaseError`` leaves the transaction usable.
    """
    with connection.cursor() as cursor:
        try:
            cursor.execute(_ASSET_NAMES)
            cursor.nextset()
            return _group_names(cursor.fetchall())
        except DatabaseError:
            with suppress(DatabaseError):  # a lost connection has nothing to go back to
                cursor.execute("ROLLBACK TO SAVEPOINT before_names")
            raise


# A savepoint set by hand, in one round trip rather than three, because this runs before every answer.
_ASSET_NAMES = (
    "SAVEPOINT before_names; SELECT canonical, alias FROM knowledge_assetalias ORDER BY canonical, alias;"
    " RELEASE SAVEPOINT before_names"
)


def _group_names(pairs: Iterable[tuple[str, str]]) -> list[frozenset[str]]:
    names: dict[str, set[str]] = defaultdict(set)
    for canonical, alias in pairs:
        names[canonical] |= {canonical, alias}
    return [frozenset(group) for _, group in sorted(names.items())]
