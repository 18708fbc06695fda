"""What the telemetry counted of onboarding."""

from __future__ import annotations

from foundation.telemetry.metrics import ONBOARDING_STEPS


def counted_steps() -> dict[str, float]:
    """How often each step was reached so far."""
    steps = ("acknowledgement", "consent", "preferences", "focus_reason")
    return {step: ONBOARDING_STEPS.labels(step=step)._value.get() for step in steps}
