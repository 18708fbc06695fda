"""What an organisation sets for itself is understood before it is stored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import Tenant, User

ADD = reverse("admin:accounts_tenant_add")


def add(browser: Client, settings: Any) -> int:
    """Fill in the form; the status of the answer."""
    form = {"name": "North desk", "org_tier": "brand_hq", "settings": json.dumps(settings)}
    return int(browser.post(ADD, form).status_code)


def test_nobody_but_an_operator_adds_one(client: Client, alice: User) -> None:
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert add(client, {}) == 302  # to the sign-in
    assert not Tenant.objects.filter(name="North desk").exists()


@pytest.mark.parametrize(
    "settings",
    [
        [],
        "pipl",
        {"legal_profil": "gdpr"},
        {"legal_profile": "nobody"},
        {"legal_profile": 5},
        {"governance": {"staleness_rate": 2}},
        {"governance": {"stalenes_rate": 0.2}},
        {"governance": "strict"},
    ],
)
def test_what_nothing_could_use_is_refused(as_operator: Client, settings: Any) -> None:
    assert add(as_operator, settings) == 200
    assert not Tenant.objects.filter(name="North desk").exists()


def test_a_name_that_is_taken_leads_to_whose_it_is(as_operator: Client) -> None:
    """In the words of its owner, and harmless: a name is no markup."""
    north = Tenant.objects.create(name="<b>North</b> desk")
    page = as_operator.post(ADD, {"name": north.name, "org_tier": "brand_hq", "settings": "{}"})

    [refused] = page.context["adminform"].form.errors["name"]
    address = reverse("admin:accounts_tenant_change", args=[north.pk])
    assert f'<a href="{address}"' in refused
    assert refused in page.content.decode()
    assert "<b>North" not in page.content.decode()


def test_what_is_understood_is_stored(as_operator: Client) -> None:
    chosen = {"legal_profile": "gdpr", "governance": {"staleness_rate": 0.3}}
    assert add(as_operator, chosen) == 302
    assert Tenant.objects.get(name="North desk").settings == chosen
