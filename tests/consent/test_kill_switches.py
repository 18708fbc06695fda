"""What operators switch off is off for everybody concerned from the next request and job on, by every path."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.db import DatabaseError, transaction
from pytest_django import DjangoAssertNumQueries

from consent.exceptions import LearningStopped
from consent.kill_switches import SwitchNotAllowed, active_switches, lift_switch, throw_switch
from consent.models import AuditEvent, Capability, KillSwitch
from consent.sensitive.exceptions import SensitiveInput
from consent.services import learning_permit, permit_for
from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import NotFound, ValidationFailed
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.models import Receipt, ResearchTask
from memory.research import task_lifecycle
from tests.consent.doors import NEEDLES, all_held, all_shown, all_told, make_ann, shown_at, use_every_door
from tests.support.api import code_of, post, signed_in
from tests.support.cast import PASSWORD, allow, make_person
from tests.support.organisation import employ
from tests.support.research import asked
from tests.support.talk import memories, open_session, say

WAITING = {"memory.CognitiveJob"}  # work that waits, like the outbox
FOR_WHOM = ("everybody", "organisation")


@pytest.fixture
def olga(db: None) -> User:
    """An operator who may throw switches."""
    user = User.objects.create_user(username="olga", password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name="operator"))
    return user


@pytest.fixture
def acme(db: None) -> Tenant:
    """The organisation that things are switched off for."""
    return Tenant.objects.create(name="Employer of everybody")


@pytest.fixture
def ann(acme: Tenant) -> User:
    user = make_ann()
    employ(acme, user)
    allow(user)
    return user


@contextmanager
def _off(capability: str, whom: str, acme: Tenant, olga: User) -> Iterator[KillSwitch]:
    switch = throw_switch(Capability(capability), acme if whom == "organisation" else None, "A fault.", olga)
    yield switch
    with in_role(OPERATOR_ROLE):
        standing = active_switches().filter(pk=switch.pk).exists()
    if standing:
        lift_switch(switch.pk, olga)


def _told(user: User) -> set[str]:
    cache.clear()
    told = all_told(user)
    return {needle for needle in NEEDLES if needle in told}


def _shown(user: User, only: set[str]) -> set[str]:
    cache.clear()
    shown = all_shown(user, only)
    return {needle for needle in NEEDLES if needle in shown}


def _telling_addresses(user: User) -> set[str]:
    """The addresses that show anything of what is kept."""
    cache.clear()
    return {address for address, body in shown_at(user).items() if any(needle in body for needle in NEEDLES)}


def _learned(user: User) -> set[str]:
    """The tables of learned memory that hold anything of the person."""
    learned = (one for one in all_held(user) if one.scope == ConsentScope.MEMORY_LEARNING and one.rows)
    return {one.table.label for one in learned} - WAITING


def _message(user: User, text: str) -> TurnRequest:
    return TurnRequest(open_session(user).pk, ({"type": "text", "text": text},))


# Who may not, and what is malformed.


@pytest.mark.parametrize("role", ["viewer", ""])
def test_other_roles_neither_throw_nor_lift(olga: User, bob: User, role: str) -> None:
    bob.is_staff = True
    bob.save()
    bob.groups.set(Group.objects.filter(name=role))
    switch = throw_switch(Capability.LEARNING, None, "A fault.", olga)

    with pytest.raises(SwitchNotAllowed):
        throw_switch(Capability.RESEARCH, None, "A fault.", bob)
    with pytest.raises(SwitchNotAllowed):
        lift_switch(switch.pk, bob)


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_reason_is_asked_for(olga: User, reason: str) -> None:
    with pytest.raises(ValidationFailed):
        throw_switch(Capability.LEARNING, None, reason, olga)


def test_a_reason_tells_of_nobody(olga: User) -> None:
    with pytest.raises(SensitiveInput):
        throw_switch(Capability.LEARNING, None, "Wrong notes about alice@example.com", olga)
    assert list(KillSwitch.objects.values()) == []


def test_a_switch_is_thrown_once_and_lifted_once(olga: User, acme: Tenant) -> None:
    switch = throw_switch(Capability.LEARNING, None, "A fault.", olga)
    throw_switch(Capability.LEARNING, acme, "A fault of theirs.", olga)
    with pytest.raises(ValidationFailed):
        throw_switch(Capability.LEARNING, None, "Another.", olga)
    lift_switch(switch.pk, olga)
    with pytest.raises(NotFound):
        lift_switch(switch.pk, olga)
    with in_role(OPERATOR_ROLE):
        acts = AuditEvent.objects.filter(subject_id=switch.pk).order_by("at", "id").values_list("action", "actor_id")
        assert list(acts) == [("kill_switch.thrown", olga.pk), ("kill_switch.lifted", olga.pk)]


def test_the_application_itself_writes_no_switch(olga: User, alice: User) -> None:
    switch = throw_switch(Capability.LEARNING, None, "A fault.", olga)

    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        KillSwitch.objects.filter(pk=switch.pk).update(lifted_by=alice.pk)


# Every path.


@pytest.mark.timeout(300)
def test_without_personalization_a_model_is_told_nothing_that_is_kept(ann: User, acme: Tenant, olga: User) -> None:
    use_every_door(ann)
    told, telling = _told(ann), _telling_addresses(ann)
    shown = _shown(ann, telling)
    assert len(told) > 3

    for whom in FOR_WHOM:
        with _off("personalization", whom, acme, olga):
            assert (whom, _told(ann)) == (whom, set())
            assert (whom, _shown(ann, telling)) == (whom, shown)  # what is kept stays, and its person reads it
        assert (whom, _told(ann)) == (whom, told)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("whom", FOR_WHOM)
def test_without_learning_no_door_writes_into_memory_and_queued_work_goes_on_later(
    ann: User, acme: Tenant, olga: User, whom: str
) -> None:
    with _off("learning", whom, acme, olga):
        use_every_door(ann)
        assert _learned(ann) == set()

    drain()
    assert {"memory.MemoryItem", "memory.CognitiveEvent", "memory.SearchEntry"} <= _learned(ann)


def test_another_organisation_is_not_concerned(ann: User, acme: Tenant, olga: User, bob: User) -> None:
    allow(bob)
    employ(Tenant.objects.create(name="Another"), bob)
    for capability in Capability:
        throw_switch(capability, acme, "A fault.", olga)

    say(bob, open_session(bob), "I prefer short answers.")
    assert len(memories(bob)) == 1
    assert post(signed_in(bob), "/api/tasks", {"route": "snapshot", "prompt": "Nvidia"}).status_code == 202
    with acting_as(bob.pk):
        assert permit_for(bob).stopped == frozenset()
    with acting_as(ann.pk):
        assert permit_for(ann).stopped == frozenset(Capability)


# Personalization.


def test_a_turn_says_that_it_went_without_personalization(alice: User, olga: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I prefer short answers.")
    throw_switch(Capability.PERSONALIZATION, None, "A fault.", olga)

    result = turn.reply(alice, _message(alice, "How should a cover letter begin?"))
    assert "personalization_stopped" in result.degraded
    with acting_as(alice.pk):
        receipt = Receipt.objects.get(pk=result.receipt_id)
    assert receipt.unsearched_because == "personalization_off"
    asked_back = turn.reply(alice, _message(alice, "What do you know about me?"))
    assert "Personalization is switched off for now" in asked_back.reply
    assert "not allowed" not in asked_back.reply


def test_it_is_off_in_a_conversation_that_goes_on(alice: User, olga: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "My villa stands in Zanzibar.")
    session = open_session(alice)
    request = TurnRequest(session.pk, ({"type": "text", "text": "Where does my villa stand?"},))
    assert "Zanzibar" in str(turn.prepare(alice, request).assembly)
    with acting_as(alice.pk):
        session.refresh_from_db()

    throw_switch(Capability.PERSONALIZATION, None, "A fault.", olga)

    other = TurnRequest(open_session(alice).pk, ({"type": "text", "text": "Where does my villa stand?"},))
    assert "Zanzibar" not in str(turn.prepare(alice, other).assembly)


# Learning.


def test_a_job_waits_without_using_up_its_attempts(alice: User, olga: User) -> None:
    allow(alice)
    switch = throw_switch(Capability.LEARNING, None, "A fault.", olga)
    say(alice, open_session(alice), "I prefer short answers.")
    for _ in range(7):
        with in_role(OPERATOR_ROLE):
            OutboxMessage.objects.filter(topic="memory.observe").update(available_at=switch.thrown_at)
        drain()

    with in_role(OPERATOR_ROLE):
        (job,) = OutboxMessage.objects.filter(topic="memory.observe")
    assert (job.state, job.attempts, job.error_class) == ("pending", 0, "WorkSuspended")
    assert memories(alice) == []
    lift_switch(switch.pk, olga)
    drain()
    assert [item.content for item in memories(alice)] == ["Prefers short answers"]


def test_the_chat_says_that_what_it_is_told_waits(alice: User, olga: User) -> None:
    allow(alice)
    switch = throw_switch(Capability.LEARNING, None, "A fault.", olga)

    told = turn.reply(alice, _message(alice, "I follow BTC."))
    said = turn.reply(alice, _message(alice, "我关注黄金。"))

    assert "waits until it is on again" in told.reply
    assert "等到重新开启后再学习" in said.reply
    assert "won’t remember" not in told.reply
    lift_switch(switch.pk, olga)
    drain()
    assert len(memories(alice)) == 2


def test_what_the_user_does_themselves_is_refused_and_forgetting_works(alice: User, olga: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I prefer short answers.")
    (item,) = memories(alice)
    throw_switch(Capability.LEARNING, None, "A fault.", olga)
    client = signed_in(alice)

    refused = [
        post(client, "/api/memories", {"text": "My villa stands in Zanzibar.", "infer": False}),
        post(client, "/api/memories", {"text": "My villa stands in Zanzibar.", "infer": True}),
        client.patch(f"/api/memories/{item.pk}", {"content": "Prefers long answers"}),
        post(client, f"/api/memories/{item.pk}/confirm"),
    ]
    assert {(answer.status_code, code_of(answer)) for answer in refused} == {(503, "learning_stopped")}
    assert client.delete(f"/api/memories/{item.pk}").status_code == 202
    assert memories(alice) == []


def test_a_withdrawal_meanwhile_ends_the_work_that_waits(alice: User, olga: User) -> None:
    allow(alice)
    switch = throw_switch(Capability.LEARNING, None, "A fault.", olga)
    say(alice, open_session(alice), "I prefer short answers.")
    with acting_as(alice.pk), pytest.raises(LearningStopped):
        learning_permit(alice.pk)
    allow(alice, ConsentScope.SAVE_TO_PROFILE)

    lift_switch(switch.pk, olga)
    drain()
    assert memories(alice) == []


# Research.


def test_no_research_is_begun_and_none_is_left_behind(alice: User, olga: User) -> None:
    allow(alice)
    throw_switch(Capability.RESEARCH, None, "A fault.", olga)

    answer = post(signed_in(alice), "/api/tasks", {"route": "snapshot", "prompt": "Where does Nvidia stand?"})
    assert (answer.status_code, code_of(answer)) == (503, "research_stopped")
    told = turn.reply(alice, _message(alice, "Make a snapshot of Nvidia: revenue grew by 60 %, margins fell."))
    assert "Research is switched off for now" in told.reply
    with in_role(OPERATOR_ROLE):
        assert not ResearchTask.objects.exists()
        assert not OutboxMessage.objects.filter(topic=task_lifecycle.RESEARCH_TOPIC).exists()


def test_research_that_waits_or_runs_ends_with_a_reason(
    alice: User, olga: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    waits = asked(alice, "Where does Nvidia stand?")
    throw_switch(Capability.RESEARCH, None, "A fault.", olga)
    drain()
    assert _end_of(alice, waits) == ("failed", "research_stopped")

    with in_role(OPERATOR_ROLE):
        (switch,) = active_switches()
    lift_switch(switch.pk, olga)
    runs = asked(alice, "Where does AMD stand?")
    begin = task_lifecycle.record_inputs

    def throw_meanwhile(*args: object) -> None:
        begin(*args)  # type: ignore[arg-type]
        throw_switch(Capability.RESEARCH, None, "A fault.", olga)

    monkeypatch.setattr(task_lifecycle, "record_inputs", throw_meanwhile)
    drain()
    assert _end_of(alice, runs) == ("failed", "research_stopped")


def _end_of(user: User, task: ResearchTask) -> tuple[str, str]:
    with acting_as(user.pk):
        row = ResearchTask.objects.get(pk=task.pk)
    return row.state, row.error_code


# What it costs.


def test_a_permit_is_still_one_query(olga: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    dora = make_person("dora")
    allow(dora)
    throw_switch(Capability.LEARNING, None, "A fault.", olga)

    with acting_as(dora.pk), django_assert_num_queries(1):
        assert permit_for(dora).stopped == {Capability.LEARNING}
