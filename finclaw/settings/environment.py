"""The code's directory, and the environment of this process.

A `.env` beside the code counts as part of the environment.
"""

from __future__ import annotations

from pathlib import Path

from environs import FileAwareEnv

BASE_DIR = Path(__file__).resolve().parent.parent.parent

env = FileAwareEnv()
env.read_env(BASE_DIR / ".env")
