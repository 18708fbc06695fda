"""``docs/requirements.md`` and ``CONTRIBUTING.md`` lead somewhere: each module and test that they name is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROWS = re.findall(r"^\| ([A-Z]-\d+) \|(.+)\|$", (ROOT / "docs" / "requirements.md").read_text("utf-8"), re.MULTILINE)
PATHS = sorted({path for _, row in ROWS for path in re.findall(r"`([\w./]+(?:\.py|\.md|/))`", row)})


def test_what_is_named_is_there() -> None:
    assert len(PATHS) > 300
    assert [path for path in PATHS if not (ROOT / path).exists()] == []


def test_each_capability_stands_once_and_what_is_built_names_its_test() -> None:
    ids = [name for name, _ in ROWS]
    assert len(ids) == len(set(ids)) > 90
    assert [
        name for name, row in ROWS if "not built |" not in row and "`tests/" not in row and "`bench/" not in row
    ] == []


def test_what_the_map_of_the_house_names_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    paths = set(re.findall(r"`((?:\w+/)+(?:[\w.]+\.\w+)?)`", text))
    named = re.findall(r"`(\w+)` of `((?:\w+/)+\w+\.py)`", text)

    assert len(paths) > 100
    assert len(named) > 10
    assert [path for path in sorted(paths) if not _is_there(path)] == []
    assert [(name, path) for name, path in named if name not in (ROOT / path).read_text("utf-8")] == []


def _is_there(path: str) -> bool:
    """Whether the root holds it, or a package does: a table names a folder of a package without it."""
    return (ROOT / path).exists() or any(ROOT.glob(f"*/{path}")) or any(ROOT.glob(f"*/*/{path}"))
