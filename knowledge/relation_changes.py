"""What members of an organisation do with the relations of its graph: all read them, owners and admins write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed, require_found
from knowledge.member_access import require_writer
from knowledge.models import KnowledgeRelation
from knowledge.querysets import KnowledgeRelationQuerySet
from knowledge.services import remove_relation, save_relation


def visible_relations(user: User) -> KnowledgeRelationQuerySet:
    """The relations of the user's organisation; none without one."""
    if user.tenant_id is None:
        return KnowledgeRelation.objects.none()
    return KnowledgeRelation.objects.filter(tenant_id=user.tenant_id)


def visible_relation(user: User, relation_id: UUID) -> KnowledgeRelation:
    """One relation of the user's organisation. Raises ``NotFound``."""
    return require_found(visible_relations(user).filter(pk=relation_id).first())


def create_relation(user: User, fields: Mapping[str, Any]) -> KnowledgeRelation:
    """Relate two nodes. Raises ``NotFound`` and ``PermissionDenied`` as ``require_writer``, ``ValidationFailed`` for a
    node and itself, or for a relation that is there already, and as ``require_safe_text``.
    """
    require_writer(user)
    relation = KnowledgeRelation(tenant=user.tenant, **fields)
    if relation.from_node == relation.to_node:
        raise ValidationFailed(details={"to_node": [_("A relation is between two nodes.")]})
    relation._history_user = user
    try:
        with transaction.atomic():
            return save_relation(relation)
    except IntegrityError:
        raise ValidationFailed(details={"to_node": [_("This relation is there already.")]}) from None


def withdraw_relation(user: User, relation_id: UUID) -> None:
    """Take a relation back; its history stays. Raises ``NotFound`` and ``PermissionDenied``."""
    relation = visible_relation(user, relation_id)
    require_writer(user)
    relation._history_user = user
    with transaction.atomic():  # so that of two at once only one is in the history
        require_found(remove_relation(relation) or None)


def relation_history(user: User) -> QuerySet[Any]:
    """Every version of every relation of the organisation, also of those that were taken back. Raises as
    ``require_writer``.
    """
    require_writer(user)
    rows: QuerySet[Any] = KnowledgeRelation.history.filter(tenant_id=user.tenant_id)
    return rows
