"""The stores behind a question share its time, and what always holds is told whatever they took of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from knowledge.exceptions import KnowledgeGraphTimedOut, KnowledgeGraphUnavailable, KnowledgeTimedOut
from knowledge.member_access import org_of
from knowledge.question_time import limited_question, milliseconds_left
from knowledge.stores.postgres import PostgresStore
from knowledge.stores.statement_limits import limited_statements
from knowledge.types import Capability, GraphResult, KnowledgeQuestion, Org
from tests.support.organisation import know


class GraphInAThread:
    """A graph that nobody may ask."""

    name = "unasked"

    def query(self, cypher: str, params: Mapping[str, Any], org_context: Org) -> GraphResult:
        raise AssertionError

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"graph"})


class GraphInTheTransaction(GraphInAThread):
    """Another, asked in the caller's transaction."""

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"graph", "own_transaction"})


def test_a_store_gets_its_own_limit_or_what_is_left_where_that_is_less() -> None:
    with limited_question(60_000):
        assert milliseconds_left(10) == 10
        assert milliseconds_left(60_000) <= 48_000, "some of it is kept for reading what was found"
        with limited_question(0):
            assert milliseconds_left(10) == 0
    assert milliseconds_left(60_000) == 60_000


@pytest.mark.django_db
@pytest.mark.parametrize("graph", [GraphInAThread, GraphInTheTransaction])
def test_a_store_for_which_no_time_is_left_is_not_asked_and_rules_are_told(
    alice: User, tenant: Tenant, settings: Settings, graph: type
) -> None:
    settings.KNOWLEDGE_GRAPH = f"{__name__}.{graph.__name__}"
    know(tenant, "Never promise a return.", kind="rule")
    org = org_of(alice)
    assert org is not None
    with acting_as(alice.pk), limited_question(0):
        known = PostgresStore().search(KnowledgeQuestion("Is there a return?"), org)

    assert [snippet.text for snippet in known.snippets] == ["Never promise a return."]
    assert known.degraded == ("knowledge_graph_timeout",)


@pytest.mark.django_db
def test_the_little_time_of_one_store_is_not_that_of_the_next() -> None:
    with connection.cursor() as cursor, limited_statements(40_000, KnowledgeTimedOut, KnowledgeTimedOut):
        with limited_statements(0, KnowledgeGraphTimedOut, KnowledgeGraphUnavailable):
            cursor.execute("SHOW statement_timeout")
            assert cursor.fetchone() == ("1ms",)
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("40s",)
