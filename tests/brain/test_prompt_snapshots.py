"""Whole prompts, letter for letter as a model gets them: ``prompts/*.txt`` are for people to read and to review.

Where a prompt is changed on purpose, ``UPDATE_PROMPTS=1 pytest tests/brain/test_prompt_snapshots.py`` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from tests.support.prompt_cases import CASES, PromptCase, as_read

PROMPTS: Final = Path(__file__).parent / "prompts"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_prompt_is_the_one_that_was_reviewed(case: PromptCase) -> None:
    reviewed, read = PROMPTS / f"{case.name}.txt", as_read(case.compose().prompt)
    if os.environ.get("UPDATE_PROMPTS"):
        reviewed.write_text(read, encoding="utf-8")
    assert read == reviewed.read_text(encoding="utf-8")


def test_no_prompt_was_left_behind() -> None:
    assert {path.stem for path in PROMPTS.iterdir()} == {case.name for case in CASES}
