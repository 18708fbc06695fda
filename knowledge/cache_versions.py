"""The version of what an organisation knows, as it holds for one tier, role and platform: caches compare it.

It is computed from the entries by the one statement that a cached search makes anyway, in whichever process: no writer
can forget to raise it, be it the API, an import, the admin, a promotion, a withdrawal or an erasure, and it changes
also when an entry begins or ceases to hold by itself.
"""

from __future__ import annotations

from django.db.models import Count, Max, Sum
from django.utils import timezone

from knowledge.models import KnowledgeEntry
from knowledge.types import Org


def cache_version(org: Org) -> str:
    """A text that changes with every change of the entries in force for ``org``; "" without any entry.

    The sum of the entries' versions grows with each edit, even where a transaction that began earlier commits later;
    their number and the latest times tell what was added, removed, begun or ended.
    """
    told = KnowledgeEntry.objects.in_force(org, timezone.now()).aggregate(
        rows=Count("pk"), edits=Sum("version"), latest=Max("updated_at"), begun=Max("valid_from")
    )
    if not told["rows"]:
        return ""
    return f"{told['rows']}.{told['edits']}@{told['latest'].isoformat()},{told['begun'].isoformat()}"
