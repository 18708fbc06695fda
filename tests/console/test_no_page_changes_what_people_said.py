"""Every address of the operators' site, posted to with every permission: no row of anybody's changes.

Governed actions are among what is posted, each without its confirmation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.contrib import admin
from django.db.models import Field
from django.test import Client
from psycopg import sql

from consent.declarations import declaration_of, personal_models
from consent.models import AuditEvent
from foundation.accounts.models import User
from tests.console.addresses import Rows, addresses, model_at
from tests.console.conftest import SECRET
from tests.support.operators import sign_in_operator

pytestmark = pytest.mark.django_db(transaction=True)


def _bodies(address: str, rows: Rows) -> Iterator[dict[str, Any]]:
    """A bare POST; one that sets every field and confirms; on a list each action over everything."""
    yield {}
    model = model_at(address)
    if model is None:
        return
    # The fields of an account are an operator's to change; nothing else of a person is.
    if model is not User:
        forged = {field.name: "forged" for field in model._meta.get_fields() if isinstance(field, Field)}
        yield forged | {"_save": "Save", "post": "yes"}
    if len(address.strip("/").split("/")) == 3:
        for action in ("delete_selected", *map(str, admin.site._registry[model].actions or ())):
            yield {"action": action, "_selected_action": rows[model], "select_across": "1", "index": "0"}


def _digests(connection: psycopg.Connection, operator: User) -> dict[str, tuple[int, str]]:
    """Of every table with somebody's rows: how many there are besides the operator's own, and a hash of them."""
    digest = sql.SQL(
        "SELECT {name}, count(*), md5(string_agg(t::text, '' ORDER BY t::text)) FROM {table} t"
        " WHERE {owner} IS DISTINCT FROM {operator}"
    )
    each = [
        digest.format(
            name=sql.Literal(one.model._meta.db_table),
            table=sql.Identifier(one.model._meta.db_table),
            owner=sql.Identifier(one.declaration.owner),
            operator=sql.Literal(operator.pk),
        )
        for one in personal_models()
        if one.model is not AuditEvent  # which tells what the operator did meanwhile
    ]
    return {name: (rows, hashed) for name, rows, hashed in connection.execute(sql.SQL(" UNION ALL ").join(each))}


def test_posting_to_every_address_changes_no_row_of_anybodys(
    as_operator: Client, operator: User, everything: Rows, superuser_connection: psycopg.Connection
) -> None:
    before = _digests(superuser_connection, operator)
    posted = set()

    for address in addresses(everything):
        for body in _bodies(address, everything):
            assert as_operator.post(address, body).status_code < 500, address
            posted.add(address)
        assert _digests(superuser_connection, operator) == before, address
        if address.endswith(("/logout/", "/login/")):
            sign_in_operator(as_operator, operator)

    assert len(posted) > 5 * len(admin.site._registry)


def test_the_walk_stands_on_something(
    everything: Rows, operator: User, superuser_connection: psycopg.Connection
) -> None:
    """There is a row behind every page of somebody's, and a changed word would show."""
    assert [model for model, keys in everything.items() if declaration_of(model) and not keys] == []
    before = _digests(superuser_connection, operator)

    changed = superuser_connection.execute(
        "UPDATE memory_memoryitem SET content = content || '.' WHERE content LIKE %s", [f"%{SECRET}%"]
    )

    assert changed.rowcount == 1
    assert {table for table, digest in _digests(superuser_connection, operator).items() if digest != before[table]} == {
        "memory_memoryitem"
    }
