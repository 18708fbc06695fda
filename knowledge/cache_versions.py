"""The version of what an organisation knows, as it holds for one tier, role and platform: caches compare it.

It is computed from the entries and the relations of their nodes by the one statement that a cached search makes anyway,
in whichever process: no writer can forget to raise it, be it the API, an import, the admin, a promotion, a withdrawal
or an erasure, and it changes also when an entry begins or ceases to hold by itself.
"""

from __future__ import annotations

from django.db.models import Count, Max, Subquery, Sum
from django.utils import timezone

from knowledge.models import KnowledgeEntry, KnowledgeRelation
from knowledge.types import Org


def cache_version(org: Org) -> str:
    """A text that changes with every change of the entries in force for ``org``, or of the organisation's relations;
    "" without any entry.

    The sum of the entries' versions grows with each edit, even where a transaction that began earlier commits later;
    their number and the latest times tell what was added, removed, begun or ended.
    """
    relations = KnowledgeRelation.objects.filter(tenant_id=org.tenant_id).digest()
    told = KnowledgeEntry.objects.in_force(org, timezone.now()).aggregate(
        rows=Count("pk"),
        edits=Sum("version"),
        latest=Max("updated_at"),
        begun=Max("valid_from"),
        relations=Max(Subquery(relations)),  # one value, read once
    )
    if not told["rows"]:
        return ""
    times = f"{told['latest'].isoformat()},{told['begun'].isoformat()}"
    return f"{told['rows']}.{told['edits']}@{times}/{told['relations'] or 0}"
