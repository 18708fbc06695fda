"""A percentile aggregate for the ORM."""

from __future__ import annotations

from typing import Any

from django.db.models import Aggregate, DurationField


class Percentile(Aggregate):
    """``Percentile(span, of=95)``: the value that 95 of 100 rows do not exceed."""

    template = "percentile_cont(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"

    def __init__(self, expression: Any, *, of: int, **extra: Any) -> None:
        super().__init__(expression, output_field=DurationField(), share=of / 100, **extra)
