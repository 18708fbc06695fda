"""A service token reaches the consenting people of its own organisation, and nobody and nothing else."""

from __future__ import annotations

import pytest
from django.contrib.auth import authenticate
from django.db import IntegrityError, transaction
from django.test import Client
from rest_framework.test import APIClient

from consent.models import AuditEvent
from finclaw.api.service_access import OPEN, READABLE, RIGHTS
from finclaw.api.urls import urlpatterns
from finclaw.openai_api import urls as openai_urls
from foundation.accounts.models import ServiceToken, Tenant, User
from foundation.accounts.service_tokens import issue_service_token, revoke_service_token
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow
from tests.support.service import EVIDENCE, program_with, provisioning_token, served, tenant_with_token

FACT = {"text": "I prefer short answers.", "infer": False}
MISSED = (403, "profile_consent_required")


@pytest.fixture
def acme(db: None) -> tuple[ServiceToken, str]:
    return tenant_with_token("Acme")


@pytest.fixture
def globex(db: None) -> tuple[ServiceToken, str]:
    return tenant_with_token("Globex")


def _refusal(answer: object) -> tuple[int, str]:
    return answer.status_code, code_of(answer)  # type: ignore[attr-defined]


def test_nobody_but_the_organisations_own_people_is_reached(
    acme: tuple[ServiceToken, str], globex: tuple[ServiceToken, str], alice: User, bob: User
) -> None:
    """Another organisation's person, a member, a stranger and nobody are told apart by nothing."""
    theirs = served(globex[0], "ann")
    User.objects.filter(pk=bob.pk).update(tenant=acme[0].tenant)  # a member, with an account of his own
    for member in (alice, bob):
        allow(member)
    names = ["ann", str(theirs.pk), theirs.username, "alice", str(alice.pk), "bob", str(bob.pk), "nobody", MISSING]
    for name in names:
        client = program_with(acme[1], name)
        assert _refusal(client.get("/api/memories")) == MISSED, name
        assert _refusal(post(client, "/api/memories", FACT)) == MISSED, name
        assert _refusal(post(client, "/api/sessions", {})) == MISSED, name
        assert _refusal(program_with(acme[1]).get(f"/api/users/{name}/context")) == MISSED, name
        assert _refusal(client.get("/api/erasures")) == (404, "not_found"), name
        assert _refusal(program_with(acme[1]).post(f"/api/users/{name}/export")) == (404, "not_found"), name
        for path in (f"users/{name}", f"users/{name}/consent"):
            answer = program_with(acme[1]).get(f"/api/provisioning/{path}")
            assert _refusal(answer) == (404, "not_found"), name
            assert _refusal(program_with(acme[1]).delete(f"/api/provisioning/{path}")) == (404, "not_found"), name


def test_a_header_and_an_address_that_name_two_people_reach_neither(acme: tuple[ServiceToken, str]) -> None:
    served(acme[0], "ann")
    served(acme[0], "ben")
    assert _refusal(program_with(acme[1], "ann").get("/api/users/ben/context")) == (404, "not_found")
    assert program_with(acme[1], "ann").get("/api/users/ann/context").status_code == 200
    assert program_with(acme[1], "ann").get("/api/users/me/context").status_code == 200


def test_without_a_recorded_consent_there_is_no_memory(acme: tuple[ServiceToken, str]) -> None:
    operator = program_with(acme[1])
    assert post(operator, "/api/provisioning/users", {"user_id": "ann"}).status_code == 201
    ann = program_with(acme[1], "ann")
    assert _refusal(post(ann, "/api/memories", FACT)) == MISSED
    consent = {"memory_learning_allowed": True, "evidence": EVIDENCE}
    assert operator.put("/api/provisioning/users/ann/consent", consent).status_code == 200
    assert post(ann, "/api/memories", FACT).status_code == 201
    withdrawn = operator.delete("/api/provisioning/users/ann/consent")
    assert withdrawn.json()["consent"]["revoked_at"] is not None
    assert _refusal(ann.get("/api/memories")) == MISSED
    assert ann.get("/api/users/ann/profile-consent").status_code == 200  # what is kept of a person stays theirs to see


def test_a_consent_without_learning_lets_nothing_be_learned(acme: tuple[ServiceToken, str]) -> None:
    served(acme[0], "ann", [ConsentScope.SAVE_TO_THREAD])
    ann = program_with(acme[1], "ann")
    assert _refusal(post(ann, "/api/memories", FACT)) == (403, "consent_scope_missing")
    assert ann.get("/api/memories").json()["results"] == []


@pytest.mark.parametrize("plain", ["fcs_", "fcs_0", "fcs_" + "0" * 64, "fcs_é"])
def test_a_token_that_was_never_issued_opens_nothing(db: None, plain: str) -> None:
    client = program_with(plain.encode().decode("latin-1"), "ann")
    for path in ("/api/memories", "/api/provisioning/users", "/api/provisioning/tenants"):
        assert client.get(path).status_code == 401


def test_a_revoked_token_opens_nothing_from_then_on(acme: tuple[ServiceToken, str]) -> None:
    served(acme[0], "ann")
    ann = program_with(acme[1], "ann")
    assert ann.get("/api/memories").status_code == 200
    revoke_service_token(acme[0])
    assert _refusal(ann.get("/api/memories")) == (401, "token_revoked")
    assert _refusal(ann.get("/api/provisioning/users")) == (401, "token_revoked")


def test_addresses_that_are_not_listed_are_closed(acme: tuple[ServiceToken, str]) -> None:
    names = {f"api:{pattern.name}" for pattern in urlpatterns}
    names |= {f"openai:{pattern.name}" for pattern in openai_urls.urlpatterns}
    assert names >= OPEN >= READABLE | RIGHTS
    served(acme[0], "ann")
    ann = program_with(acme[1], "ann")
    closed = ("auth/tokens", "groups", "invitations", "imports", "memories/proposals", "training-candidates")
    for path in closed:
        assert _refusal(ann.get(f"/api/{path}")) == (403, "permission_denied"), path
    assert _refusal(ann.delete("/api/auth/tokens")) == (403, "permission_denied")
    assert _refusal(post(ann, "/api/groups", {"name": "Desk"})) == (403, "permission_denied")
    granted = dict.fromkeys((scope.value for scope in ConsentScope), True)
    assert _refusal(post(ann, "/api/users/me/profile-consent", granted)) == (403, "permission_denied")
    assert _refusal(ann.patch("/api/users/me", {"display_name": "Root"})) == (403, "permission_denied")


def test_no_page_opens_to_a_service_token(acme: tuple[ServiceToken, str], db: None) -> None:
    served(acme[0], "ann")
    for plain in (acme[1], provisioning_token()[1]):
        browser = Client(headers={"Authorization": f"Token {plain}", "X-FinClaw-User": "ann"})
        for page in ("/admin/", "/admin/accounts/servicetoken/", "/admin/accounts/user/", "/memories/", "/settings/"):
            answer = browser.get(page)
            assert answer.status_code == 302, page
            assert "/sign-in/" in answer["Location"] or "/login/" in answer["Location"]


def test_nobody_signs_in_to_a_managed_account(acme: tuple[ServiceToken, str]) -> None:
    ann = served(acme[0], "ann")
    for password in ("", "!", ann.password, "ann"):
        assert authenticate(None, username=ann.username, password=password) is None
    for change in ({"password": "pbkdf2_sha256$1$a$b"}, {"is_staff": True}, {"is_superuser": True}, {"tenant": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            User.objects.filter(pk=ann.pk).update(**change)


def test_a_persons_own_token_takes_no_other_name(as_alice: APIClient, alice: User, bob: User) -> None:
    allow(alice)
    for name in (str(bob.pk), "bob", "ann"):
        assert _refusal(as_alice.get("/api/memories", headers={"X-FinClaw-User": name})) == (404, "not_found")
    for name in ("me", "alice", str(alice.pk)):
        assert as_alice.get("/api/memories", headers={"X-FinClaw-User": name}).status_code == 200


def test_a_service_token_without_a_name_is_told_to_give_one(acme: tuple[ServiceToken, str]) -> None:
    answer = program_with(acme[1]).get("/api/memories")
    assert _refusal(answer) == (400, "validation_error")
    assert list(answer.json()["details"]) == ["X-FinClaw-User"]


def test_what_one_person_is_remembered_by_is_shown_to_no_other(acme: tuple[ServiceToken, str]) -> None:
    served(acme[0], "ann")
    served(acme[0], "ben")
    ann, ben = program_with(acme[1], "ann"), program_with(acme[1], "ben")
    memory = post(ann, "/api/memories", FACT).json()["results"][0]["memory_id"]
    assert ann.get(f"/api/memories/{memory}").status_code == 200
    assert ben.get(f"/api/memories/{memory}").status_code == 404
    assert ben.get("/api/memories").json()["results"] == []


def test_every_act_is_in_the_persons_audit_log(acme: tuple[ServiceToken, str]) -> None:
    ann = served(acme[0], "ann")
    client = program_with(acme[1], "ann")
    client.get("/api/memories")
    post(client, "/api/memories", FACT)
    with acting_as(ann.pk):
        events = list(AuditEvent.objects.order_by("at").values_list("action", "actor_id", "details"))
    actions = [action for action, _, _ in events]
    assert actions == ["service.user_added", "service.consent_recorded", "service.acted", "service.acted"]
    assert {actor for _, actor, _ in events} == {acme[0].pk}
    assert events[-1][2] == {"tenant": str(acme[0].tenant_id), "view": "api:memories", "method": "POST"}


def test_an_account_that_moves_to_another_organisation_is_out_of_reach(
    acme: tuple[ServiceToken, str], globex: tuple[ServiceToken, str]
) -> None:
    """Whose account it is, its row says at each request."""
    ann = served(acme[0], "ann")
    User.objects.filter(pk=ann.pk).update(tenant=globex[0].tenant)
    assert _refusal(program_with(acme[1], "ann").get("/api/memories")) == MISSED


def test_two_tokens_of_an_organisation_serve_the_same_people(acme: tuple[ServiceToken, str]) -> None:
    served(acme[0], "ann")
    tenant = Tenant.objects.get(name="Acme")
    _, second = issue_service_token(tenant, "another", new_id())
    assert program_with(second, "ann").get("/api/memories").status_code == 200
    acme[0].refresh_from_db()
    assert acme[0].last_used_at is None
    assert tenant.service_tokens.get(name="another").last_used_at is not None
