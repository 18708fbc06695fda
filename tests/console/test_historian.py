"""Operators see how the historian works: its queue, failures, retries, latency, and what it left open."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
import time_machine
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.alerts import ALERT_TOPIC
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import enqueue
from memory.historian.failure_alerts import MIN_SAMPLES, JobOutcomes, alert_failures, job_outcomes
from memory.historian.services import END_TOPIC
from memory.models import CognitiveEvent, CognitiveJob, EntityProfile
from tests.brain.test_looking_up import tell
from tests.console.conftest import SECRET
from tests.support.cast import allow

PAGE, INDEX = reverse("admin:historian"), reverse("admin:index")
JOBS = reverse("admin:memory_cognitivejob_changelist")
EVENTS = reverse("admin:memory_cognitiveevent_changelist")


def ended(user: User, state: str, count: int = 1, *, attempts: int = 1, took: float = 2.0) -> list[UUID]:
    """Jobs of the historian's that came to this just now, so many seconds after they were queued."""
    now = timezone.now()
    with acting_as(user.pk):
        keys = [enqueue(END_TOPIC, user_id=user.pk, payload={}, wake=False).pk for _ in range(count)]
        is_over = state in ("done", "failed")
        OutboxMessage.objects.filter(pk__in=keys).update(
            state=state, attempts=attempts, created_at=now - timedelta(seconds=took),
            finished_at=now if is_over else None, error_class="ValueError" if state == "failed" else "",
        )  # fmt: skip
    return keys


def alerts() -> list[dict[str, str]]:
    with in_role(WORKER_ROLE):
        return [row.payload for row in OutboxMessage.objects.filter(topic=ALERT_TOPIC)]


def test_somebody_who_is_not_staff_is_asked_to_sign_in(client: Client, alice: User) -> None:
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")

    assert client.get(PAGE).status_code == 302


def test_an_idle_historian_says_so(as_operator: Client) -> None:
    page = as_operator.get(PAGE)
    content = page.content.decode()

    assert [rows for _, _, rows in page.context["historian"].queue] == [0, 0, 0]
    assert content.count("Nothing to draw yet.") == 2
    assert "None: every end became an event." in content
    assert "too few to tell" in content


def test_the_queue_failures_retries_and_latency_are_shown(as_operator: Client, alice: User) -> None:
    ended(alice, "pending", 3)
    ended(alice, "processing")
    ended(alice, "done", 95, took=2.0)
    ended(alice, "done", 5, attempts=3, took=90.0)
    ended(alice, "failed", 2, attempts=5)

    page = as_operator.get(PAGE)
    shown = page.context["historian"]

    assert [(state, rows) for state, _, rows in shown.queue] == [("pending", 3), ("processing", 1), ("failed", 2)]
    assert (shown.work, shown.failure_rate, shown.state) == (JobOutcomes(100, 2, 18), "2 %", "bad")
    assert (shown.median, shown.p95) == ("2.0 s", "6.4 s")
    titles = [bar.title for chart in shown.charts for bar in chart.bars]
    assert [title.split("· ")[1] for title in titles] == ["done: 100", "failed: 2", "retries: 18", "seconds: 6.4 s"]
    assert page.content.decode().count("<svg") >= 2


def test_what_ended_a_day_ago_or_is_other_work_counts_no_more(alice: User) -> None:
    with time_machine.travel(timezone.now() - timedelta(hours=25)):
        ended(alice, "failed", 3)
    with acting_as(alice.pk):
        enqueue("memory.observe", user_id=alice.pk, payload={}, wake=False)
        OutboxMessage.objects.filter(topic="memory.observe").update(state="failed", finished_at=timezone.now())
    ended(alice, "done")

    with in_role(WORKER_ROLE):
        assert job_outcomes(timezone.now()) == JobOutcomes(1, 0, 0)


def test_a_dead_letter_stands_with_its_end_and_the_way_to_try_it_again(
    as_operator: Client, alice: User, alices_rows: Permit
) -> None:
    with acting_as(alice.pk):
        job = CognitiveJob.objects.get()
        OutboxMessage.objects.filter(pk=job.pk).update(
            state="failed", attempts=5, error_class="ValueError", finished_at=timezone.now()
        )

    content = as_operator.get(PAGE).content.decode()

    assert job.event_id in content
    assert "ValueError" in content
    assert SECRET not in content
    again = f"{reverse('admin:outbox_outboxmessage_changelist')}?state__exact=failed&amp;topic=memory.end"
    assert again in content
    assert as_operator.get(again.replace("&amp;", "&")).context["cl"].result_count == 1


def test_the_list_of_jobs_shows_what_became_of_each_and_narrows_to_it(
    as_operator: Client, alice: User, alices_rows: Permit
) -> None:
    assert as_operator.get(JOBS, {"job": "done"}).context["cl"].result_count == 1
    assert as_operator.get(JOBS, {"job": "failed"}).context["cl"].result_count == 0
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(topic=END_TOPIC).delete()
    page = as_operator.get(JOBS)
    assert page.context["cl"].result_count == 1
    assert "–" in page.content.decode()


def test_events_narrow_to_those_with_something_unresolved(as_operator: Client, alice: User) -> None:
    allow(alice)
    tell(alice, "clear", "Alice bought ASML.")
    tell(alice, "open", "Alice met him.")
    with acting_as(alice.pk):
        CognitiveEvent.objects.filter(request_id="open").update(unresolved=["him"])

    counts = [as_operator.get(EVENTS, {"open": which}).context["cl"].result_count for which in ("yes", "no")]

    assert counts == [1, 1]
    assert as_operator.get(PAGE).context["historian"].unresolved == 1


def test_portraits_are_looked_at_and_never_changed(as_operator: Client, alice: User) -> None:
    allow(alice)
    tell(alice, "r", f"Alice owns a {SECRET}.")
    with acting_as(alice.pk):
        row = EntityProfile.objects.get()
    listed = as_operator.get(reverse("admin:memory_entityprofile_changelist"))
    shown = as_operator.get(reverse("admin:memory_entityprofile_change", args=[row.pk]))

    assert listed.context["cl"].result_count == 1
    assert SECRET not in listed.content.decode()
    assert shown.status_code == 200
    assert not shown.context["has_change_permission"]
    assert as_operator.get(reverse("admin:memory_entityprofile_add")).status_code == 403


def test_cognitive_memory_off_is_said(as_operator: Client) -> None:
    with override_settings(COGNITIVE_ENABLED=False):
        assert "COGNITIVE_ENABLED" in as_operator.get(PAGE).content.decode()
    assert "COGNITIVE_ENABLED" not in as_operator.get(PAGE).content.decode()


# --- the alert ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("done", "failed", "expected"),
    [
        (0, 0, False),
        (MIN_SAMPLES - 3, 2, False),
        (MIN_SAMPLES - 1, 1, False),
        (MIN_SAMPLES - 2, 2, True),
        (0, MIN_SAMPLES, True),
    ],
)
def test_it_fails_where_more_than_one_in_a_hundred_of_enough_jobs_do(done: int, failed: int, expected: bool) -> None:
    assert JobOutcomes(done, failed, 0).is_failing is expected


def test_a_failing_historian_is_told_once_a_day_and_stands_on_today(
    as_operator: Client, alice: User, settings: Settings
) -> None:
    settings.ALERT_WEBHOOK_URL = "http://127.0.0.1:9/"
    assert not alert_failures()
    ended(alice, "done", MIN_SAMPLES - 2)
    ended(alice, "failed", 2)

    assert alert_failures()
    assert alert_failures()

    [alert] = alerts()
    assert (alert["kind"], alert["level"], alert["failed"]) == ("historian_failing", "page", "2")
    today = as_operator.get(INDEX).content.decode()
    assert f'<li class="error"><a href="{PAGE}">' in today
    assert "Nothing needs you right now." not in today
