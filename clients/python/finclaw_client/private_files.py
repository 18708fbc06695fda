"""Files that nobody else on the machine may read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import IO


@contextmanager
def private_file(target: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of ``target`` at the end of the block; after an error nothing is changed."""
    target = target.resolve()
    descriptor, name = mkstemp(dir=target.parent, prefix=f".{target.name}.")  # only its owner may open it
    try:
        with os.fdopen(descriptor, "wb") as written:
            yield written
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
