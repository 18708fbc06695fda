"""``docs/requirements.md`` leads somewhere: each module and each test that it names is there."""

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
