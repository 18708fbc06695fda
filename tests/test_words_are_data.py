"""The words of a language are data: no module that holds none of them today begins to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.patterns.recording import ROOT, our_files

MOST: Final = 8
"""Texts with Chinese letters that a module may hold: marks, units, a character that a pattern is made of."""
GRAMMARS: Final = frozenset(
    {
        "finclaw/brain/boundary/chinese_patterns.py",
        "memory/rewriting/time_phrases.py",
        "memory/rewriting/times_en.py",
        "memory/rewriting/times_zh.py",
        "memory/rewriting/timex/zh.py",
        "memory/rewriting/timex/zh_clock.py",
        "memory/rewriting/timex/zh_days.py",
        "memory/rewriting/timex/zh_periods.py",
        "memory/rewriting/timex/zh_words.py",
    }
)
"""Modules that put words together: what they mean is code, and their tables are data."""
NOT_YET: Final = frozenset(
    {
        "finclaw/brain/material/dates.py",
        "finclaw/brain/material/periods.py",
        "finclaw/web/learned_lines.py",
        "memory/evaluation/chat_wrappers.py",
        "memory/evolution/affirmative_replies.py",
        "memory/portraits/markdown.py",
    }
)
"""Modules whose words are still to move."""
_CHINESE: Final = re.compile("[\u4e00-\u9fff]")
_OTHERS: Final = ("foundation/", "consent/sensitive/detectors/", "finclaw/settings/")
"""Languages themselves, and keywords of formats."""


def chinese_texts(path: Path) -> Iterator[str]:
    """The texts of a module with Chinese letters in them, docstrings aside."""
    tree = ast.parse(path.read_text())
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in documented)
    yield from (text.value for text in texts if isinstance(text.value, str) and _CHINESE.search(text.value))


def test_a_module_reads_its_words_from_data() -> None:
    holding = {
        name
        for path in our_files()
        if not (name := str(path.relative_to(ROOT))).startswith(_OTHERS) and "/migrations/" not in name
        if len(list(chinese_texts(path))) > MOST
    }
    assert not holding - GRAMMARS - NOT_YET, "put them into data/<module>.<language>.yaml"
    assert not (GRAMMARS | NOT_YET) - holding, "one less: take it off the list"
