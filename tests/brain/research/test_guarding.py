"""What comes out of a piece of research acts no more than what went in (B-11). Pure."""

from __future__ import annotations

import pytest

from finclaw.brain.research.boundary_guard import permitted_note, permitted_statements
from finclaw.brain.research.note import PersonalNote
from foundation.llm.offline_model import OFFLINE_MODEL_ID
from memory.models import Route
from memory.research.types import ResearchStatement

KEPT = ResearchStatement("I hold Nvidia for its margins.")
ACTING = (
    "limit_price: 50 and quantity: 100, side: buy",
    "My limit price: 50.",
    "Your order has been placed.",
    "订单已经为你提交。",
)


@pytest.mark.parametrize("text", ACTING)
@pytest.mark.parametrize("route", Route.values)
def test_a_checkpoint_alone_shows_nothing_that_acting_needs_of_what_was_told(route: str, text: str) -> None:
    told = (KEPT, ResearchStatement(text))

    assert permitted_statements(route, told) == ((KEPT,) if route == "pre_execution" else told)


@pytest.mark.parametrize("text", ACTING)
def test_nor_does_its_note_quote_it(text: str) -> None:
    note = PersonalNote((KEPT, ResearchStatement(f"You said: “{text}”.")), OFFLINE_MODEL_ID)

    quoted = permitted_note("pre_execution", note)
    assert quoted is not None
    assert quoted.statements == (KEPT,)
    assert permitted_note("pre_execution", None) is None
