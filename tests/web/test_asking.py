"""Asking for research: the route proposed, what it would be given and why, and the tasks so far."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consent.services import permit_for
from drift.models import DriftSignal
from finclaw.brain.material.dates import known_time_of
from finclaw.brain.material.lookahead import find_postdated
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.models import ResearchTask, Route
from memory.research.profile_context import save_profile_context
from memory.research.task_lifecycle import tasks_of
from memory.research.types import ResearchStatement
from tests.support.cast import allow, allow_nothing
from tests.support.organisation import employ
from tests.support.research import asked, thread_kept
from tests.web.support import signed_in

ASK = reverse("web:ask")
QUESTION = "Where does NVDA stand? Revenue rose 20% on 2026-02-01, according to the filing."
HTMX = {"HX-Request": "true"}


def tasks_asked(user: User) -> list[ResearchTask]:
    with acting_as(user.pk):
        return list(tasks_of(permit_for(user)))


@pytest.fixture
def browser(alice: User) -> Client:
    """Alice's, who allowed everything."""
    allow(alice)
    return signed_in(alice)


def started(browser: Client, **fields: str) -> Any:
    return browser.post(ASK, {"prompt": QUESTION, "start": "yes"} | fields)


def previewed(browser: Client, **fields: str) -> str:
    return browser.post(ASK, {"prompt": QUESTION} | fields, headers=HTMX).content.decode()


def test_a_question_becomes_a_task_of_the_route_it_asks_for(alice: User, browser: Client) -> None:
    answer = started(browser, prompt="Challenge my view of NVDA: what could go wrong?")
    (task,) = tasks_asked(alice)
    assert answer["Location"] == reverse("web:task", args=[task.pk])
    assert task.route == "risk_challenge"


def test_the_route_chosen_is_the_one_taken(alice: User, browser: Client) -> None:
    started(browser, prompt="Challenge my view of NVDA: what could go wrong?", route="evidence_audit")
    assert [task.route for task in tasks_asked(alice)] == ["evidence_audit"]


def test_what_would_be_used_is_told_with_its_reason_and_nothing_is_stored(alice: User, browser: Client) -> None:
    with acting_as(alice.pk):
        save_profile_context(permit_for(alice), {"research_depth": "deep"})
    shown = previewed(browser, language_preference="zh")
    assert "Snapshot." in shown
    assert "Deep" in shown
    assert "because you set it under Settings" in shown
    assert "中文" in shown
    assert "for this task alone" in shown
    assert "the usual, since you set nothing" in shown
    assert tasks_asked(alice) == []


def test_what_was_not_allowed_is_named_as_left_out(alice: User) -> None:
    allow_nothing(alice)
    shown = previewed(signed_in(alice))
    assert "because you did not allow it" in shown
    assert "Your research depth" in shown


def test_without_scripts_the_preview_is_the_page_with_the_words_still_in_it(browser: Client) -> None:
    page = browser.post(ASK, {"prompt": QUESTION, "preview": "yes"}).content.decode()
    assert "What I would go by" in page
    assert "Revenue rose 20%" in page


def test_how_often_somebody_turned_round_is_never_told(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        DriftSignal.objects.create(
            user=alice, drift_id="drift_1", object_ref=f"thread:{thread.pk}", signal_kind="grade_reversal",
            prior_signal={}, current_signal={}, delta_summary="turned", triggers_alert=True, consent_version=1,
        )  # fmt: skip
    shown = previewed(browser, route="thread_refresh", thread=str(thread.pk))
    assert "Refresh a thread." in shown
    assert "drift" not in shown.casefold()
    assert "turned" not in shown


def test_a_request_to_act_is_refused_in_the_form_and_nothing_is_queued(alice: User, browser: Client) -> None:
    page = started(browser, prompt="Buy 100 shares of NVDA for me now")
    assert page.status_code == 400
    assert page.content.decode().count("never places") == 1
    assert "从不下单" in started(browser, prompt="现在帮我买入100股贵州茅台").content.decode()
    assert "Buy 100 shares" in page.content.decode()
    assert tasks_asked(alice) == []


def test_a_secret_is_refused_where_it_stands_and_nothing_is_kept(alice: User, browser: Client) -> None:
    page = started(browser, constraints="My card is 4111 1111 1111 1111")
    assert page.status_code == 400
    assert page.context["form"].errors["constraints"]
    assert tasks_asked(alice) == []


@pytest.mark.parametrize("prompt", ["", "   ", "a\x00b", "字" * (settings.MAX_MESSAGE_CHARS + 1)])
def test_words_that_cannot_be_are_refused_and_not_queued(alice: User, browser: Client, prompt: str) -> None:
    page = started(browser, prompt=prompt)
    assert page.status_code == 400
    assert list(page.context["form"].errors) == ["prompt"]
    assert tasks_asked(alice) == []


def test_another_look_needs_a_thread(alice: User, browser: Client) -> None:
    for asked_for in ({"route": "thread_refresh"}, {"prompt": "What has changed in my threads since last week?"}):
        page = started(browser, **asked_for)
        assert page.status_code == 400
        assert page.content.decode().count("choose one, or another") == 1
        assert "choose one, or another" in previewed(browser, **asked_for)
    started(browser, route="thread_refresh", thread=str(thread_kept(alice).pk))
    assert tasks_asked(alice)[0].route == "thread_refresh"


def test_anothers_thread_cannot_be_named(alice: User, charlie: User, browser: Client) -> None:
    allow(charlie)
    thread = thread_kept(charlie)
    assert started(browser, thread=str(thread.pk)).status_code == 400
    assert browser.get(ASK, {"thread": str(thread.pk)}).status_code == 404


def test_a_day_in_the_past_is_taken_as_its_end_and_one_ahead_is_not(alice: User, browser: Client) -> None:
    ahead = (timezone.localdate() + timedelta(days=2)).isoformat()
    assert started(browser, as_of=ahead).status_code == 400
    assert started(browser, as_of="1066-10-14").status_code == 400
    started(browser, as_of="2026-03-02")
    (task,) = tasks_asked(alice)
    assert task.as_of == datetime(2026, 3, 2, 23, 59, 59, 999_999, UTC)


def test_a_sentence_of_that_very_day_was_known_and_the_day_is_shown_as_chosen(alice: User, browser: Client) -> None:
    alice.time_zone = "Asia/Shanghai"
    alice.save()
    page = browser.get(started(browser, as_of="2026-02-01")["Location"]).content.decode()
    assert "1 February 2026" in page
    (task,) = tasks_asked(alice)
    assert find_postdated([ResearchStatement(QUESTION, known_time_of(QUESTION))], task.as_of) == ()


def test_what_is_said_for_this_task_stays_with_it(alice: User, browser: Client) -> None:
    started(browser, route="pre_execution", time_horizon="ten years")
    assert [task.overrides for task in tasks_asked(alice)] == [{"time_horizon": "ten years"}]


def test_an_example_fills_the_form_by_its_route(browser: Client) -> None:
    page = browser.get(ASK, {"skill": "risk_challenge"})
    assert page.context["form"].initial["route"] == "risk_challenge"
    assert "go wrong" in page.context["form"].initial["prompt"]
    assert page.context["preview"]["route"] == "Challenge the risks"
    assert "Write your question" in browser.get(ASK).content.decode()
    first = browser.get(ASK, {"skill": "first"})
    assert "46.7 billion" in first.context["form"].initial["prompt"]
    assert first.context["preview"]
    assert browser.get(ASK, {"skill": "nonsense"}).context["form"].initial == {}


def test_all_seven_routes_are_proposed_and_another_look_only_at_a_thread_there_is(alice: User, browser: Client) -> None:
    skills = {one["skill"] for one in browser.get(ASK).context["recommended"]}
    assert skills == set(Route.values) - {"thread_refresh"}
    thread = thread_kept(alice)
    assert len({one["skill"] for one in browser.get(ASK).context["recommended"]}) == 7
    begun = browser.get(ASK, {"skill": "thread_refresh"}).context["form"].initial
    assert started(browser, **begun).status_code == 302
    assert begun["thread"] == str(thread.pk)


@pytest.mark.parametrize("words", ["NVDA, mail me at li.wei@example.com", "看看英伟达，邮件发到 li.wei@example.com"])
def test_what_is_masked_is_said(browser: Client, words: str) -> None:
    page = browser.post(ASK, {"prompt": words, "start": "yes"}, follow=True).content.decode()
    assert "I masked: an e-mail address." in page
    assert "li.wei" not in page


def test_what_is_too_long_is_refused_with_its_count_and_given_back_whole(browser: Client) -> None:
    page = browser.get(ASK).content.decode()
    assert all("maxlength" not in area.split(">")[0] for area in page.split("<textarea")[1:])
    words = "茅\r\n" * 4_001
    refused = started(browser, prompt=words)
    assert refused.status_code == 400
    assert "8001 characters, and 8000 fit" in refused.content.decode()
    assert refused.context["form"]["prompt"].value() == words


def test_a_field_that_the_route_does_not_use_is_named(browser: Client) -> None:
    stated = {"user_stated_position_context": "Mostly cash"}
    assert "does not use" in previewed(browser, route="snapshot", **stated)
    assert "does not use" not in previewed(browser, route="pre_execution", **stated)


def test_an_earlier_question_is_asked_again_by_its_owner_alone(alice: User, charlie: User, browser: Client) -> None:
    allow(charlie)
    own, other = asked(alice, "What speaks for SOL?"), asked(charlie)
    assert "What speaks for SOL?" in browser.get(ASK, {"again": str(own.pk)}).content.decode()
    started(browser, as_of="2026-03-02", route="pre_execution", constraints="No debt")
    again = browser.get(ASK, {"again": str(tasks_asked(alice)[0].pk)})
    assert 'value="2026-03-02"' in again.content.decode()
    assert "No debt" in again.content.decode()
    assert again.context["form"]["route"].value() == "pre_execution"
    assert again.context["preview"]
    assert browser.get(ASK, {"again": str(other.pk)}).status_code == 404
    assert browser.get(ASK, {"again": "no-id"}).status_code == 404


def test_the_tasks_are_listed_a_page_at_a_time_and_nobody_elses(alice: User, charlie: User, browser: Client) -> None:
    allow(charlie)
    asked(charlie, "What speaks for Charlie's ETH?")
    assert "Nothing yet" in browser.get(ASK).content.decode()
    for number in range(11):
        asked(alice, f"What speaks for asset {number}?")
    first = browser.get(ASK)
    assert len(first.context["tasks"]) == 10
    assert "ETH" not in first.content.decode()
    older = browser.get(ASK + first.context["older_url"])
    assert [task["prompt"] for task in older.context["tasks"]] == ["What speaks for asset 0?"]


def test_who_decided_later_may_ask_too(alice: User) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    assert started(signed_in(alice)).status_code == 302


def test_only_what_an_organisation_offers_can_be_asked_for(alice: User, browser: Client) -> None:
    employ(Tenant.objects.create(name="Acme", settings={"skill_whitelist": ["evidence_audit"]}), alice)
    page = browser.get(ASK)
    assert [name for name, _ in page.context["form"].fields["route"].choices] == ["", "evidence_audit"]
    assert [one["skill"] for one in page.context["recommended"]] == ["evidence_audit"]
    refused = browser.post(ASK, {"prompt": "What speaks for SOL?", "start": "1"})
    assert refused.status_code == 400
    assert "Your organisation does not offer you this kind of work." in refused.content.decode()
