"""Operators see how good the memory is: figures, objectives, the last days, and what burns."""

from __future__ import annotations

from datetime import timedelta
from xml.etree import ElementTree

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from finclaw.console.quality import DAYS, NAMES
from foundation.accounts.group_sizes import FEWEST_PEOPLE
from foundation.accounts.models import Tenant, User
from memory.quality.error_budget import MIN_SAMPLES
from memory.quality.quality_indicators import SLIS
from memory.quality.release_report import judge_release
from tests.memory.quality.history import DAY, NOW, Turns, ended, item
from tests.support.erasures import ask_to_forget

PAGE, INDEX = reverse("admin:quality"), reverse("admin:index")


@pytest.fixture(autouse=True)
def _clock() -> object:
    with time_machine.travel(NOW, tick=False):
        yield


def _slow(person: User, count: int = MIN_SAMPLES) -> None:
    turns = Turns(person)
    for _ in range(count):
        turns.receipt("retrieval", latency_ms=900.0)


def _half_ended(person: User, count: int) -> None:
    for number in range(count):
        item(person, **(ended(timedelta(hours=1)) if number % 2 else {}))


def test_somebody_who_is_not_staff_is_asked_to_sign_in(client: Client, alice: User) -> None:
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")

    assert client.get(PAGE).status_code == 302


def test_an_empty_installation_says_so(as_operator: Client) -> None:
    page = as_operator.get(PAGE).content.decode()

    assert page.count("nothing to measure") == len(SLIS)
    assert page.count("Nothing to draw yet.") == len(SLIS)
    assert "No error budget burns too fast." in page
    assert "No release has been judged yet" in page


def test_each_indicator_stands_with_its_value_its_objective_and_its_state_in_words(
    as_operator: Client, alice: User
) -> None:
    _half_ended(alice, MIN_SAMPLES)
    _slow(alice)

    shown = {figure.key: figure for figure, _ in as_operator.get(PAGE).context["quality"].figures}

    assert set(shown) == {indicator.name for indicator in SLIS} == set(NAMES)
    stale, latency = shown["staleness_rate"], shown["retrieval_latency_p95"]
    assert (stale.value, stale.target, stale.samples, stale.words) == ("50 %", "below 15 %", "15 of 30", "off target")
    assert (latency.value, latency.target, latency.state) == ("900 ms", "below 200 ms", "bad")
    assert shown["receipt_completeness_rate"].words == "on target"
    assert shown["deletion_timeout_rate"].target == "none at all"


def test_too_few_samples_miss_no_objective(as_operator: Client, alice: User) -> None:
    _half_ended(alice, MIN_SAMPLES - 2)
    _slow(alice, MIN_SAMPLES - 1)

    shown = {figure.key: figure for figure, _ in as_operator.get(PAGE).context["quality"].figures}

    stale, latency = shown["staleness_rate"], shown["retrieval_latency_p95"]
    assert (stale.value, stale.state, stale.words) == ("50 %", "none", "too few to tell")
    assert (latency.value, latency.state, latency.words) == ("900 ms", "none", "too few to tell")


def test_one_erasure_past_its_term_is_enough(as_operator: Client, alice: User) -> None:
    ask_to_forget(alice, NOW - 200 * DAY)

    shown = {figure.key: figure for figure, _ in as_operator.get(PAGE).context["quality"].figures}

    assert (shown["deletion_timeout_rate"].state, shown["deletion_timeout_rate"].samples) == ("bad", "1 of 1")


def test_the_last_days_are_drawn_a_bar_a_day(as_operator: Client, alice: User) -> None:
    item(alice, age=30 * DAY, **ended(3 * DAY - timedelta(hours=1)))

    content = as_operator.get(PAGE).content.decode()

    (drawing,) = [f"<svg{part}</svg>" for part in _drawings(content)]
    titles = [title.text for title in ElementTree.fromstring(drawing).iter("title")]  # noqa: S314  our own page
    days = [f"{NOW - ago * DAY:%d %b} · Out of date: 100 %" for ago in (2, 1, 0)]
    assert titles == days
    assert len(days) < DAYS


def _drawings(content: str) -> list[str]:
    found = [part.split("</svg>")[0] for part in content.split("<svg")[1:]]
    return [part for part in found if 'role="img"' in part.split(">")[0]]


def test_a_burning_budget_stands_on_both_pages(as_operator: Client, alice: User) -> None:
    _slow(alice)

    today = as_operator.get(INDEX).content.decode()
    assert f'<li class="error"><a href="{PAGE}">Memory quality, Time to find: the error budget is nearly gone' in today
    assert "Nothing needs you right now." not in today
    assert "Time to find: the error budget is nearly gone" in as_operator.get(PAGE).content.decode()


@pytest.mark.usefixtures("with_a_model")
def test_too_few_samples_call_nobody(as_operator: Client, alice: User) -> None:
    _slow(alice, MIN_SAMPLES - 1)

    assert "Nothing needs you right now." in as_operator.get(INDEX).content.decode()


def test_today_shows_every_indicator_with_a_way_to_it(as_operator: Client) -> None:
    page = as_operator.get(INDEX).content.decode()

    assert all(f'href="{PAGE}#{indicator.name}"' in page for indicator in SLIS)


def test_the_page_can_be_narrowed_to_a_tenant(as_operator: Client, alice: User, bob: User) -> None:
    tenant = Tenant.objects.create(name="Desk")
    bob.tenant = tenant
    bob.save()
    colleagues = [User.objects.create(username=f"colleague{number}", tenant=tenant) for number in range(4)]
    for number in range(FEWEST_PEOPLE):
        User.objects.create(username=f"freelancer{number}")
    for person in (alice, bob, *colleagues):
        item(person)

    samples = [
        as_operator.get(PAGE, {"tenant": wanted}).context["quality"].figures[0][0].samples
        for wanted in ("", str(tenant.pk), "no such tenant")
    ]

    assert samples == ["0 of 6", "0 of 5", "0 of 6"]
    assert f'<a href="?tenant={tenant.pk}">Desk</a>' in as_operator.get(PAGE).content.decode()


def test_the_last_release_is_shown_row_by_row(as_operator: Client) -> None:
    judge_release("3.1")

    page = as_operator.get(PAGE).content.decode()

    assert "3.1, 2026-06-15 12:00" in page
    assert page.count('<th scope="row">') == 11
    assert "not measured here" in page


def test_the_page_keeps_the_content_security_policy(as_operator: Client, alice: User) -> None:
    _slow(alice)
    judge_release("3.1")

    page = as_operator.get(PAGE).content.decode()

    assert " style=" not in page
    assert "<style" not in page
    assert all("src=" in tag.split(">")[0] for tag in page.split("<script")[1:])
