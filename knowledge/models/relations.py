"""The model of relations between the nodes that an organisation's entries are about."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from foundation.accounts.models import Tenant, User
from foundation.ids import new_id
from knowledge.querysets import KnowledgeRelationQuerySet
from knowledge.types import NODE_CHARS


class KnowledgeRelation(models.Model):
    """A relation between two nodes of an organisation's graph: a linen jacket goes with a wool scarf, or is part of the
    summer collection. A node is named by the ``graph_node_id`` of the entries about it.

    Only ``requires`` and ``part_of`` have a direction. Of what a node is part of, the relations and the entries hold
    for the node too.
    """

    class Kind(models.TextChoices):
        PAIRS_WITH = "pairs_with", _("goes with")
        PART_OF = "part_of", _("is part of")
        REQUIRES = "requires", _("requires")
        EXCLUDES = "excludes", _("excludes")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    # No index of its own: the constraint's begins with this column.
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    from_node = models.CharField(_("from"), max_length=NODE_CHARS, help_text=_("A node, such as linen-jacket."))
    kind = models.CharField(max_length=12, choices=Kind.choices)
    to_node = models.CharField(_("to"), max_length=NODE_CHARS, help_text=_("Another node."))
    updated_at = models.DateTimeField(auto_now=True)

    _history_user: User  # by whom a version is, where no request tells

    objects = KnowledgeRelationQuerySet.as_manager()
    # It stays when the relation is taken back, and holds only the id of who wrote it, whose account may be erased.
    history = HistoricalRecords(history_user_id_field=models.UUIDField(null=True, blank=True))

    class Meta:
        ordering = ("from_node", "kind", "to_node")
        verbose_name = _("relation of knowledge")
        verbose_name_plural = _("relations of knowledge")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "from_node", "kind", "to_node"], name="one_relation_a_tenant"),
            models.CheckConstraint(condition=~Q(from_node=F("to_node")), name="relation_between_two_nodes"),
        ]

    def __str__(self) -> str:
        return f"{self.from_node} · {self.get_kind_display()} · {self.to_node}"
