"""Organisations, accounts, service tokens and managed accounts are provisioned over the API and by command, audited."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from consent.erasure.services import erasures_of
from consent.models import AuditEvent, ConsentEvidence
from finclaw import operator_sign_in
from foundation.accounts.models import ApiToken, ServiceToken, Tenant, User
from foundation.accounts.services import recover_account
from foundation.database.acting_user import acting_as
from tests.support.api import MISSING, code_of, post
from tests.support.cast import PASSWORD
from tests.support.service import AGREED, EVIDENCE, program_with, provisioning_token, served, tenant_with_token

CONSENT = {"memory_learning_allowed": True, "evidence": EVIDENCE}


@pytest.fixture
def acme(db: None) -> tuple[ServiceToken, str]:
    return tenant_with_token("Acme")


@pytest.fixture
def application(acme: tuple[ServiceToken, str]) -> APIClient:
    return program_with(acme[1])


@pytest.fixture
def integrator(db: None) -> APIClient:
    return program_with(provisioning_token()[1])


def _actions(about: Any) -> list[str]:
    with acting_as(about):
        return list(AuditEvent.objects.order_by("at").values_list("action", flat=True))


def test_an_organisations_token_provisions_no_organisation(
    application: APIClient, acme: tuple[ServiceToken, str]
) -> None:
    other, _ = tenant_with_token("Globex")
    tenant = str(other.tenant_id)
    asked = [
        application.get("/api/provisioning/tenants"),
        post(application, "/api/provisioning/tenants", {"name": "Initech"}),
        post(application, "/api/provisioning/accounts", {"username": "ann", "tenant_id": tenant}),
        post(application, "/api/provisioning/service-tokens", {"tenant_id": tenant, "name": "mine"}),
        post(application, "/api/provisioning/service-tokens", {"tenant_id": str(acme[0].tenant_id), "name": "mine"}),
        post(application, "/api/provisioning/service-tokens", {"tenant_id": MISSING, "name": "mine"}),
    ]
    assert {(answer.status_code, code_of(answer)) for answer in asked} == {(403, "permission_denied")}
    assert application.delete(f"/api/provisioning/service-tokens/{other.pk}").status_code == 404
    assert [one["name"] for one in application.get("/api/provisioning/service-tokens").json()["results"]] == [
        "application"
    ]
    seen = application.get(f"/api/provisioning/service-tokens?tenant_id={tenant}").json()["results"]
    assert {one["tenant_id"] for one in seen} == {str(acme[0].tenant_id)}


def test_a_token_that_provisions_reaches_nobody(integrator: APIClient, acme: tuple[ServiceToken, str]) -> None:
    served(acme[0], "ann")
    for path in ("memories", "provisioning/users", "provisioning/users/ann", "users/ann/context"):
        answer = integrator.get(f"/api/{path}", headers={"X-FinClaw-User": "ann"})
        assert (answer.status_code, code_of(answer)) == (403, "permission_denied"), path
    assert integrator.put("/api/provisioning/users/ann/consent", CONSENT).status_code == 403


def test_a_token_provisions_for_the_organisations_it_added_alone(
    integrator: APIClient, acme: tuple[ServiceToken, str]
) -> None:
    """Another integrator's organisation and an operator's are as absent as one that does not exist."""
    rivals, plain = provisioning_token()
    rival = program_with(plain)
    globex = post(rival, "/api/provisioning/tenants", {"name": "Globex"}).json()["tenant_id"]
    theirs = post(rival, "/api/provisioning/service-tokens", {"tenant_id": globex, "name": "theirs"}).json()["id"]
    for tenant in (str(acme[0].tenant_id), globex, MISSING):
        asked = [
            post(integrator, "/api/provisioning/service-tokens", {"tenant_id": tenant, "name": "mine"}),
            post(integrator, "/api/provisioning/accounts", {"username": "eve", "tenant_id": tenant, "role": "owner"}),
            integrator.get(f"/api/provisioning/service-tokens?tenant_id={tenant}"),
        ]
        assert {(answer.status_code, code_of(answer)) for answer in asked} == {(404, "not_found")}, tenant
    for token in (acme[0].pk, theirs, rivals.pk):
        assert integrator.delete(f"/api/provisioning/service-tokens/{token}").status_code == 404
    assert integrator.get("/api/provisioning/tenants").json()["results"] == []
    assert len(integrator.get("/api/provisioning/service-tokens").json()["results"]) == 1
    assert [one["name"] for one in rival.get("/api/provisioning/tenants").json()["results"]] == ["Globex"]
    assert not User.objects.filter(username="eve").exists()
    assert not ServiceToken.objects.filter(name="mine").exists()


def test_a_person_provisions_nothing(as_alice: APIClient) -> None:
    for path in ("tenants", "users", "service-tokens"):
        answer = as_alice.get(f"/api/provisioning/{path}")
        assert (answer.status_code, code_of(answer)) == (401, "not_authenticated")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"evidence": {"agreed_at": EVIDENCE["agreed_at"]}}, "evidence"),
        ({"evidence": {"reference": "sign-up/3"}}, "evidence"),
        ({"evidence": None}, "evidence"),
        ({"evidence": {**EVIDENCE, "agreed_at": (timezone.now() + timedelta(days=2)).isoformat()}}, "evidence"),
        ({"everything": True}, "everything"),
    ],
)
def test_a_consent_without_evidence_is_none(application: APIClient, change: dict[str, Any], field: str) -> None:
    answer = application.put("/api/provisioning/users/ann/consent", CONSENT | change)
    assert (answer.status_code, list(answer.json()["details"])) == (400, [field])
    assert not User.objects.filter(external_id="ann").exists()


@pytest.mark.parametrize("name", ["a b", "x" * 121, "", "me", "a/b", "zero\u200bwidth"])
def test_ids_that_cannot_be_named_are_refused(application: APIClient, name: str) -> None:
    answer = post(application, "/api/provisioning/users", {"user_id": name})
    assert (answer.status_code, list(answer.json()["details"])) == (400, ["user_id"])


def test_a_person_is_added_once_and_consents_with_evidence(
    application: APIClient, acme: tuple[ServiceToken, str]
) -> None:
    asked = {"user_id": "ann@acme.example", "display_name": "Ann", "time_zone": "Europe/Berlin"}
    first, again = (post(application, "/api/provisioning/users", asked) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert first.json()["user_id"] == "ann@acme.example"
    recorded = application.put("/api/provisioning/users/ann@acme.example/consent", CONSENT)
    assert recorded.status_code == 200
    body = recorded.json()
    assert (body["consent"]["memory_learning_allowed"], body["consent"]["save_to_profile"]) == (True, False)
    assert (body["consent"]["source"], body["evidence"]["reference"]) == ("tenant", "sign-up/3")
    assert application.get("/api/provisioning/users/ann@acme.example/consent").json() == body
    user = User.objects.get(external_id="ann@acme.example")
    assert (user.tenant_id, user.time_zone, user.has_usable_password()) == (acme[0].tenant_id, "Europe/Berlin", False)
    with acting_as(user.pk):
        evidence = ConsentEvidence.objects.get()
    assert (evidence.agreed_at, evidence.recorded_by, evidence.consent_version) == (AGREED, acme[0].pk, 1)
    assert [one["id"] for one in application.get("/api/provisioning/users").json()["results"]] == [str(user.pk)]


def test_a_withdrawn_consent_is_not_reopened_by_evidence_from_before(application: APIClient) -> None:
    address = "/api/provisioning/users/ann/consent"
    both = {**CONSENT, "save_to_profile": True}
    assert application.put(address, both).status_code == 200
    assert application.put(address, CONSENT).status_code == 200  # withdraws the one scope
    narrowed = application.get(address).json()
    refused = application.put(address, both)
    assert (refused.status_code, list(refused.json()["details"])) == (400, ["evidence"])
    assert application.put(address, CONSENT).status_code == 200  # of what was never withdrawn it still tells
    assert application.get(address).json()["consent"]["version"] == narrowed["consent"]["version"]
    assert application.delete(address).status_code == 200
    for asked in (CONSENT, {"save_to_thread": True, "evidence": EVIDENCE}):
        refused = application.put(address, asked)
        assert (refused.status_code, list(refused.json()["details"])) == (400, ["evidence"])
    assert application.get(address).json()["consent"]["revoked_at"] is not None
    anew = {**both, "evidence": {"agreed_at": timezone.now().isoformat(), "reference": "sign-up/4"}}
    assert application.put(address, anew).json()["consent"]["save_to_profile"] is True


def test_a_person_is_erased_with_a_certificate(application: APIClient, acme: tuple[ServiceToken, str]) -> None:
    ann = served(acme[0], "ann")
    receipt = application.delete("/api/provisioning/users/ann")
    assert (receipt.status_code, set(receipt.json()) >= {"receipt_id", "certificate_url"}) == (202, True)
    with acting_as(ann.pk):
        assert erasures_of(ann.pk).count() == 1
    assert application.get("/api/provisioning/users/ann").status_code == 404
    assert _actions(ann.pk)[-1] == "service.account_erased"
    again = application.put("/api/provisioning/users/ann/consent", CONSENT)
    assert (again.status_code, code_of(again)) == (403, "permission_denied")


def test_an_integrator_sets_an_organisation_up(integrator: APIClient) -> None:
    made = post(integrator, "/api/provisioning/tenants", {"name": "Acme"})
    assert made.status_code == 201
    tenant = made.json()["tenant_id"]
    assert post(integrator, "/api/provisioning/tenants", {"name": "Acme"}).status_code == 400
    issued = post(integrator, "/api/provisioning/service-tokens", {"tenant_id": tenant, "name": "Assistant"}).json()
    token = ServiceToken.objects.get(pk=issued["id"])
    assert issued["token"] not in (token.digest, token.token_key)
    application = program_with(issued["token"])
    assert application.put("/api/provisioning/users/ann/consent", CONSENT).status_code == 200
    listed = integrator.get(f"/api/provisioning/service-tokens?tenant_id={tenant}").json()["results"]
    assert [(one["name"], one["last_used_at"] is not None) for one in listed] == [("Assistant", True)]
    assert "token" not in listed[0]
    assert integrator.delete(f"/api/provisioning/service-tokens/{issued['id']}").status_code == 204
    assert code_of(application.get("/api/provisioning/users")) == "token_revoked"
    provisioner = ServiceToken.objects.get(tenant=None)
    assert _actions(provisioner.pk) == ["tenant.added", "service_token.issued", "service_token.revoked"]


def test_an_account_is_opened_by_its_recovery_code(integrator: APIClient) -> None:
    post(integrator, "/api/provisioning/tenants", {"name": "Acme"})
    tenant = Tenant.objects.get()
    asked = {"username": "dora", "tenant_id": str(tenant.pk), "role": "viewer"}
    made = post(integrator, "/api/provisioning/accounts", asked)
    assert made.status_code == 201
    dora = User.objects.get(username="dora")
    assert (dora.tenant, dora.role, dora.has_usable_password()) == (tenant, "viewer", False)
    assert recover_account("dora", made.json()["recovery_codes"][0], PASSWORD).check_password(PASSWORD)
    assert _actions(dora.pk) == ["account.provisioned"]
    for taken in ("dora", "admin"):
        assert post(integrator, "/api/provisioning/accounts", {"username": taken}).status_code == 400
    assert not ApiToken.objects.exists()


def _run(monkeypatch: pytest.MonkeyPatch, settings: Settings, *arguments: str) -> str:
    settings.OPERATOR_SECOND_FACTOR = False
    monkeypatch.setattr(operator_sign_in, "getpass", lambda prompt: PASSWORD)
    out = StringIO()
    call_command("provision", *arguments, stdout=out)
    return out.getvalue()


def test_only_superusers_provision_by_command(db: None, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    User.objects.create_user("oscar", PASSWORD, is_staff=True)
    for asked in (["tenant", "Acme"], ["token", "root"], ["account", "dora"], ["revoke", MISSING]):
        with pytest.raises(CommandError, match="may not"):
            _run(monkeypatch, settings, *asked, "--operator", "oscar")
    assert not Tenant.objects.exists()
    assert not ServiceToken.objects.exists()


def test_the_command_provisions_lists_and_revokes(
    db: None, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    olivia = User.objects.create_superuser("olivia", PASSWORD)
    mine = ("--operator", "olivia")
    _run(monkeypatch, settings, "tenant", "Acme", *mine)
    plain = _run(monkeypatch, settings, "token", "Assistant", "--tenant", "Acme", *mine).split()[-1]
    assert program_with(plain).get("/api/provisioning/users").status_code == 200
    assert "Assistant" in _run(monkeypatch, settings, "tokens", "--tenant", "Acme")
    assert len(_run(monkeypatch, settings, "account", "dora", "--tenant", "Acme", *mine).splitlines()) == 9
    _run(monkeypatch, settings, "revoke", str(ServiceToken.objects.get().pk), *mine)
    assert program_with(plain).get("/api/provisioning/users").status_code == 401
    assert _run(monkeypatch, settings, "tokens", "--tenant", "Acme") == ""
    assert _actions(olivia.pk) == ["tenant.added", "service_token.issued", "service_token.revoked"]
