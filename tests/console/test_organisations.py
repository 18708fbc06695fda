"""Figures by organisation: those of too few people are not shown, nor can they be told from the others'."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from drift.digest import TenantDrift
from drift.models import DriftSignal
from foundation.accounts.group_sizes import FEWEST_PEOPLE, tenants_with_figures
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.ids import new_id
from tests.memory.quality.history import NOW, item

PAGE, QUALITY = reverse("admin:organisations"), reverse("admin:quality")


@pytest.fixture(autouse=True)
def _clock() -> object:
    with time_machine.travel(NOW, tick=False):
        yield


def _people(count: int, tenant: Tenant | None = None) -> list[User]:
    name = tenant.name if tenant else "nobody's"
    return [User.objects.create(username=f"{name} {number}", tenant=tenant) for number in range(count)]


def _organisation(name: str, people: int) -> tuple[Tenant, list[User]]:
    tenant = Tenant.objects.create(name=name)
    return tenant, _people(people, tenant)


def _change_mind(person: User) -> None:
    with time_machine.travel(NOW - timedelta(days=1), tick=False), acting_as(person.pk):
        DriftSignal.objects.create(
            user=person,
            drift_id=f"drift_{new_id()}",
            object_ref="snapshot:1",
            signal_kind=DriftSignal.Kind.FEEDBACK_CONFLICT,
            prior_signal={},
            current_signal={},
            delta_summary="",
            triggers_alert=True,
            consent_version=1,
        )


def test_somebody_who_is_not_staff_is_asked_to_sign_in(client: Client, alice: User) -> None:
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(PAGE).status_code == 302


def test_an_organisation_of_too_few_is_left_out_and_cannot_be_chosen(as_operator: Client) -> None:
    _people(FEWEST_PEOPLE)
    large, colleagues = _organisation("Krugerrand", FEWEST_PEOPLE)
    small, _ = _organisation("Sovereign", FEWEST_PEOPLE - 1)
    for person in colleagues:
        item(person)

    page = as_operator.get(PAGE)
    [row] = page.context["organisations"].rows
    assert (row.tenant, row.figures[0].samples, page.context["organisations"].hidden) == (large, "0 of 5", 1)
    shown = page.content.decode()
    assert "Sovereign" not in shown
    assert "1 organisation is left out." in shown
    assert as_operator.get(QUALITY, {"tenant": str(small.pk)}).context["quality"].tenant is None


def test_who_is_left_out_cannot_be_told_by_subtraction(db: None) -> None:
    large, _ = _organisation("Krugerrand", FEWEST_PEOPLE + 1)
    larger, _ = _organisation("Napoleon", FEWEST_PEOPLE + 2)
    with in_role(OPERATOR_ROLE):
        assert tenants_with_figures() == {large.pk, larger.pk}
    _people(1)
    with in_role(OPERATOR_ROLE):
        assert tenants_with_figures() == {larger.pk}


def test_changes_of_mind_are_counted_where_enough_people_changed_theirs(as_operator: Client) -> None:
    _people(FEWEST_PEOPLE)
    _, many = _organisation("Krugerrand", FEWEST_PEOPLE)
    _, few = _organisation("Napoleon", FEWEST_PEOPLE)
    _organisation("Sovereign", FEWEST_PEOPLE)
    for person in (*many, many[0], few[0]):
        _change_mind(person)

    rows = {row.tenant.name: row.drift for row in as_operator.get(PAGE).context["organisations"].rows}
    assert rows == {
        "Krugerrand": TenantDrift(FEWEST_PEOPLE + 1, FEWEST_PEOPLE), "Napoleon": None, "Sovereign": TenantDrift(0, 0)
    }  # fmt: skip
