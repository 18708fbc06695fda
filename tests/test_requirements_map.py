"""``docs/requirements.md`` and ``CONTRIBUTING.md`` lead somewhere: each module and test that they name is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROWS = re.findall(r"^\| ([A-Z]-\d+) \|(.+)\|$", (ROOT / "docs" / "requirements.md").read_text("utf-8"), re.MULTILINE)
PATHS = sorted({path for _, row in ROWS for path in re.findall(r"`([\w./]+(?:\.py|\.md|/))`", row)})
NAMED = re.compile(r"`(\w+)` of `([\w/]+\.(?:py|yaml))`")


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
    rows = list(_rows_of_the_map())
    found = [(row, path) for folder, row in rows for path in _paths_in(row, folder)]
    named = [(name, *_paths_in(f"`{path}`", folder)) for folder, row in rows for name, path in NAMED.findall(row)]

    assert len(found) > 200
    assert len(named) > 10
    assert [(row, path) for row, path in found if not (ROOT / path).exists()] == []
    assert [(name, path) for name, path in named if name not in (ROOT / path).read_text("utf-8")] == []


def test_a_row_of_the_map_is_one_line_that_is_read_at_a_glance() -> None:
    assert [row for _, row in _rows_of_the_map() if len(row) > 120] == []


def _rows_of_the_map() -> Iterator[tuple[str, str]]:
    """Each row of a table of CONTRIBUTING, with the folder that its heading names, from which its paths count."""
    folder = ""
    for line in (ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines():
        if line.startswith("#"):
            folder = "".join(re.findall(r": `([\w/]+/)`$", line))
        elif line.startswith("| "):
            yield folder, line


def _paths_in(row: str, folder: str) -> list[str]:
    """The files and folders that a row names, from the root; a file without a folder stands beside the one before."""
    paths: list[str] = []
    for path in re.findall(r"`((?:\w+/)*(?:\w+\.(?:py|yaml|sql|html|md)|\w+/))`", row):
        beside = str(Path(paths[-1]).parent / path) if paths and "/" not in path else path
        paths.append(f"{folder}{beside}" if not (ROOT / beside).exists() else beside)
    return paths
