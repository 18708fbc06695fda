"""What the assistant says in Chinese outside the catalogue keeps to the glossary: one name for a thing, 你 for you."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLES = sorted(
    path for top in ("finclaw", "memory", "personas") for path in (ROOT / top).glob("**/data/wording.zh.yaml")
)
FOREIGN = ("您", "线程", "研究线", "Ask", "Threads")


def test_there_are_tables_to_read() -> None:
    assert len(TABLES) >= 5


@pytest.mark.parametrize("table", TABLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_other_name_is_used(table: Path) -> None:
    text = table.read_text()
    assert [word for word in FOREIGN if word in text] == []
