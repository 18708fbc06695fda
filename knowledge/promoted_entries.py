"""Knowledge that was promoted from a user's memory: added without their name, and taken back by them alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from consent.sensitive.services import screen_text
from consent.services import hold_permit
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.language import normalize
from foundation.personal_data import ConsentScope
from knowledge.entry_vectors import embed_now
from knowledge.models import KnowledgeEntry
from knowledge.search_terms import terms_literal
from knowledge.services import FIELD
from knowledge.types import Org

PROMOTED: Final = "promoted"
"""The source of what was made from a memory."""


@dataclass(frozen=True)
class PromotedText:
    """A de-identified text to become knowledge, with the memory's ``subject`` and ``slot``."""

    text: str
    subject: str = ""
    slot: str = ""


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
