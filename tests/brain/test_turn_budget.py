"""A turn asks models for no more than its budget: its look-ups end with an answer, and the receipt says why."""

from __future__ import annotations

from typing import Any

import pytest

from foundation.accounts.models import User
from tests.brain.test_looking_up import LargeModel, ask, asks, served
from tests.support.cast import allow
from tests.support.model_server import Says

pytestmark = pytest.mark.django_db
READ_FIRST = "What could I do?"
MANY: Any = {"TURN_MODEL_CALLS": 20, "TURN_TOKENS": 10**9}


def rounds_within(user: User, **budget: int) -> tuple[int, str, tuple[str, ...]]:
    """How often the large model was asked that would look things up for ever, its answer, and what ran degraded."""
    allow(user)
    model = LargeModel(asks(query="ASML"), asks(query="Hull"), asks(query="bonds"), then=Says(("Done.",)))
    with served(model, **(MANY | budget)):
        result = ask(user)
    return len(model.asked), result.reply, tuple(code for code in result.degraded if code != "small_model_unavailable")


def test_within_it_the_model_looks_up_as_often_as_it_may(alice: User) -> None:
    assert rounds_within(alice) == (4, "Done.", ())


@pytest.mark.parametrize(
    ("budget", "times"),
    [({"TURN_MODEL_CALLS": 3}, 2), ({"TURN_MODEL_CALLS": 2}, 1), ({"TURN_TOKENS": 1}, 1)],
    ids=["three calls", "two calls", "tokens"],
)
def test_past_it_the_look_ups_end_with_an_answer(alice: User, budget: dict[str, int], times: int) -> None:
    """The small model's reading, which failed here, counts too."""
    allow(alice)
    model = LargeModel(*[asks(query="ASML")] * (times - 1), then=Says(("Done.",)))
    with served(model, **(MANY | budget)):
        result = ask(alice, text=READ_FIRST)

    assert (len(model.asked), result.reply) == (times, "Done.")
    assert "turn_budget_spent" in result.degraded
    assert model.asked[-1]["tool_choice"] == "none"


def test_where_only_the_answer_is_left_no_message_is_read(alice: User) -> None:
    allow(alice)
    with served(LargeModel(), TURN_MODEL_CALLS=1):
        result = ask(alice, text=READ_FIRST)

    assert result.degraded == ("turn_budget_spent",)  # and no failed reading
