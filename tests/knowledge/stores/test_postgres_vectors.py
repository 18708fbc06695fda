"""The contract of vector stores, kept by PostgreSQL; and its own failures."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.models import FloatField, Func
from django.utils import timezone
from pytest_django import Settings

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.database.policies import ME
from knowledge.exceptions import KnowledgeVectorsTimedOut, KnowledgeVectorsUnavailable
from knowledge.member_access import org_of
from knowledge.stores import postgres_vectors
from knowledge.stores.postgres_vectors import PostgresVectorStore
from knowledge.types import VectorFilter
from tests.knowledge.stores.vector_contract import *  # noqa: F403
from tests.knowledge.stores.vector_contract import Indexed, ids, search, vector_of
from tests.support.organisation import know


@pytest.fixture
def store() -> PostgresVectorStore:
    return PostgresVectorStore()


@pytest.fixture
def indexed() -> Indexed:
    return lambda: None


def test_row_level_security_holds_where_the_filter_names_another_organisation(
    alice: User, charlie: User, tenant: Tenant, other_tenant: Tenant, store: PostgresVectorStore
) -> None:
    know(other_tenant, "Refunds take nine days.")
    assert ids(search(store, alice, "refund", org=org_of(charlie))) == []


@pytest.mark.parametrize(
    ("sql", "raised"),
    [("(SELECT 1.0 FROM pg_sleep(5))", KnowledgeVectorsTimedOut), ("(1 / 0)", KnowledgeVectorsUnavailable)],
)
def test_a_failure_has_its_name_and_leaves_the_transaction_usable(
    alice: User, tenant: Tenant, store: PostgresVectorStore, settings: Settings, monkeypatch: pytest.MonkeyPatch,
    sql: str, raised: type[Exception],
) -> None:  # fmt: skip
    know(tenant, "Refunds take five days.")
    settings.KNOWLEDGE_VECTOR_TIMEOUT_MS = 20
    expression: Func = Func(template=sql, output_field=FloatField())
    monkeypatch.setattr(postgres_vectors, "_cosine", lambda query: expression)
    org = org_of(alice)
    assert org is not None
    with acting_as(alice.pk):
        with pytest.raises(raised):
            store.search(vector_of("refund"), VectorFilter(org, timezone.now()), 5)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {ME} = %s", [alice.pk])
            assert cursor.fetchone() == (True,)
