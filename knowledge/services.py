"""Writes organisations' knowledge, screened; who may is for the caller to ask (``knowledge.member_access``)."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from consent.sensitive.services import screen_text
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SanitizationResult
from knowledge.entry_vectors import embed_later, embed_now
from knowledge.exceptions import OrdersAssistant
from knowledge.models import KnowledgeEntry, KnowledgeRelation
from knowledge.projection import project_graph_later, project_later
from knowledge.search_terms import terms_literal

FIELD = "knowledge"  # what the policy on sensitive input calls its text


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
