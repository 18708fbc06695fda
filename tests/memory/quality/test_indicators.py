"""Each indicator reads a history whose numerator and denominator are known (seed B §2.3.2)."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from consent.models import Tombstone
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.ids import new_id
from memory.quality import quality_indicators
from memory.services import items
from tests.memory.quality.history import DAY, HOUR, MINUTE, NOW, Turns, chain, ended, item
from tests.support.cast import allow
from tests.support.erasures import ask_to_forget
from tests.support.upkeep import remember, reread

pytestmark = pytest.mark.django_db


def test_staleness_counts_what_ended_among_all_that_is_personal_and_kept(alice: User, bob: User) -> None:
    for _ in range(6):
        item(alice)
    item(bob, **ended(HOUR))
    item(alice, invalid_at=NOW + DAY)  # ends tomorrow
    item(alice, scope="session", **ended(HOUR))
    item(alice, age=-DAY)  # not yet written

    reading = quality_indicators.read_indicator(quality_indicators.STALENESS, at=NOW)

    assert (reading.numerator, reading.denominator, reading.value) == (1, 8, 0.125)
    assert reading.is_on_target
    assert reading.window == 7 * DAY


def test_what_was_closed_later_was_not_stale_then(alice: User) -> None:
    item(alice, age=9 * DAY, state="invalid", invalid_at=NOW - 5 * DAY, superseded_at=NOW - DAY)

    then, now = quality_indicators.history_of(quality_indicators.STALENESS, [NOW - 2 * DAY, NOW])

    assert ((then.numerator, then.denominator), (now.numerator, now.denominator)) == ((0, 1), (1, 1))


def test_a_memory_that_was_confirmed_or_corrected_is_not_stale(alice: User) -> None:
    chain(alice, "tea", "tea", "tea")  # confirmed twice
    chain(alice, "Berlin", "Leipzig")

    reading = quality_indicators.read_indicator(quality_indicators.STALENESS, at=NOW)

    assert (reading.numerator, reading.denominator) == (0, 2)


def test_confirming_through_the_products_own_door_makes_nothing_stale(alice: User) -> None:
    permit = allow(alice)
    held = [remember(alice, f"Follows fund {number}", "follows") for number in range(5)]
    with acting_as(alice.pk):
        for memory in held:
            items.confirm(permit, memory.pk)
        items.retire(permit, reread(alice, remember(alice, "Was in Rome", "trip").pk), at=timezone.now())

    reading = quality_indicators.read_indicator(quality_indicators.STALENESS)

    assert (reading.numerator, reading.denominator) == (1, 6)


@pytest.mark.parametrize(
    ("fields", "counted"),
    [
        ({}, (0, 1)),
        ({"invalid_at": NOW + DAY}, (0, 1)),
        ({"invalid_at": NOW - 90 * DAY}, (1, 1)),  # past its validity and still open: the governor has not been there
        (ended(HOUR), (1, 1)),
        (ended(8 * DAY), (0, 0)),  # history: the governor could never lower it
        (ended(HOUR) | {"state": "superseded"}, (0, 0)),  # merged, or arbitrated: another stands in its place
        ({"state": "quarantined"}, (0, 1)),
        ({"state": "invalid", "invalid_at": NOW - 90 * DAY, "superseded_at": NOW - 100 * DAY}, (0, 0)),
    ],
)
def test_what_is_stale(alice: User, fields: dict[str, Any], counted: tuple[int, int]) -> None:
    item(alice, **({"age": 100 * DAY} | fields))

    reading = quality_indicators.read_indicator(quality_indicators.STALENESS, at=NOW)

    assert (reading.numerator, reading.denominator) == counted


def test_a_doubt_that_was_rejected_was_never_in_force(alice: User) -> None:
    item(alice, age=DAY, state="invalid", invalid_at=NOW - DAY, superseded_at=NOW - DAY)

    reading = quality_indicators.read_indicator(quality_indicators.STALENESS, at=NOW)

    assert (reading.numerator, reading.denominator) == (0, 0)


def test_a_conflict_is_a_chain_of_three_different_statements(alice: User, bob: User) -> None:
    chain(alice, "tea", "coffee", "water")
    chain(bob, "tea", "coffee")
    chain(bob, "tea", "coffee", "coffee")  # confirmed, not contradicted
    chain(alice, "red", "green", "blue", "black", age=40 * DAY)  # settled since
    item(bob, invalid_at=NOW + DAY)  # active until tomorrow
    item(bob, **ended(HOUR))

    reading = quality_indicators.read_indicator(quality_indicators.CONFLICT, at=NOW)

    assert (reading.numerator, reading.denominator, reading.value) == (1, 5, 0.2)
    assert reading.is_on_target is False


def test_to_and_fro_is_a_conflict_though_it_knows_two_answers(alice: User) -> None:
    chain(alice, "tea", "coffee", "tea")

    assert quality_indicators.read_indicator(quality_indicators.CONFLICT, at=NOW).numerator == 1


def test_a_settled_chain_is_not_taken_up_again_by_a_confirmation(alice: User) -> None:
    key = new_id()
    for version, (words, age) in enumerate([("red", 50), ("green", 45), ("blue", 40), ("blue", 1)], 1):
        closed = {"invalid_at": NOW - DAY, "superseded_at": NOW - DAY, "state": "superseded"} if version < 4 else {}
        spans = {"valid_at": NOW - age * DAY, **closed}
        spans["invalid_at"] = NOW - age * DAY if closed else None
        item(alice, age=age * DAY, words=words, chain_id=key, version=version, **spans)

    reading = quality_indicators.read_indicator(quality_indicators.CONFLICT, at=NOW)

    assert (reading.numerator, reading.denominator) == (0, 1)


def test_injection_quality_is_the_hit_rate_without_what_was_fused(alice: User, bob: User) -> None:
    of_alice, of_bob = Turns(alice), Turns(bob)
    of_alice.lines(of_alice.receipt("injection"), accepted=6)
    of_alice.lines(of_alice.receipt("injection"), rejected=2, decision_reason="budget_exceeded")
    of_bob.lines(of_bob.receipt("injection", age=6 * DAY), accepted=2)
    of_bob.lines(of_bob.receipt("injection", age=8 * DAY), rejected=50, decision_reason="budget_exceeded")
    of_bob.lines(of_bob.receipt("retrieval"), rejected=50, decision_reason="budget_exceeded")
    of_alice.fuse()
    of_alice.fuse(age=8 * DAY)

    reading = quality_indicators.read_indicator(quality_indicators.INJECTION, at=NOW)

    assert (reading.numerator, reading.denominator) == (8, 10)
    assert reading.value == pytest.approx(0.8 * (1 - 1 / 8))
    assert reading.is_on_target


@pytest.mark.parametrize(
    ("receipt", "line", "counted"),
    [
        ({}, {"accepted": 1}, (1, 1)),
        ({}, {"accepted": 1, "user_feedback_signal": "positive"}, (1, 1)),
        ({}, {"accepted": 1, "user_feedback_signal": "negative"}, (0, 1)),
        ({}, {"rejected": 1, "decision_reason": "budget_exceeded"}, (0, 1)),
        ({}, {"rejected": 1, "decision_reason": "blocked", "signals": {"relevant": 1.0, "lexical": 2.5}}, (0, 1)),
        ({}, {"rejected": 1, "decision_reason": "blocked", "signals": {"relevant": 0.0}}, (0, 0)),
        *(({}, {"rejected": 1, "decision_reason": reason}, (0, 0))
          for reason in ("relevance", "superseded", "duplicate", "outdated", "conflict")),
        ({}, {"accepted": 1, "kind": "profile", "decision_reason": "standing"}, (0, 0)),
        ({}, {"accepted": 1, "kind": "context", "decision_reason": "stated"}, (0, 0)),
        ({}, {"rejected": 1, "kind": "profile", "decision_reason": "budget_exceeded"}, (0, 0)),
        ({"unsearched_because": "answered_by_rule"}, {"accepted": 1}, (0, 0)),  # a list of all that is remembered
    ],
)  # fmt: skip
def test_what_fits_and_was_taken_is_a_hit(
    alice: User, receipt: dict[str, Any], line: dict[str, Any], counted: tuple[int, int]
) -> None:
    turns = Turns(alice)
    turns.lines(turns.receipt("injection", **receipt), **line)

    reading = quality_indicators.read_indicator(quality_indicators.INJECTION, at=NOW)

    assert (reading.numerator, reading.denominator) == counted


def test_nothing_taken_of_what_fits_is_no_quality(alice: User) -> None:
    turns = Turns(alice)
    turns.lines(turns.receipt("injection"), rejected=3, decision_reason="budget_exceeded")

    assert quality_indicators.read_indicator(quality_indicators.INJECTION, at=NOW).value == 0


def test_latency_is_the_interpolated_percentile_of_the_last_hour(alice: User) -> None:
    turns = Turns(alice)
    for latency in range(10, 211, 10):  # 21 retrievals, 10 to 210 ms: the 20th of 21 stands at 95 of 100
        turns.receipt("retrieval", latency_ms=float(latency))
    turns.receipt("retrieval", latency_ms=9_000.0, age=2 * HOUR)
    turns.receipt("injection", latency_ms=9_000.0)
    for reason in ("boundary", "answered_by_rule", "consent_missing"):
        turns.receipt("retrieval", latency_ms=0.0, unsearched_because=reason)
    turns.receipt("retrieval", latency_ms=None)

    reading = quality_indicators.read_indicator(quality_indicators.LATENCY, at=NOW)

    assert (reading.value, reading.numerator, reading.denominator) == (200.0, 2, 21)
    assert reading.is_on_target is False  # below 200, not at it


def test_a_search_that_was_given_up_took_as_long_as_it_did(alice: User) -> None:
    Turns(alice).receipt("retrieval", latency_ms=800.0, strategy="", unsearched_because="memory_unavailable")

    assert quality_indicators.read_indicator(quality_indicators.LATENCY, at=NOW).value == 800.0


def test_overflow_counts_the_turns_whose_memories_did_not_fit(alice: User) -> None:
    turns = Turns(alice)
    for number in range(24):
        turns.receipt("injection", age=number * HOUR, budget_exceeded=number == 3)
    turns.receipt("injection", age=25 * HOUR, budget_exceeded=True)
    turns.receipt("retrieval", budget_exceeded=True)

    reading = quality_indicators.read_indicator(quality_indicators.OVERFLOW, at=NOW)

    assert (reading.numerator, reading.denominator) == (1, 24)
    assert reading.is_on_target


def test_an_erasure_past_its_term_counts_however_long_ago_it_was_asked_for(
    alice: User, bob: User, charlie: User
) -> None:
    ask_to_forget(alice, NOW - 200 * DAY)
    ask_to_forget(bob, NOW - DAY)
    done = ask_to_forget(charlie, NOW - 100 * DAY)
    _complete(done)

    reading = quality_indicators.read_indicator(quality_indicators.DELETION, at=NOW)

    assert (reading.numerator, reading.denominator) == (1, 2)  # Charlie's ended before the window
    assert reading.is_on_target is False


def _complete(tombstone: Tombstone) -> None:
    with acting_as(tombstone.user_id), in_role(ERASER_ROLE):
        Tombstone.objects.filter(pk=tombstone.pk).update(due_at=NOW - 80 * DAY, requested_at=NOW - 100 * DAY)
        row = Tombstone.objects.get(pk=tombstone.pk)
        for state in ("processing", "completed"):
            row.steps.create(
                user_id=row.user_id, step=row.step + 1, previous_step=row.step, previous=row.state, state=state, at=NOW
            )
            row.step, row.state = row.step + 1, state
            if state == "completed":
                row.completed_at, row.verification = NOW - 90 * DAY, {}
            row.save()


def test_a_receipt_is_whole_with_every_field_of_its_kind(alice: User) -> None:
    turns = Turns(alice)
    turns.lines(turns.receipt("injection"), accepted=2, rejected=1)  # whole: who was left out has no place
    turns.receipt("injection")  # whole: nothing was found
    turns.receipt("retrieval")
    turns.receipt("retrieval", strategy="", stores_used=[], latency_ms=None, unsearched_because="boundary")  # whole
    turns.receipt("retrieval", strategy="", stores_used=[], degraded=["model_offline"])  # says not why
    turns.receipt("retrieval", strategy="", stores_used=[])
    turns.receipt("retrieval", latency_ms=None)
    turns.receipt("injection", policy_version="")
    turns.receipt("injection", budget={})
    turns.lines(turns.receipt("injection"), accepted=1, context_position=None)
    turns.lines(turns.receipt("injection"), accepted=1, decision_reason="")
    turns.receipt("injection", age=25 * HOUR, budget={})

    reading = quality_indicators.read_indicator(quality_indicators.COMPLETENESS, at=NOW)

    assert (reading.numerator, reading.denominator) == (4, 11)


def test_with_nothing_to_measure_there_is_no_value(db: None) -> None:
    readings = quality_indicators.all_readings(at=NOW)

    assert [reading.name for reading in readings] == [
        "staleness_rate", "conflict_rate", "injection_quality", "retrieval_latency_p95", "context_overflow_rate",
        "deletion_timeout_rate", "receipt_completeness_rate",
    ]  # fmt: skip
    assert {(reading.denominator, reading.value, reading.is_on_target) for reading in readings} == {(0, None, None)}


def test_a_tenants_reading_counts_its_own_people(alice: User, bob: User) -> None:
    tenant = Tenant.objects.create(name="Desk")
    bob.tenant = tenant
    bob.save()
    for person in (alice, bob):
        item(person)
        turns = Turns(person)
        turns.lines(turns.receipt("injection"), accepted=1)
        turns.receipt("retrieval")
        ask_to_forget(person, NOW - MINUTE)

    everybody, own = quality_indicators.all_readings(at=NOW), quality_indicators.all_readings(tenant.pk, NOW)

    assert [(reading.denominator, mine.denominator) for reading, mine in zip(everybody, own, strict=True)] == [
        (2, 1), (2, 1), (2, 1), (2, 1), (2, 1), (2, 1), (4, 2),
    ]  # fmt: skip
