"""Lists what keeps personal tables from being distributed over several servers by their owner's column.

Citus stores the rows of one user on one server when every personal table is distributed by that column. It then asks
of each table that the column is never null, stands in the primary key, in every unique constraint and unique index, and
on both sides of each foreign key to another distributed table, and that no table that stays whole refers to a
distributed one (Citus documentation, "Creating and distributing tables"). Nothing here changes a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any, Final, Protocol

Owners = Mapping[str, str]  # personal tables, each with its owner's column

_ROUTED: Final = frozenset({"SELECT", "UPDATE", "DELETE", "WITH"})
_COMPARED: Final = re.compile(r'\b(\w+)"? (?:=|IN)')
_SUBQUERY: Final = re.compile(r"\bFROM (\w+)")
_TABLE: Final = re.compile(r'\b(?:FROM|JOIN|UPDATE) "?(\w+)')


class LackKind(StrEnum):
    """What of a table lacks the owner's column."""

    NULLABLE = "nullable"  # the column may be null
    PRIMARY_KEY = "primary key"
    UNIQUE = "unique"
    FOREIGN_KEY = "foreign key"  # to a distributed table, without the column on both sides
    FROM_WHOLE = "from whole"  # a table that stays whole refers to a distributed one
    POLICY = "policy"  # its condition reads another table


@dataclass(frozen=True, order=True)
class DistributionLack:
    """One lack, and the statement that would mend it; ``statement`` is "" where the design has to decide.

    ``first`` is what is run before the statements of all others: no key can change while a foreign key refers to it.
    """

    table: str
    kind: LackKind
    name: str
    statement: str = ""
    first: str = ""

    def __str__(self) -> str:
        return f"{self.table}: {self.kind}: {self.name}"


_COLUMNS: Final = """
    SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY(%(tables)s) AND a.attnum > 0 AND NOT a.attnotnull
"""
_INDEXES: Final = """
    SELECT t.relname, i.relname, x.indisprimary,
           coalesce(pg_get_constraintdef(k.oid), pg_get_indexdef(i.oid)), k.conname,
           ARRAY(SELECT a.attname::text FROM pg_attribute a
                 WHERE a.attrelid = t.oid AND a.attnum = ANY(x.indkey::smallint[]))
    FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
    LEFT JOIN pg_constraint k ON k.conindid = x.indexrelid AND k.contype IN ('p', 'u')
    WHERE t.relnamespace = 'public'::regnamespace AND t.relname = ANY(%(tables)s) AND x.indisunique
"""
_FOREIGN_KEYS: Final = """
    SELECT k.conname, t.relname, r.relname, pg_get_constraintdef(k.oid),
           ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u (num, place)
                 JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = u.num ORDER BY place),
           ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u (num, place)
                 JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = u.num ORDER BY place)
    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
    WHERE k.contype = 'f' AND r.relname = ANY(%(tables)s)
"""
_POLICIES: Final = """
    SELECT tablename, policyname, concat_ws(' ', qual, with_check) FROM pg_policies
    WHERE schemaname = 'public' AND tablename = ANY(%(tables)s)
"""


class Cursor(Protocol):
    """A cursor of Django's or of psycopg's."""

    def execute(self, query: Any, params: Any = None, /) -> Any: ...

    def fetchall(self) -> list[tuple[Any, ...]]: ...


def distribution_lacks(cursor: Cursor, owners: Owners) -> list[DistributionLack]:
    """All lacks of these tables as the database of ``cursor`` has them, in order."""
    finders = (_nullable, _unique, _foreign_keys, _policies)
    return sorted(chain.from_iterable(finder(cursor, owners) for finder in finders))


def mending_statements(lacks: Sequence[DistributionLack]) -> list[str]:
    """What mends all of them that can be, in an order that PostgreSQL takes. It is run while nobody uses the tables."""
    by_kind = sorted(lacks, key=lambda lack: lack.kind is LackKind.FOREIGN_KEY)
    return [lack.first for lack in lacks if lack.first] + [lack.statement for lack in by_kind if lack.statement]


def statements_without_owner(statements: Iterable[str], owners: Owners) -> set[str]:
    """The verb and the personal tables of each statement that compares none of their owners' columns.

    Citus sends such a statement to all servers: row-level security adds its comparison only there. Inserts name their
    owner, whose column may not be null.
    """
    return {
        f"{verb} {', '.join(sorted(tables))}"
        for statement in statements
        if (verb := statement.split(None, 1)[0].upper()) in _ROUTED
        and (tables := owners.keys() & set(_TABLE.findall(statement)))
        and {owners[table] for table in tables}.isdisjoint(_COMPARED.findall(statement))
    }


def _nullable(cursor: Cursor, owners: Owners) -> Iterator[DistributionLack]:
    for table, column in _rows(cursor, _COLUMNS, owners):
        if owners[table] == column:
            statement = f"ALTER TABLE {table} ALTER COLUMN {column} SET NOT NULL"
            yield DistributionLack(table, LackKind.NULLABLE, column, statement)


def _unique(cursor: Cursor, owners: Owners) -> Iterator[DistributionLack]:
    for table, index, is_primary, definition, constraint, columns in _rows(cursor, _INDEXES, owners):
        if owners[table] not in columns:
            kind = LackKind.PRIMARY_KEY if is_primary else LackKind.UNIQUE
            statement = _with_owner(table, index, definition, constraint, owners[table])
            yield DistributionLack(table, kind, constraint or index, statement)


def _with_owner(table: str, index: str, definition: str, constraint: str | None, owner: str) -> str:
    """The statement that makes the unique index anew, the owner's column first."""
    anew = definition.replace("(", f"({owner}, ", 1)
    if constraint is None:
        return f"DROP INDEX {index}; {anew}"
    return f"ALTER TABLE {table} DROP CONSTRAINT {constraint}, ADD CONSTRAINT {constraint} {anew}"


def _foreign_keys(cursor: Cursor, owners: Owners) -> Iterator[DistributionLack]:
    for name, table, referred, definition, columns, referred_columns in _rows(cursor, _FOREIGN_KEYS, owners):
        named = f"{name} to {referred}"
        if table not in owners:
            yield DistributionLack(table, LackKind.FROM_WHOLE, named)
        elif owners[referred] in referred_columns and owners[table] not in columns:  # somebody else's row
            yield DistributionLack(table, LackKind.FOREIGN_KEY, named)
        elif (owners[table], owners[referred]) not in zip(columns, referred_columns, strict=True):
            anew = _referring_with_owner(definition, columns, owners[table], owners[referred])
            yield DistributionLack(
                table, LackKind.FOREIGN_KEY, named,
                f"ALTER TABLE {table} ADD CONSTRAINT {name} {anew}", f"ALTER TABLE {table} DROP CONSTRAINT {name}",
            )  # fmt: skip


def _referring_with_owner(definition: str, columns: Sequence[str], owner: str, referred_owner: str) -> str:
    """The definition of a foreign key with both owners' columns; what sets its columns to null leaves the owner."""
    referring, referred = definition.split("(", 1)[1].split("(", 1)
    anew = f"FOREIGN KEY ({owner}, {referring}({referred_owner}, {referred}"
    return anew.replace("ON DELETE SET NULL", f"ON DELETE SET NULL ({', '.join(columns)})")


def _policies(cursor: Cursor, owners: Owners) -> Iterator[DistributionLack]:
    for table, name, condition in _rows(cursor, _POLICIES, owners):
        if others := sorted(set(_SUBQUERY.findall(condition)) - {table}):
            yield DistributionLack(table, LackKind.POLICY, f"{name} reads {', '.join(others)}")


def _rows(cursor: Cursor, query: str, owners: Owners) -> list[tuple[Any, ...]]:
    cursor.execute(query, {"tables": list(owners)})
    return cursor.fetchall()
