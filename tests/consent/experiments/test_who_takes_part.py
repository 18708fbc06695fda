"""Only who may be measured takes part in an experiment, and only from a turn's own permit is it known."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from consent.exceptions import ProfileConsentRequired
from consent.experiments import stop_experiment
from consent.kill_switches import throw_switch
from consent.models import Capability
from consent.permit import Permit
from consent.services import permit_for, turn_permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from tests.support.cast import allow, allow_all_but_learning, allow_nothing
from tests.support.experiments import make_staff, run


@pytest.fixture
def olga(db: None) -> User:
    return make_staff("olga", "operator")


def _permit(user: User) -> Permit:
    with acting_as(user.pk):
        return turn_permit(user)


def test_who_lets_us_learn_takes_part(olga: User, alice: User) -> None:
    allow(alice, ConsentScope.MEMORY_LEARNING)
    experiment = run(olga)

    (assignment,) = _permit(alice).assignments()
    assert (assignment.experiment_id, assignment.dimension) == (experiment.pk, "brain_routing")
    assert assignment.variant.name in {"control", "warm"}
    assert _permit(alice).assignments() == (assignment,)


def test_who_did_not_allow_it_or_never_decided_does_not(olga: User, alice: User, bob: User, charlie: User) -> None:
    run(olga)
    allow_all_but_learning(alice)
    allow_nothing(bob)

    assert _permit(alice).assignments() == _permit(bob).assignments() == ()
    with pytest.raises(ProfileConsentRequired):
        _permit(charlie)


def test_who_withdrew_is_out_at_once(olga: User, alice: User) -> None:
    run(olga)
    allow(alice)
    assert _permit(alice).assignments() != ()
    allow_all_but_learning(alice)

    assert _permit(alice).assignments() == ()


@pytest.mark.parametrize(("capability", "takes_part"), [("personalization", False), ("research", True)])
def test_nobody_is_compared_while_answers_draw_on_no_memory(
    olga: User, alice: User, capability: str, takes_part: bool
) -> None:
    run(olga)
    allow(alice)
    throw_switch(Capability(capability), None, "A fault.", olga)

    assert bool(_permit(alice).assignments()) == takes_part


def test_an_experiment_that_ends_takes_nobody_from_the_next_turn_on(olga: User, alice: User) -> None:
    allow(alice)
    experiment = run(olga)
    assert _permit(alice).assignments() != ()
    stop_experiment(experiment.pk, olga)

    assert _permit(alice).assignments() == ()


def test_only_the_permit_of_a_turn_knows_and_asks_in_the_same_statement(olga: User, alice: User) -> None:
    allow(alice)
    run(olga)
    with (
        acting_as(alice.pk),
        CaptureQueriesContext(
            connection,
        ) as usual,
    ):
        assert permit_for(alice).assignments() == ()
    with acting_as(alice.pk), CaptureQueriesContext(connection) as of_turn:
        assert turn_permit(alice).assignments() != ()

    assert len(of_turn) == len(usual)
