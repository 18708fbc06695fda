"""What one turn may ask of models: the small model's reading, the answer and its tool rounds together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.conf import settings

from foundation.llm import TokenUsage
from foundation.text import estimate_tokens

TURN_BUDGET_SPENT: Final = "turn_budget_spent"
"""The reason a receipt gives where the budget ended a model's look-ups."""


class TurnBudget:
    """The model calls and tokens that a turn has left. They limit all calls but the one for the answer, always made."""

    def __init__(self, calls: int, tokens: int) -> None:
        self._calls, self._tokens = calls, tokens

    @classmethod
    def configured(cls) -> TurnBudget:
        """A turn's whole budget, by the settings."""
        return cls(settings.TURN_MODEL_CALLS, settings.TURN_TOKENS)

    def spend(self, usage: TokenUsage) -> None:
        """Count a call and the tokens that it took."""
        self._calls -= 1
        self._tokens -= usage.prompt_tokens + usage.completion_tokens

    def allows_before_answer(self, texts: Iterable[str] = ()) -> bool:
        """Whether calls and tokens are left for one with a prompt of these ``texts``, and for the answer after it."""
        return self._calls >= 2 and self._tokens >= 2 * sum(map(estimate_tokens, texts))
