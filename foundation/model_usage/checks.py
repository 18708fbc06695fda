"""System checks: prices can be read, a ceiling has prices to be reached by, and usage can be stored by model."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

_NEEDED: Final = frozenset({"input", "output"})
_KNOWN: Final = _NEEDED | {"cached_input"}
_LONGEST_MODEL_ID: Final = 120
"""Characters that ``ModelUsage.model_id`` holds."""


@register()
def prices_can_be_read(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """E001: an entry of MODEL_PRICES holds something else than the prices of a model."""
    hint = 'Write {"input": 2, "cached_input": 0.5, "output": 8}: for a million tokens each; the second may be missing.'
    return [
        Error(f"MODEL_PRICES: the prices of {model_id} cannot be read.", hint=hint, id="model_usage.E001")
        for model_id, stated in settings.MODEL_PRICES.items()
        if not _is_price(stated)
    ]


@register()
def a_ceiling_has_prices(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """W001: there is a monthly ceiling and a model without a price: what it costs does not count."""
    asked = {settings.MODEL_LARGE, settings.MODEL_SMALL} - {""} if settings.OPENAI_BASE_URL else set()
    unpriced = sorted(asked - settings.MODEL_PRICES.keys())
    if settings.MODEL_MONTHLY_CEILING is None or not unpriced:
        return []
    said = f"MODEL_MONTHLY_CEILING does not bound {', '.join(unpriced)}: MODEL_PRICES names no price."
    return [Warning(said, hint="Add it to MODEL_PRICES.", id="model_usage.W001")]


@register()
def model_ids_can_be_stored(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """E002: a model's id is too long for the table of usage, so what its calls cost would be lost."""
    return [
        Error(
            f"{name}: a model id has at most {_LONGEST_MODEL_ID} characters.",
            hint="Have the model server offer it under a shorter name.",
            id="model_usage.E002",
        )
        for name in ("MODEL_LARGE", "MODEL_SMALL")
        if len(getattr(settings, name)) > _LONGEST_MODEL_ID
    ]


def _is_price(stated: object) -> bool:
    if not isinstance(stated, dict) or not _NEEDED <= stated.keys() <= _KNOWN:
        return False
    return all(_is_amount(value) for value in stated.values())


def _is_amount(value: object) -> bool:
    if not isinstance(value, int | float | str) or isinstance(value, bool):
        return False
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return False
    return amount.is_finite() and amount >= 0
