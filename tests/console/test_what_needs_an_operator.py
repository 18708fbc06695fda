"""Whatever is wrong stands on the Today page as a row with a way to it, and never beside "Nothing needs you"."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from consent.experiments import roll_back
from consent.models import ErasureScope, Sources
from finclaw.erasure_requests import ErasureWish, ask_for_erasure, decline_request
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import enqueue
from memory.historian.services import END_TOPIC
from memory.quality.error_budget import MIN_SAMPLES
from tests.console.test_roles import make_operator
from tests.memory.quality.history import HOUR, NOW, Turns, ended, item
from tests.support.cast import make_person
from tests.support.experiments import make_staff, run
from tests.support.operators import sign_in_operator

REQUESTS = reverse("admin:consent_erasurerequest_changelist")
INDEX, QUALITY, HISTORIAN = reverse("admin:index"), reverse("admin:quality"), reverse("admin:historian")
RECEIPTS = reverse("admin:memory_receipt_changelist")
QUIET = "Nothing needs you right now."
pytestmark = pytest.mark.usefixtures("with_a_model")


@pytest.fixture(autouse=True)
def _clock() -> object:
    with time_machine.travel(NOW, tick=False):
        yield


def _page(client: Client) -> str:
    return " ".join(client.get(INDEX).content.decode().split())


def _stale(person: User, share: float) -> None:
    for number in range(MIN_SAMPLES):
        item(person, **(ended(HOUR) if number < share * MIN_SAMPLES else {}))


def _ended(person: User, degraded: tuple[str, ...], age: timedelta = HOUR) -> OutboxMessage:
    with acting_as(person.pk):
        job = enqueue(END_TOPIC, user_id=person.pk, payload={})
    done = {"state": "done", "finished_at": NOW - age, "result": {"results": []}}
    if degraded:
        done["result"] = {"degraded": list(degraded)}
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=job.pk).update(**done)
    return job


def test_a_day_with_a_model_and_nothing_wrong_is_quiet(as_operator: Client, alice: User) -> None:
    _stale(alice, 0.1)
    Turns(alice).receipt("injection")
    _ended(alice, ())

    assert QUIET in _page(as_operator)


@pytest.mark.parametrize(("share", "level"), [(0.2, "warning"), (0.5, "error")])
def test_a_gauge_off_target_is_a_row(as_operator: Client, alice: User, share: float, level: str) -> None:
    _stale(alice, share)

    page = _page(as_operator)

    row = f'<li class="{level}"> <a href="{QUALITY}#staleness_rate"> Memory quality, Out of date: {share * 100:.0f} %'
    assert f"{row} is off target (below 15 %)" in page
    assert QUIET not in page


def test_a_gauge_with_too_few_samples_needs_nobody(as_operator: Client, alice: User) -> None:
    for _ in range(MIN_SAMPLES - 1):
        item(alice, **ended(HOUR))

    assert QUIET in _page(as_operator)


def test_what_alerts_is_not_told_twice(as_operator: Client, alice: User) -> None:
    turns = Turns(alice)
    for _ in range(MIN_SAMPLES):
        turns.receipt("retrieval", latency_ms=900.0)

    page = _page(as_operator)

    assert "Memory quality, Time to find: the error budget is nearly gone" in page
    assert "is off target" not in page


def test_no_model_is_told(as_operator: Client, settings: Settings) -> None:
    settings.OPENAI_BASE_URL = ""

    page = _page(as_operator)

    assert "No language model is configured" in page
    assert QUIET not in page


def test_answers_with_a_part_missing_are_counted_by_what_they_went_without(as_operator: Client, alice: User) -> None:
    turns = Turns(alice)
    for reasons in (
        ["vector_unavailable"],
        ["vector_unavailable", "knowledge_timeout"],
        ["model_offline"],
        ["personalization_stopped"],
        [],
    ):
        turns.receipt("injection", degraded=reasons)
        turns.receipt("retrieval", degraded=reasons)
    turns.receipt("injection", degraded=["memory_unavailable"], age=25 * HOUR)

    page = _page(as_operator)

    assert "2 answers in the last 24 hours: by full text alone, without vectors" in page
    assert "1 answer in the last 24 hours: without your organisations’ knowledge, which took too long" in page
    assert f'href="{RECEIPTS}?kind__exact=injection&amp;degraded=vector_unavailable"' in page
    assert "memory_unavailable" not in page
    assert "model_offline" not in page  # whether a model is configured is a row of its own, and so is a kill switch
    assert "personalization_stopped" not in page
    assert QUIET not in page
    found = as_operator.get(RECEIPTS, {"kind__exact": "injection", "degraded": "knowledge_timeout"})
    assert found.context["cl"].result_count == 1


def test_a_doubtful_event_is_a_row_that_leads_to_it(as_operator: Client, alice: User) -> None:
    doubtful = _ended(alice, ("rewrite_failed",))
    _ended(alice, ())
    _ended(alice, ("rewrite_failed",), age=25 * HOUR)

    page = _page(as_operator)

    row = f'<a href="{HISTORIAN}#doubtful"> The historian: 1 doubtful event in the last 24 hours'
    assert row in page
    assert QUIET not in page
    shown = as_operator.get(HISTORIAN)
    assert [job.message.pk for job in shown.context["historian"].doubtful] == [doubtful.pk]
    assert 'id="doubtful"' in shown.text
    assert "rewrite_failed" in shown.text


def test_an_erasure_that_waits_for_a_second_person_is_a_row_until_it_is_decided_or_expires(
    as_operator: Client, alice: User, bob: User
) -> None:
    officer, other = make_operator("superuser"), make_operator("privacy officer")
    asked = [
        ask_for_erasure(ErasureWish(person, ErasureScope.MEMORIES, None, Sources.REDACT, "T-1"), officer)
        for person in (alice, bob)
    ]

    page = _page(as_operator)

    row = f'<a href="{REQUESTS}?state__exact=pending"> 2 erasures wait for approval by a second person'
    assert row in page
    assert QUIET not in page
    decline_request(asked[0].pk, other)
    assert "1 erasure waits for approval by a second person" in _page(as_operator)
    with time_machine.travel(asked[1].expires_at, tick=False):
        assert QUIET in _page(sign_in_operator(as_operator, officer))


def test_an_experiment_that_was_rolled_back_is_shown_for_a_day(as_operator: Client) -> None:
    experiment = run(make_staff("olga", "operator"))
    assert QUIET in _page(as_operator)
    roll_back(experiment.pk)
    assert "The experiment “Sooner research” was rolled back by itself on" in _page(as_operator)
    with time_machine.travel(NOW + timedelta(hours=25), tick=False):
        assert "was rolled back by itself" not in _page(as_operator)


def test_numbers_of_users_that_are_not_as_their_weights_are_shown(as_operator: Client) -> None:
    experiment = run(make_staff("olga", "operator"))
    for number in range(20):
        turns = Turns(make_person(f"p{number}"))
        turns.receipt("injection", age=timedelta(0), generation_metadata={"experiments": {str(experiment.pk): "warm"}})

    assert "The experiment “Sooner research”: users are not as their weights" in _page(as_operator)
