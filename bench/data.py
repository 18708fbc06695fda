"""Where the public data sets are: outside the repository, named by argument or environment."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VARIABLE = "FINCLAW_BENCH_DATA"


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """``--data``: a LoCoMo file, or the folder that holds ``locomo*.json``. Falls back to the environment."""
    default = os.environ.get(VARIABLE)
    parser.add_argument(
        "--data", type=Path, default=default, required=default is None,
        help=f"a LoCoMo file, or its folder; also {VARIABLE}",
    )  # fmt: skip


def strings_in(document: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """All strings of a parsed document, each with the name that it stands under."""
    if isinstance(document, str):
        yield name, document
    elif isinstance(document, dict):
        for key, value in document.items():
            yield from strings_in(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from strings_in(value, name)


def load_locomo(path: Path) -> Any:
    """The parsed LoCoMo document. Raises ``SystemExit`` where there is none."""
    return json.loads(data_file(path, "locomo").read_bytes())


def data_file(path: Path, name: str) -> Path:
    """The first ``<name>*.json`` of the folder, or the file itself. Raises ``SystemExit`` where there is none."""
    files = sorted(path.glob(f"{name}*.json")) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise SystemExit(f"There is no {name}*.json in {path}.")
    return files[0]
