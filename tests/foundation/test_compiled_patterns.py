"""The code of a regular expression is kept: what comes of it is what ``re.compile`` makes."""

from __future__ import annotations

import marshal
import re
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from foundation import compiled_patterns
from foundation.compiled_patterns import LEAST_CHARS, compile_pattern

LONG = "|".join(f"(?P<word{number}>buy {number} bonds?)" for number in range(20))
assert len(LONG) > LEAST_CHARS


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that may be written to."""
    kept = tmp_path / "kept"
    monkeypatch.setattr(compiled_patterns, "_folder", lambda: kept)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return kept


@pytest.mark.parametrize("flags", [0, re.IGNORECASE, re.IGNORECASE | re.ASCII])
@pytest.mark.parametrize("text", [LONG, f"(?i:{LONG})", f"(?s){LONG}", "买" * LEAST_CHARS, "a|b"])
def test_a_kept_pattern_is_the_one_that_python_makes(text: str, flags: int) -> None:
    made, kept = compile_pattern(text, flags), compile_pattern(text, flags)

    assert made == kept == re.compile(text, flags)
    assert (kept.pattern, kept.flags, kept.groups) == (text, re.compile(text, flags).flags, made.groups)
    assert kept.groupindex == re.compile(text, flags).groupindex


def test_its_groups_have_their_names() -> None:
    compile_pattern(LONG)
    found = compile_pattern(LONG).search("I buy 7 bonds")

    assert found is not None
    assert (found.lastgroup, found["word7"]) == ("word7", "buy 7 bonds")


def test_it_is_compiled_once() -> None:
    compile_pattern(LONG)
    with patch.object(compiled_patterns, "_compiled_code", side_effect=AssertionError):
        compile_pattern(LONG)


def test_the_same_text_with_other_flags_is_another_pattern() -> None:
    compile_pattern(LONG)

    assert compile_pattern(LONG, re.IGNORECASE).search("BUY 7 BONDS")


@pytest.mark.parametrize("broken", [b"", b"no marshal", b"(\x01\x00\x00\x00i\x07\x00\x00\x00", b"\xe9\x07\x00\x00\x00"])
def test_a_file_that_cannot_be_read_costs_a_compilation(folder: Path, broken: bytes) -> None:
    compile_pattern(LONG)
    (file,) = folder.iterdir()
    file.write_bytes(broken)

    assert compile_pattern(LONG) == re.compile(LONG)


def test_code_that_is_none_is_not_run(folder: Path) -> None:
    compile_pattern(LONG)
    (file,) = folder.iterdir()
    file.write_bytes(marshal.dumps((re.UNICODE.value, [9999, 1], 0, {}, (None,))))

    assert compile_pattern(LONG) == re.compile(LONG)


def test_nothing_is_kept_where_python_keeps_no_bytecode_or_may_not_write(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert compile_pattern(LONG) == re.compile(LONG)
    assert not folder.exists()

    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder.write_text("a file in its place")
    assert compile_pattern(LONG) == re.compile(LONG)


def test_what_is_no_regular_expression_is_refused_as_ever() -> None:
    with pytest.raises(re.error):
        compile_pattern(f"({LONG}")
