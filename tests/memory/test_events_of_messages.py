"""An end that names messages becomes an event for each thing told in them, at the time it was said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.tasks import drain
from memory.historian import events
from memory.historian.services import end
from memory.models import CognitiveEvent, ConversationEvent, SearchEntry, Session
from memory.services.sessions import record_messages
from memory.types import EndInput, NewMessage
from tests.support.cast import allow, group_with
from tests.support.talk import open_session, permit_of, say

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
LATER = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def finish(user: User, session: Session, messages: list[ConversationEvent], **fields: object) -> list[CognitiveEvent]:
    """The sender's own events of an end of these messages, by part."""
    keys = tuple(message.pk for message in messages)
    request = EndInput(**({"request_id": "r1", "message_ids": keys, "occurred_at": LATER} | fields))  # type: ignore[arg-type]
    with acting_as(user.pk):
        assert end(permit_of(user), user, session, request).event_id == "r1:1"
    drain()
    with acting_as(user.pk):
        return list(CognitiveEvent.objects.filter(user=user, perspective="sender").order_by("part"))


def told(user: User, *texts: str, **fields: object) -> list[CognitiveEvent]:
    session = open_session(user)
    return finish(user, session, say(user, session, *texts, at=AT), **fields)


def test_every_sentence_that_tells_something_is_a_part_with_its_source(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    said = say(alice, session, "Hello! I sold BYD yesterday. I follow copper, thanks.", at=AT)
    found = finish(alice, session, said)
    assert [(event.part, event.new_info) for event in found] == [
        (0, "Alice sold BYD on 1 March 2026."),
        (1, "Alice follows copper."),
    ]
    assert [event.sources for event in found] == [
        [{"message": str(said[0].pk), "quote": "I sold BYD yesterday."}],
        [{"message": str(said[0].pk), "quote": "I follow copper, thanks."}],
    ]


def test_an_event_stands_at_the_time_it_was_said_and_names_the_time_it_speaks_of(alice: User) -> None:
    allow(alice)
    [sold, follows] = told(alice, "I sold BYD yesterday.", "I follow copper.")
    assert sold.timestamp_utc == follows.timestamp_utc == AT
    assert (sold.speaks_of_start, sold.speaks_of_end) == (
        datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC),
    )  # fmt: skip
    assert (follows.speaks_of_start, follows.speaks_of_end) == (None, None)


@pytest.mark.parametrize(
    "texts",
    [
        ("Hello!", "Thank you so much.", "Good night"),
        ("What do I follow?", "Do you like tea?"),
        ("Please answer in German.", "Be warm."),
        ("Forget that my cat is called Miso.",),
        ("That is wrong.", "Not sure."),
        ("If I moved to Leeds I would need a car.",),
        ("She moved there with them.",),
        ("你好！", "谢谢你的建议。", "晚安"),
        ("我喜欢什么？",),
        ("请用中文回答。",),
        ("忘了我的猫叫咪咪。",),
        ("如果我搬到上海，我就需要一辆车。",),
    ],
)
def test_courtesy_questions_commands_and_what_nobody_understands_alone_are_no_events(
    alice: User, texts: tuple[str, ...]
) -> None:
    allow(alice)
    assert told(alice, *texts) == []


def test_where_the_messages_tell_nothing_the_fields_do(alice: User) -> None:
    allow(alice)
    [event] = told(alice, "Thanks!", new_info="I moved to Hamburg yesterday", occurred_at=AT)
    assert event.new_info == "Alice moved to Hamburg on 1 March 2026"
    assert event.sources == []


def test_what_the_assistant_did_is_a_part_beside_what_was_told(alice: User) -> None:
    allow(alice)
    found = told(alice, "I follow copper.", action_summary="Compared two funds", new_info="I follow metals")
    assert [(event.new_info, event.did_what) for event in found] == [
        ("Alice follows copper.", ""),
        ("", "Compared two funds"),
    ]


def test_fields_that_hold_several_things_are_as_many_parts(alice: User) -> None:
    allow(alice)
    found = told(alice, message_ids=(), new_info="I moved to Hamburg. I sold BYD. She bought it.", occurred_at=AT)
    assert [event.new_info for event in found] == ["Alice moved to Hamburg.", "Alice sold BYD. She bought it."]


def test_what_is_said_twice_is_told_once(alice: User) -> None:
    allow(alice)
    assert len(told(alice, "I follow copper.", "Well, I follow copper.")) == 1


def test_the_job_run_twice_doubles_nothing(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    said = say(alice, session, "I follow copper. I moved to Berlin.", at=AT)
    assert len(finish(alice, session, said)) == len(finish(alice, session, said)) == 2


def test_search_entries_follow_each_part(alice: User) -> None:
    allow(alice)
    found = told(alice, "I follow copper. I moved to Berlin.")
    with acting_as(alice.pk):
        assert set(SearchEntry.objects.filter(kind="event").values_list("pk", flat=True)) == {one.pk for one in found}


def test_in_a_group_each_part_has_both_perspectives_but_for_what_concerns_health(alice: User, bob: User) -> None:
    for person in (alice, bob):
        allow(person)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    said = say(alice, session, "I follow copper.", "I have diabetes and take insulin.", at=AT)
    finish(alice, session, said)
    with acting_as(bob.pk):
        assert [event.new_info for event in events.events_of(permit_of(bob))] == ["Alice follows copper."]


def test_a_part_is_found_corrected_and_forgotten_by_its_own_name(alice: User) -> None:
    allow(alice)
    first, second = told(alice, "I follow copper.", "I moved to Berlin.")
    assert (first.ref, second.ref) == ("r1:1.0", "r1:1.1")
    with acting_as(alice.pk):
        permit = permit_of(alice)
        assert events.event_of(permit, "r1:1.1") == second
        assert events.event_of(permit, "r1:1") == first
        assert events.parts_of(permit, "r1:1") == [first, second]
        with pytest.raises(NotFound):
            events.event_of(permit, "r1:1.2")
        events.correct_event(permit, "r1:1.1", "Alice moved to Bern.")
        forget(alice, ErasureScope.EVENT, "r1:1.0", Sources.KEEP, source="api")
    drain()
    with acting_as(alice.pk):
        assert [event.new_info for event in CognitiveEvent.objects.all()] == ["Alice moved to Bern."]


def test_a_correction_of_the_whole_takes_the_place_of_all_its_parts(alice: User) -> None:
    allow(alice)
    told(alice, "I follow copper.", "I moved to Berlin.")
    with acting_as(alice.pk):
        events.correct_event(permit_of(alice), "r1:1", "Alice follows tin.")
        [event] = CognitiveEvent.objects.all()
        assert event.canonical_text == "Alice follows tin."
        assert len(event.sources) == 2
        assert SearchEntry.objects.filter(kind="event").count() == 1


def test_redacting_a_message_takes_the_parts_that_quote_it_and_no_others(alice: User) -> None:
    allow(alice)
    found = told(alice, "I follow copper.", "I moved to Berlin.")
    with acting_as(alice.pk):
        forget(alice, ErasureScope.EVENT, found[0].ref, Sources.REDACT, source="api")
    drain()
    with acting_as(alice.pk):
        assert [event.new_info for event in CognitiveEvent.objects.all()] == ["Alice moved to Berlin."]


def test_what_was_said_at_other_times_is_told_at_those(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    said = [*say(alice, session, "I sold BYD yesterday.", at=AT)]
    said += say(alice, session, "I bought TSLA yesterday.", at=AT + timedelta(days=7))
    assert [event.new_info for event in finish(alice, session, said)] == [
        "Alice sold BYD on 1 March 2026.",
        "Alice bought TSLA on 8 March 2026.",
    ]


@pytest.mark.parametrize(
    ("texts", "kept", "gone"),
    [
        (("I live in Leeds. I have two kids.", "I now live in York."), {"two kids", "York"}, "Leeds"),
        (("我住在上海。我有两个孩子。", "我现在住在北京。"), {"两个孩子", "北京"}, "上海"),
    ],
)
def test_of_a_message_that_is_past_in_part_the_rest_is_told(
    alice: User, texts: tuple[str, str], kept: set[str], gone: str
) -> None:
    allow(alice)
    session = open_session(alice)
    said = [message for text in texts for message in say(alice, session, text, at=AT)]
    written = "\n".join(event.new_info for event in finish(alice, session, said))
    assert all(words in written for words in kept)
    assert gone not in written


def test_in_a_group_you_is_the_member_who_is_addressed(alice: User, bob: User, charlie: User) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    session = open_session(alice, group_id=group_with(alice, [bob, charlie]).pk)
    say(bob, session, "Hello!")
    said = say(alice, session, "I met you at the fair yesterday.", at=AT)
    say(charlie, session, "Hello too!")
    said += say(alice, session, "I met you at the zoo yesterday.", "Charlie, I met you at the pool yesterday.", at=AT)
    assert [event.new_info for event in finish(alice, session, said)] == [
        "Alice met Bob at the fair on 1 March 2026.",
        "Alice met Charlie at the pool on 1 March 2026.",
    ]


def test_the_caption_of_a_picture_is_told_in_no_event(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    blocks = (
        {"type": "text", "text": "I follow copper."},
        {"type": "image", "text_fallback": "I bought a red car yesterday."},
    )
    with acting_as(alice.pk):
        permit = permit_of(alice)
        said = record_messages(permit, session, [NewMessage("user", blocks, "Alice", occurred_at=AT)])
    assert [event.new_info for event in finish(alice, session, said)] == ["Alice follows copper."]
