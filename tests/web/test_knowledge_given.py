"""Under an answer stands what the organisation says of it, each entry with its bookmark, while it may be read."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.models import KnowledgeEntry
from tests.support.api import signed_in as signed_in_to_api
from tests.support.cast import allow, make_person
from tests.support.organisation import employ, know
from tests.support.talk import open_session
from tests.web.support import signed_in

pytestmark = pytest.mark.django_db(transaction=True)  # knowledge is read in a thread with a connection of its own


@pytest.fixture
def employee() -> User:
    alice = make_person("alice")
    employ(Tenant.objects.create(name=f"Krugerrand {alice.pk}"), alice)
    allow(alice)
    return alice


def _ask(user: User, text: str) -> tuple[str, TurnResult]:
    session = open_session(user)
    result = turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": text},)))
    return reverse("web:chat_session", args=[session.pk]), result


def test_an_answer_names_what_it_was_told_with_a_bookmark_for_each(employee: User) -> None:
    assert employee.tenant is not None
    entry = know(employee.tenant, "Refunds take five working days.", subject="the shop")
    know(employee.tenant, "The canteen serves noodles.")
    browser: Client = signed_in(employee)
    address, result = _ask(employee, "How long does a refund take?")

    receipt = signed_in_to_api(employee).get(f"/api/receipts/{result.receipt_id}").json()
    assert receipt["knowledge_ids"] == [str(entry.pk)]
    page = browser.get(address).content.decode()
    assert "Your organisation says 1 thing on this" in page
    assert f'action="{reverse("web:bookmark_add", args=[entry.pk])}"' in page

    with in_role(OPERATOR_ROLE):
        KnowledgeEntry.objects.filter(pk=entry.pk).delete()
    assert "thing on this" not in browser.get(address).content.decode()


def test_who_left_the_organisation_reads_nothing_of_it_under_earlier_answers(employee: User) -> None:
    assert employee.tenant is not None
    know(employee.tenant, "Answers are whole sentences.", kind="rule", subject="user", slot="reply_style")
    address, _ = _ask(employee, "What about copper?")
    browser = signed_in(employee)
    assert "Answers are whole sentences." in browser.get(address).content.decode()
    User.objects.filter(pk=employee.pk).update(tenant=None)
    assert "Answers are whole sentences." not in browser.get(address).content.decode()


def test_an_answer_without_knowledge_says_nothing_of_it(employee: User) -> None:
    address, _ = _ask(employee, "How long does a refund take?")
    assert "thing on this" not in signed_in(employee).get(address).content.decode()
