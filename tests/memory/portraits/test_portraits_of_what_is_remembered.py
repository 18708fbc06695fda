"""A portrait holds a line for each memory in force that reads alone, and follows what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.test import override_settings
from django.utils import timezone

from consent.models import ErasureScope
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.models import EntityProfile, MemoryItem, Session
from memory.portraits import services as portraits
from memory.portraits.lines import chains_of, from_json
from memory.services import item_decisions, items
from memory.services.portrait_rebuilds import REMAKE_TOPIC
from tests.memory.portraits.support import body, bullets, edit, erase, portrait, rollback, stored_words, versions
from tests.support.cast import allow, group_with
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.usefixtures("at_once")


@pytest.fixture
def at_once() -> Iterator[None]:
    with override_settings(PORTRAIT_REMAKE_SECONDS=0.0):
        yield


@pytest.fixture
def talk(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


def item_of(user: User, words: str) -> MemoryItem:
    return memories(user, content__icontains=words, superseded_at=None)[0]


def test_who_only_chats_has_a_portrait_of_what_lasts_and_nothing_else(alice: User, talk: Session) -> None:
    say(
        alice, talk, "Hi there!", "I work as a nurse.", "I love hiking.", "Thanks, that helps a lot.",
        "I went to the park yesterday and saw a squirrel.",
    )  # fmt: skip

    assert body(alice) == "# User portrait\n\n## Work and study\n- Works as a nurse\n\n## Tastes\n- Likes hiking"


def test_a_chinese_portrait_is_in_chinese(alice: User, talk: Session) -> None:
    say(alice, talk, "你好！", "我住在上海。", "我喜欢爬山。", "谢谢你！")

    assert body(alice) == "# 用户侧写\n\n## 个人与日常\n- 住在上海\n\n## 喜好\n- 喜欢爬山"


def test_a_line_names_its_memory_and_the_message_that_told_it(alice: User, talk: Session) -> None:
    [message] = say(alice, talk, "I live in Leeds.")

    with acting_as(alice.pk):
        [line] = from_json(EntityProfile.objects.get().lines)
    assert [(source.kind, source.id) for source in line.sources] == [
        ("item", item_of(alice, "Leeds").pk), ("message", message.pk),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ("I live in Leeds.", "I live in York.", "Lives in York"),
        ("我住在上海。", "我住在北京。", "住在北京"),
    ],
)
def test_what_is_superseded_leaves_and_what_took_its_place_stands(
    alice: User, talk: Session, first: str, second: str, left: str
) -> None:
    say(alice, talk, first)
    say(alice, talk, second)

    assert bullets(alice) == [left]


def test_what_holds_no_more_is_shown_no_more_before_the_portrait_is_remade(alice: User, talk: Session) -> None:
    say(alice, talk, "I live in Leeds.", "I love hiking.")
    with acting_as(alice.pk):
        items.retire(permit_of(alice), item_of(alice, "Leeds"), at=timezone.now())

    assert bullets(alice) == ["Likes hiking"]
    drain()
    assert "Leeds" not in body(alice)


def test_what_is_corrected_is_told_in_its_new_words(alice: User, talk: Session) -> None:
    say(alice, talk, "I live in Leeds.")
    with acting_as(alice.pk):
        item_decisions.correct(permit_of(alice), item_of(alice, "Leeds").pk, "Lives in York")
    drain()

    assert bullets(alice) == ["Lives in York"]


def test_erasing_a_memory_takes_exactly_its_line_from_every_version(alice: User, talk: Session) -> None:
    say(alice, talk, "I love zanzibar tea.")
    say(alice, talk, "I live in Leeds.")
    assert "zanzibar" in stored_words(alice)

    erase(alice, ErasureScope.ITEM, str(item_of(alice, "zanzibar").pk))

    assert bullets(alice) == ["Lives in Leeds"]
    assert "zanzibar" not in stored_words(alice)
    drain()
    assert bullets(alice) == ["Lives in Leeds"]


def test_what_is_said_twice_is_one_line(alice: User, talk: Session) -> None:
    say(alice, talk, "I love hiking.", "I like hiking in the hills.")

    assert len(bullets(alice)) == 1
    assert len(memories(alice, superseded_at=None)) == 2


@pytest.mark.parametrize("stated", ["I have diabetes.", "我有糖尿病。"])
def test_health_is_in_it_once_its_person_said_yes(alice: User, talk: Session, stated: str) -> None:
    say(alice, talk, stated)
    assert portrait(alice) is None
    [waiting] = memories(alice, state=MemoryItem.State.QUARANTINED)
    with acting_as(alice.pk):
        items.accept(permit_of(alice), waiting.pk)
    drain()

    assert len(bullets(alice)) == 1


def test_a_plan_leaves_when_its_date_has_passed(alice: User, talk: Session) -> None:
    tomorrow = (timezone.now() + timedelta(days=1)).date()
    with acting_as(alice.pk):
        item_decisions.add_stated(permit_of(alice), f"Flies to Rome on {tomorrow.day} {tomorrow:%B %Y}")
        MemoryItem.objects.filter(user=alice).update(category="goal")
    drain()
    assert len(bullets(alice)) == 1

    with time_machine.travel(timezone.now() + timedelta(days=3), tick=False):
        assert bullets(alice) == []


def test_what_its_person_took_out_comes_back_with_no_remaking(alice: User, talk: Session) -> None:
    say(alice, talk, "I love hiking.", "I live in Leeds.")
    edit(alice, "## Tastes\n- Likes hiking\n- I swim every day")
    say(alice, talk, "I work as a nurse.")

    assert set(bullets(alice)) == {"Works as a nurse", "Likes hiking", "I swim every day"}
    assert item_of(alice, "Leeds").state == MemoryItem.State.ACTIVE


def test_going_back_brings_a_line_back_and_remaking_leaves_it(alice: User, talk: Session) -> None:
    say(alice, talk, "I love hiking.")
    edit(alice, "- I swim every day")
    rollback(alice)
    assert bullets(alice) == ["Likes hiking"]
    say(alice, talk, "I live in Leeds.")

    assert set(bullets(alice)) == {"Likes hiking", "Lives in Leeds"}


def test_going_back_brings_nothing_back_that_holds_no_more(alice: User, talk: Session) -> None:
    say(alice, talk, "I live in Leeds.", "I love hiking.")
    say(alice, talk, "I live in York.")
    rollback(alice)

    assert bullets(alice) == ["Likes hiking"]


def test_five_former_versions_stay(alice: User, talk: Session) -> None:
    for town in ("Leeds", "York", "Hull", "Bath", "Derby", "Truro", "Ely"):
        say(alice, talk, f"I live in {town}.")

    with acting_as(alice.pk):
        assert len(portraits.revisions(permit_of(alice), "user", alice.pk)) == 5
    assert bullets(alice) == ["Lives in Ely"]


def test_many_changes_are_one_job_and_a_remade_portrait_that_says_the_same_is_no_revision(
    alice: User, talk: Session
) -> None:
    with override_settings(PORTRAIT_REMAKE_SECONDS=60.0):
        say(alice, talk, *(f"I love {what}." for what in ("hiking", "tea", "chess", "jazz")))
        with acting_as(alice.pk):
            waiting = OutboxMessage.objects.filter(topic=REMAKE_TOPIC)
            assert waiting.count() == 1
            waiting.update(available_at=timezone.now())
    drain()
    assert len(bullets(alice)) == 4
    with acting_as(alice.pk):
        outbox.run_again(OutboxMessage.objects.get(topic=REMAKE_TOPIC).pk)
    drain()

    assert len(versions(alice)) == 1


def test_what_a_member_told_a_group_is_in_its_portrait_and_what_they_told_alone_is_not(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    say(alice, open_session(alice), "I live in Leeds.")
    say(alice, open_session(alice, group_id=group.pk), "I love hiking.")

    assert bullets(bob, group) == ["Alice: Likes hiking"]
    assert set(bullets(alice)) == {"Lives in Leeds", "Likes hiking"}
    assert portrait(bob) is None


def test_nothing_of_health_is_in_a_groups_portrait(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    say(alice, open_session(alice, group_id=group.pk), "I have diabetes.", "I love hiking.")
    [waiting] = memories(alice, state=MemoryItem.State.QUARANTINED)
    with acting_as(alice.pk):
        items.accept(permit_of(alice), waiting.pk)
    drain()

    assert bullets(bob, group) == ["Alice: Likes hiking"]


@override_settings(COGNITIVE_ENABLED=False)
def test_switched_off_no_portrait_is_made(alice: User, talk: Session) -> None:
    say(alice, talk, "I live in Leeds.")

    assert portrait(alice) is None
    with acting_as(alice.pk):
        assert not OutboxMessage.objects.filter(topic=REMAKE_TOPIC).exists()


def test_a_conflict_is_one_line_with_both_dates(alice: User, talk: Session) -> None:
    with acting_as(alice.pk):
        permit = permit_of(alice)
        older = item_decisions.add_stated(permit, "Works four days a week at the clinic")
        newer = item_decisions.add_stated(permit, "Works every day at the clinic now")
        detail = newer.provenance_detail | {"may_change": [str(older.chain_id)]}
        MemoryItem.objects.filter(pk=newer.pk).update(provenance_detail=detail)
    drain()

    [line] = bullets(alice)
    day = f"{timezone.now().day} {timezone.now():%B %Y}"
    assert line == (
        f"Works every day at the clinic now (said on {day}), or works four days a week at the clinic (said on {day}): "
        "not settled"
    )
    with acting_as(alice.pk):
        [stored] = from_json(EntityProfile.objects.get().lines)
    assert chains_of([stored]) == {older.chain_id, newer.chain_id}
