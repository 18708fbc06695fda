"""Preferences become memories when they may, and are memories like any other from then on (P-4)."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consent.exceptions import ConsentScopeMissing
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.learning.services import observe
from memory.models import EvolutionEvent, MemoryItem
from memory.services import item_decisions
from memory.services.history import undo
from personas.exceptions import PersonaWriteBackOff
from personas.services.preferences import dismiss_waiting, preferences_of
from personas.services.write_back import confirm_preference, write_back_wishes
from personas.types import PreferenceSignal
from tests.personas.support import learned, signs, tell, waiting, weigh
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.operators import persona_telemetry
from tests.support.talk import memories, open_session, permit_of, say


@pytest.fixture
def talker(alice: User) -> User:
    """Alice, who allows everything."""
    allow(alice)
    return alice


def test_an_explicit_wish_is_a_memory_at_once(talker: User) -> None:
    session = open_session(talker)
    written = tell(talker, session, "Always keep your answers short.")

    (item,) = memories(talker, memory_type="persona_preference")
    assert written.decisions == ("explicit",)
    assert written.preferences == (item.pk,)
    assert (item.provenance, item.content) == ("confirmed_by_user", "Wants short, concise answers.")
    assert item.attributes["value"] == "concise"
    assert item.source_sessions == [session.pk]
    assert len(item.provenance_detail["message_ids"]) == 1
    assert learned(talker) == {"reply_length": "concise"}


def test_a_chinese_wish_is_kept_in_chinese(talker: User) -> None:
    tell(talker, open_session(talker), "以后都简洁一点")

    (item,) = memories(talker, memory_type="persona_preference")
    assert item.content == "希望回答简洁。"


def test_like_this_keeps_the_mode_the_person_was_answered_in(talker: User) -> None:
    tell(talker, open_session(talker), "以后都这么回复", mode="strict")

    assert learned(talker) == {"mode": "strict"}


def test_a_passing_wish_stays_where_it_was_said(talker: User) -> None:
    session = open_session(talker)
    first = tell(talker, session, "keep it short")
    second = tell(talker, session, "shorter please")

    assert (first.decisions, second.decisions) == (("session_only",), ("session_only",))
    assert learned(talker) == {}
    assert memories(talker) == []


def test_the_third_consistent_wish_is_kept_with_all_its_messages(talker: User) -> None:
    session = open_session(talker)
    for text in ("keep it short", "简短一点", "shorter please"):
        written = tell(talker, session, text)

    (item,) = memories(talker, memory_type="persona_preference")
    assert written.decisions == ("repeated",)
    assert item.provenance == "analysis"
    assert item.confidence == pytest.approx(0.7)
    assert len(set(item.provenance_detail["message_ids"])) == 3
    assert signs(talker) == 0


def test_a_contradiction_in_between_begins_the_count_anew(talker: User) -> None:
    session = open_session(talker)
    for text in ("keep it short", "keep it short", "more details please", "keep it short"):
        tell(talker, session, text)

    assert learned(talker) == {}


def test_a_message_weighed_twice_counts_once(talker: User) -> None:
    (message,) = say(talker, open_session(talker), "keep it short", learn=False)
    for _ in range(4):
        weigh(talker, message)

    assert (learned(talker), signs(talker)) == ({}, 1)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["concise", "detailed"]), st.booleans()), max_size=6))
def test_of_whatever_is_said_in_passing_three_in_a_row_are_kept_and_nothing_else(
    talker: User, said: list[tuple[str, bool]]
) -> None:
    run, last = 0, ""
    with transaction.atomic():
        session = open_session(talker)
        for value, correction in said:
            (message,) = say(talker, session, "Something else.", learn=False)
            signal = PreferenceSignal("reply_length", value, correction=correction)
            with acting_as(talker.pk):
                (reason,) = write_back_wishes(permit_of(talker), message, [signal], mode="hybrid").decisions
            run, last = (run + 1 if value == last else 1), value
            assert (reason == "repeated") == (run == 3)
            run %= 3  # what became a memory is counted no more
            assert learned(talker) == {} or reason != "repeated" or learned(talker) == {"reply_length": value}
        transaction.set_rollback(True)


def test_a_correction_is_written_once_it_is_confirmed(talker: User) -> None:
    written = tell(talker, open_session(talker), "Stop being so poetic!")
    (asked,) = waiting(talker)

    assert written.decisions == ("waiting",)
    assert (learned(talker), memories(talker)) == ({}, [])
    with acting_as(talker.pk):
        kept = confirm_preference(permit_of(talker), asked.id)

    assert (kept.source, kept.text) == ("confirmed", "Wants to be spoken to in a plain, sober tone.")
    assert learned(talker) == {"reply_tone": "plain"}
    assert (waiting(talker), signs(talker)) == ([], 0)
    (item,) = memories(talker)
    assert item.provenance_detail["message_ids"] == [str(asked.said_in[0])]


def test_a_correction_that_is_dismissed_is_gone_with_its_count(talker: User) -> None:
    session = open_session(talker)
    tell(talker, session, "别这么文艺")
    tell(talker, session, "别这么文艺")
    with acting_as(talker.pk):
        assert dismiss_waiting(permit_of(talker), waiting(talker)[0].id)
    tell(talker, session, "别这么文艺")

    assert learned(talker) == {}
    assert len(waiting(talker)) == 1


def test_of_one_kind_the_latest_correction_waits_alone(talker: User) -> None:
    session = open_session(talker)
    tell(talker, session, "You're too cold")
    tell(talker, session, "Stop being so cheesy")

    assert [one.value for one in waiting(talker)] == ["plain"]


def test_what_contradicts_a_correction_takes_the_question_back(talker: User) -> None:
    session = open_session(talker)
    tell(talker, session, "Stop being so cheesy")
    tell(talker, session, "Please be friendlier")

    assert waiting(talker) == []


def test_repetition_asks_before_it_contradicts_what_was_told(talker: User) -> None:
    session = open_session(talker)
    tell(talker, session, "Always keep your answers short.")
    for _ in range(3):
        tell(talker, session, "more details please")

    assert learned(talker) == {"reply_length": "concise"}
    (asked,) = waiting(talker)
    with acting_as(talker.pk):
        confirm_preference(permit_of(talker), asked.id)
    assert learned(talker) == {"reply_length": "detailed"}


@pytest.mark.parametrize(("text", "times"), [("Always keep your answers short.", 1), ("keep it short", 3)])
def test_what_went_out_of_date_holds_again_once_it_is_said_anew(talker: User, text: str, times: int) -> None:
    session = open_session(talker)
    tell(talker, session, "Always keep your answers short.")
    (item,) = memories(talker, memory_type="persona_preference")
    with acting_as(talker.pk):
        MemoryItem.objects.filter(pk=item.pk).update(epistemic_type=MemoryItem.EpistemicType.OUTDATED)
    assert learned(talker) == {}

    for _ in range(times):
        tell(talker, session, text)
    assert learned(talker) == {"reply_length": "concise"}


def test_another_wish_takes_the_place_of_the_one_before_and_can_be_undone(talker: User) -> None:
    session = open_session(talker)
    tell(talker, session, "Always keep your answers short.")
    tell(talker, session, "From now on answer in more detail")
    assert learned(talker) == {"reply_length": "detailed"}
    with acting_as(talker.pk):
        (now,) = preferences_of(permit_of(talker))
        undo(permit_of(talker), now.id)

    assert learned(talker) == {"reply_length": "concise"}


def test_every_change_is_in_the_history_of_memories(talker: User) -> None:
    session = open_session(talker)
    tell(talker, session, "Always keep your answers short.")
    tell(talker, session, "From now on answer in more detail")

    with acting_as(talker.pk):
        changes = EvolutionEvent.objects.order_by("created_at").values_list("action", "rule")
        assert list(changes) == [("added", "persona.explicit"), ("superseded", "persona.explicit")]


def test_said_again_it_stays_one_memory(talker: User) -> None:
    session = open_session(talker)
    tell(talker, session, "Always keep your answers short.")
    tell(talker, session, "以后都简洁一点")

    (item,) = memories(talker, superseded_at=None)
    assert len(item.provenance_detail["message_ids"]) == 2


def test_said_outright_what_was_only_seen_is_confirmed(talker: User) -> None:
    session = open_session(talker)
    for text in ("keep it short", "keep it short", "keep it short", "Always keep your answers short."):
        tell(talker, session, text)

    (item,) = memories(talker, superseded_at=None)
    assert (item.provenance, item.confidence) == ("confirmed_by_user", 0.9)


def test_what_was_learned_is_confirmed_by_its_id(talker: User) -> None:
    session = open_session(talker)
    for _ in range(3):
        tell(talker, session, "keep it short")
    with acting_as(talker.pk):
        (seen,) = preferences_of(permit_of(talker))
        sure = confirm_preference(permit_of(talker), seen.id)

    assert (seen.source, sure.source) == ("repeated", "confirmed")
    assert sure.confidence > seen.confidence


def test_a_corrected_text_is_used_from_then_on(talker: User) -> None:
    tell(talker, open_session(talker), "Always keep your answers short.")
    with acting_as(talker.pk):
        (one,) = preferences_of(permit_of(talker))
        item_decisions.correct(permit_of(talker), one.id, "Wants answers of three lines at most.")
        assert [two.text for two in preferences_of(permit_of(talker))] == ["Wants answers of three lines at most."]


def test_a_memory_of_another_kind_is_not_confirmed_here(talker: User) -> None:
    with acting_as(talker.pk):
        other = item_decisions.add_stated(permit_of(talker), "Follows BTC.")
        for unknown in (other.pk, uuid4()):
            with pytest.raises(NotFound):
                confirm_preference(permit_of(talker), unknown)
            with pytest.raises(NotFound):
                dismiss_waiting(permit_of(talker), unknown)


def test_dismissing_a_memory_is_left_to_erasure(talker: User) -> None:
    tell(talker, open_session(talker), "Always keep your answers short.")
    with acting_as(talker.pk):
        (one,) = preferences_of(permit_of(talker))
        assert not dismiss_waiting(permit_of(talker), one.id)
    assert learned(talker) == {"reply_length": "concise"}


def test_a_temporary_conversation_teaches_nothing_and_counts_nothing(talker: User) -> None:
    written = tell(talker, open_session(talker, remember=False), "Always keep your answers short.")

    assert written.decisions == ("session_only",)
    assert (learned(talker), signs(talker)) == ({}, 0)


@pytest.mark.parametrize(
    "scopes", [(), (ConsentScope.SAVE_TO_PROFILE, ConsentScope.SAVE_TO_THREAD, ConsentScope.TRAINING_USE)]
)
def test_without_consent_to_learning_nothing_is_kept(alice: User, scopes: tuple[ConsentScope, ...]) -> None:
    allow(alice, *scopes) if scopes else allow_nothing(alice)
    session = open_session(alice)
    for text in ("Always keep your answers short.", "Stop being so poetic!", "keep it short"):
        assert set(tell(alice, session, text).decisions) == {"session_only"}

    assert (learned(alice), waiting(alice), signs(alice)) == ({}, [], 0)


def test_what_was_counted_before_a_withdrawal_counts_no_more(talker: User) -> None:
    session = open_session(talker)
    tell(talker, session, "keep it short")
    tell(talker, session, "Stop being so poetic!")
    tell(talker, session, "keep it short")
    allow(talker, ConsentScope.SAVE_TO_PROFILE)
    with acting_as(talker.pk), pytest.raises(ConsentScopeMissing):
        confirm_preference(permit_of(talker), uuid4())
    allow(talker)
    tell(talker, session, "keep it short")

    assert (learned(talker), waiting(talker)) == ({}, [])


def test_what_was_learned_before_a_withdrawal_is_used_no_more(talker: User) -> None:
    tell(talker, open_session(talker), "Always keep your answers short.")
    allow(talker, ConsentScope.SAVE_TO_PROFILE)
    allow(talker)

    assert learned(talker) == {}


def test_switched_off_nothing_is_written_not_even_what_is_confirmed(
    talker: User, configure: Callable[[str], None]
) -> None:
    session = open_session(talker)
    tell(talker, session, "Always keep your answers short.")
    tell(talker, session, "Stop being so poetic!")
    (asked,) = waiting(talker)
    configure("write_back: false")

    assert tell(talker, session, "From now on answer in more detail").decisions == ("off",)
    assert tell(talker, session, "用要点回答").decisions == ("off",)
    with acting_as(talker.pk), pytest.raises(PersonaWriteBackOff):
        confirm_preference(permit_of(talker), asked.id)
    assert (learned(talker), signs(talker)) == ({"reply_length": "concise"}, 1)


def test_another_members_message_teaches_nothing_about_oneself(talker: User, bob: User) -> None:
    allow(bob)
    group = group_with(talker, [bob])
    session = open_session(talker, group_id=group.pk)
    (message,) = say(bob, session, "Always keep your answers short.", learn=False)

    assert weigh(talker, message).decisions == ("session_only",)
    assert (learned(talker), learned(bob)) == ({}, {})


def test_nobody_sees_or_confirms_what_is_anothers(talker: User, bob: User) -> None:
    allow(bob)
    tell(talker, open_session(talker), "Stop being so poetic!")
    (asked,) = waiting(talker)

    assert (learned(bob), waiting(bob), signs(bob)) == ({}, [], 0)
    with acting_as(bob.pk), pytest.raises(NotFound):
        confirm_preference(permit_of(bob), asked.id)
    with acting_as(bob.pk), pytest.raises(NotFound):
        dismiss_waiting(permit_of(bob), asked.id)


def test_telemetry_tells_the_decision_and_no_word(talker: User) -> None:
    with persona_telemetry() as logs:
        tell(talker, open_session(talker), "Always keep your answers short about krugerrands.")
        tell(talker, open_session(talker), "以后都简洁一点")

    (event,) = [one for one in logs if one["event"] == "persona.preference.persisted"]
    assert event["writeback_decision"] == "explicit"
    assert event["sources"][0].startswith("memory:item#")
    assert "简洁" not in str(logs)


def test_what_was_kept_as_a_preference_is_not_learned_a_second_time(talker: User) -> None:
    session = open_session(talker)
    (message,) = say(talker, session, "Always keep your answers short. I follow BTC.", learn=False)
    weigh(talker, message)
    with acting_as(talker.pk):
        observe(permit_of(talker), [message])
    drain()

    assert sorted(item.content for item in memories(talker)) == ["Follows BTC", "Wants short, concise answers."]
