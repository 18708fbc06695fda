"""Caches compiled regular expressions in files beside Python's bytecode, as Python caches compiled modules.

Compiling the word tables' patterns takes a third of the processor time until a process is ready. A pickled pattern has
only its text, so this module bypasses ``re.compile`` and uses the functions behind it; a file that is missing or
unreadable only costs a compilation. The files are trusted like bytecode, and ``_sre`` checks the code that they hold.
"""

from __future__ import annotations

import _sre  # type: ignore[import-not-found]
import marshal
import os
import re
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]  # of Python itself, and without types
from typing import Any, Final

LEAST_CHARS: Final = 200
"""A shorter pattern compiles about as fast as a file is read."""


def compile_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``, from the cached code where there is any."""
    if len(text) < LEAST_CHARS:
        return re.compile(text, flags)
    path = _path_of(text, flags)
    return _kept_pattern(path, text) or _newly_compiled(path, text, flags)


def _kept_pattern(path: Path, text: str) -> re.Pattern[str] | None:
    try:
        pattern: re.Pattern[str] = _sre.compile(text, *marshal.loads(path.read_bytes()))  # noqa: S302  see the module
    except (OSError, EOFError, ValueError, TypeError, RuntimeError):
        return None
    return pattern


def _newly_compiled(path: Path, text: str, flags: int) -> re.Pattern[str]:
    code = _compiled_code(text, flags)
    _keep_code(path, code)
    pattern: re.Pattern[str] = _sre.compile(text, *code)
    return pattern


def _path_of(text: str, flags: int) -> Path:
    named = f"{sys.hexversion} {_sre.MAGIC} {int(flags)} {text}"
    return _folder() / sha256(named.encode(errors="surrogatepass")).hexdigest()


@cache
def _folder() -> Path:
    return Path(cache_from_source(__file__)).with_name("compiled_patterns")


def _compiled_code(text: str, flags: int) -> tuple[Any, ...]:
    """What ``_sre.compile`` takes besides the text: flags, code, the number of groups, their names and places."""
    parsed = _parser.parse(text, flags)
    state = parsed.state
    names: list[str | None] = [None] * state.groups
    for name, number in state.groupdict.items():
        names[number] = name
    code = [int(word) for word in _compiler._code(parsed, flags)]
    return int(flags | state.flags), code, state.groups - 1, dict(state.groupdict), tuple(names)


def _keep_code(path: Path, code: tuple[Any, ...]) -> None:
    if sys.dont_write_bytecode:
        return
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        own = path.with_suffix(f".{os.getpid()}")
        own.write_bytes(marshal.dumps(code))
        own.replace(path)
