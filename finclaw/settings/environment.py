"""The code's directory, and the environment of this process.

A `.env` beside the code counts as part of the environment.
"""

from __future__ import annotations

import os
from pathlib import Path

from environs import FileAwareEnv, ValidationError

BASE_DIR = Path(__file__).resolve().parent.parent.parent

env = FileAwareEnv()
env.read_env(BASE_DIR / ".env")

# Read by numpy when it is first imported. Our matrices are small: on several threads, beside PostgreSQL and encoder,
# a product of two waits for its threads ten times as long as it takes on one (measured: 18 ms a message against 1.6).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_NO_OBJECT = "Give a JSON object."  # said at the start of a process, before anything is translated


def require_object(value: object) -> None:
    """Raise ``ValidationError`` unless the JSON of a variable is an object."""
    if not isinstance(value, dict):
        raise ValidationError(_NO_OBJECT)
