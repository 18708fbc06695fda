"""Patterns are built where the recording sees them: by modules, and by builders that keep what they built."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.patterns.recording import ROOT, our_files, record, tree_of

_KEEPER_OF_CODE: Final = ROOT / "foundation/compiled_patterns.py"
"""Asks ``re`` for every pattern while it is recorded."""
ENGINES: Final = frozenset({"regex", "re2", "sre_compile", "sre_parse", "_sre", "re._compiler", "re._parser"})
OURS: Final = frozenset(our_files())
Function = ast.FunctionDef | ast.AsyncFunctionDef


def calls_of_re(tree: ast.AST) -> Iterator[tuple[ast.Attribute, str]]:
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and ast.unparse(called.value) == "re" and called.attr != "escape":
            yield called, called.attr


def functions_of(path: Path) -> Iterator[Function]:
    return (node for node in ast.walk(tree_of(path)) if isinstance(node, Function))


def is_cached(function: Function) -> bool:
    return any("cache" in ast.unparse(decorator) for decorator in function.decorator_list)


def names_called(function: ast.AST) -> set[str]:
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {call.id for call in calls if isinstance(call, ast.Name)}


def test_nobody_goes_round_the_recorder() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in our_files()
        if path != _KEEPER_OF_CODE
        for node in ast.walk(tree_of(path))
        if (isinstance(node, ast.Import) and any(is_round_about(alias) for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module in {*ENGINES, "re"})
    ]
    assert not found, "import re, and call it as re.compile"


def is_round_about(alias: ast.alias) -> bool:
    return alias.name in ENGINES or (alias.name == "re" and alias.asname is not None)


def test_no_function_reads_text_with_a_pattern_it_spells_itself() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno} re.{name}"
        for path in our_files()
        for function in functions_of(path)
        for call, name in calls_of_re(function)
        if name != "compile"
    ]
    assert not found, "compile the pattern at the head of the module"


def test_a_function_that_builds_patterns_did_so_while_it_was_recorded() -> None:
    """So does one that calls it, up to one that keeps what it built: nothing is compiled anew while text is read."""
    seen = record().places
    for path in our_files():
        name = str(path.relative_to(ROOT))
        for builder in builders_of(path):
            lines = range(builder.lineno, (builder.end_lineno or builder.lineno) + 1)
            assert any((name, line) in seen for line in lines), f"{name}:{builder.lineno} is never seen to build"


def test_a_builder_is_told_from_what_keeps_its_patterns(tmp_path: Path) -> None:
    path = tmp_path / "planted.py"
    path.write_text(
        "def spelled(word):\n    return re.compile(word)\n"
        "def found(word, text):\n    return spelled(word).search(text)\n"
        "@cache\ndef kept():\n    return spelled('a')\n"
        "def read(text):\n    return kept().search(text)\n"
    )
    assert [one.name for one in builders_of(path)] == ["spelled", "found", "kept"]


def builders_of(path: Path) -> list[Function]:
    """The functions of a file that compile patterns, by themselves or by a builder that does not keep its own."""
    functions = list(functions_of(path))
    found = {one.name for one in functions if any(calls_of_re(one))}
    imported = builders_imported_by(path)
    while True:
        renewing = imported | {one.name for one in functions if one.name in found and not is_cached(one)}
        further = {one.name for one in functions if names_called(one) & renewing} - found
        if not further:
            return [one for one in functions if one.name in found]
        found |= further


def builders_imported_by(path: Path) -> set[str]:
    nodes = (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.ImportFrom))
    return {alias.name for node in nodes for alias in node.names if alias.name in renewing_in(node.module or "")}


@cache
def renewing_in(module: str) -> frozenset[str]:
    """The functions of a module of ours that compile a pattern each time they are called."""
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    functions = functions_of(path) if path.exists() and path in OURS else iter(())
    return frozenset(one.name for one in functions if any(calls_of_re(one)) and not is_cached(one))
