"""Operators see how erasures stand against their legal term, and send on what was escalated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from consent.erasure import services
from consent.models import AuditEvent, LegalProfile, Tombstone
from consent.models.erasure_states import ErasureState
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from tests.support.erasures import ask_to_forget, audited, reread
from tests.support.operators import sign_in_operator

LIST = reverse("admin:consent_tombstone_changelist")
ASKED = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@pytest.fixture
def erasure(alice: User, settings: Settings) -> Tombstone:
    """Asked for by Alice under a term of thirty days, and never worked on."""
    settings.LEGAL_PROFILE = "gdpr"
    return ask_to_forget(alice, ASKED)


@pytest.fixture
def escalated(erasure: Tombstone) -> Tombstone:
    services.escalate_erasure(erasure.pk, erasure.user_id, reason="ResidueFound")
    return reread(erasure.pk)


def _page(tombstone: Tombstone) -> str:
    return reverse("admin:consent_tombstone_change", args=[tombstone.pk])


def _selection(*erasures: Tombstone, **more: str) -> dict[str, object]:
    return {"action": "retry", "_selected_action": [str(one.pk) for one in erasures], **more}


def test_the_list_names_the_person_and_the_term(as_operator: Client, erasure: Tombstone) -> None:
    with time_machine.travel(erasure.due_at - timedelta(days=5), tick=False):
        sign_in_operator(as_operator, User.objects.get(username="olivia"))
        content = as_operator.get(LIST).content.decode()

    assert "alice" in content
    assert '<span class="term term-warn">5 d left, due soon</span>' in content


@pytest.mark.parametrize(("days", "level"), [(20, "fine"), (5, "warn"), (2, "critical"), (-3, "overdue")])
def test_the_list_is_filtered_by_urgency(
    as_operator: Client, operator: User, erasure: Tombstone, days: int, level: str
) -> None:
    with time_machine.travel(erasure.due_at - timedelta(days=days), tick=False):
        sign_in_operator(as_operator, operator)
        found = {
            urgency: as_operator.get(LIST, {"urgency": urgency}).context["cl"].result_count
            for urgency in ("fine", "warn", "critical", "overdue")
        }

    assert found == {"fine": 0, "warn": 0, "critical": 0, "overdue": 0} | {level: 1}


@pytest.mark.parametrize(
    ("query", "rows"),
    [({"state__exact": "queued"}, 1), ({"state__exact": "completed"}, 0), ({"scope__exact": "item"}, 1),
     ({"legal_profile": "gdpr"}, 1), ({"legal_profile": "pipl"}, 0), ({"q": "alice"}, 1), ({"q": "bob"}, 0)],
)  # fmt: skip
def test_the_list_is_filtered_and_searched(
    as_operator: Client, erasure: Tombstone, query: dict[str, str], rows: int
) -> None:
    assert as_operator.get(LIST, query).context["cl"].result_count == rows


def test_the_list_asks_as_many_questions_for_three_as_for_one(
    as_operator: Client, erasure: Tombstone, bob: User, charlie: User
) -> None:
    ask_to_forget(bob, ASKED)
    ask_to_forget(charlie, ASKED)
    asked = []
    for query, rows in (({"q": "alice"}, 1), ({"q": ""}, 3)):
        with CaptureQueriesContext(connection) as questions:
            assert as_operator.get(LIST, query).context["cl"].result_count == rows
        asked.append(len(questions))

    assert asked[0] == asked[1]


def test_its_page_tells_the_steps_and_the_days_that_count(as_operator: Client, escalated: Tombstone) -> None:
    content = as_operator.get(_page(escalated)).content.decode()

    assert [word in content for word in ("Asked for", "Invisible", "With an operator · ResidueFound")] == [True] * 3
    assert "30 calendar days" in content
    assert "not verified yet" in content
    assert escalated.link_hash not in content


def test_a_year_whose_holidays_are_not_announced_is_said_to_be_so(as_operator: Client, alice: User) -> None:
    known, unknown = ask_to_forget(alice, ASKED), ask_to_forget(alice, datetime(2031, 3, 3, tzinfo=UTC))

    assert "15 working days" in as_operator.get(_page(known)).content.decode()
    assert "not all announced yet" not in as_operator.get(_page(known)).content.decode()
    assert "not all announced yet" in as_operator.get(_page(unknown)).content.decode()


def test_it_is_asked_first_and_nothing_has_happened_yet(as_operator: Client, escalated: Tombstone) -> None:
    page = as_operator.post(LIST, _selection(escalated))

    assert page.status_code == 200
    assert "ResidueFound" in page.content.decode()
    assert reread(escalated.pk).state == ErasureState.ESCALATED
    assert not LogEntry.objects.exists()


def test_confirmed_it_is_on_its_way_and_both_logs_name_the_operator(
    as_operator: Client, operator: User, escalated: Tombstone
) -> None:
    answer = as_operator.post(LIST, _selection(escalated, confirmed="yes"), follow=True)

    assert "1 erasure is on its way again." in answer.content.decode()
    assert reread(escalated.pk).state == ErasureState.QUEUED
    assert audited(escalated)[-1] == "erasure.retried"
    with in_role(OPERATOR_ROLE):
        assert AuditEvent.objects.get(action="erasure.retried").actor_id == operator.pk
    assert LogEntry.objects.get().object_id == str(escalated.pk)
    with in_role(WORKER_ROLE):
        assert OutboxMessage.objects.get(pk=escalated.pk).state == "pending"


def test_what_waits_for_nobody_is_left_alone(as_operator: Client, erasure: Tombstone) -> None:
    answer = as_operator.post(LIST, _selection(erasure, confirmed="yes"), follow=True)

    assert "None of the selected erasures waits for an operator." in answer.content.decode()
    assert not LogEntry.objects.exists()


def test_who_may_only_look_cannot_send_on(client: Client, bob: User, escalated: Tombstone) -> None:
    bob.is_staff = True
    bob.save()
    bob.user_permissions.add(Permission.objects.get(codename="view_tombstone"))
    sign_in_operator(client, bob)

    assert client.get(LIST).context["cl"].result_count == 1
    client.post(LIST, _selection(escalated, confirmed="yes"))

    assert reread(escalated.pk).state == ErasureState.ESCALATED


def test_a_profile_that_is_gone_leaves_the_page_readable(as_operator: Client, erasure: Tombstone) -> None:
    LegalProfile.objects.all().delete()

    assert as_operator.get(_page(erasure)).status_code == 200
    assert as_operator.get(LIST).status_code == 200
