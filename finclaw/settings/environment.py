"""Reads the environment of this process, and finds the code's directory.

A `.env` beside the code counts as part of the environment.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

from environs import FileAwareEnv, ValidationError

BASE_DIR = Path(__file__).resolve().parent.parent.parent

env = FileAwareEnv()
env.read_env(BASE_DIR / ".env")

# Read by numpy when it is first imported. Our matrices are small: on several threads, beside PostgreSQL and encoder,
# a product of two waits for its threads ten times as long as it takes on one (measured: 18 ms a message against 1.6).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Shown at the start of a process, before translations are loaded.
_NO_OBJECT = "Give a JSON object."
_NO_AMOUNT = "Give an amount of money, 0 or more, or nothing."


def require_object(value: object) -> None:
    """Raise ``ValidationError`` unless the JSON of a variable is an object."""
    if not isinstance(value, dict):
        raise ValidationError(_NO_OBJECT)


def require_amount_or_nothing(value: str) -> None:
    """Raise ``ValidationError`` unless the variable is empty or a number from 0 on."""
    try:
        is_amount = not value.strip() or 0 <= float(value) < math.inf
    except ValueError:
        is_amount = False
    if not is_amount:
        raise ValidationError(_NO_AMOUNT)
