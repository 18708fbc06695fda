"""Events written by a small model, and what is stored and told to operators where it does not do its part (M-42)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.test import override_settings
from django.utils import timezone
from pytest_django import Settings

from consent.services import grant_consent
from foundation.accounts.models import User
from foundation.alerts import ALERT_TOPIC
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.exceptions import ValidationFailed
from foundation.outbox.jobs import Job, handlers
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.historian import events
from memory.historian.event_backlog import REMAKE_EVENTS_TOPIC, queue_due_events
from memory.historian.services import END_TOPIC, end
from memory.models import CognitiveEvent, CognitiveJob, SearchEntry
from memory.portraits.tasks import PORTRAIT_TOPIC
from memory.types import EndInput
from tests.support.cast import allow, group_with
from tests.support.model_server import Behaviour, ModelServer, Refuses, Says, Stalls
from tests.support.talk import open_session, permit_of, say

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
GOOD = Says((
    json.dumps({
        "did_what": "",
        "new_info": "Alice moved to Hamburg on 1 March 2026.",
        "canonical_text": "2 March 2026: Alice moved to Hamburg on 1 March 2026.",
    }),
))  # fmt: skip
BAD = Says(
    (json.dumps({"did_what": "", "new_info": "She moved there.", "canonical_text": "2 March 2026: she moved there."}),)
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with (
        ModelServer(default=GOOD) as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_LARGE="large",
                          MODEL_SMALL="small", MODEL_MAX_RETRIES=0, COGNITIVE_ENABLED=True),
    ):  # fmt: skip
        yield server


def ended(user: User, number: int = 1, group_id: UUID | None = None, **fields: object) -> None:
    request = EndInput(**({"request_id": f"r{number}", "new_info": "I moved to Hamburg yesterday",
                           "occurred_at": AT} | fields))  # type: ignore[arg-type]  # fmt: skip
    session = open_session(user, group_id=group_id)
    with acting_as(user.pk):
        end(permit_of(user), user, session, request)


def written(user: User) -> list[CognitiveEvent]:
    drain()
    with acting_as(user.pk):
        return list(events.events_of(permit_of(user)).order_by("event_id"))


def jobs(topic: str) -> list[OutboxMessage]:
    with in_role(WORKER_ROLE):
        return list(OutboxMessage.objects.filter(topic=topic))


def test_a_models_event_names_the_model_and_reaches_every_perspective(alice: User, server: ModelServer) -> None:
    allow(alice)
    ended(alice, group_id=group_with(alice, []).pk)
    drain()
    with acting_as(alice.pk):
        stored = CognitiveEvent.objects.order_by("perspective")
        assert [(one.perspective, one.rewritten_by, one.unresolved) for one in stored] == [
            ("group", "small", []),
            ("sender", "small", []),
        ]
        assert stored[0].canonical_text == "2 March 2026: Alice moved to Hamburg on 1 March 2026."
    assert [job.result["rewritten_by"] for job in jobs(END_TOPIC) if job.result] == ["small"]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (BAD, "event_not_absolute"),
        (Refuses(500), "historian_model_unavailable"),
        (Stalls(), "historian_model_unavailable"),
    ],
)
def test_a_degraded_event_is_written_and_the_operators_hear_of_it_once(
    alice: User, server: ModelServer, settings: Settings, behaviour: Behaviour, reason: str
) -> None:
    settings.ALERT_WEBHOOK_URL = "http://127.0.0.1:9/alerts"
    settings.MODEL_TIMEOUT_SECONDS = 0.2
    allow(alice)
    server.default = behaviour
    ended(alice, 1)
    ended(alice, 2)
    found = written(alice)
    assert [(event.event_id, event.rewritten_by) for event in found] == [("r1:1", "offline"), ("r2:1", "offline")]
    assert all("Alice moved to Hamburg on 1 March 2026" in event.canonical_text for event in found)
    assert [(job.state, job.result and job.result["degraded"]) for job in jobs(END_TOPIC)] == [("done", [reason])] * 2
    [alert] = jobs(ALERT_TOPIC)
    assert (alert.payload["kind"], alert.payload["reason"]) == ("historian", reason)
    assert "Hamburg" not in json.dumps(alert.payload)


@pytest.mark.parametrize("failure", [Refuses(503), Refuses(401)])
def test_what_the_rules_wrote_while_the_model_was_down_it_writes_anew_once_it_is_back(
    alice: User, server: ModelServer, failure: Behaviour
) -> None:
    allow(alice)
    server.default = failure
    session = open_session(alice)
    said = say(alice, session, "I sold BYD yesterday. I follow copper.", at=AT, learn=False)
    with acting_as(alice.pk):
        end(permit_of(alice), alice, session, EndInput("r1", message_ids=tuple(message.pk for message in said)))
    assert [event.rewritten_by for event in written(alice)] == ["offline", "offline"]
    assert queue_due_events() == 1
    drain()
    [waiting] = jobs(REMAKE_EVENTS_TOPIC)
    assert (waiting.state, waiting.attempts) == ("pending", 0)

    event = {"sentences": [1, 2], "text": "Alice sold BYD on 1 March 2026 and follows copper."}
    server.default = Says((json.dumps({"events": [event]}),))
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=waiting.pk).update(available_at=timezone.now())

    [made] = written(alice)
    assert (made.rewritten_by, made.rewriting, made.new_info) == ("small", "", event["text"])
    assert queue_due_events() == 0


def test_what_the_model_cannot_write_is_left_to_the_rules(alice: User, server: ModelServer) -> None:
    allow(alice)
    server.default = Says(("sorry",))
    ended(alice)
    assert [(event.rewritten_by, event.rewriting) for event in written(alice)] == [("offline", "")]


@pytest.mark.parametrize(
    ("said", "perspectives"),
    [
        ("I have diabetes and take insulin", {"sender"}),
        ("我确诊了糖尿病", {"sender"}),
        ("I moved to Hamburg", {"sender", "group"}),
        ("我昨晚失眠了", {"sender", "group"}),
    ],
)
def test_what_an_event_says_of_somebodys_health_is_not_the_groups(
    alice: User, bob: User, said: str, perspectives: set[str]
) -> None:
    allow(alice)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    with acting_as(alice.pk):
        end(permit_of(alice), alice, session, EndInput("r1", new_info=said, force=True))
    drain()
    with acting_as(alice.pk):
        assert set(CognitiveEvent.objects.values_list("perspective", flat=True)) == perspectives
    with acting_as(bob.pk):
        assert CognitiveEvent.objects.exists() is ("group" in perspectives)
        assert SearchEntry.objects.exists() is ("group" in perspectives)


@pytest.mark.parametrize("words", ["Alice was diagnosed with diabetes.", "我确诊了糖尿病。"])
def test_nor_does_a_correction_say_it_to_the_group(alice: User, bob: User, words: str) -> None:
    for user in (alice, bob):
        allow(user)
    ended(alice, group_id=group_with(alice, [bob]).pk)
    drain()
    with acting_as(alice.pk):
        event = CognitiveEvent.objects.get(perspective="sender")
        with pytest.raises(ValidationFailed):
            events.correct_event(permit_of(alice), event.event_id, words)

        assert events.correct_event(permit_of(alice), event.event_id, "Alice moved.").new_info == "Alice moved."


def test_without_a_model_what_the_rules_leave_open_is_stored_with_the_event(alice: User) -> None:
    allow(alice)
    ended(alice, new_info="She moved there yesterday")
    [event] = written(alice)
    assert (event.unresolved, event.rewritten_by) == (["She", "there"], "offline")
    assert [job.result and "degraded" in job.result for job in jobs(END_TOPIC)] == [False]


def test_the_model_reads_the_persons_own_messages_and_nobody_elses(alice: User, bob: User, server: ModelServer) -> None:
    for person in (alice, bob):
        allow(person)
    group = group_with(alice, [bob])
    session = open_session(alice, group_id=group.pk)
    with override_settings(OPENAI_BASE_URL=""):
        [own] = say(alice, session, "Hamburg it is, for my sister's sake")
        [foreign] = say(bob, session, "Bremen for me")
    with acting_as(alice.pk):
        request = EndInput(
            "r1", new_info="I moved to Hamburg yesterday", occurred_at=AT, message_ids=(own.pk, foreign.pk)
        )
        end(permit_of(alice), alice, session, request)
    drain()
    asked = server.requests[0].body["messages"][-1]["content"]
    assert "for my sister" in asked
    assert "Bremen" not in asked


def test_a_portrait_that_fails_costs_no_event(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(job: Job) -> None:
        raise RuntimeError

    allow(alice)
    monkeypatch.setitem(handlers(), PORTRAIT_TOPIC, fail)
    ended(alice, action_summary="Compared two funds")
    [event] = written(alice)
    assert (event.has_new_info, event.did_what) == (True, "Compared two funds")
    assert [(job.payload["events"], job.attempts) for job in jobs(PORTRAIT_TOPIC)] == [([str(event.pk)], 1)]


def test_an_event_that_tells_nothing_new_changes_no_portrait(alice: User) -> None:
    allow(alice)
    ended(alice, action_summary="Compared two funds", new_info="")
    assert len(written(alice)) == 1
    assert jobs(PORTRAIT_TOPIC) == []


def test_after_a_withdrawal_no_word_goes_to_the_model(alice: User, server: ModelServer) -> None:
    allow(alice)
    ended(alice)
    with acting_as(alice.pk):
        grant_consent(alice, (), source="api")
        OutboxMessage.objects.filter(topic=END_TOPIC).update(state=OutboxMessage.State.PENDING)  # it had begun already
    drain()
    assert server.requests == []
    with acting_as(alice.pk):
        assert not CognitiveEvent.objects.exists()
        assert not CognitiveJob.objects.exists()


@pytest.mark.parametrize(
    ("text", "kept_back"),
    [("I love Hamburg. I have diabetes.", "diabetes"), ("我喜欢汉堡这个城市。我有糖尿病。", "糖尿病")],
)
def test_nor_what_they_said_of_their_health_and_have_not_confirmed(
    alice: User, server: ModelServer, text: str, kept_back: str
) -> None:
    allow(alice)
    session = open_session(alice)
    with override_settings(OPENAI_BASE_URL=""):
        [said] = say(alice, session, text)
    with acting_as(alice.pk):
        request = EndInput("r1", new_info="I moved to Hamburg yesterday", occurred_at=AT, message_ids=(said.pk,))
        end(permit_of(alice), alice, session, request)
    drain()
    asked = server.requests[0].body["messages"][-1]["content"]
    assert text[:10] in asked
    assert kept_back not in asked
