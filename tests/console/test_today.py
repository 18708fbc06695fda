"""The Today page: what waits, what failed, how it went, drawn without a script."""

from __future__ import annotations

from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from consent.erasure import services
from consent.models import DataExport
from consent.services import withdraw_consent
from finclaw.console.erasure_deadlines import SHOWN
from finclaw.console.today import today
from foundation.accounts.models import User
from foundation.admin import duration_in_words
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import enqueue
from tests.support.cast import allow
from tests.support.erasures import ask_to_forget

INDEX = reverse("admin:index")


def _job(owner: User, **fields: object) -> None:
    with acting_as(owner.pk):
        job = enqueue("memory.observe", user_id=owner.pk, payload={})
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=job.pk).update(**fields)


@pytest.mark.usefixtures("with_a_model")
def test_a_quiet_day_says_so(as_operator: Client) -> None:
    page = as_operator.get(INDEX).content.decode()

    assert "Nothing needs you right now." in page
    assert "No erasure is open." in page
    assert "Nothing to draw yet." in page


def test_depth_age_and_failures_count_everybodys_work(alice: User, bob: User) -> None:
    now = timezone.now()
    _job(alice, available_at=now - timedelta(minutes=7))
    _job(bob, available_at=now - timedelta(minutes=3))
    _job(alice, state="done", attempts=3, finished_at=now)
    _job(alice, state="done", attempts=1, finished_at=now)
    _job(alice, state="done", attempts=1, finished_at=now)
    _job(bob, state="failed", attempts=5, finished_at=now)
    _job(bob, state="failed", attempts=5, finished_at=now - timedelta(hours=30))

    with in_role(OPERATOR_ROLE):
        page = today()

    assert {state: rows for state, _, rows in page.queue} == {
        "pending": 2, "processing": 0, "done": 3, "failed": 2, "cancelled": 0,
    }  # fmt: skip
    assert page.dead_letters == 2
    assert page.oldest is not None
    assert timedelta(minutes=7) <= page.oldest < timedelta(minutes=8)
    assert page.is_late
    (topic,) = page.topics
    assert (topic.name, topic.done, topic.failed, topic.failure_rate, topic.retries) == (
        "memory.observe",
        3,
        1,
        25.0,
        6,
    )


def test_work_that_is_not_due_yet_does_not_look_late(alice: User) -> None:
    _job(alice, available_at=timezone.now() + timedelta(hours=1))

    with in_role(OPERATOR_ROLE):
        assert today().oldest is None


def test_a_model_that_is_down_is_named_and_makes_no_worker_look_dead(
    as_operator: Client, alice: User, bob: User
) -> None:
    hour_ago = timezone.now() - timedelta(hours=1)
    _job(alice, available_at=hour_ago)
    _job(bob, available_at=hour_ago, error_class="ProviderDown")

    page = as_operator.get(INDEX).content.decode()

    assert "2 jobs wait until the model server answers again" in page
    assert "Is a worker running?" not in page


def test_dead_letters_are_named_with_a_way_to_them(as_operator: Client, dead_letter: OutboxMessage) -> None:
    page = as_operator.get(INDEX).content.decode()

    assert "1 job used up its attempts" in page
    assert f"{reverse('admin:outbox_outboxmessage_changelist')}?state__exact=failed" in page


def test_erasures_stand_in_the_order_of_their_terms(
    as_operator: Client, alice: User, bob: User, charlie: User, settings: Settings
) -> None:
    settings.LEGAL_PROFILE = "gdpr"
    now = timezone.now()
    for person, days in ((alice, 2), (bob, 40), (charlie, 28)):
        ask_to_forget(person, now - timedelta(days=days))

    page = as_operator.get(INDEX).content.decode()

    levels = [line.split('"')[0] for line in page.split('<span class="term term-')[1:]]
    assert levels == ["overdue", "critical", "fine"]
    assert "1 erasure is past its legal term" in page
    assert f"{reverse('admin:consent_tombstone_changelist')}?urgency=overdue" in page


def test_more_erasures_than_fit_are_counted(as_operator: Client, alice: User) -> None:
    for minutes in range(SHOWN + 2):
        ask_to_forget(alice, timezone.now() - timedelta(minutes=minutes))

    page = as_operator.get(INDEX).content.decode()

    assert page.count('<span class="term term-fine">') == SHOWN
    assert "and 2 more" in page


def test_what_waits_for_an_operator_is_named_with_a_way_to_it(as_operator: Client, alice: User) -> None:
    tombstone = ask_to_forget(alice, timezone.now())
    services.escalate_erasure(tombstone.pk, alice.pk, reason="ResidueFound")
    with acting_as(alice.pk):
        DataExport.objects.create(user=alice, source="web", state="failed", error_class="OSError")

    page = as_operator.get(INDEX).content.decode()

    assert "1 erasure waits for an operator" in page
    assert f"{reverse('admin:consent_tombstone_changelist')}?state__exact=escalated" in page
    assert "1 export failed" in page
    assert f"{reverse('admin:consent_dataexport_changelist')}?state__exact=failed" in page


def test_charts_are_drawn_on_the_server_with_one_bar_for_each_value(
    as_operator: Client, alice: User, bob: User
) -> None:
    permit = allow(alice)
    allow(bob)
    assert permit.consent_id is not None
    with acting_as(alice.pk):
        withdraw_consent(alice, permit.consent_id, source="web")
    now = timezone.now()
    _job(alice, state="done", attempts=2, created_at=now - timedelta(seconds=2), finished_at=now)

    content = as_operator.get(INDEX).content.decode()

    drawings = [ElementTree.fromstring(drawing) for drawing in _drawings(content)]  # noqa: S314  our own page
    titles = [[title.text for title in drawing.iter("title")] for drawing in drawings]
    today_label = f"{timezone.now():%d %b}"
    assert len(drawings) == 3
    assert sorted(filter(None, titles[2])) == [f"{today_label} · given: 2", f"{today_label} · withdrawn whole: 1"]
    assert [title.split(" · ")[1] for title in titles[1] if title] == ["seconds: 2 s"]
    assert {title.split(" · ")[1] for title in titles[0] if title} == {"done: 1", "retries: 1"}


def _drawings(content: str) -> list[str]:
    found = [part.split("</svg>")[0] for part in content.split("<svg")[1:]]
    return [f"<svg{part}</svg>" for part in found if 'role="img"' in part.split(">")[0]]


def test_no_page_needs_what_the_content_security_policy_forbids(as_operator: Client) -> None:
    page = as_operator.get(INDEX).content.decode()

    assert " style=" not in page
    assert "<style" not in page
    assert all("src=" in tag.split(">")[0] for tag in page.split("<script")[1:])


@pytest.mark.parametrize(
    ("span", "words"),
    [(None, ""), (timedelta(seconds=1.25), "1.2 s"), (timedelta(minutes=5), "5 min"), (timedelta(hours=3), "3 h"),
     (timedelta(days=4), "4 d")],
)  # fmt: skip
def test_a_span_is_told_in_its_largest_unit(span: timedelta | None, words: str) -> None:
    assert duration_in_words(span) == words
