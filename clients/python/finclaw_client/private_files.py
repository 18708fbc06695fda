"""Writes files that only their owner on this machine may read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import IO


@contextmanager
def private_file(target: Path) -> Iterator[IO[bytes]]:
    """A file to write that replaces ``target`` at the end of the block; after an error ``target`` is unchanged."""
    target = target.resolve()
    descriptor, name = mkstemp(dir=target.parent, prefix=f".{target.name}.")  # only its owner may open it
    try:
        with os.fdopen(descriptor, "wb") as written:
            yield written
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
