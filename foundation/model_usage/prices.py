"""What tokens cost, by the table of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.conf import settings

_PER: Final = Decimal(1_000_000)
_OFFLINE: Final = "offline"


@dataclass(frozen=True)
class TokenPrice:
    """Prices of one model for a million tokens each: read, read from the server's cache, and written."""

    input: Decimal
    cached_input: Decimal
    output: Decimal

    def cost_of(self, input_tokens: int, cached_tokens: int, output_tokens: int) -> Decimal:
        """The cost of a call; ``input_tokens`` hold the cached ones."""
        fresh = self.input * (input_tokens - cached_tokens)
        return (fresh + self.cached_input * cached_tokens + self.output * output_tokens) / _PER


_FREE: Final = TokenPrice(Decimal(0), Decimal(0), Decimal(0))


def price_of(model_id: str) -> TokenPrice | None:
    """The price of a model; None where the settings name none, which is not the same as nothing."""
    if model_id == _OFFLINE:
        return _FREE
    stated = settings.MODEL_PRICES.get(model_id)
    if stated is None:
        return None
    read, cached, written = (stated.get(name) for name in ("input", "cached_input", "output"))
    return TokenPrice(_amount(read), _amount(read if cached is None else cached), _amount(written))


def _amount(stated: float | str) -> Decimal:
    return Decimal(str(stated))
