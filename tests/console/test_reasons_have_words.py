"""Whatever an answer may go without is told to operators in words, and receipts can be filtered by it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from django.conf import settings

from finclaw.brain.research.part_answers import ANALYSIS_FALLBACK
from finclaw.console.degraded_answers import _WORDS, CHOSEN
from memory.admin.receipts import DegradedFilter

OF_RESEARCH = {ANALYSIS_FALLBACK}  # stands on tasks, and on no receipt


def _reported(folder: str) -> Iterator[str]:
    """The reasons that the modules of a folder report by a name of theirs."""
    for file in Path(settings.BASE_DIR, folder).rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
        for call in calls:
            if isinstance(call.func, ast.Name) and call.func.id == "report_degraded" and call.args:
                module = import_module(".".join(file.relative_to(settings.BASE_DIR).with_suffix("").parts))
                found = getattr(module, ast.unparse(call.args[0]).removesuffix(".code"), None)
                if found is not None:
                    yield found if isinstance(found, str) else found.code


def test_each_reason_has_words_and_stands_among_the_filters() -> None:
    reported = {*_reported("finclaw/brain"), *_reported("consent")} - OF_RESEARCH

    assert len(reported) > 10
    assert reported - set(_WORDS) - set(CHOSEN) == set()
    assert {*reported, *_WORDS} <= set(DegradedFilter.reasons)
