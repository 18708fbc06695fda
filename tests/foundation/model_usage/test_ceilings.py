"""Beyond its monthly ceiling an organisation is answered by the small model, then by the offline one, and told so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from prometheus_client import REGISTRY
from pytest_django import Settings

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest, TurnResult
from finclaw.ceiling_alerts import alert_ceilings
from foundation.accounts.models import Tenant, User
from foundation.alerts import ALERT_TOPIC
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.llm import configured_model
from foundation.llm.metered_model import CEILING_OFFLINE, CEILING_SMALL_MODEL
from foundation.llm.offline_model import MODEL_OFFLINE, OFFLINE_MODEL_ID
from foundation.model_usage.ceilings import ceiling_reader
from foundation.model_usage.models import ModelUsage
from foundation.outbox.models import OutboxMessage
from memory.models import Receipt
from tests.foundation.model_usage.test_usage import PROMPT
from tests.support.cast import PASSWORD, allow
from tests.support.model_server import ModelServer
from tests.support.organisation import employ
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db


def _spend(tenant: Tenant | None, cost: float, *, days_ago: int = 0) -> None:
    day = timezone.now().date() - timedelta(days=days_ago)
    with in_role(WORKER_ROLE):
        ModelUsage.objects.create(tenant=tenant, day=day, kind="answer", model_id="big", cost=Decimal(str(cost)))
    ceiling_reader.forget()


def _organisation(person: User, **stated: Any) -> Tenant:
    tenant = Tenant.objects.create(name=f"Employer of {person.username}", settings=stated)
    employ(tenant, person)
    return tenant


def _answered_by(tenant: Tenant | None) -> tuple[str, tuple[str, ...]]:
    reply = configured_model(tenant.pk if tenant else None).call(PROMPT, "big", kind="answer")
    return reply.model_id, reply.degraded


@pytest.mark.parametrize(
    ("cost", "answered_by", "degraded"),
    [
        (99, "big", ()),
        (100, "little", (CEILING_SMALL_MODEL,)),
        (119, "little", (CEILING_SMALL_MODEL,)),
        (120, OFFLINE_MODEL_ID, (CEILING_OFFLINE, MODEL_OFFLINE)),
    ],
)
def test_who_answers_by_what_was_spent(
    server: ModelServer, alice: User, cost: float, answered_by: str, degraded: tuple[str, ...]
) -> None:
    tenant = _organisation(alice, monthly_model_ceiling=100)
    _spend(tenant, cost)

    assert _answered_by(tenant) == (answered_by, degraded)


def test_an_organisations_spending_is_nobody_elses(server: ModelServer, alice: User, charlie: User) -> None:
    hers = _organisation(alice, monthly_model_ceiling=1)
    his = _organisation(charlie, monthly_model_ceiling=1)
    _spend(hers, 5)

    assert _answered_by(hers)[0] == OFFLINE_MODEL_ID
    assert _answered_by(his)[0] == "big"
    assert _answered_by(None)[0] == "big"


@pytest.mark.parametrize(
    ("stated", "answered_by"),
    [({}, "little"), ({"monthly_model_ceiling": None}, "big"), ({"monthly_model_ceiling": 50}, "big")],
)
def test_the_settings_ceiling_holds_where_an_organisation_states_none(
    server: ModelServer, settings: Settings, alice: User, stated: Mapping[str, Any], answered_by: str
) -> None:
    settings.MODEL_MONTHLY_CEILING = 10.0
    tenant = _organisation(alice, **stated)
    _spend(tenant, 10)

    assert _answered_by(tenant)[0] == answered_by


def test_people_without_an_organisation_share_the_settings_ceiling(server: ModelServer, settings: Settings) -> None:
    settings.MODEL_MONTHLY_CEILING = 10.0
    _spend(None, 11)

    assert _answered_by(None)[0] == "little"


def test_without_a_small_model_the_offline_one_answers_at_once(
    server: ModelServer, settings: Settings, alice: User
) -> None:
    settings.MODEL_SMALL = ""
    tenant = _organisation(alice, monthly_model_ceiling=100)
    _spend(tenant, 100)

    assert _answered_by(tenant) == (OFFLINE_MODEL_ID, (CEILING_OFFLINE, MODEL_OFFLINE))


def test_a_small_call_within_the_ceilings_second_part_is_as_ever(server: ModelServer, alice: User) -> None:
    tenant = _organisation(alice, monthly_model_ceiling=100)
    _spend(tenant, 110)

    reply = configured_model(tenant.pk).call(PROMPT, "little", kind="understanding")

    assert (reply.model_id, reply.degraded) == ("little", ())


def test_last_months_spending_is_over(server: ModelServer, alice: User) -> None:
    tenant = _organisation(alice, monthly_model_ceiling=1)
    _spend(tenant, 5, days_ago=timezone.now().day)

    assert _answered_by(tenant)[0] == "big"


def test_the_figures_are_read_once_a_minute_for_everybody(server: ModelServer, alice: User, charlie: User) -> None:
    tenants = [_organisation(alice, monthly_model_ceiling=1), _organisation(charlie, monthly_model_ceiling=1), None]
    _spend(None, 1)

    with CaptureQueriesContext(connection) as queries:
        for tenant in tenants * 3:
            configured_model(tenant.pk if tenant else None)

    assert len([query for query in queries if "model_usage_modelusage" in query["sql"]]) == 1


def _ask(person: User, text: str = "What moves the price of Nvidia?") -> TurnResult:
    session = open_session(person)
    return turn.reply(person, TurnRequest(session.pk, ({"type": "text", "text": text},)))


@pytest.mark.parametrize(
    ("cost", "code", "words"),
    [
        (100, CEILING_SMALL_MODEL, "Smaller model: this month’s budget is used up"),
        (120, CEILING_OFFLINE, "Simple answers: this month’s budget is used up"),
    ],
)
def test_a_person_reads_on_the_answer_and_on_the_receipt_why(
    client: Client, server: ModelServer, alice: User, cost: float, code: str, words: str
) -> None:
    allow(alice)
    _spend(_organisation(alice, monthly_model_ceiling=100), cost)
    alice.refresh_from_db()

    result = _ask(alice)

    assert code in result.degraded
    with acting_as(alice.pk):
        receipt = Receipt.objects.get(pk=result.receipt_id)
        assert code in receipt.degraded
    client.login(username=alice.username, password=PASSWORD)
    page = client.get(reverse("web:chat_session", args=[receipt.session_id])).content.decode()
    assert words in page


def test_operators_are_alerted_near_the_ceiling_and_at_it(
    server: ModelServer, settings: Settings, alice: User, bob: User, charlie: User
) -> None:
    settings.ALERT_WEBHOOK_URL = "http://127.0.0.1:9/alerts"
    shares = {alice: 79, bob: 80, charlie: 121}
    tenants = {person: _organisation(person, monthly_model_ceiling=100) for person in shares}
    for person, cost in shares.items():
        _spend(tenants[person], cost)

    assert alert_ceilings() == alert_ceilings() == 2

    with in_role(WORKER_ROLE):
        told = [message.payload for message in OutboxMessage.objects.filter(topic=ALERT_TOPIC)]
    assert {(one["tenant"], one["level"], one["stage"], one["percent"]) for one in told} == {
        (str(tenants[bob].pk), "ticket", "warned", "80"), (str(tenants[charlie].pk), "page", "offline", "121"),
    }  # fmt: skip
    assert len(told) == 2  # once a day
    assert REGISTRY.get_sample_value("model_ceilings_reached", {"stage": "offline"}) == 1


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        ({"MODEL_PRICES": {"big": {"input": 2}}}, "model_usage.E001"),
        ({"MODEL_PRICES": {"big": {"input": 2, "output": -1}}}, "model_usage.E001"),
        ({"MODEL_PRICES": {"big": 2}}, "model_usage.E001"),
        ({"MODEL_PRICES": {"big": {"input": 2, "output": "8"}}, "MODEL_MONTHLY_CEILING": 5.0}, "model_usage.W001"),
        ({"MODEL_PRICES": {"big": {"input": 2, "output": 8}}}, None),
        ({"MODEL_LARGE": "b" * 121}, "model_usage.E002"),
        ({"MODEL_SMALL": "b" * 121}, "model_usage.E002"),
        ({"MODEL_LARGE": "b" * 120}, None),
    ],
)
def test_prices_and_models_are_checked_at_the_start(
    server: ModelServer, settings: Settings, stated: Mapping[str, Any], problem: str | None
) -> None:
    for name, value in stated.items():
        setattr(settings, name, value)

    found = {message.id for message in run_checks() if str(message.id).startswith("model_usage.")}

    assert found == ({problem} if problem else set())
