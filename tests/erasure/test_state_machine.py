"""The eight states: every step that is legal passes, every other is refused, by the code and by the database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise, product
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from consent.erasure import services, state_machine
from consent.erasure.types import ResidueProbe
from consent.exceptions import IllegalErasureStep
from consent.models import AuditEvent, ErasureScope, ErasureStep, Tombstone
from consent.models.erasure_states import LEGAL_STEPS, ErasureState, is_legal_step
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.ids import new_id
from tests.support.cast import A_MONDAY, make_person
from tests.support.erasures import ask_to_forget, reread

PAIRS = list(product(ErasureState, ErasureState))
ILLEGAL = [pair for pair in PAIRS if pair not in LEGAL_STEPS]
# A way from the beginning to each state.
_CALM = (
    ErasureState.REQUESTED,
    ErasureState.VERIFIED,
    ErasureState.TOMBSTONED,
    ErasureState.QUEUED,
    ErasureState.PROCESSING,
)
_WAYS: dict[ErasureState, tuple[ErasureState, ...]] = {
    **{state: _CALM[: number + 1] for number, state in enumerate(_CALM)},
    ErasureState.COMPLETED: (*_CALM, ErasureState.COMPLETED),
    ErasureState.FAILED: (*_CALM, ErasureState.FAILED),
    ErasureState.RETRY_PENDING: (*_CALM, ErasureState.FAILED, ErasureState.RETRY_PENDING),
    ErasureState.ESCALATED: (*_CALM, ErasureState.ESCALATED),
}
_PROOF: dict[str, Any] = {"verification": {"checked": {}, "residual": 0}}


def _standing_in(user: User, state: ErasureState) -> Tombstone:
    """A tombstone that went all the way to ``state``."""
    profile = {"legal_profile": "pipl", "requested_at": A_MONDAY, "due_at": A_MONDAY + timedelta(days=15)}
    tombstone = Tombstone(user_id=user.pk, scope="item", source="api", link_hash=new_id().hex, **profile)
    with acting_as(user.pk), in_role(ERASER_ROLE):
        state_machine.write_requested(tombstone)
        for step in _WAYS[state][1:]:
            _enter(tombstone, step)
    return tombstone


def _enter(tombstone: Tombstone, state: ErasureState) -> None:
    proof = _PROOF | {"completed_at": timezone.now()} if state == ErasureState.COMPLETED else {}
    state_machine.enter_states(tombstone, state, **proof)


def _written_past_the_code(tombstone: Tombstone, before: ErasureState, after: ErasureState) -> None:
    """The step as somebody would write it who does not ask the machine; the constraints are checked at once."""
    with acting_as(tombstone.user_id), in_role(ERASER_ROLE), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        ErasureStep.objects.create(
            tombstone=tombstone, user_id=tombstone.user_id, step=tombstone.step + 1, previous_step=tombstone.step,
            previous=before, state=after, at=timezone.now(),
        )  # fmt: skip
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def _state(tombstone: Tombstone) -> tuple[str, int]:
    row = reread(tombstone.pk)
    return row.state, row.step


def test_the_states_are_nine_words_and_twelve_steps() -> None:
    assert len(ErasureState) == 9  # the eight of the design, and the escalation that seed B draws beside them
    assert len(set(LEGAL_STEPS)) == len(LEGAL_STEPS) == 12
    assert not any(before == ErasureState.COMPLETED for before, _ in LEGAL_STEPS)


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_the_code_knows_exactly_the_legal_pairs(before: ErasureState, after: ErasureState) -> None:
    assert is_legal_step(before, after) == ((before, after) in LEGAL_STEPS)


@pytest.mark.parametrize(("before", "after"), LEGAL_STEPS)
def test_a_legal_step_passes(alice: User, before: ErasureState, after: ErasureState) -> None:
    tombstone = _standing_in(alice, before)
    with acting_as(alice.pk), in_role(ERASER_ROLE):
        _enter(tombstone, after)
    assert _state(tombstone) == (after, len(_WAYS[before]) + 1)


def test_an_illegal_step_is_refused_by_the_code_wherever_it_stands(alice: User) -> None:
    for before in ErasureState:
        tombstone = _standing_in(alice, before)
        stood = _state(tombstone)
        for after in (after for one, after in ILLEGAL if one == before):
            with pytest.raises(IllegalErasureStep), acting_as(alice.pk), in_role(ERASER_ROLE):
                state_machine.enter_states(reread(tombstone.pk), after)
        assert _state(tombstone) == stood


def test_an_illegal_step_is_refused_by_the_database_wherever_it_stands(alice: User) -> None:
    for before in ErasureState:
        tombstone = _standing_in(alice, before)
        for after in (after for one, after in ILLEGAL if one == before):
            with pytest.raises(IntegrityError, match="erasure_step_is_legal"), transaction.atomic():
                _written_past_the_code(tombstone, before, after)


def test_a_legal_step_from_a_state_it_never_stood_in_is_refused_by_the_database(alice: User) -> None:
    tombstone = _standing_in(alice, ErasureState.QUEUED)
    with pytest.raises(IntegrityError, match="erasure_step_follows_the_last"), transaction.atomic():
        _written_past_the_code(tombstone, ErasureState.PROCESSING, ErasureState.COMPLETED)


def test_a_step_that_skips_a_number_is_refused_by_the_database(alice: User) -> None:
    tombstone = _standing_in(alice, ErasureState.QUEUED)
    with pytest.raises(IntegrityError), acting_as(alice.pk), in_role(ERASER_ROLE):
        ErasureStep.objects.create(
            tombstone=tombstone, user_id=alice.pk, step=9, previous_step=tombstone.step, previous=ErasureState.QUEUED,
            state=ErasureState.PROCESSING, at=timezone.now(),
        )  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_a_state_without_its_step_fails_at_the_commit() -> None:
    alice = make_person("alice")
    tombstone = _standing_in(alice, ErasureState.QUEUED)
    for lie in ({"state": ErasureState.PROCESSING}, {"step": 5}, {"state": ErasureState.PROCESSING, "step": 5}):
        with (
            pytest.raises(IntegrityError, match="erasure_state_is_its_last_step"),
            acting_as(alice.pk),
            in_role(ERASER_ROLE),
        ):
            assert Tombstone.objects.filter(pk=tombstone.pk).update(**lie) == 1
        assert _state(tombstone) == (ErasureState.QUEUED, 4)


@pytest.mark.django_db(transaction=True)
def test_no_erasure_is_complete_without_its_probe_and_its_moment() -> None:
    alice = make_person("alice")
    for changes in ({}, {"completed_at": timezone.now()}, _PROOF):
        tombstone = _standing_in(alice, ErasureState.PROCESSING)
        with pytest.raises(IntegrityError, match="erasure_completed"), acting_as(alice.pk), in_role(ERASER_ROLE):
            state_machine.enter_states(tombstone, ErasureState.COMPLETED, **changes)


def _audited(tombstone: Tombstone) -> AuditEvent:
    with acting_as(tombstone.user_id):
        services.audit_erasure(tombstone, "erasure.requested")
        return AuditEvent.objects.get(subject_id=tombstone.pk)


_CHANGES: dict[str, Callable[[UUID], object]] = {
    "tombstone deleted": lambda key: Tombstone.objects.filter(pk=key)._raw_delete("default"),
    "steps deleted": lambda key: ErasureStep.objects.filter(tombstone_id=key)._raw_delete("default"),
    "audit deleted": lambda key: AuditEvent.objects.filter(subject_id=key)._raw_delete("default"),
    "tombstone changed": lambda key: Tombstone.objects.filter(pk=key).update(due_at=timezone.now()),
    "steps changed": lambda key: ErasureStep.objects.filter(tombstone_id=key).update(reason="x"),
    "audit changed": lambda key: AuditEvent.objects.filter(subject_id=key).update(action="x"),
}


@pytest.mark.parametrize("change", _CHANGES)
def test_the_application_changes_and_deletes_no_proof(alice: User, change: str) -> None:
    tombstone = _standing_in(alice, ErasureState.QUEUED)
    _audited(tombstone)
    with pytest.raises(ProgrammingError, match="permission denied"), acting_as(alice.pk):
        _CHANGES[change](tombstone.pk)


@pytest.mark.parametrize("change", [name for name in _CHANGES if name != "tombstone changed"])
def test_the_eraser_deletes_no_proof_and_rewrites_neither_steps_nor_audit(alice: User, change: str) -> None:
    tombstone = _standing_in(alice, ErasureState.QUEUED)
    _audited(tombstone)
    with pytest.raises(ProgrammingError, match="permission denied"), acting_as(alice.pk), in_role(ERASER_ROLE):
        _CHANGES[change](tombstone.pk)


def test_the_eraser_reaches_no_tombstone_of_somebody_else(alice: User, bob: User) -> None:
    tombstone = _standing_in(alice, ErasureState.QUEUED)
    with acting_as(bob.pk), in_role(ERASER_ROLE):
        assert Tombstone.objects.filter(pk=tombstone.pk).update(due_at=timezone.now()) == 0


def test_the_check_in_the_database_is_the_list_in_the_code(superuser_connection: psycopg.Connection) -> None:
    """A step that is added to the list without a migration would pass the code and fail at night."""
    row = superuser_connection.execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'erasure_step_is_legal'"
    ).fetchone()
    assert row is not None
    assert row[0].count("previous)::text = ") == len(LEGAL_STEPS)


class ErasureLife(RuleBasedStateMachine):
    """Starting, failing, escalating, retrying and completing in any order; the model is where it must stand."""

    alice: User

    @initialize()
    def ask(self) -> None:
        self.tombstone = ask_to_forget(self.alice, A_MONDAY, ErasureScope.ITEM)
        self.expected = ErasureState.QUEUED

    def _refused_unless(self, legal: bool, act: Callable[[], object]) -> bool:
        if legal:
            act()
            return True
        with pytest.raises(IllegalErasureStep), transaction.atomic():
            act()
        return False

    @rule()
    def start(self) -> None:
        taken = services.start_erasure(self.tombstone.pk, self.alice.pk)
        assert (taken is None) == (self.expected in {ErasureState.COMPLETED, ErasureState.ESCALATED})
        self.expected = ErasureState.PROCESSING if taken else self.expected

    @rule(final=st.booleans())
    def fail(self, final: bool) -> None:
        services.record_failure(self.tombstone.pk, self.alice.pk, "Error", final=final)
        if self.expected == ErasureState.PROCESSING:
            self.expected = ErasureState.RETRY_PENDING
        if final and self.expected != ErasureState.COMPLETED:
            self.expected = ErasureState.ESCALATED

    @rule()
    def escalate(self) -> None:
        was_open = self.expected not in {ErasureState.COMPLETED, ErasureState.ESCALATED}
        assert services.escalate_erasure(self.tombstone.pk, self.alice.pk, reason="sla_exceeded") == was_open
        self.expected = ErasureState.ESCALATED if was_open else self.expected

    @rule()
    def retry(self) -> None:
        if self._refused_unless(
            self.expected == ErasureState.ESCALATED,
            lambda: services.retry_escalated(self.tombstone.pk, self.alice.pk, None),
        ):
            self.expected = ErasureState.QUEUED

    @rule()
    def complete(self) -> None:
        def act() -> None:
            with acting_as(self.alice.pk):
                services.complete_erasure(reread(self.tombstone.pk), {}, ResidueProbe({}, {}))

        if self._refused_unless(self.expected == ErasureState.PROCESSING, act):
            self.expected = ErasureState.COMPLETED

    @invariant()
    def it_stands_where_it_must_and_its_steps_lead_there(self) -> None:
        row = reread(self.tombstone.pk)
        steps = list(row.steps.all())
        assert (row.state, row.step) == (self.expected, steps[-1].step)
        assert [step.step for step in steps] == list(range(1, len(steps) + 1))
        assert all(is_legal_step(ErasureState(one.state), ErasureState(other.state)) for one, other in pairwise(steps))
        assert (row.certificate is not None) == (row.completed_at is not None) == (row.state == ErasureState.COMPLETED)


def test_any_order_of_events_leaves_it_in_a_state_that_its_steps_explain(alice: User) -> None:
    class Life(ErasureLife):
        pass

    Life.alice = alice
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=25, stateful_step_count=15, deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
        ),
    )  # fmt: skip
