"""A secret that a local installation makes for itself, once."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def local_secret(path: Path) -> str:
    """Read the secret kept at ``path`` (mode 0600), writing a new one first where there is none.

    Two processes that start together agree: the file is created exclusively, the loser reads it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(64))
    return path.read_text().strip()
