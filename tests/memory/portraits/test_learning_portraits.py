"""What an event told of somebody is in their portrait once the worker was there: once, under its consent, or not."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.test import override_settings

from consent.services import withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.llm import Prompt
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.historian.events import correct_event
from memory.models import CognitiveEvent, EntityProfile, SearchEntry, Session
from memory.portraits import services as portraits
from memory.portraits import tasks
from memory.portraits.markdown import markdown_of
from memory.portraits.tasks import PORTRAIT_TOPIC, queue_events
from memory.retrieval.services import embed_query
from tests.memory.portraits.support import ScriptedModel, body, bullets, edit, portrait, stored_words, tell, versions
from tests.support.cast import A_MONDAY, allow
from tests.support.talk import open_session, permit_of


@pytest.fixture
def talk(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


def queued() -> list[OutboxMessage]:
    return list(OutboxMessage.objects.filter(topic=PORTRAIT_TOPIC))


def test_each_line_that_lasts_stands_under_what_it_is_about(alice: User, talk: Session) -> None:
    for text in (
        "I live in Lisbon.", "I like green tea.", "I am allergic to peanuts.", "I want to learn Spanish.",
        "I went to a concert yesterday.",
    ):  # fmt: skip
        tell(alice, talk, text, at=A_MONDAY)

    assert body(alice) == (
        "# User portrait\n\n"
        "## Person and daily life\n- Alice lives in Lisbon.\n\n"
        "## Tastes\n- Alice likes green tea.\n\n"
        "## Plans\n- Alice wants to learn Spanish.\n\n"
        "## Health and diet\n- Alice is allergic to peanuts."
    )


def test_a_portrait_in_chinese_has_chinese_headings(alice: User, talk: Session) -> None:
    tell(alice, talk, "我喜欢喝茶。")
    tell(alice, talk, "我住在上海。")

    assert body(alice) == "# 用户侧写\n\n## 个人与日常\n- Alice 住在上海。\n\n## 喜好\n- Alice 喜欢喝茶。"


@pytest.mark.parametrize(
    "stated",
    [
        "I have diabetes.",
        "I have diabetes and take insulin.",
        "I'm 34 and have diabetes.",
        "In May 2024 I was diagnosed with diabetes.",
        "My diabetes got worse.",
        "I take insulin.",
        "我有糖尿病。",
        "我确诊了糖尿病。",
        "2024年5月我确诊了糖尿病。",
        "我今年三十岁，有糖尿病。",
        "我在吃降压药。",
    ],
)
def test_what_somebody_has_not_said_may_be_kept_of_their_health_is_in_no_portrait_but_what_guards_them_is(
    alice: User, talk: Session, stated: str
) -> None:
    tell(alice, talk, f"{stated} I am allergic to peanuts.")

    assert bullets(alice) == ["Alice is allergic to peanuts."]


@pytest.mark.parametrize("stated", ["I work in diabetes research.", "我持有胰岛素概念股。"])
def test_what_only_sounds_like_health_is_in_the_portrait(alice: User, talk: Session, stated: str) -> None:
    tell(alice, talk, stated)

    assert len(bullets(alice)) == 1


def test_front_matter_says_of_whom_and_after_which_event(alice: User, talk: Session) -> None:
    event = tell(alice, talk, "I like green tea.")
    view = portrait(alice)
    assert view is not None

    head, _, text = markdown_of(view).removeprefix("---\n").partition("---\n\n")

    assert f"entity_type: user\nentity_id: {alice.pk}\nname: Alice\ntags:\n- green tea\n" in head
    assert f"source_event_id: {event}\n" in head
    assert text == f"{view.body}\n"


def test_what_holds_one_value_is_replaced_and_what_holds_several_is_not(alice: User, talk: Session) -> None:
    for text in ("I live in Lisbon.", "I like tea.", "I like coffee.", "I live in Porto."):
        tell(alice, talk, text)

    assert bullets(alice) == ["Alice lives in Porto.", "Alice likes tea.", "Alice likes coffee."]
    assert any("Lisbon" in former for former in versions(alice))


def test_an_end_that_arrives_late_replaces_nothing_newer(alice: User, talk: Session) -> None:
    tell(alice, talk, "I live in Porto.", at=A_MONDAY)
    tell(alice, talk, "I live in Lisbon.", at=A_MONDAY - timedelta(days=400))

    assert bullets(alice) == ["Alice lives in Porto."]


def test_an_end_without_anything_new_queues_nothing(alice: User, talk: Session) -> None:
    with acting_as(alice.pk):
        queue_events([CognitiveEvent(user=alice, new_info="", has_new_info=False)])
        assert queued() == []


@override_settings(COGNITIVE_ENABLED=False)
def test_switched_off_nothing_is_queued(alice: User, talk: Session) -> None:
    with acting_as(alice.pk):
        queue_events([CognitiveEvent(user=alice, new_info="Alice likes tea.", has_new_info=True)])
        assert queued() == []


def test_the_same_event_is_learned_once_however_often_the_job_runs(alice: User, talk: Session) -> None:
    tell(alice, talk, "I like tea.")
    with acting_as(alice.pk):
        queue_events(list(CognitiveEvent.objects.all()))
    drain()
    edit(alice, "- I drink nothing but water")
    with acting_as(alice.pk):
        done = queued()
        assert len(done) == 1
        outbox.run_again(done[0].pk)
    drain()

    assert bullets(alice) == ["I drink nothing but water"]
    assert len(versions(alice)) == 2


def test_a_corrected_event_takes_the_place_of_what_was_learned_of_it(alice: User, talk: Session) -> None:
    event = tell(alice, talk, "I like zanzibar tea.")
    tell(alice, talk, "I live in Lisbon.")

    with acting_as(alice.pk):
        correct_event(permit_of(alice), event, "Alice likes coffee.")
    drain()

    assert bullets(alice) == ["Alice lives in Lisbon.", "Alice likes coffee."]


@pytest.mark.parametrize(
    ("told", "other", "words"),
    [
        ("I like tea.", "I live in Lisbon.", "Alice likes coffee."),
        ("我喜欢茶。", "我住在里斯本。", "Alice 喜欢咖啡。"),
    ],
)
def test_correcting_an_event_leaves_other_events_lines_and_what_was_written_by_hand(
    alice: User, talk: Session, told: str, other: str, words: str
) -> None:
    event = tell(alice, talk, told)
    (learned,) = bullets(alice)
    tell(alice, talk, other)
    (of_the_other,) = set(bullets(alice)) - {learned}
    edit(alice, body(alice).replace(learned, f"{learned} 🍵"))
    with acting_as(alice.pk):
        correct_event(permit_of(alice), event, words)
    drain()
    assert set(bullets(alice)) == {f"{learned} 🍵", of_the_other, words}


@pytest.mark.parametrize("words", ["Alice lives in Bremen.", "Alice 住在不来梅。"])
def test_correcting_an_older_event_takes_nothing_from_a_newer_one(alice: User, talk: Session, words: str) -> None:
    older = tell(alice, talk, "I like tea.", at=A_MONDAY)
    tell(alice, talk, "I live in Berlin.", at=A_MONDAY + timedelta(days=30))
    with acting_as(alice.pk):
        correct_event(permit_of(alice), older, words)
    drain()
    assert bullets(alice) == ["Alice lives in Berlin."]


def test_an_event_that_its_person_corrects_while_the_model_thinks_is_learned_as_corrected(
    alice: User, talk: Session
) -> None:
    tell(alice, talk, "I live in Lisbon.")

    def correct_meanwhile(prompt: Prompt) -> str:
        with acting_as(alice.pk):
            event = CognitiveEvent.objects.get(new_info__contains="zanzibar")
            correct_event(permit_of(alice), event.event_id, "Alice likes coffee.")
            OutboxMessage.objects.filter(topic=PORTRAIT_TOPIC, payload__anew=True).delete()
        return '{"lines": []}'

    with patch.object(tasks, "configured_model", return_value=ScriptedModel(correct_meanwhile)):
        tell(alice, talk, "I like zanzibar tea.")

    assert bullets(alice) == ["Alice lives in Lisbon.", "Alice likes coffee."]


def test_nothing_is_learned_that_was_withdrawn_while_it_waited(alice: User, talk: Session) -> None:
    tell(alice, talk, "I like tea.")
    with acting_as(alice.pk):
        EntityProfile.objects.all().delete()
        events = list(CognitiveEvent.objects.all())
        consent = permit_of(alice).consent_id
        assert consent is not None
        withdraw_consent(alice, consent, source="api")
        OutboxMessage.objects.filter(topic=PORTRAIT_TOPIC).delete()
        queue_events(events)
    allow(alice)
    drain()

    assert portrait(alice) is None
    assert stored_words(alice) == "[] []"


def test_it_is_found_by_what_it_says(alice: User, talk: Session) -> None:
    tell(alice, talk, "I like zanzibar tea.")

    with acting_as(alice.pk):
        found = portraits.search_portraits(permit_of(alice), embed_query("zanzibar"))
        assert [hit.portrait.entity_id for hit in found.hits] == [alice.pk]
        entry = SearchEntry.objects.get(kind="profile")
        assert "zanzibar" in str(entry.terms)
        assert entry.vector is not None


@override_settings(PROFILE_MAX_CHARS=300)
def test_a_portrait_that_grows_too_long_loses_what_is_oldest_and_nothing_its_person_wrote(
    alice: User, talk: Session
) -> None:
    towns = ["Paris", "Rome", "Madrid", "Lisbon", "Porto", "Berlin", "Vienna", "Prague", "Oslo", "Zurich"]
    edit(alice, "- I wrote this myself")
    for number, town in enumerate(towns):
        tell(alice, talk, f"I like the music of {town}.", at=A_MONDAY + timedelta(days=number))

    assert len(body(alice)) <= 300
    assert "I wrote this myself" in bullets(alice)
    assert "Zurich" in body(alice)
    assert "Paris" not in body(alice)


def test_what_its_person_writes_while_the_model_thinks_is_kept(alice: User, talk: Session) -> None:
    tell(alice, talk, "I like tea.")

    def write_meanwhile(prompt: Prompt) -> str:
        edit(alice, "- I wrote this meanwhile")
        return '{"lines": []}'

    with patch.object(tasks, "configured_model", return_value=ScriptedModel(write_meanwhile)):
        tell(alice, talk, "I live in Lisbon.")

    assert bullets(alice) == ["I wrote this meanwhile", "Alice lives in Lisbon."]


@pytest.mark.parametrize(
    "command",
    [
        "back to usual.",
        "Be warm.",
        "Please be friendlier with me",
        "恢复正常。",
        "温柔一点",
        "换成严格模式",
        "像平时一样说话",
    ],
)
def test_a_command_on_how_to_speak_is_no_line(alice: User, talk: Session, command: str) -> None:
    tell(alice, talk, "I like green tea.")
    tell(alice, talk, command)

    assert bullets(alice) == ["Alice likes green tea."]
