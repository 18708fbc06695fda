"""Counts the steps of onboarding that people reach, on the pages and through the API alike."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from django.db import transaction

from foundation.telemetry.metrics import ONBOARDING_STEPS

OnboardingStep = Literal["acknowledgement", "consent", "preferences", "focus_reason"]


def count_step(step: OnboardingStep) -> None:
    """Count a step once the transaction commits: what is rolled back was not reached."""
    transaction.on_commit(ONBOARDING_STEPS.labels(step=step).inc)


def count_preferences(stated: Collection[str]) -> None:
    """Count the preferences that came with a first decision, and among them the reason for a focus, by field name."""
    count_step("preferences")
    if "user_focus_reason" in stated:
        count_step("focus_reason")
