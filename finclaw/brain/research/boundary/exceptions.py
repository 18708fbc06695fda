"""The one refusal of the boundary."""

from __future__ import annotations

from foundation.exceptions import FinClawError


class BoundaryRefused(FinClawError):
    """Nothing about the request stands in it: the same words for everyone (seed A §7.2, §7.4)."""

    code = "boundary_refused"
    default_message = (
        "FinClaw informs and advises; it never places, signs or routes an order. Nothing was done. Ask what you would"
        " like to weigh instead."
    )
