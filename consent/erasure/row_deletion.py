"""Delete personal rows in the order of their references, and count what is left afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.apps import apps
from django.db import connection, models
from psycopg import sql

from consent.declarations import PersonalModel, personal_models, referrers_first
from consent.erasure.types import Ids
from foundation.personal_data import ConsentScope, OnErasure


def account_tables() -> list[PersonalModel]:
    """The tables that an account's erasure empties: all but the proofs of erasure, the account's own row last."""
    return referrers_first(
        [personal for personal in personal_models() if personal.declaration.on_erasure == OnErasure.DELETE]
    )


def scope_tables(scope: ConsentScope) -> list[PersonalModel]:
    """The tables whose rows are stored under a consent scope."""
    return [personal for personal in account_tables() if personal.declaration.scope == scope]


def delete_owned(tables: Iterable[PersonalModel], user_id: UUID) -> dict[str, int]:
    """Delete every row the user owns in these tables; answers rows by label. Call as the eraser, acting for them."""
    return {personal.label: _delete_rows_of(personal, user_id) for personal in tables}


def delete_named(named: Ids) -> dict[str, int]:
    """Delete the rows of these ids, by label. Call as the eraser, acting for their owner."""
    ordered = referrers_first([personal for personal in personal_models() if personal.label in named])
    return {personal.label: _delete_rows(personal.model, "id", list(named[personal.label])) for personal in ordered}


def count_owned(tables: Iterable[PersonalModel], user_id: UUID) -> dict[str, int]:
    """How many rows the person owns in each table, hidden ones included. Call as the eraser."""
    return {personal.label: personal.rows_of(user_id).count() for personal in tables}


def count_named(named: Ids) -> dict[str, int]:
    """How many of these rows exist, hidden ones included. Call as the eraser."""
    return {label: apps.get_model(label)._base_manager.filter(pk__in=keys).count() for label, keys in named.items()}


def _delete_rows_of(personal: PersonalModel, user_id: UUID) -> int:
    columns = filter(None, (personal.declaration.owner, personal.declaration.party))
    return sum(_delete_rows(personal.model, column, [user_id]) for column in columns)


def _delete_rows(model: type[models.Model], column: str, values: list[UUID]) -> int:
    """Delete by one statement, whatever the table's size: the ORM would read every row first."""
    table = sql.Identifier(model._meta.db_table)
    matching = sql.SQL("{} = ANY(%s)").format(sql.Identifier(column))
    with connection.cursor() as cursor:
        for own in _references_to_itself(model):
            statement = sql.SQL("UPDATE {0} SET {1} = NULL WHERE {2} AND {1} IS NOT NULL").format(
                table, sql.Identifier(own), matching
            )
            cursor.execute(statement, [values])
        cursor.execute(sql.SQL("DELETE FROM {} WHERE {}").format(table, matching), [values])
        return int(cursor.rowcount)


def _references_to_itself(model: type[models.Model]) -> list[str]:
    return [
        str(field.column)
        for field in model._meta.concrete_fields
        if field.is_relation and field.related_model is model and field.null
    ]
