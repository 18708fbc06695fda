"""The patterns that were proven not to run away, by a hash of each, in ``register.txt``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.patterns.recording import Pattern

PATH: Final = Path(__file__).with_name("register.txt")


def entry_of(pattern: Pattern) -> str:
    """A line of the register: a hash of all that a proof depends on, and the file that holds the pattern."""
    parts = [pattern.source, str(pattern.flags), ",".join(pattern.methods), str(pattern.bound)]
    told = "\0".join([*parts, "bytes"] if pattern.is_binary else parts)
    return f"{hashlib.sha256(told.encode(errors='surrogatepass')).hexdigest()[:20]} {pattern.file}"


def read_register() -> frozenset[str]:
    """The entries of the patterns proven so far."""
    return frozenset(PATH.read_text().splitlines()) if PATH.exists() else frozenset()


def write_register(patterns: Iterable[Pattern]) -> None:
    """Replace the register by the entries of ``patterns``, sorted."""
    PATH.write_text("".join(f"{entry}\n" for entry in sorted({entry_of(pattern) for pattern in patterns})))
