"""Find every regular expression of ours: note each compilation while all of our code is loaded, in a fresh process."""

from __future__ import annotations

import ast
import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from tempfile import NamedTemporaryFile
from types import FrameType
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("finclaw", "drift", "personas", "memory", "knowledge", "media", "consent", "foundation")
MAX_TEXT: Final = 8_000
"""Characters of the longest message that is taken in."""
BOUNDS: Final = {
    "foundation/language/sentences.py:_ABBREVIATION": "foundation.language.sentences:_LONGEST_ABBREVIATION",
    "consent/sensitive/detectors/spoken_emails.py:_LOCAL": "consent.sensitive.detectors.spoken_emails:LONGEST_LOCAL",
    "memory/evolution/style_commands.py": "memory.evolution.style_commands:LONGEST_COMMAND",
    "memory/evolution/past_years.py:_BEFORE_IT": "memory.evolution.past_years:LONGEST_BEFORE",
    "memory/evolution/implicit_corrections.py": "memory.evolution.implicit_corrections:LONGEST_CORRECTION",
    "memory/evolution/rules.py": "memory.evolution.rule_analyzer:LONGEST_STATEMENT",
    "memory/evolution/supposition.py": "memory.evolution.supposition:LONGEST",
    "memory/rewriting/rule_rewriter.py:_PREPOSITION": "memory.rewriting.protected_spans:LOOK_BACK",
    "memory/rewriting/rule_rewriter.py:_SENTENCE_START": "memory.rewriting.protected_spans:LOOK_BACK",
    "memory/rewriting/persons.py:_CLAUSE_START": "memory.rewriting.protected_spans:LOOK_BACK",
    "memory/rewriting/persons.py:_COMPOUND": "memory.rewriting.protected_spans:LOOK_BACK",
    "memory/rewriting/persons.py:_INVERTED": "memory.rewriting.protected_spans:LOOK_BACK",
    "memory/rewriting/protected_spans.py:_NAMED_BEFORE": "memory.rewriting.protected_spans:LOOK_BACK",
    "memory/rewriting/protected_spans.py:_SPOKEN": "memory.rewriting.protected_spans:LOOK_BACK",
    "personas/wish_rules.py:CLAUSE_RULES": "personas.message_wishes:LONGEST_WISH",
    "memory/reactions.py": "memory.reactions:OPENING",
}
"""Patterns that are applied to short texts alone, by file or name, and the constant that their callers cut or refuse
by. ``test_bounds.py`` shows that they do.
"""
_METHODS: Final = frozenset({"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"})
_EVERY_METHOD: Final = ("fullmatch", "match", "search", "sub")
_REPLACING: Final = frozenset({"sub", "subn", "split", "findall", "finditer"})
_BETWEEN: Final = (
    "/re/__init__.py",
    "/functools.py",
    "/django/utils/",
    "/django/core/validators.py",
    "/django/db/models/",
    "/django/forms/",
    "/rest_framework/",
)
"""Files of other people through which a pattern of ours is compiled."""


@dataclass(frozen=True, slots=True, order=True)
class Pattern:
    """A compiled pattern, where it is written, and the ways in which it is applied to text."""

    file: str
    line: int
    source: str
    flags: int
    methods: tuple[str, ...] = _EVERY_METHOD
    bound: int = MAX_TEXT
    """Characters of the longest text it is applied to."""
    is_binary: bool = False
    """Whether it is applied to bytes; ``source`` then holds one character for each of its own."""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Recording:
    """All patterns of ours, and each line, with its file, that had a part in compiling one."""

    patterns: tuple[Pattern, ...]
    places: frozenset[tuple[str, int]]


@cache
def record() -> Recording:
    """What is compiled in a process that had loaded nothing yet. Takes some seconds."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.patterns.recording"],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "finclaw.settings"},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    patterns = (Pattern(**{**entry, "methods": tuple(entry["methods"])}) for entry in found["patterns"])
    return Recording(tuple(patterns), frozenset((file, line) for file, line in found["places"]))


def methods_of(pattern: Pattern) -> tuple[str, ...]:
    """The methods a pattern is applied with: those called on its name if that is private and never passed on, else
    all.
    """
    used: set[str] = set()
    for name in _names_at(pattern.file).get(pattern.line, ()):
        methods = _uses(pattern.file).get(name)
        if not name.startswith("_") or not methods or "" in methods:
            return _EVERY_METHOD
        used |= {"sub" if method in _REPLACING else method for method in methods}
    return tuple(sorted(used)) or _EVERY_METHOD


def bound_of(pattern: Pattern) -> int:
    """Characters of the longest text that a pattern is applied to."""
    names = _names_at(pattern.file).get(pattern.line, ())
    for key in (pattern.file, *(f"{pattern.file}:{name}" for name in names)):
        if key in BOUNDS:
            return int(resolve_name(BOUNDS[key]))
    return MAX_TEXT


@cache
def _names_at(file: str) -> dict[int, tuple[str, ...]]:
    """For each line of a module, the name that is given to the pattern compiled there: a variable or a field."""
    names: dict[int, tuple[str, ...]] = {}
    for node in tree_of(ROOT / file).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            _give(names, node, tuple(target.id for target in targets if isinstance(target, ast.Name)))
            for keyword in node.value.keywords if ast.unparse(node.value.func) != "re.compile" else ():
                _give(names, keyword.value, (keyword.arg or "",))
    return names


def _give(names: dict[int, tuple[str, ...]], node: ast.stmt | ast.expr, given: tuple[str, ...]) -> None:
    names.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), given))


@cache
def _uses(file: str) -> dict[str, set[str]]:
    """For each name in a file the pattern methods called on it; "" among them where it is passed on."""
    uses: dict[str, set[str]] = {}
    nodes = list(ast.walk(tree_of(ROOT / file)))
    called = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            method = called.get(id(node), "")
            uses.setdefault(node.id, set()).add(method if method in {*_METHODS, "pattern"} else "")
    for methods in uses.values():
        methods.discard("pattern")
    return uses


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file, read once."""
    return ast.parse(path.read_text())


def our_files() -> Iterator[Path]:
    """Every Python file of our packages."""
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


class _Recorder:
    """Stands before ``re._compile`` and notes what our own files compile."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int, bool], tuple[str, int]] = {}
        self.places: set[tuple[str, int]] = set()
        self._compile = re._compile  # type: ignore[attr-defined]

    def __call__(self, pattern: Any, flags: int) -> re.Pattern[Any]:
        compiled: re.Pattern[Any] = self._compile(pattern, flags)
        if frames := _our_frames(sys._getframe(1)):
            self.places.update(frames)
            self.note(compiled, frames[-1])
        return compiled

    def note(self, compiled: re.Pattern[Any], place: tuple[str, int]) -> None:
        is_binary = isinstance(compiled.pattern, bytes)
        source = compiled.pattern.decode("latin-1") if is_binary else compiled.pattern
        self.found.setdefault((source, compiled.flags, is_binary), place)


def _our_frames(frame: FrameType | None) -> list[tuple[str, int]]:
    """Where our code compiles a pattern, from the call itself to the statement of a module that makes it."""
    while frame is not None and any(part in frame.f_code.co_filename for part in _BETWEEN):
        frame = frame.f_back
    places = []
    while frame is not None and (name := _our_name(frame)):
        places.append((name, frame.f_lineno))
        if frame.f_code.co_name == "<module>":
            break
        frame = frame.f_back
    return places


def _our_name(frame: FrameType) -> str:
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0] not in PACKAGES:
        return ""
    return str(path.relative_to(ROOT))


def _load_everything(recorder: _Recorder) -> None:
    """Every module, then every table that is built when it is first asked for, then every address."""
    import django
    from django.core import validators

    from foundation import compiled_patterns

    compiled_patterns.LEAST_CHARS = sys.maxsize  # type: ignore[misc]  # none comes from a file, past the recorder
    validators._lazy_re_compile = re.compile  # type: ignore[attr-defined]
    django.setup()
    modules = [importlib.import_module(name) for name in _module_names()]
    for module in modules:
        for built in list(vars(module).values()):
            if hasattr(built, "cache_info") and built.__wrapped__.__code__.co_argcount == 0:
                built()
    _build_tables()
    _resolve_addresses(recorder)


def _module_names() -> Iterable[str]:
    for package in PACKAGES:
        yield package
        for module in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            if not module.name.endswith("__main__"):
                yield module.name


_LABELLED_CHAT: Final = json.dumps(
    {"id": "a", "lang": "en", "type": "single", "text": "I row", "learn": [{"statement": "rows", "match": "row"}]}
)


def _build_tables() -> None:
    """The tables whose builder takes an argument: it is what they are built of as shipped."""
    from drift.stance_lexicon import configured_lexicon
    from finclaw.brain.boundary.fields import holds_forbidden_field
    from foundation.language import whole_word
    from memory.evaluation.labelled_chats import read_chats

    configured_lexicon()
    with NamedTemporaryFile("w", suffix=".jsonl") as labelled:
        labelled.write(_LABELLED_CHAT)
        labelled.flush()
        read_chats(Path(labelled.name))
    holds_forbidden_field("text")
    whole_word("word", ignores_case=True)


def _resolve_addresses(recorder: _Recorder) -> None:
    from django.urls import URLResolver, get_resolver

    def resolve(resolver: URLResolver) -> None:
        for entry in resolver.url_patterns:
            recorder.note(entry.pattern.regex, ("finclaw/urls.py", 0))
            if isinstance(entry, URLResolver):
                resolve(entry)

    resolve(get_resolver())


def main() -> None:
    recorder = _Recorder()
    re._compile = recorder  # type: ignore[attr-defined]
    _load_everything(recorder)
    found = sorted(
        Pattern(file, line, source, flags, is_binary=is_binary)
        for (source, flags, is_binary), (file, line) in recorder.found.items()
    )
    patterns = [asdict(replace(one, methods=methods_of(one), bound=bound_of(one))) for one in found]
    print(json.dumps({"patterns": patterns, "places": sorted(recorder.places)}))


if __name__ == "__main__":
    main()
