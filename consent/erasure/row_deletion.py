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
    return referrers_first([one for one in personal_models() if one.declaration.on_erasure == OnErasure.DELETE])


def scope_tables(scope: ConsentScope) -> list[PersonalModel]:
    """The tables whose rows are stored under a consent scope."""
    return [one for one in account_tables() if one.declaration.scope == scope]


def delete_owned(tables: Iterable[PersonalModel], user_id: UUID) -> dict[str, int]:
    """Delete every row the person owns in these tables; rows by label. Call as the eraser, acting for them."""
    return {one.label: _delete_rows_of(one, user_id) for one in tables}


def delete_named(named: Ids) -> dict[str, int]:
    """Delete the rows of these ids, by label. Call as the eraser, acting for their owner."""
    ordered = referrers_first([one for one in personal_models() if one.label in named])
    return {one.label: _delete_rows(one.model, "id", list(named[one.label])) for one in ordered}


def count_owned(tables: Iterable[PersonalModel], user_id: UUID) -> dict[str, int]:
    """How many rows the person owns in each table, hidden ones included. Call as the eraser."""
    return {one.label: one.rows_of(user_id).count() for one in tables}


def count_named(named: Ids) -> dict[str, int]:
    """How many of these rows exist, hidden ones included. Call as the eraser."""
    return {label: apps.get_model(label)._base_manager.filter(pk__in=keys).count() for label, keys in named.items()}


def _delete_rows_of(one: PersonalModel, user_id: UUID) -> int:
    columns = filter(None, (one.declaration.owner, one.declaration.party))
    return sum(_delete_rows(one.model, column, [user_id]) for column in columns)


def _delete_rows(model: type[models.Model], column: str, values: list[UUID]) -> int:
    """One statement a table, whatever its size: the ORM would read every row first, to see what hangs on it."""
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
