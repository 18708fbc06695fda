"""Multiply a person's rows in the database, from one of each kind that the product itself wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg

if TYPE_CHECKING:
    from consent.permit import Permit
    from foundation.accounts.models import User

MESSAGES_A_SESSION = 50
LINES_A_RECEIPT = 10
_WORDS = "(SELECT string_agg('term' || (hashint8({number} * 97 + k) & 8191), ' ') FROM generate_series(1, 12) k)"
_LEXEMES = "setweight(to_tsvector('simple', {text}), 'A')::text"

# A row of the table like the model row ``t``, with these fields changed.
_LIKE = """
    INSERT INTO {table} ({columns}) SELECT {columns_made} FROM {table} t, new,
    LATERAL jsonb_populate_record(t, jsonb_build_object({changes})) AS made WHERE t.id = %({model})s
"""
# Every tenth memory was replaced by the one after it.
_ITEMS = f"""
    CREATE TEMP TABLE new ON COMMIT DROP AS
    SELECT uuidv7() AS id, owner, number, {_WORDS.format(number="(number + 1000 * ordinality)")} AS words
    FROM unnest(%(owners)s::uuid[]) WITH ORDINALITY AS owners (owner, ordinality), generate_series(1, %(count)s) number;
    ALTER TABLE new ADD COLUMN next_id uuid;
    UPDATE new SET next_id = later.id FROM new AS later
    WHERE later.owner = new.owner AND later.number = new.number + 1 AND new.number %% 10 = 0
"""  # noqa: S608  our own constants
_ITEM = """
    'id', new.id, 'chain_id', new.id, 'user_id', new.owner, 'content', new.words,
    'content_hash', encode(sha256(new.id::text::bytea), 'hex'), 'superseded_by_id', new.next_id,
    'superseded_at', CASE WHEN new.next_id IS NOT NULL THEN now() END,
    'state', CASE WHEN new.next_id IS NULL THEN 'active' ELSE 'superseded' END
"""
_ENTRY = f"'id', new.id, 'user_id', new.owner, 'terms', {_LEXEMES.format(text='new.words')}"

_SESSIONS = "CREATE TEMP TABLE new ON COMMIT DROP AS SELECT uuidv7() AS id FROM generate_series(1, %(count)s)"
_TURNS = f"""
    ALTER TABLE new RENAME TO begun;
    CREATE TEMP TABLE new ON COMMIT DROP AS
    SELECT uuidv7() AS id, begun.id AS session_id, %(owner)s::uuid AS owner, seq,
           {_WORDS.format(number="(seq + hashtext(begun.id::text)::bigint)")} AS words
    FROM begun, generate_series(1, {MESSAGES_A_SESSION}) seq
"""  # noqa: S608
_TURN = """
    'id', new.id, 'session_id', new.session_id, 'seq', new.seq,
    'content', jsonb_build_array(jsonb_build_object('type', 'text', 'text', new.words))
"""
_RECEIPTS = """
    ALTER TABLE new RENAME TO said;
    CREATE TEMP TABLE new ON COMMIT DROP AS SELECT uuidv7() AS id, id AS message_id, session_id FROM said
    WHERE seq %% 2 = 0
"""
_RECEIPT = "'id', new.id, 'message_id', new.message_id, 'session_id', new.session_id"
_LINES = f"""
    ALTER TABLE new RENAME TO written;
    CREATE TEMP TABLE new ON COMMIT DROP AS
    SELECT uuidv7() AS id, written.id AS receipt_id, rank FROM written, generate_series(1, {LINES_A_RECEIPT}) rank
"""  # noqa: S608
_LINE = "'id', new.id, 'receipt_id', new.receipt_id, 'rank', new.rank, 'ref_id', uuidv7()"


@dataclass(frozen=True)
class Models:
    """The rows that are multiplied: one of each kind."""

    item: UUID
    session: UUID
    turn: UUID
    receipt: UUID
    line: UUID


def one_of_each(person: User, permit: Permit) -> Models:
    """A memory, and a turn that was answered with it, through the product's own doors."""
    from finclaw.brain.turn import reply
    from finclaw.brain.types import TurnRequest
    from foundation.database.acting_user import acting_as
    from foundation.outbox.tasks import drain
    from memory.models import ReceiptLine
    from memory.services.item_decisions import add_stated
    from memory.services.sessions import messages_of, start_session

    with acting_as(person.pk):
        item = add_stated(permit, "Prefers index funds with low fees.")
        session = start_session(permit, person)
    reply(person, TurnRequest(session.pk, ({"type": "text", "text": "Which funds do I prefer?"},)))
    drain()
    with acting_as(person.pk):
        line = ReceiptLine.objects.filter(receipt__session=session, receipt__kind="injection").first()
        turn = messages_of(session).first()
        if line is None or turn is None:
            raise AssertionError("the turn left no receipt")
        return Models(item.pk, session.pk, turn.pk, line.receipt_id, line.pk)


def multiply_items(database: psycopg.Connection[Any], models: Models, owners: Sequence[UUID], count: int) -> None:
    """``count`` memories with their search entries for each of the owners. ``database`` is a superuser's."""
    given = {"owners": list(owners), "count": count, "item": models.item}
    with database.transaction():
        _run(database, _ITEMS, given)
        _run(database, _like("memory_memoryitem", _ITEM, "item"), given)
        _run(database, _like("memory_searchentry", _ENTRY, "item"), given)


def multiply_messages(database: psycopg.Connection[Any], models: Models, owner: UUID, count: int) -> None:
    """About ``count`` messages of the owner of the models, in conversations, every second one with a receipt."""
    given = vars(models) | {"owner": owner, "count": max(1, count // MESSAGES_A_SESSION)}
    steps = (
        (_SESSIONS, "memory_session", "'id', new.id", "session"),
        (_TURNS, "memory_conversationevent", _TURN, "turn"),
        ("", "memory_searchentry", _ENTRY, "turn"),
        (_RECEIPTS, "memory_receipt", _RECEIPT, "receipt"),
        (_LINES, "memory_receiptline", _LINE, "line"),
    )
    with database.transaction():
        for prepare, table, changes, model in steps:
            _run(database, prepare, given)
            _run(database, _like(table, changes, model), given)


def written(table: str) -> dict[str, str]:
    """The columns of ``table`` that are written, by themselves and as those of a row ``made``; the database generates
    the others.
    """
    from django.apps import apps

    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    names = [str(field.column) for field in model._meta.concrete_fields if not field.generated]
    return {"columns": ", ".join(names), "columns_made": ", ".join(f"made.{name}" for name in names)}


def _like(table: str, changes: str, model: str) -> str:
    return _LIKE.format(table=table, changes=changes, model=model, **written(table))


def settle(database: psycopg.Connection[Any]) -> None:
    """What autovacuum does within minutes: statistics and visibility for what was just filled in."""
    database.execute("VACUUM ANALYZE")


def _run(database: psycopg.Connection[Any], statements: str, given: dict[str, Any]) -> None:
    with psycopg.ClientCursor(database) as cursor:  # several statements at once take no server-side parameters
        if statements:
            cursor.execute(statements.encode(), given)
