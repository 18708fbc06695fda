"""What a store answers: rules and tone always, facts by their words, in Chinese and English."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.configuration import configured_store
from knowledge.exceptions import KnowledgeTimedOut, KnowledgeUnavailable
from knowledge.member_access import org_of
from knowledge.models import KnowledgeEntry
from knowledge.services import retire_entry, save_entry
from knowledge.stores.postgres import MOST_RULES_AND_TONES, PostgresStore
from knowledge.types import KnowledgeBundle, KnowledgeQuestion
from tests.support.organisation import know


@pytest.fixture
def store() -> PostgresStore:
    return PostgresStore()


def _search(store: PostgresStore, user: User, query: str) -> KnowledgeBundle:
    org = org_of(user)
    assert org is not None
    with acting_as(user.pk):
        return store.search(KnowledgeQuestion(query), org)


def _texts(store: PostgresStore, user: User, query: str) -> list[str]:
    return [snippet.text for snippet in _search(store, user, query).snippets]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The house view on 600519.SH is neutral.", "What do we think of 600519.SH?"),
        ("贵州茅台的目标价由研究部每季更新。", "茅台的目标价是多少?"),
        ("Refunds take five working days.", "how long does a refund take"),
    ],
)
def test_a_fact_is_found_by_its_words(alice: User, tenant: Tenant, store: PostgresStore, text: str, query: str) -> None:
    know(tenant, text)
    know(tenant, "The canteen serves noodles. 食堂供应面条。")

    assert _texts(store, alice, query) == [text]


def test_rules_and_tone_hold_whatever_is_asked_and_come_first(
    alice: User, tenant: Tenant, store: PostgresStore
) -> None:
    know(tenant, "Refunds take five days.", kind="fact")
    know(tenant, "Speak plainly.", kind="tone")
    know(tenant, "Never promise a return.", kind="rule")

    assert _texts(store, alice, "天气") == ["Never promise a return.", "Speak plainly."]
    assert _texts(store, alice, "refunds")[-1] == "Refunds take five days."


def test_many_newer_tones_take_no_rules_place(alice: User, tenant: Tenant, store: PostgresStore) -> None:
    know(tenant, "Never promise a return.", kind="rule")
    know(tenant, "Never name a colleague.", kind="rule")
    for number in range(MOST_RULES_AND_TONES):
        know(tenant, f"Tone {number}.", kind="tone")

    texts = _texts(store, alice, "天气")
    assert len(texts) == MOST_RULES_AND_TONES
    assert texts[:3] == ["Never name a colleague.", "Never promise a return.", f"Tone {MOST_RULES_AND_TONES - 1}."]
    assert "Tone 0." not in texts


def test_the_fact_that_shares_more_words_comes_first(alice: User, tenant: Tenant, store: PostgresStore) -> None:
    know(tenant, "Refunds are handled by the desk.")
    know(tenant, "Refunds for online orders take five days.")

    assert _texts(store, alice, "refunds for online orders")[0] == "Refunds for online orders take five days."


def test_a_tier_hears_what_is_meant_for_it(alice: User, tenant: Tenant, store: PostgresStore) -> None:
    know(tenant, "Stores close at eight.", org_tiers=["franchise_store"], kind="rule")
    know(tenant, "Headquarters close at six.", org_tiers=["brand_hq"], kind="rule")

    assert _texts(store, alice, "close") == ["Stores close at eight."]


def test_what_is_not_valid_now_is_not_answered(alice: User, tenant: Tenant, store: PostgresStore) -> None:
    now = timezone.now()
    know(tenant, "Old rule.", kind="rule", valid_from=now - timedelta(days=2), valid_to=now - timedelta(days=1))
    know(tenant, "Coming rule.", kind="rule", valid_from=now + timedelta(days=1))
    know(tenant, "Rule of today.", kind="rule")

    assert _texts(store, alice, "rule") == ["Rule of today."]


def test_any_change_bumps_the_cache_version_and_is_answered_at_once(
    alice: User, tenant: Tenant, store: PostgresStore
) -> None:
    entry = know(tenant, "Refunds take five days.", kind="rule")
    first = _search(store, alice, "refund")
    with in_role(OPERATOR_ROLE):
        entry.text = "Refunds take two days."
        save_entry(entry)
    second = _search(store, alice, "refund")
    with in_role(OPERATOR_ROLE):
        retire_entry(entry)
    third = _search(store, alice, "refund")

    assert [one.text for one in second.snippets] == ["Refunds take two days."]
    assert third.snippets == ()
    assert len({first.cache_version, second.cache_version, third.cache_version}) == 3
    assert second.snippets[0].version == 2


def test_the_same_question_is_answered_from_the_cache(alice: User, tenant: Tenant, store: PostgresStore) -> None:
    know(tenant, "Refunds take five days.")
    asked = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as questions:
            assert _texts(store, alice, "refund") == ["Refunds take five days."]
        asked.append(sum('"knowledge_knowledgeentry"' in one["sql"] for one in questions))

    assert asked == [3, 1]  # standing, facts and the version; then the version alone


def test_the_first_entry_of_an_organisation_is_found_at_once(alice: User, tenant: Tenant, store: PostgresStore) -> None:
    assert _search(store, alice, "refund") == KnowledgeBundle()
    know(tenant, "Refunds take five days.")

    assert _texts(store, alice, "refund") == ["Refunds take five days."]


def test_a_statement_that_takes_too_long_times_out_and_leaves_the_transaction_usable(
    alice: User, tenant: Tenant, store: PostgresStore, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.KNOWLEDGE_TIMEOUT_MS = 20
    monkeypatch.setattr("knowledge.stores.postgres.cache_version", lambda org: _run("SELECT pg_sleep(5)"))
    with acting_as(alice.pk):
        org = org_of(alice)
        assert org is not None
        with pytest.raises(KnowledgeTimedOut):
            store.search(KnowledgeQuestion("refund"), org)
        assert _run("SELECT 1")


def test_a_store_that_fails_says_so(
    alice: User, tenant: Tenant, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.stores.postgres.cache_version", lambda org: _run("SELECT 1/0"))
    with pytest.raises(KnowledgeUnavailable):
        _search(store, alice, "refund")


def _run(statement: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return str(cursor.fetchone())


def test_the_store_is_chosen_by_a_setting(settings: Settings) -> None:
    assert isinstance(configured_store(), PostgresStore)
    settings.KNOWLEDGE_STORE = "knowledge.stores.empty_store.EmptyStore"
    assert configured_store().capabilities() == frozenset()


def test_an_entry_keeps_every_version_of_its_words(alice: User, tenant: Tenant) -> None:
    entry = know(tenant, "Refunds take five days.")
    with in_role(OPERATOR_ROLE):
        entry.text = "Refunds take two days."
        save_entry(entry)
        versions = list(entry.history.order_by("version").values_list("version", "text"))

    assert versions == [(1, "Refunds take five days."), (2, "Refunds take two days.")]
    assert KnowledgeEntry.history.model is not KnowledgeEntry
