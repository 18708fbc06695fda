"""The reader of each import format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from foundation.exceptions import ValidationFailed
from memory.importing import jsonl, locomo, memorybank
from memory.importing.types import Format, ImportSource


def open_source(path: Path, form: Format) -> ImportSource:
    """The document at ``path``. Raises ``ValidationFailed`` where it is no JSON, ``OSError`` where none is."""
    if form == "jsonl":
        return jsonl.read(path)
    document = parsed(path)
    return locomo.read(document) if form == "locomo" else memorybank.read(document)


def parsed(path: Path) -> Any:
    """The JSON document at ``path``, which is read whole. Raises like ``open_source``."""
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        raise ValidationFailed("The file is not a JSON document.") from None
