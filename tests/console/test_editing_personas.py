"""Operators write who the assistant is; how somebody wants to be served they only read (P-1)."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from personas.models import PersonaDocument, PersonaSignal, PersonaState, UserDocument
from personas.services.documents import documents_for, write_user_document
from tests.support.cast import allow
from tests.support.organisation import employ
from tests.support.talk import permit_of

LIST = reverse("admin:personas_personadocument_changelist")
ADD = reverse("admin:personas_personadocument_add")


@pytest.fixture
def tenant(alice: User) -> Tenant:
    tenant = Tenant.objects.create(name="Krugerrand Ltd")
    employ(tenant, alice)
    return tenant


def _form(body: str, tenant: Tenant | None = None) -> dict[str, str]:
    return {"tenant": str(tenant.pk) if tenant else "", "kind": "soul", "body": body}


def _documents() -> list[PersonaDocument]:
    with in_role(OPERATOR_ROLE):
        return list(PersonaDocument.objects.all())


def _page(document: PersonaDocument, page: str = "change") -> str:
    return reverse(f"admin:personas_personadocument_{page}", args=[document.pk])


def _soul(user: User) -> str:
    with acting_as(user.pk):
        return documents_for(permit_of(user), user).soul.body


def test_a_document_is_written_and_changed_with_its_history(
    as_operator: Client, operator: User, alice: User, tenant: Tenant
) -> None:
    allow(alice)
    assert as_operator.post(ADD, _form("You are the workshop's voice.", tenant)).status_code == 302
    (document,) = _documents()
    assert as_operator.post(_page(document), _form("你是工坊的声音。", tenant)).status_code == 302

    (document,) = _documents()
    assert (document.version, document.body) == (2, "你是工坊的声音。")
    assert _soul(alice) == "你是工坊的声音。"
    assert "You are the workshop&#x27;s voice." in as_operator.get(_page(document)).content.decode()
    assert document.body not in as_operator.get(LIST).content.decode()
    with in_role(OPERATOR_ROLE):
        assert {version.history_user_id for version in document.history.all()} == {operator.pk}


def test_a_deleted_document_gives_way_to_the_shipped_one(as_operator: Client, alice: User) -> None:
    allow(alice)
    as_operator.post(ADD, _form("Everybody's."))
    assert _soul(alice) == "Everybody's."
    (document,) = _documents()
    assert as_operator.post(_page(document, "delete"), {"post": "yes"}).status_code == 302

    assert _soul(alice).startswith("You are calm")


@pytest.mark.parametrize("body", ["sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD", "", "x" * 4_001])
def test_what_cannot_stand_there_is_told_beside_the_field(as_operator: Client, db: None, body: str) -> None:
    page = as_operator.post(ADD, _form(body))

    assert page.status_code == 200
    assert "body" in page.context["adminform"].form.errors
    assert _documents() == []


def test_of_a_kind_an_organisation_has_one(as_operator: Client, tenant: Tenant) -> None:
    for body in ("One.", "Two."):
        page = as_operator.post(ADD, _form(body, tenant))

    (document,) = _documents()
    assert document.body == "One."
    [refused] = page.context["adminform"].form.non_field_errors()
    assert f'<a href="{_page(document)}"' in refused
    assert refused in page.content.decode()


def test_of_a_kind_there_is_one_for_everybody(as_operator: Client, db: None) -> None:
    for body in ("One.", "Two."):
        page = as_operator.post(ADD, _form(body))

    (document,) = _documents()
    assert f'<a href="{_page(document)}"' in page.content.decode()


@pytest.mark.parametrize("model", [UserDocument, PersonaState, PersonaSignal])
def test_what_is_a_persons_own_is_only_read(as_operator: Client, alice: User, model: type) -> None:
    allow(alice)
    with acting_as(alice.pk):
        write_user_document(permit_of(alice), alice, "Tea before trades.")
        row = UserDocument.objects.get()
    name = model.__name__.lower()

    assert as_operator.get(reverse(f"admin:personas_{name}_changelist")).status_code == 200
    assert as_operator.get(reverse(f"admin:personas_{name}_add")).status_code == 403
    if model is UserDocument:
        address = reverse("admin:personas_userdocument_change", args=[row.pk])
        assert as_operator.post(address, {"body": "Mine now."}).status_code == 403
        with acting_as(alice.pk):
            assert UserDocument.objects.get().body == "Tea before trades."
