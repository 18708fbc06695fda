"""What is said again is one memory, which names each conversation and is surer of itself from the third time on."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from memory.confidence import ANALYSIS_FROM, after_repetitions
from memory.erasure.labels import ITEM
from memory.erasure.targets import targets_of_session
from memory.governance.staleness import mark_outdated
from memory.governance.thresholds import Thresholds
from memory.services import promotion
from memory.services.history import undo, undoable_change
from tests.memory.evolution.support import actions, draft, recallable
from tests.support.cast import A_MONDAY, allow
from tests.support.items import add_item
from tests.support.organisation import employ
from tests.support.talk import memories, open_session, permit_of, say


@pytest.mark.parametrize("said", ["I like oolong tea", "我喜欢喝乌龙茶"])
def test_the_third_saying_makes_an_analysis_of_a_mention(alice: User, said: str) -> None:
    allow(alice)
    sessions = [open_session(alice) for _ in range(ANALYSIS_FROM)]
    found = []
    for session in sessions:
        say(alice, session, said)
        [item] = memories(alice)
        found.append((item.provenance, item.confidence, item.source_sessions))

    keys = [session.pk for session in sessions]
    assert found == [
        ("observation", 0.5, keys[:1]),
        ("observation", 0.5, keys[:2]),
        ("analysis", 0.8, keys),
    ]


def test_one_message_counts_once_however_often_it_is_learned(alice: User) -> None:
    permit = allow(alice)
    said = draft(detail={"rule": "test", "message_ids": ["018f0000-0000-7000-8000-000000000001"]})
    with acting_as(alice.pk):
        for _ in range(ANALYSIS_FROM + 1):
            item = add_item(permit, said)
        assert (item.provenance, len(item.provenance_detail["message_ids"])) == ("observation", 1)
        assert actions(permit, item) == ["added"]


def test_nobody_elses_words_count(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    for user in (alice, bob, bob):
        say(user, open_session(user), "I like oolong tea")

    [mine], [theirs] = memories(alice), memories(bob)
    assert (len(mine.source_sessions), len(theirs.source_sessions)) == (1, 2)


def test_what_was_told_stays_told_and_names_the_conversation_in_which_it_was_said_again(alice: User) -> None:
    allow(alice)
    first, second = open_session(alice), open_session(alice)
    say(alice, first, "Remember that I live in Berlin")
    [told] = memories(alice)
    say(alice, second, "I live in Berlin")

    [item] = memories(alice)
    assert (item.pk, item.provenance, item.confidence) == (told.pk, "confirmed_by_user", 0.9)
    assert item.source_sessions == [first.pk, second.pk]


def test_a_confirmation_adds_its_conversation(alice: User) -> None:
    allow(alice)
    first, second = open_session(alice), open_session(alice)
    say(alice, first, "I live in Berlin")
    say(alice, second, "Remember that I live in Berlin")

    [item] = memories(alice, superseded_at=None)
    assert (item.provenance, item.source_sessions) == ("confirmed_by_user", [first.pk, second.pk])


def test_what_waits_is_not_believed_for_being_said_often(alice: User) -> None:
    allow(alice)
    for _ in range(ANALYSIS_FROM):
        say(alice, open_session(alice), "Maybe I like oolong tea")

    [item] = memories(alice)
    assert (item.state, item.provenance) == ("quarantined", "observation")
    assert len(item.source_sessions) == ANALYSIS_FROM


def test_what_went_out_of_date_holds_again_once_it_is_said_anew(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I like oolong tea", at=timezone.now() - timedelta(days=400))
    with acting_as(alice.pk):
        mark_outdated(permit_of(alice), Thresholds())
    assert [item.epistemic_type for item in memories(alice)] == ["outdated"]
    say(alice, open_session(alice), "I like oolong tea")

    [item] = memories(alice)
    assert (item.epistemic_type, timezone.now() - item.last_validated_at < timedelta(days=1)) == ("preference", True)
    assert recallable(alice) == {item.content}


def test_it_is_as_fresh_as_the_latest_saying_and_no_older_one_makes_it_older(alice: User) -> None:
    allow(alice)
    for days in (0, 30, 10):
        say(alice, open_session(alice), "I like oolong tea", at=A_MONDAY + timedelta(days=days))

    [item] = memories(alice)
    assert item.last_validated_at == A_MONDAY + timedelta(days=30)
    assert item.valid_at == A_MONDAY


def test_a_repetition_is_recorded_and_is_nothing_to_take_back(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I live in Berlin")
    say(alice, open_session(alice), "Actually, I live in Hamburg")
    say(alice, open_session(alice), "I live in Hamburg")
    [now] = memories(alice, superseded_at=None)
    with acting_as(alice.pk):
        permit = permit_of(alice)
        assert actions(permit, now) == ["added", "superseded", "confirmed"]
        last = undoable_change(permit, now)
        assert last is not None
        assert last.action == "superseded"
        assert undo(permit, now.pk).content == "Lives in Berlin"


# Towards what an organisation knows.


def test_said_often_enough_in_two_conversations_it_may_be_proposed(alice: User) -> None:
    employ(Tenant.objects.create(name="Krugerrand Ltd"), alice)
    allow(alice)
    sessions = [open_session(alice), open_session(alice)]
    proposed = []
    for number in range(promotion.FREQUENCY + 1):
        say(alice, sessions[number % 2], "I prefer answers in bullet points")
        with acting_as(alice.pk):
            proposed.append(len(list(promotion.promotion_candidates(permit_of(alice), alice))))

    assert proposed == [0, 0, 0, 1]


def test_said_in_one_conversation_alone_it_is_not(alice: User) -> None:
    employ(Tenant.objects.create(name="Krugerrand Ltd"), alice)
    allow(alice)
    session = open_session(alice)
    for _ in range(promotion.FREQUENCY + 2):
        say(alice, session, "I prefer answers in bullet points")
    with acting_as(alice.pk):
        assert list(promotion.promotion_candidates(permit_of(alice), alice)) == []


# Forgetting a conversation.


def test_a_conversation_takes_along_what_it_taught_and_not_what_it_only_said_again(alice: User) -> None:
    allow(alice)
    first, second = open_session(alice), open_session(alice)
    say(alice, first, "I like oolong tea")
    say(alice, second, "I like oolong tea", "I live in Berlin")
    tea, berlin = memories(alice)
    with acting_as(alice.pk):
        permit = permit_of(alice)
        assert set(targets_of_session(permit, second.pk).delete[ITEM]) == {berlin.pk}
        assert set(targets_of_session(permit, first.pk).delete[ITEM]) == {tea.pk}


@pytest.mark.parametrize(
    ("stands", "sayings", "becomes"),
    [
        (("observation", 0.5), 2, ("observation", 0.5)),
        (("observation", 0.4), 3, ("analysis", 0.784)),
        (("analysis", 0.6), 4, ("analysis", 0.8)),
        (("confirmed_by_user", 0.9), 9, ("confirmed_by_user", 0.9)),
    ],
)
def test_what_a_saying_is_worth(stands: tuple[str, float], sayings: int, becomes: tuple[str, float]) -> None:
    assert after_repetitions(*stands, sayings) == becomes
