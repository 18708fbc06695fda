"""The release before writes entries beside this one, and knows nothing of what is new in them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from psycopg import sql

from foundation.accounts.models import Tenant
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.models import KnowledgeEntry
from tests.support.organisation import know

NEW = {"roles", "platforms", "external_id", "graph_node_id", "vector", "model_id"}


@pytest.mark.parametrize(
    ("model", "made"), [(KnowledgeEntry, {"id": sql.SQL("gen_random_uuid()")}), (KnowledgeEntry.history.model, {})]
)
def test_a_row_is_written_without_its_new_columns(tenant: Tenant, model: Any, made: dict[str, sql.Composable]) -> None:
    know(tenant, "We open at nine.", roles=["viewer"], platforms=["web"], external_id="hours")
    columns = [field.column for field in model._meta.concrete_fields if field.name not in NEW | {"history_id"}]
    copy = sql.SQL("INSERT INTO {table} ({columns}) SELECT {values} FROM {table}").format(
        table=sql.Identifier(model._meta.db_table),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
        values=sql.SQL(", ").join(made.get(column, sql.Identifier(column)) for column in columns),
    )
    with in_role(OPERATOR_ROLE), connection.cursor() as cursor:
        cursor.execute(copy)
        written = sorted((row.roles, row.platforms, row.external_id) for row in model.objects.all())
    assert written == [([], [], ""), (["viewer"], ["web"], "hours")]
