"""A conversation that ends becomes events, of its person's own words, where those may be learned from."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.conf import settings

from consent.models import ErasureScope, Sources
from consent.services import grant_consent
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.historian.archival import archive_quiet, archive_session
from memory.models import CognitiveEvent, CognitiveJob, Session
from memory.services.sessions import reopen
from tests.support.cast import A_MONDAY, allow, allow_nothing, group_with
from tests.support.talk import open_session, permit_of, say

USUAL = timedelta(hours=settings.SESSION_TTL_HOURS)
A_MOMENT = timedelta(seconds=5)


def archive(user: User, session: Session) -> None:
    with acting_as(user.pk):
        archive_session(permit_of(user), user, Session.objects.get(pk=session.pk))
    drain()


def events(user: User) -> list[CognitiveEvent]:
    with acting_as(user.pk):
        return list(CognitiveEvent.objects.order_by("perspective"))


def is_archived(session: Session) -> bool:
    with in_role(OPERATOR_ROLE):
        return Session.objects.get(pk=session.pk).archived_at is not None


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (
            ("I sold BYD yesterday.", "I follow copper."),
            {"2 March 2026: Alice sold BYD on 1 March 2026.", "2 March 2026: Alice follows copper."},
        ),
        (
            ("我昨天卖出了比亚迪。", "我关注铜价。"),
            {"2026年3月2日：Alice 2026年3月1日卖出了比亚迪。", "2026年3月2日：Alice 关注铜价。"},
        ),
    ],
    ids=["English", "Chinese"],
)  # fmt: skip
def test_each_thing_that_was_told_is_an_event_in_absolute_words(
    alice: User, texts: tuple[str, ...], told: set[str]
) -> None:
    allow(alice)
    session = open_session(alice)
    said = say(alice, session, *texts, at=A_MONDAY)
    archive(alice, session)
    found = events(alice)
    assert {event.canonical_text for event in found} == told
    assert {key for event in found for key in event.message_ids} == {one.pk for one in said}
    assert {event.timestamp_utc for event in found} == {A_MONDAY}


def test_archiving_twice_makes_one_event(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow copper.")
    archive(alice, session)
    archive(alice, session)
    assert len(events(alice)) == 1


@pytest.mark.parametrize("case", ["temporary", "without the scope", "withdrawn since", "nothing said"])
def test_nothing_becomes_an_event_that_may_not(alice: User, case: str) -> None:
    allow_nothing(alice) if case == "without the scope" else allow(alice)
    session = open_session(alice, remember=case != "temporary")
    if case != "nothing said":
        say(alice, session, "I follow copper.")
    if case == "withdrawn since":
        with acting_as(alice.pk):
            grant_consent(alice, {ConsentScope.SAVE_TO_PROFILE}, source="web")
        allow(alice)
    archive(alice, session)
    assert events(alice) == []
    with acting_as(alice.pk):
        assert not CognitiveJob.objects.exists()
    assert is_archived(session)


def test_in_a_group_it_is_of_the_words_of_whoever_archives(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    say(alice, session, "I follow copper.")
    say(bob, session, "I follow zqvineyardzq.")
    archive(alice, session)
    assert {event.perspective for event in events(alice)} == {"sender", "group"}
    assert not any("zqvineyardzq" in event.canonical_text for event in events(alice))


def test_the_event_goes_with_the_words_it_was_made_of(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow copper.")
    archive(alice, session)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.SESSION, str(session.pk), Sources.REDACT, source="api")
    drain()
    assert events(alice) == []


def test_a_conversation_is_archived_once_its_time_is_over_and_it_was_quiet_as_long(alice: User, bob: User) -> None:
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        for person in (alice, bob):
            allow(person)
        quiet, lively, unused = open_session(alice), open_session(bob), open_session(bob)
        temporary = open_session(alice, remember=False)
        for person, session in ((alice, quiet), (bob, lively), (alice, temporary)):
            say(person, session, "I follow copper.")
        clock.shift(USUAL - A_MOMENT)
        say(bob, lively, "I follow tin.")
        assert archive_quiet() == 0
        clock.shift(A_MOMENT)
        assert archive_quiet() == 1
        drain()
        assert [is_archived(one) for one in (quiet, lively, unused, temporary)] == [True, False, False, False]
        assert len(events(alice)) == 1
        clock.shift(USUAL)
        assert archive_quiet() == 1
        assert is_archived(lively)
        assert archive_quiet() == 0


def test_one_whose_person_is_gone_keeps_none_from_being_archived(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        allow(alice)
        first, second = open_session(alice), open_session(alice)
        for session in (first, second):
            say(alice, session, "I follow copper.")
        clock.shift(USUAL * 2)
        with acting_as(alice.pk):
            forget(alice, ErasureScope.SESSION, str(first.pk), Sources.REDACT, source="api")
        found = [(alice.pk, first.pk), (alice.pk, second.pk)]
        monkeypatch.setattr("memory.historian.archival._quiet_sessions", lambda: found)
        assert archive_quiet() == 1
        assert is_archived(second)


@time_machine.travel(A_MONDAY)
def test_opened_again_it_tells_only_what_was_said_since(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with time_machine.travel(A_MONDAY - timedelta(hours=1)):
        say(alice, session, "I follow copper.")
        archive(alice, session)
    with acting_as(alice.pk):
        reopen(Session.objects.get(pk=session.pk))
    say(alice, session, "I follow zinc.")
    archive(alice, session)
    assert [("copper" in event.canonical_text, "zinc" in event.canonical_text) for event in told(alice)] == [
        (True, False),
        (False, True),
    ]


def told(user: User) -> list[CognitiveEvent]:
    """Their events in the order in which they happened."""
    return sorted(events(user), key=lambda event: event.timestamp_utc)
