"""Each indicator reads a history whose numerator and denominator are known (seed B §2.3.2)."""

from __future__ import annotations

import pytest

from consent.models import Tombstone
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from memory.quality import quality_indicators
from tests.memory.quality.history import DAY, HOUR, MINUTE, NOW, Turns, chain, ended, item
from tests.support.erasures import ask_to_forget

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
    assert reading.on_target
    assert reading.window == 7 * DAY


def test_what_was_closed_later_was_not_stale_then(alice: User) -> None:
    item(alice, age=9 * DAY, state="invalid", invalid_at=NOW - 5 * DAY, superseded_at=NOW - DAY)

    then, now = quality_indicators.history_of(quality_indicators.STALENESS, [NOW - 2 * DAY, NOW])

    assert ((then.numerator, then.denominator), (now.numerator, now.denominator)) == ((0, 1), (1, 1))


def test_a_conflict_is_a_chain_of_three_different_statements(alice: User, bob: User) -> None:
    chain(alice, "tea", "coffee", "water")
    chain(bob, "tea", "coffee")
    chain(bob, "tea", "coffee", "coffee")  # confirmed, not contradicted
    chain(alice, "red", "green", "blue", "black", age=40 * DAY)  # settled since

    reading = quality_indicators.read_indicator(quality_indicators.CONFLICT, at=NOW)

    assert (reading.numerator, reading.denominator, reading.value) == (1, 4, 0.25)
    assert reading.on_target is False


def test_injection_quality_is_the_hit_rate_without_what_was_fused(alice: User, bob: User) -> None:
    of_alice, of_bob = Turns(alice), Turns(bob)
    of_alice.lines(of_alice.receipt("injection"), accepted=6, rejected=2)
    of_bob.lines(of_bob.receipt("injection", age=6 * DAY), accepted=2)
    of_bob.lines(of_bob.receipt("injection", age=8 * DAY), rejected=50)
    of_bob.lines(of_bob.receipt("retrieval"), rejected=50)
    of_alice.fuse()
    of_alice.fuse(age=8 * DAY)

    reading = quality_indicators.read_indicator(quality_indicators.INJECTION, at=NOW)

    assert (reading.numerator, reading.denominator) == (8, 10)
    assert reading.value == pytest.approx(0.8 * (1 - 1 / 8))
    assert reading.on_target


def test_nothing_injected_of_what_was_found_is_no_quality(alice: User) -> None:
    turns = Turns(alice)
    turns.lines(turns.receipt("injection"), rejected=3)

    assert quality_indicators.read_indicator(quality_indicators.INJECTION, at=NOW).value == 0


def test_latency_is_the_interpolated_percentile_of_the_last_hour(alice: User) -> None:
    turns = Turns(alice)
    for latency in range(10, 211, 10):  # 21 retrievals, 10 to 210 ms: the 20th of 21 stands at 95 of 100
        turns.receipt("retrieval", latency_ms=float(latency))
    turns.receipt("retrieval", latency_ms=9_000.0, age=2 * HOUR)
    turns.receipt("injection", latency_ms=9_000.0)

    reading = quality_indicators.read_indicator(quality_indicators.LATENCY, at=NOW)

    assert (reading.value, reading.numerator, reading.denominator) == (200.0, 2, 21)
    assert reading.on_target is False  # below 200, not at it


def test_overflow_counts_the_turns_whose_memories_did_not_fit(alice: User) -> None:
    turns = Turns(alice)
    for number in range(24):
        turns.receipt("injection", age=number * HOUR, budget_exceeded=number == 3)
    turns.receipt("injection", age=25 * HOUR, budget_exceeded=True)
    turns.receipt("retrieval", budget_exceeded=True)

    reading = quality_indicators.read_indicator(quality_indicators.OVERFLOW, at=NOW)

    assert (reading.numerator, reading.denominator) == (1, 24)
    assert reading.on_target


def test_an_erasure_past_its_term_counts_however_long_ago_it_was_asked_for(
    alice: User, bob: User, charlie: User
) -> None:
    ask_to_forget(alice, NOW - 200 * DAY)
    ask_to_forget(bob, NOW - DAY)
    done = ask_to_forget(charlie, NOW - 100 * DAY)
    _complete(done)

    reading = quality_indicators.read_indicator(quality_indicators.DELETION, at=NOW)

    assert (reading.numerator, reading.denominator) == (1, 2)  # Charlie's ended before the window
    assert reading.on_target is False


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
    turns.receipt("retrieval", strategy="", stores_used=[], degraded=["memory_unavailable"])  # whole: it says why
    turns.receipt("retrieval", strategy="", stores_used=[])
    turns.receipt("retrieval", latency_ms=None)
    turns.receipt("injection", policy_version="")
    turns.receipt("injection", budget={})
    turns.lines(turns.receipt("injection"), accepted=1, context_position=None)
    turns.lines(turns.receipt("injection"), accepted=1, decision_reason="")
    turns.receipt("injection", age=25 * HOUR, budget={})

    reading = quality_indicators.read_indicator(quality_indicators.COMPLETENESS, at=NOW)

    assert (reading.numerator, reading.denominator, reading.value) == (4, 10, 0.4)


def test_with_nothing_to_measure_there_is_no_value(db: None) -> None:
    readings = quality_indicators.all_readings(at=NOW)

    assert [reading.name for reading in readings] == [
        "staleness_rate", "conflict_rate", "injection_quality", "retrieval_latency_p95", "context_overflow_rate",
        "deletion_timeout_rate", "receipt_completeness_rate",
    ]  # fmt: skip
    assert {(reading.denominator, reading.value, reading.on_target) for reading in readings} == {(0, None, None)}


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
