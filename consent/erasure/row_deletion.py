"""Delete personal rows in the order of their references, and count what is left afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from uuid import UUID

from django.apps import apps
from django.db import connection, models
from psycopg import sql

from consent.declarations import PersonalModel, order_for_deletion, personal_models
from consent.erasure.plan import ErasurePlan
from foundation.personal_data import ConsentScope, OnErasure


def account_tables() -> list[PersonalModel]:
    """The tables that an erased account leaves without rows of its user: all but proofs, the account itself last."""
    return order_for_deletion(
        [personal for personal in personal_models() if personal.declaration.on_erasure != OnErasure.KEEP]
    )


def scope_tables(scope: ConsentScope) -> list[PersonalModel]:
    """The tables whose rows are stored under a consent scope."""
    return [personal for personal in account_tables() if personal.declaration.scope == scope]


def delete_rows(plan: ErasurePlan) -> Counter[str]:
    """Delete the rows that a plan names, and all of the user's in its tables; returns rows by label. Call as the
    eraser, acting for the user.
    """
    deleted = Counter({personal.label: _delete_owned(personal, plan.user_id) for personal in plan.tables})
    named = plan.targets.delete
    ordered = order_for_deletion([personal for personal in personal_models() if personal.label in named])
    deleted.update(
        {personal.label: _delete_matching(personal.model, "id", named[personal.label]) for personal in ordered}
    )
    return deleted


def count_rows(plan: ErasurePlan) -> Counter[str]:
    """How many of the rows that a plan deletes exist, hidden ones included. Call as the eraser."""
    found = Counter({personal.label: personal.rows_of(plan.user_id).count() for personal in plan.tables})
    for label, keys in plan.targets.delete.items():
        found[label] += apps.get_model(label)._base_manager.filter(pk__in=keys).count()
    return found


def _delete_owned(personal: PersonalModel, user_id: UUID) -> int:
    columns = filter(None, (personal.declaration.owner, personal.declaration.party))
    return sum(_delete_matching(personal.model, column, [user_id]) for column in columns)


def _delete_matching(model: type[models.Model], column: str, values: Collection[UUID]) -> int:
    """Delete by one SQL statement, whatever the table's size: the ORM would read every row first."""
    table = sql.Identifier(model._meta.db_table)
    matching = sql.SQL("{} = ANY(%s)").format(sql.Identifier(column))
    with connection.cursor() as cursor:
        for own in _references_to_itself(model):
            statement = sql.SQL("UPDATE {0} SET {1} = NULL WHERE {2} AND {1} IS NOT NULL").format(
                table, sql.Identifier(own), matching
            )
            cursor.execute(statement, [list(values)])
        cursor.execute(sql.SQL("DELETE FROM {} WHERE {}").format(table, matching), [list(values)])
        return int(cursor.rowcount)


def _references_to_itself(model: type[models.Model]) -> list[str]:
    return [
        str(field.column)
        for field in model._meta.concrete_fields
        if field.is_relation and field.related_model is model and field.null
    ]
