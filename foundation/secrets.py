"""Secrets that a local installation generates once and keeps in a file."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from foundation.private_files import FILE_MODE, make_private_folder, restrict_file


def _random_secret() -> str:
    return secrets.token_urlsafe(64)


def local_secret(path: Path, make: Callable[[], str] = _random_secret) -> str:
    """Read the secret at ``path`` (mode 0600); where there is none, write what ``make`` gives first.

    Two processes that start together agree: the file is created exclusively, the loser reads it.
    """
    make_private_folder(path.parent)
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE)
    except FileExistsError:
        restrict_file(path)
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(make())
    return path.read_text().strip()
