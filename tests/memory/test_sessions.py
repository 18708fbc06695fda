"""Conversations belong to people and groups; messages are append-only and in order."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import ProgrammingError, connection, transaction

from consent.exceptions import ProfileConsentRequired
from foundation.accounts.groups import remove_member
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from media.exceptions import MediaNotSafe
from memory.content_blocks import checked_blocks
from memory.exceptions import ReplyPending
from memory.models import ConversationEvent, Session
from memory.services import sessions, turn_leases
from memory.services.awaited_tools import AwaitedRound, store_pending_tool_calls
from memory.types import NewMessage
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.talk import memories, open_session, permit_of, say


def test_somebody_elses_conversation_is_not_found(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    session = open_session(alice)
    with acting_as(charlie.pk):
        for session_id in (session.pk, uuid4()):
            with pytest.raises(NotFound):
                sessions.session_of(permit_of(charlie), session_id)
        assert not sessions.sessions_of(permit_of(charlie)).exists()


def test_before_any_decision_on_consent_there_is_no_conversation(alice: User) -> None:
    with acting_as(alice.pk), pytest.raises(ProfileConsentRequired):
        sessions.start_session(permit_of(alice), alice)


def test_a_foreign_group_takes_no_conversation(alice: User, charlie: User) -> None:
    allow(charlie)
    group = group_with(alice)
    with pytest.raises(NotFound):
        open_session(charlie, group_id=group.pk)


def test_a_group_conversation_is_open_to_members_until_they_leave(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    session = open_session(alice, group_id=group.pk)
    say(alice, session, "Hello desk")
    say(bob, session, "Hello Alice")
    with acting_as(bob.pk):
        texts = [event.text for event in sessions.messages_of(sessions.session_of(permit_of(bob), session.pk))]
    assert texts == ["Hello desk", "Hello Alice"]
    remove_member(bob, group.pk, bob.pk)
    with acting_as(bob.pk):
        with pytest.raises(NotFound):
            sessions.session_of(permit_of(bob), session.pk)
        assert [event.text for event in ConversationEvent.objects.all()] == ["Hello Alice"]


def test_messages_are_numbered_in_their_conversation(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "one", "two")
    events = say(alice, session, "three")
    assert [event.seq for event in events] == [3]


@pytest.mark.parametrize(
    "statement", ["UPDATE memory_conversationevent SET seq = 9", "DELETE FROM memory_conversationevent"]
)
def test_the_application_can_neither_change_nor_delete_a_message(alice: User, statement: str) -> None:
    allow(alice)
    say(alice, open_session(alice), "Hello")
    with (
        acting_as(alice.pk),
        pytest.raises(ProgrammingError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


def test_a_message_knows_whether_it_may_be_learned_from(alice: User, bob: User) -> None:
    allow(alice)
    allow_nothing(bob)
    [learnable] = say(alice, open_session(alice), "Hello")
    [temporary] = say(alice, open_session(alice, remember=False), "Hello")
    [unconsented] = say(bob, open_session(bob), "Hello")
    assert [event.learnable for event in (learnable, temporary, unconsented)] == [True, False, False]


def test_one_reply_at_a_time(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        begun = turn_leases.begin_turn(permit_of(alice), session.pk)
        with pytest.raises(ReplyPending):
            turn_leases.begin_turn(permit_of(alice), session.pk)
        turn_leases.end_turn(begun)
        turn_leases.begin_turn(permit_of(alice), session.pk)


def test_only_who_began_a_turn_ends_it(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        elsewhere = sessions.session_of(permit_of(alice), session.pk)
        turn_leases.begin_turn(permit_of(alice), session.pk)
        turn_leases.end_turn(elsewhere)
        with pytest.raises(ReplyPending):
            turn_leases.begin_turn(permit_of(alice), session.pk)


def test_a_late_turn_changes_nothing_that_the_next_has_stored(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        late = turn_leases.begin_turn(permit_of(alice), session.pk)
        turn_leases.take_lease_away(late)
        _store(alice, turn_leases.begin_turn(permit_of(alice), session.pk), "a")
        _store(alice, late, "b")

        stored = sessions.session_of(permit_of(alice), session.pk)
    assert (stored.history_hash, stored.awaited_tools["rounds"][0]["said"]) == ("a", "a")
    assert stored.last_seq == 2


def _store(user: User, session: Session, mark: str) -> None:
    """Store a turn's answer; ``mark`` stands for its history and its tool calls."""
    store_pending_tool_calls(session, uuid4(), [AwaitedRound(mark, ())])
    answer = NewMessage.of_text("assistant", "Hello", "")
    sessions.record_messages(permit_of(user), session, [answer], ending_turn=True, history_hash=mark)


def test_what_was_said_last_comes_first(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    _, two, three = say(alice, session, "one", "two", "三")
    with acting_as(alice.pk):
        assert sessions.recent_lines(session, 2) == [
            (three.pk, 3, "user", "Alice", "三", three.occurred_at),
            (two.pk, 2, "user", "Alice", "two", two.occurred_at),
        ]  # fmt: skip


def test_messages_are_read_from_one_place_to_another(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, *"abcdef")
    with acting_as(alice.pk):
        assert [line.text for line in sessions.lines_between(session, 1, 5, 3)] == ["b", "c", "d"]


def test_messages_added_beside_a_reply_do_not_end_its_turn(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        turn_leases.begin_turn(permit_of(alice), session.pk)
    say(alice, session, "A note from elsewhere")
    with acting_as(alice.pk), pytest.raises(ReplyPending):
        turn_leases.begin_turn(permit_of(alice), session.pk)


@pytest.mark.parametrize(
    "blocks",
    [[], [{"type": "text", "text": "  "}], [{"type": "text"}], [{"type": "video", "text": "x"}], [{}],
     [{"type": "text", "text": "x" * 8001}], [{"type": "text", "text": "x"}] * 21],
)  # fmt: skip
def test_what_is_no_message_is_refused(blocks: list[dict[str, object]]) -> None:
    with pytest.raises(ValidationFailed):
        checked_blocks(blocks)


def test_media_is_refused_until_a_scanner_found_it_safe() -> None:
    with pytest.raises(MediaNotSafe):
        checked_blocks([{"type": "text", "text": "Look"}, {"type": "image", "media_id": str(uuid4())}])


@pytest.mark.parametrize("said", ["Call me Al", "Please call me Al.", "叫我小艾"])
def test_what_somebody_asks_to_be_called_is_no_secret_and_is_kept(alice: User, said: str) -> None:
    allow(alice)
    [block] = checked_blocks([{"type": "text", "text": said}])
    assert block["text"] == said
    say(alice, open_session(alice), block["text"])
    assert [item.attributes["slot"] for item in memories(alice)] == ["address"]


def test_any_other_name_still_is() -> None:
    [block] = checked_blocks([{"type": "text", "text": "Call me Al. My full name is Albert Jones."}])
    assert block["text"] == "Call me Al. My full name is [redacted:personal_name]."
