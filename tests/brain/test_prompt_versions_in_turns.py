"""A turn is worded by the version of the prompt that its user's variant names; its receipts say by which."""

from __future__ import annotations

from typing import Any

import pytest

from consent.experiment_assignment import ExperimentVariant, VariantAssignment
from consent.models import Experiment
from finclaw.brain import turn
from finclaw.brain.prompt.guides import MEMORY_GUIDE, SHIPPED_WORDING, wording_of
from finclaw.brain.prompt.layers import SAFETY_POLICY
from finclaw.brain.types import TurnRequest
from finclaw.experiment_drafts import draft_from_json
from finclaw.prompt_drafts import draft_prompt_version
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import ValidationFailed
from foundation.ids import new_id
from memory.models import Receipt
from tests.support.cast import allow, allow_all_but_learning
from tests.support.experiments import make_staff, treat
from tests.support.statements import fewest_statements
from tests.support.talk import open_session

WORDING = Experiment.Dimension.PROMPT_VERSION


@pytest.fixture
def olga(db: None) -> User:
    return make_staff("olga", "operator")


def _try_words(olga: User, alice: User, **texts: str) -> str:
    """Run an experiment that words Alice's prompts so; its id."""
    version = draft_prompt_version(olga, texts, note="Tried")
    return treat(alice, olga, dimension=WORDING, prompt_version=str(version.number))


def _request(user: User, text: str) -> TurnRequest:
    return TurnRequest(open_session(user).pk, ({"type": "text", "text": text},))


def _receipts(user: User, text: str) -> list[Receipt]:
    result = turn.reply(user, _request(user, text))
    with acting_as(user.pk):
        return list(Receipt.objects.filter(message_id=result.message_id))


def test_the_words_of_a_version_stand_in_place_of_the_shipped_ones(olga: User, alice: User) -> None:
    allow(alice)
    shipped = turn.prepare(alice, _request(alice, "Hello there")).prompt
    _try_words(olga, alice, memory="Rely on {user_memory}.", small_talk="Greet in one word.")
    tried = turn.prepare(alice, _request(alice, "Hello there")).prompt

    guide = "<memory_usage_guide>\nRely on <user_memory>.\n</memory_usage_guide>"
    assert tried.system == shipped.system.replace(MEMORY_GUIDE, guide)
    assert tried.system.startswith(SAFETY_POLICY)
    assert "Greet in one word." in tried.guidance
    assert shipped.guidance != tried.guidance


def test_the_receipt_of_what_a_model_was_given_names_the_version(olga: User, alice: User) -> None:
    allow(alice)
    before = {receipt.kind: receipt.prompt_version for receipt in _receipts(alice, "What of palladium?")}
    experiment = _try_words(olga, alice, memory="Rely on {user_memory}.")
    after = {receipt.kind: receipt for receipt in _receipts(alice, "What of palladium?")}
    by_rule = {receipt.kind: receipt.prompt_version for receipt in _receipts(alice, "Buy 10 shares of NVDA for me")}

    assert before == {"retrieval": "", "injection": "1"}
    assert {kind: receipt.prompt_version for kind, receipt in after.items()} == {"retrieval": "", "injection": "2"}
    named = {"experiments": {experiment: "warm"}, "prompt_version": "2"}
    assert [receipt.generation_metadata for receipt in after.values()] == [named, named]
    assert by_rule == {"retrieval": "", "injection": ""}


def test_the_receipt_of_who_withdraws_meanwhile_names_no_version(olga: User, alice: User) -> None:
    allow(alice)
    _try_words(olga, alice, memory="Rely on {user_memory}.")
    prepared = turn.prepare(alice, _request(alice, "What of palladium?"))
    allow_all_but_learning(alice)
    list(turn.stream(prepared))

    with acting_as(alice.pk):
        kept = Receipt.objects.filter(message_id=prepared.context.request.message_id)
        assert set(kept.values_list("prompt_version", "generation_metadata__experiments")) == {("", None)}


def test_a_turn_asks_the_database_no_oftener_with_a_version_than_without(olga: User, alice: User) -> None:
    allow(alice)
    _receipts(alice, "Hello")
    without = fewest_statements(lambda: turn.reply(alice, _request(alice, "Hello")))
    _try_words(olga, alice, memory="Rely on {user_memory}.")

    assert fewest_statements(lambda: turn.reply(alice, _request(alice, "Hello"))) == without


@pytest.mark.parametrize(
    "guides", [None, {"mood": "Be glad."}, {"answer": "<guidance>"}, {"answer": 7}, ["answer"], {"answer": ""}]
)
def test_a_version_that_cannot_be_read_leaves_the_shipped_words(guides: Any) -> None:
    variant = ExperimentVariant("warm", 50, {"prompt_version": "2"})
    assert wording_of([VariantAssignment(new_id(), WORDING, variant, guides)]) is SHIPPED_WORDING


@pytest.mark.parametrize("version", ["3", "1", "02", "\uff12", "two"])
def test_an_experiment_names_only_a_version_that_there_is(olga: User, version: str) -> None:
    assert draft_prompt_version(olga, {"answer": "Be brief."}, note="Tried").number == 2
    variants = [
        {"name": "control", "weight": 50},
        {"name": "warm", "weight": 50, "parameters": {"prompt_version": version}},
    ]
    given = {"name": "Words", "purpose": "Fewer words.", "dimension": "prompt_version", "variants": variants}
    with pytest.raises(ValidationFailed, match="There is no version"):
        draft_from_json(olga, given)
    assert not Experiment.objects.exists()
