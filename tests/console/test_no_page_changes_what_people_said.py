"""Every address of the operators' site, posted to with every permission: no row of anybody's changes.

Governed actions are among what is posted, each without its confirmation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib import admin
from django.db.models import Field, Model
from django.test import Client
from django.urls import URLResolver, get_resolver
from django.utils import timezone
from psycopg import sql
from pytest_django import Settings

from consent.declarations import declaration_of, personal_models
from consent.erasure import services
from consent.models import DataExport
from consent.permit import Permit
from foundation.accounts.models import User
from foundation.database.acting import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.models import OutboxMessage
from tests.console.conftest import SECRET
from tests.support.erasures import ask_to_forget

pytestmark = pytest.mark.django_db(transaction=True)
PLACES = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")
Rows = dict[type[Model], list[str]]


@pytest.fixture
def everything(
    alice: User,
    alices_rows: Permit,
    dead_letter: OutboxMessage,
    settings: Settings,
    tmp_path: Path,
) -> Rows:
    """Something of Alice's behind every page, with an erasure that could be sent on; the keys of up to two rows."""
    settings.ERASURE_JOURNAL = str(tmp_path / "journal.jsonl")
    tombstone = ask_to_forget(alice, timezone.now())
    services.escalate(tombstone.pk, alice.pk, reason="ResidueFound")
    with acting_as(alice.pk):
        DataExport.objects.create(user=alice, source="web")
    with in_role(OPERATOR_ROLE):
        return {model: [str(row.pk) for row in model._default_manager.all()[:2]] for model in admin.site._registry}


def _site() -> URLResolver:
    resolvers = [one for one in get_resolver().url_patterns if isinstance(one, URLResolver)]
    return next(one for one in resolvers if one.namespace == admin.site.name)


def _open_addresses(resolver: URLResolver, prefix: str = "/") -> Iterator[str]:
    """Every address below, with its places still open."""
    prefix += str(resolver.pattern)
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _open_addresses(pattern, prefix)
        else:
            yield prefix + str(pattern.pattern).removeprefix("^").removesuffix("$").removesuffix(r"\Z")


def _model_at(address: str) -> type[Model] | None:
    label = ".".join(address.strip("/").split("/")[1:3])
    return next((model for model in admin.site._registry if model._meta.label_lower == label), None)


def _addresses(rows: Rows) -> Iterator[str]:
    for address in _open_addresses(_site()):
        model = _model_at(address)
        for key in rows[model] if model and ("object_id" in address or "<id>" in address) else ["1"]:
            yield _filled(address, {"object_id": key, "id": key, "app_label": "consent", "url": "no/such/"})


def _filled(address: str, values: dict[str, str]) -> str:
    """Raises ``KeyError`` for a place nobody thought of."""
    return PLACES.sub(lambda place: values[place[1] or place[2]], address)


def _bodies(address: str, rows: Rows) -> Iterator[dict[str, Any]]:
    """A bare POST; one that sets every field and confirms; on a list each action over everything."""
    yield {}
    model = _model_at(address)
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
    ]
    return {name: (rows, hashed) for name, rows, hashed in connection.execute(sql.SQL(" UNION ALL ").join(each))}


def test_posting_to_every_address_changes_no_row_of_anybodys(
    as_operator: Client, operator: User, everything: Rows, superuser_connection: psycopg.Connection
) -> None:
    before = _digests(superuser_connection, operator)
    posted = set()

    for address in _addresses(everything):
        for body in _bodies(address, everything):
            assert as_operator.post(address, body).status_code < 500, address
            posted.add(address)
        assert _digests(superuser_connection, operator) == before, address
        if address.endswith(("/logout/", "/login/")):
            as_operator.force_login(operator, "django.contrib.auth.backends.ModelBackend")

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
