"""Operators see how research goes without a word of it, and read a training candidate to review it, audited."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consent.models import AuditEvent
from consent.permit import Permit
from consent.services import permit_for, withdraw_consent
from drift.models import DriftSignal
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role, on_behalf_of
from foundation.database.roles import OPERATOR_ROLE
from foundation.personal_data import ConsentScope
from memory.models import ResearchTask, TrainingAssetCandidate
from memory.research.training_candidates import revoke_candidate
from memory.research.types import ChangedInference, ResearchStatement
from tests.console.conftest import SECRET
from tests.support.cast import PASSWORD, allow
from tests.support.operators import sign_in_operator
from tests.support.research import asked, checkpoint_made, refreshed, snapshot_made, thread_kept

CANDIDATES = reverse("admin:memory_trainingassetcandidate_changelist")
TASKS = reverse("admin:memory_researchtask_changelist")
INDEX = reverse("admin:index")


@pytest.fixture
def candidate(alice: User) -> TrainingAssetCandidate:
    """What a snapshot of Alice's was named as, its thesis her own words."""
    allow(alice)
    snapshot_made(alice, SECRET)
    with in_role(OPERATOR_ROLE):
        return TrainingAssetCandidate.objects.get()


def _post(client: Client, action: str, *candidates: TrainingAssetCandidate, **more: str) -> str:
    body = {"action": action, "_selected_action": [str(one.pk) for one in candidates], **more}
    return client.post(CANDIDATES, body).content.decode()


def _status(candidate: TrainingAssetCandidate) -> str:
    with in_role(OPERATOR_ROLE):
        return TrainingAssetCandidate.objects.get(pk=candidate.pk).status


def _withdraw(user: User, *scopes: ConsentScope) -> None:
    with on_behalf_of(user.pk):
        consent = permit_for(user).consent_id
        assert consent is not None
        withdraw_consent(user, consent, scopes, source="api")


def _fail(user: User, task: ResearchTask, **fields: object) -> None:
    with on_behalf_of(user.pk):
        ResearchTask.objects.filter(pk=task.pk).update(state="failed", **fields)


@pytest.mark.parametrize("model", [ResearchTask, DriftSignal], ids=lambda model: model.__name__)
def test_a_rows_own_page_shows_none_of_its_persons_words(
    model: type[Model], as_operator: Client, alices_rows: Permit
) -> None:
    with in_role(OPERATOR_ROLE):
        rows = [row.pk for row in model._default_manager.all()]
    assert rows
    for key in rows:
        page = as_operator.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[key]))
        assert page.status_code == 200
        assert SECRET not in page.content.decode()


def test_tasks_are_listed_by_state_and_route_with_how_long_they_took(as_operator: Client, alice: User) -> None:
    allow(alice)
    done, waits = asked(alice), asked(alice, route="risk_challenge")
    began = timezone.now() - timedelta(minutes=5)
    _fail(alice, done, error_code="model_unavailable", started_at=began, ended_at=began + timedelta(seconds=90))

    failed = as_operator.get(TASKS, {"state__exact": "failed"})
    waiting = as_operator.get(TASKS, {"route__exact": "risk_challenge"})

    assert [row.pk for row in failed.context["cl"].result_list] == [done.pk]
    assert "model_unavailable" in failed.content.decode()
    assert "2 min" in failed.content.decode()
    assert [row.pk for row in waiting.context["cl"].result_list] == [waits.pk]
    assert "What speaks for SOL?" not in failed.content.decode() + waiting.content.decode()


def test_research_that_failed_lately_stands_on_today(as_operator: Client, alice: User) -> None:
    allow(alice)
    _fail(alice, asked(alice), ended_at=timezone.now() - timedelta(hours=25))
    lately = asked(alice)
    assert "of research failed" not in as_operator.get(INDEX).content.decode()
    _fail(alice, lately, ended_at=timezone.now())
    assert "1 piece of research failed in the last 24 hours" in as_operator.get(INDEX).content.decode()


@pytest.mark.parametrize("action", ["accept", "reject"])
def test_it_is_asked_first_with_its_first_words_and_nothing_has_happened_yet(
    as_operator: Client, candidate: TrainingAssetCandidate, action: str
) -> None:
    page = _post(as_operator, action, candidate)

    assert f"{candidate.object_ref}: {SECRET}" in page
    assert _status(candidate) == "pending"


@pytest.mark.parametrize(("action", "status"), [("accept", "accepted"), ("reject", "rejected")])
def test_a_decision_is_stored_and_audited_and_made_once(
    as_operator: Client, operator: User, candidate: TrainingAssetCandidate, action: str, status: str
) -> None:
    _post(as_operator, action, candidate, confirmed="yes")
    _post(as_operator, "reject" if action == "accept" else "accept", candidate, confirmed="yes")

    assert _status(candidate) == status
    with in_role(OPERATOR_ROLE):
        audit = AuditEvent.objects.get(action__startswith="training_candidate.")
        stored = TrainingAssetCandidate.objects.get(pk=candidate.pk)
    assert (audit.action, audit.subject_id) == (f"training_candidate.{status}", candidate.pk)
    assert (audit.user_id, audit.actor_id) == (candidate.user_id, operator.pk)
    assert (stored.reviewed_by, stored.reviewed_at is None) == (operator.pk, False)
    assert LogEntry.objects.filter(user=operator, object_id=str(candidate.pk)).count() == 1


def test_what_its_person_took_back_is_decided_no_more(
    as_operator: Client, alice: User, candidate: TrainingAssetCandidate
) -> None:
    _withdraw(alice, ConsentScope.TRAINING_USE)

    _post(as_operator, "accept", candidate, confirmed="yes")

    assert _status(candidate) == "pending"
    with in_role(OPERATOR_ROLE):
        assert not AuditEvent.objects.filter(action__startswith="training_candidate.").exists()


def test_an_accepted_one_is_revoked_with_its_scope(
    as_operator: Client, alice: User, candidate: TrainingAssetCandidate
) -> None:
    _post(as_operator, "accept", candidate, confirmed="yes")
    _withdraw(alice, ConsentScope.TRAINING_USE)

    waiting = as_operator.get(CANDIDATES, {"withdrawal_status__exact": "none"})
    assert waiting.context["cl"].result_count == 0
    assert as_operator.get(CANDIDATES, {"withdrawal_status__exact": "revoked"}).context["cl"].result_count == 1


def test_candidates_narrow_to_a_kind(as_operator: Client, alice: User, candidate: TrainingAssetCandidate) -> None:
    checkpoint_made(alice)

    counts = [
        as_operator.get(CANDIDATES, {"kind": kind}).context["cl"].result_count for kind in ("snapshot", "refresh")
    ]

    assert counts == [1, 0]
    assert as_operator.get(CANDIDATES).context["cl"].result_count == 2


def test_an_operator_without_the_permission_looks_and_decides_nothing(
    client: Client, candidate: TrainingAssetCandidate
) -> None:
    oscar = User.objects.create_user(username="oscar", password=PASSWORD, is_staff=True)
    oscar.user_permissions.add(Permission.objects.get(codename="view_trainingassetcandidate"))
    sign_in_operator(client, oscar)

    assert client.get(CANDIDATES).status_code == 200
    _post(client, "accept", candidate, confirmed="yes")
    assert _status(candidate) == "pending"


def _page_of(client: Client, candidate: TrainingAssetCandidate) -> str:
    return client.get(reverse("admin:memory_trainingassetcandidate_change", args=[candidate.pk])).content.decode()


def _readings() -> list[AuditEvent]:
    with in_role(OPERATOR_ROLE):
        return list(AuditEvent.objects.filter(action__in=["admin.opened", "admin.listed"]))


def test_the_object_is_read_on_the_candidates_page_and_the_reading_is_recorded(
    as_operator: Client, operator: User, alice: User
) -> None:
    allow(alice)
    told = (ResearchStatement("Alice holds <b>copper</b>."),)
    thread = thread_kept(alice, snapshot_made(alice, told=told))
    refreshed(alice, thread, "Mines close.", ChangedInference("", "Supply falls."))
    checkpoint_made(alice)
    with in_role(OPERATOR_ROLE):
        first, _later, refresh, checkpoint = TrainingAssetCandidate.objects.order_by("created_at", "id")

    page = _page_of(as_operator, first)
    for said in ("Demand for SOL grows.", "Fees doubled in May.", "Validators leave.", "Do fees hold?"):
        assert said in page
    assert "Alice holds &lt;b&gt;copper&lt;/b&gt;." in page
    (event,) = _readings()
    assert (event.action, event.actor_id, event.user_id) == ("admin.opened", operator.pk, alice.pk)
    assert event.subject_id == first.pk

    page = _page_of(as_operator, refresh)
    assert "– → Supply falls." in page
    assert "Mines close." in page  # of the snapshot it led to
    assert "Whether to buy more." in _page_of(as_operator, checkpoint)


def test_what_was_taken_back_is_read_no_more(
    as_operator: Client, alice: User, candidate: TrainingAssetCandidate
) -> None:
    with acting_as(alice.pk):
        revoke_candidate(permit_for(alice), candidate.pk)

    page = _page_of(as_operator, candidate)

    assert candidate.object_ref in page
    assert SECRET not in page
    assert "Taken back" in page


def test_whose_words_the_confirmation_shows_is_recorded(as_operator: Client, candidate: TrainingAssetCandidate) -> None:
    _post(as_operator, "accept", candidate)
    (event,) = _readings()
    assert (event.user_id, event.subject_id) == (candidate.user_id, candidate.pk)
