"""What language models are used for and cost, on Today and on a page of its own."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any, get_args

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from finclaw.console.model_costs import KIND_NAMES
from foundation.accounts.models import Tenant
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.llm import CallKind
from foundation.model_usage.durations import BOUNDS
from foundation.model_usage.models import ModelUsage
from tests.console.test_roles import make_operator
from tests.support.operators import sign_in_operator

TODAY, PAGE = reverse("admin:index"), reverse("admin:model_costs")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("with_a_model")]
_HALF_A_SECOND = [0, 0, 0, 10, *[0] * (len(BOUNDS) - 3)]


def use_models(tenant: Tenant | None = None, *, days_ago: int = 0, **fields: Any) -> None:
    """Calls of a model that were counted on a day."""
    day = timezone.now().date() - timedelta(days=days_ago)
    shown: dict[str, Any] = {"kind": "answer", "model_id": "large", "calls": 10, "input_tokens": 4_000}
    with in_role(WORKER_ROLE):
        ModelUsage.objects.create(tenant=tenant, day=day, **shown | fields)


def _text(client: Client, address: str) -> str:
    return client.get(address).content.decode()


@pytest.mark.parametrize(("role", "status"), [("viewer", 200), ("operator", 200), ("privacy officer", 200), ("", 403)])
def test_every_role_reads_it(client: Client, role: str, status: int) -> None:
    assert sign_in_operator(client, make_operator(role)).get(PAGE).status_code == status


def test_today_shows_each_purpose_with_its_speed_tokens_and_cost(as_operator: Client) -> None:
    use_models(failures=1, cached_tokens=1_000, output_tokens=700, cost=Decimal("1.234"), first_token=_HALF_A_SECOND)
    use_models(kind="learning", model_id="small", calls=3, unpriced_calls=3)
    use_models(kind="research", days_ago=1, calls=77)

    page = _text(as_operator, TODAY)

    assert ">Answers</th>" in page
    for shown in (">10</td>", ">0.4 s</td>", ">0.49 s</td>", ">25 %</td>", ">700</td>", ">1.23 USD</td>"):
        assert shown in page
    assert ">no price known</td>" in page
    assert ">77</td>" not in page


def test_every_purpose_has_a_name() -> None:
    assert set(get_args(CallKind)) <= KIND_NAMES.keys()


def test_the_page_draws_the_cost_by_day(as_operator: Client) -> None:
    use_models(cost=Decimal("2.5"), days_ago=3)
    use_models(cost=Decimal("0.5"), days_ago=3, model_id="small", unpriced_calls=2)

    page = _text(as_operator, PAGE)

    assert "Cost by day (UTC)" in page
    assert "cost: 3 USD" in page
    assert "0.50 USD, and 2 calls without a known price" in page


def test_without_any_price_it_draws_tokens(as_operator: Client) -> None:
    use_models(unpriced_calls=10)

    page = _text(as_operator, PAGE)

    assert "Tokens by day (UTC)" in page
    assert "no price known" in page


def test_one_organisation_is_shown_without_the_others(as_operator: Client) -> None:
    harbour, meadow = (Tenant.objects.create(name=name) for name in ("Harbour", "Meadow"))
    use_models(harbour, calls=41, cost=Decimal(4))
    use_models(meadow, calls=59, cost=Decimal(5))

    page = _text(as_operator, f"{PAGE}?tenant={harbour.pk}")

    assert ">41</td>" in page
    assert ">59</td>" not in page
    assert "5.00 USD" not in page
    assert ">100</td>" in _text(as_operator, PAGE)


@pytest.mark.parametrize(
    ("cost", "line"),
    [
        (80, "Harbour: 80 % of the month’s ceiling for language models is used up (80.00 USD of 100.00 USD);"
             " the configured models answer"),
        (100, "the small model answers"),
        (150, "the offline model answers"),
    ],
)  # fmt: skip
def test_today_names_a_ceiling_that_is_nearly_or_wholly_used_up(
    as_operator: Client, settings: Settings, cost: int, line: str
) -> None:
    settings.MODEL_SMALL = "small"
    assert "Nothing needs you right now." in _text(as_operator, TODAY)
    use_models(Tenant.objects.create(name="Harbour", settings={"monthly_model_ceiling": 100}), cost=Decimal(cost))

    page = _text(as_operator, TODAY)

    assert line in page
    assert "Nothing needs you right now." not in page


@pytest.mark.parametrize("ceiling", ["-1", '"much"', "true"])
def test_a_ceiling_that_is_none_is_refused(as_operator: Client, ceiling: str) -> None:
    tenant = Tenant.objects.create(name="Harbour")
    given = {"name": "Harbour", "org_tier": tenant.org_tier, "settings": f'{{"monthly_model_ceiling": {ceiling}}}'}

    page = as_operator.post(reverse("admin:accounts_tenant_change", args=[tenant.pk]), given).content.decode()

    assert "monthly_model_ceiling" in page
    tenant.refresh_from_db()
    assert tenant.settings == {}
