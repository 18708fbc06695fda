"""The error of the execution boundary."""

from __future__ import annotations

from foundation.exceptions import FinClawError


class BoundaryRefused(FinClawError):
    """A refusal in the same words for everyone; nothing about the request stands in it."""

    code = "boundary_refused"
    default_message = (
        "FinClaw informs and advises; it never places, signs or routes an order. Nothing was done. Ask what you would"
        " like to weigh instead."
    )
