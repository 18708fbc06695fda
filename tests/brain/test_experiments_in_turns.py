"""A turn is answered by its user's variant, its receipt and its trace say by which, and it asks for that once."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db.models import JSONField, Value

from consent.experiments import stop_experiment
from consent.models import Experiment
from consent.services import turn_permit
from finclaw.brain import turn
from finclaw.brain.routing_parameters import USUAL_ROUTING, routing_of
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from memory.models import Receipt
from memory.services import item_decisions
from tests.support.cast import allow, allow_all_but_learning
from tests.support.experiments import make_staff, nearly_all_treated, run, treat
from tests.support.statements import fewest_statements
from tests.support.talk import open_session, permit_of
from tests.support.tracing import Traced

REQUEST = "Run a snapshot on NVDA"


@pytest.fixture
def olga(db: None) -> User:
    return make_staff("olga", "operator")


def _ask(user: User, text: str) -> TurnResult:
    return turn.reply(user, TurnRequest(open_session(user).pk, ({"type": "text", "text": text},)))


def _receipt(user: User, result: TurnResult) -> Receipt:
    with acting_as(user.pk):
        return Receipt.objects.get(pk=result.receipt_id)


def test_who_may_not_be_measured_is_answered_as_ever(olga: User, alice: User) -> None:
    run(olga, variants=nearly_all_treated(skill_threshold=1.0))
    allow_all_but_learning(alice)
    result = _ask(alice, REQUEST)

    assert result.skill == "snapshot"
    assert _receipt(alice, result).generation_metadata == {}


def test_who_withdraws_while_the_answer_is_written_is_not_measured(olga: User, alice: User) -> None:
    allow(alice)
    treat(alice, olga, skill_threshold=0.2)
    prepared = turn.prepare(alice, TurnRequest(open_session(alice).pk, ({"type": "text", "text": "Hello"},)))
    assert prepared.context.assignments != ()
    allow_all_but_learning(alice)
    *_, result = turn.stream(prepared)

    assert isinstance(result, TurnResult)
    assert _receipt(alice, result).generation_metadata == {}


def test_a_variant_moves_the_threshold_and_the_weights_of_skills(olga: User, alice: User) -> None:
    allow(alice)
    assert _ask(alice, REQUEST).skill == "snapshot"
    experiment = treat(alice, olga, skill_weights={"snapshot": 0.1})
    result = _ask(alice, REQUEST)

    assert result.skill is None
    assert _receipt(alice, result).generation_metadata == {"experiments": {experiment: "warm"}}
    with acting_as(alice.pk):
        routing = routing_of(turn_permit(alice).assignments())
    assert (routing.skill_weights, routing.skill_threshold) == ({"snapshot": 0.1}, USUAL_ROUTING.skill_threshold)


def test_a_variant_moves_what_enters_the_prompt_and_the_receipt_tells_the_threshold(olga: User, alice: User) -> None:
    allow(alice)
    with acting_as(alice.pk):
        for text in ("I follow palladium closely", "I once read a palladium report"):
            item_decisions.add_stated(permit_of(alice), text)
    before = _receipt(alice, _ask(alice, "What of palladium?"))
    treat(alice, olga, recall_thresholds={"words_share": 0.99, "cosine": 0.5})
    after = _receipt(alice, _ask(alice, "What of palladium?"))

    usual = {"cosine": 0.3, "cosine_share": 0.8, "words_share": 0.4, "score_share": 0.6}
    assert before.thresholds == usual
    assert after.thresholds == usual | {"words_share": 0.99, "cosine": 0.5}


def test_a_variant_moves_the_room_of_what_is_remembered(olga: User, alice: User) -> None:
    allow(alice)
    before = _receipt(alice, _ask(alice, "What of palladium?"))
    treat(alice, olga, slot_tokens={"personal_context": 6_000, "mood": 7})
    after = _receipt(alice, _ask(alice, "What of palladium?"))

    moved = {name: after.budget[name] - tokens for name, tokens in before.budget.items()}
    assert {name: tokens for name, tokens in moved.items() if tokens} == {"personal_context": 2_000}


def test_what_a_later_release_wrote_stops_no_turn(olga: User, alice: User) -> None:
    allow(alice)
    experiment = treat(alice, olga, recall_thresholds={"cosine": 0.5})
    later = nearly_all_treated(recall_thresholds={"cosine": 0.5, "freshness": 0.2}, mood=1)
    variants = [one | {"since": "2.0"} for one in later]
    with in_role(OPERATOR_ROLE):
        Experiment.objects.filter(pk=experiment).update(variants=variants)
    receipt = _receipt(alice, _ask(alice, "What of palladium?"))

    assert receipt.generation_metadata == {"experiments": {experiment: "warm"}}
    assert receipt.thresholds == {"cosine": 0.5, "cosine_share": 0.8, "words_share": 0.4, "score_share": 0.6}


@pytest.mark.parametrize("variants", [None, 7, ["warm"], [{"name": "warm"}], {"warm": 99}])
def test_an_experiment_that_cannot_be_read_takes_nobody(olga: User, alice: User, variants: object) -> None:
    allow(alice)
    unreadable = run(olga)
    with in_role(OPERATOR_ROLE):
        Experiment.objects.filter(pk=unreadable.pk).update(variants=Value(variants, JSONField()))

    with acting_as(alice.pk):
        assert turn_permit(alice).assignments() == ()


def test_once_it_is_stopped_everybody_is_answered_as_before(olga: User, alice: User) -> None:
    allow(alice)
    experiment = treat(alice, olga, skill_weights={"snapshot": 0.1})
    assert _ask(alice, REQUEST).skill is None
    stop_experiment(UUID(experiment), olga)
    result = _ask(alice, REQUEST)

    assert result.skill == "snapshot"
    assert _receipt(alice, result).generation_metadata == {}


def test_the_receipt_and_the_trace_of_a_turn_name_each_other(olga: User, alice: User, traced: Traced) -> None:
    allow(alice)
    experiment = treat(alice, olga, skill_threshold=0.2)
    traced.forget()
    receipt = _receipt(alice, _ask(alice, "Hello"))

    (span,) = traced.named("turn")
    assert span.context is not None
    assert receipt.generation_metadata == {
        "experiments": {experiment: "warm"},
        "trace_id": f"{span.context.trace_id:032x}",
    }
    assert list((span.attributes or {})["experiments"]) == [f"{experiment}:warm"]  # type: ignore[arg-type]
    assert str(alice.pk) not in traced.everything()


def test_a_turn_asks_the_database_no_oftener_with_an_experiment_than_without(olga: User, alice: User) -> None:
    allow(alice)
    _ask(alice, "Hello")
    without = fewest_statements(lambda: _ask(alice, "Hello"))
    treat(alice, olga, skill_threshold=0.2)

    assert fewest_statements(lambda: _ask(alice, "Hello")) == without
