"""What PostgreSQL's catalogue says of a database's schema, without regard to the order in which it was made."""

from __future__ import annotations

from typing import Final

import psycopg

KINDS: Final = {
    "tables": """
        SELECT relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions,
               pg_get_userbyid(relowner), relacl::text[]
        FROM pg_class c WHERE relnamespace = 'public'::regnamespace
            AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = c.oid AND deptype = 'e')
    """,
    "columns": """
        SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid),
               attidentity, attgenerated, attstorage, attcompression, attcollation, attoptions, attacl::text[]
        FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = c.oid AND adnum = attnum
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
    """,
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": """
        SELECT conrelid::regclass::text, conname, contype, condeferrable, condeferred, convalidated,
               pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    """,
    "policies": "SELECT * FROM pg_policies WHERE schemaname = 'public'",
    "triggers": """
        SELECT tgrelid::regclass::text, tgname, tgenabled, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    """,
    "functions": """
        SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid), pg_get_userbyid(proowner), proacl::text[]
        FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
            AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
    """,
    "types": """
        SELECT typname, typtype, pg_get_userbyid(typowner), typacl::text[]
        FROM pg_type t WHERE typnamespace = 'public'::regnamespace
            AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = t.oid AND deptype = 'e')
    """,
    "sequences": """
        SELECT sequencename, sequenceowner, data_type, start_value, min_value, max_value, increment_by, cycle
        FROM pg_sequences WHERE schemaname = 'public'
    """,
    "extensions": "SELECT extname, extversion FROM pg_extension",
    "default rights": """
        SELECT pg_get_userbyid(defaclrole), defaclnamespace::regnamespace::text, defaclobjtype, defaclacl::text[]
        FROM pg_default_acl
    """,
    "schemas": """
        SELECT nspname, pg_get_userbyid(nspowner), nspacl::text[] FROM pg_namespace WHERE nspname = 'public'
    """,
}


def catalog(connection: psycopg.Connection) -> dict[str, set[str]]:
    """Tables, columns, indexes and so on, each thing with all that is known of it; columns in no order."""
    return {kind: {_line(row) for row in connection.execute(query.encode())} for kind, query in KINDS.items()}


def _line(row: tuple[object, ...]) -> str:
    return repr([sorted(value) if isinstance(value, list) else value for value in row])
