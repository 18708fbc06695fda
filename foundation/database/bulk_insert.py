"""Insert many rows of one model in a single prepared statement."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.db import connection
from django.db.models import Model

# Times and ids become text in the JSON; PostgreSQL converts it to the types of the table's columns.
_as_json = partial(json.dumps, default=str, ensure_ascii=False)
_INSERT = "INSERT INTO {table} ({columns}) SELECT {columns} FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb)"


def columns_of(model: type[Model], alias: str = "") -> str:
    """Every column of a model by name, for a prepared SELECT or RETURNING.

    PostgreSQL refuses to run a prepared statement with ``*`` once a migration has added a column.
    """
    return ", ".join(f"{alias}.{field.column}" if alias else str(field.column) for field in model._meta.concrete_fields)


def insert_rows(rows: Sequence[Model]) -> None:
    """Insert new rows of one model, in their order, as ``bulk_create`` would.

    Use it for rows that are written with every answer: ``bulk_create`` writes a placeholder per value, and PostgreSQL
    plans each number of rows anew (measured on 26 rows of 15 columns: twice the time). Not for columns of bytes or
    vectors.
    """
    if rows:
        insert_values(type(rows[0]), list(map(_values_of, rows)))
    for row in rows:
        row._state.adding = False


def insert_unless_taken(row: Model) -> bool:
    """As ``insert_rows`` for one row, unless it conflicts with a unique constraint; whether it was inserted. Waits for
    the end of a transaction that has inserted what it conflicts with.
    """
    is_new = bool(insert_absent_values(type(row), [_values_of(row)]))
    row._state.adding = not is_new
    return is_new


def insert_values(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows given as dictionaries; each holds a value for every column, by the name of the field's attribute."""
    if rows:
        _insert(model, rows)


def insert_absent_values(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> set[Any]:
    """As ``insert_values``, but skip rows that conflict with a unique constraint; return the keys of those inserted."""
    if not rows:
        return set()
    key = connection.ops.quote_name(str(model._meta.pk.column))
    return {found for (found,) in _insert(model, rows, f" ON CONFLICT DO NOTHING RETURNING {key}")}


def _values_of(row: Model) -> dict[str, Any]:
    return {field.attname: field.pre_save(row, True) for field in row._meta.local_concrete_fields}


def _insert(model: type[Model], rows: Sequence[Mapping[str, Any]], ending: str = "") -> list[tuple[Any, ...]]:
    names: dict[str, str] = {field.attname: str(field.column) for field in model._meta.local_concrete_fields}
    quote = connection.ops.quote_name
    table, columns = quote(model._meta.db_table), ", ".join(map(quote, names.values()))
    values = [{column: row[name] for name, column in names.items()} for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(_INSERT.format(table=table, columns=columns) + ending, [_as_json(values)])
        return cursor.fetchall() if ending else []
