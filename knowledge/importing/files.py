"""Reads files of knowledge entries: CSV with a header, JSON lines, or Markdown with a heading for each entry."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from io import StringIO
from itertools import islice
from typing import Any, Final

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from foundation.exceptions import ValidationFailed
from knowledge.entry_changes import EDITABLE
from knowledge.importing.types import CHOICES, LISTS, TIMES, Format, ImportedEntry

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_LIST_SEPARATORS: Final = re.compile(r"[|;,]")
_HEADING: Final = re.compile(r"##[ \t]+(\S.*)")
_FIELD: Final = re.compile(r"[-*][ \t]+(\w{1,20}):(.*)")


class UnreadableFile(ValidationFailed):
    """The file as a whole cannot be read as entries; ``details["file"]`` says why."""

    def __init__(self, why: str) -> None:
        super().__init__(details={"file": [why]})


def read_entries(data: bytes, file_format: Format, *, most: int) -> list[ImportedEntry]:
    """The entries of a file, in order; one that cannot be read says why. Raises ``UnreadableFile``."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFile(_("The file is not UTF-8.")) from None
    found = list(islice(_READERS[file_format](text.replace("\r\n", "\n")), most + 1))
    if len(found) > most:
        raise UnreadableFile(_("The file holds more than %(most)d entries. Split it.") % {"most": most})
    if not found:
        raise UnreadableFile(_("The file holds no entry."))
    return found


def _read_csv(text: str) -> Iterator[ImportedEntry]:
    """An entry a row; the first row names the fields, and an empty cell leaves its field out."""
    rows = csv.DictReader(StringIO(text), strict=True)
    try:
        names = [name.strip() for name in rows.fieldnames or ()]
        if unknown := sorted(set(names) - set(EDITABLE)):
            raise UnreadableFile(_("There is no field %(name)s.") % {"name": unknown[0][:40]})
        if len(names) > len(set(names)):  # so there are no more columns than fields, however long the row
            raise UnreadableFile(_("The first row names a field twice."))
        rows.fieldnames = names
        line = rows.line_num
        for row in rows:
            line, begun = rows.line_num, line + 1
            cells = [cell for name in names if isinstance(cell := row.get(name), str)]
            if None in row or len(cells) < len(names):
                yield ImportedEntry(begun, {}, _("The row has another number of cells than the first."))
            else:
                yield _text_entry(begun, {name: row[name] for name in names if row[name].strip()})
    except csv.Error:
        raise UnreadableFile(_("Line %(line)d is no CSV.") % {"line": rows.line_num}) from None


def _read_json_lines(text: str) -> Iterator[ImportedEntry]:
    """An entry a line, each a JSON object."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            yield ImportedEntry(number, {}, _("This is no JSON."))
            continue
        yield (
            _json_entry(number, told) if isinstance(told, dict) else ImportedEntry(number, {}, _("This is no object."))
        )


def _read_markdown(text: str) -> Iterator[ImportedEntry]:
    """An entry under each heading of the second level, which is its subject: lines like ``- kind: rule``, then its
    text. What stands before the first of them introduces the file.
    """
    begun, subject, lines = 0, "", list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        if heading := _HEADING.fullmatch(line.rstrip()):
            if begun:
                yield _section(begun, subject, lines)
            begun, subject, lines = number, heading[1], []
        else:
            lines.append(line)
    if begun:
        yield _section(begun, subject, lines)


_READERS: Final[Mapping[Format, Callable[[str], Iterator[ImportedEntry]]]] = {
    "csv": _read_csv,
    "jsonl": _read_json_lines,
    "markdown": _read_markdown,
}


def _section(begun: int, subject: str, lines: Iterable[str]) -> ImportedEntry:
    """One section of Markdown; its fields stand before its text."""
    stripped = [line.strip() for line in lines]
    told, text_from = {"subject": subject}, len(stripped)
    for place, line in enumerate(stripped):
        if field := _FIELD.fullmatch(line):
            told[field[1]] = field[2]
        elif line:
            text_from = place
            break
    return _text_entry(begun, told | {"text": "\n".join(stripped[text_from:])})


def _text_entry(line: int, told: Mapping[str, str]) -> ImportedEntry:
    """An entry from fields that are all written as text."""
    split = {name: _LIST_SEPARATORS.split(value) for name, value in told.items() if name in LISTS}
    listed = {name: [part.strip() for part in parts if part.strip()] for name, parts in split.items()}
    return _json_entry(line, {name: value.strip() for name, value in told.items()} | listed)


def _json_entry(line: int, told: Mapping[str, Any]) -> ImportedEntry:
    """An entry from fields of JSON; a field of the wrong type is its problem."""
    if unknown := sorted(set(told) - set(EDITABLE)):
        return ImportedEntry(line, {}, _("There is no field %(name)s.") % {"name": unknown[0][:40]})
    for name, value in told.items():
        if problem := _problem_of(name, value):
            return ImportedEntry(line, {}, problem)
    return ImportedEntry(line, {name: _as_stored(name, value) for name, value in told.items()})


def _problem_of(name: str, value: Any) -> str:
    """Why a field cannot hold a value, which is not quoted; "" where it can."""
    if name in TIMES:
        if _moment(value) or (not value and name == "valid_to"):
            return ""
        return _("%(name)s: give a time such as 2026-03-02T09:30:00+08:00.") % {"name": name}
    if not _is_text(value, is_list=name in LISTS):
        return _("%(name)s is not what that field holds.") % {"name": name}
    if name in CHOICES and not CHOICES[name].issuperset(value if name in LISTS else [value]):
        choices = ", ".join(sorted(CHOICES[name]))
        return _("%(name)s: choose among %(choices)s.") % {"name": name, "choices": choices}
    return ""


def _as_stored(name: str, value: Any) -> Any:
    """A value as an entry holds it: a time as a moment, a list without repetitions, so no longer than its choices."""
    if name in TIMES:
        return _moment(value)
    return [*dict.fromkeys(value)] if name in LISTS else value


def _is_text(value: Any, *, is_list: bool) -> bool:
    """Whether a value is text that can be stored, or a list of such."""
    if is_list:
        return isinstance(value, list) and all(_is_text(part, is_list=False) for part in value)
    return isinstance(value, str) and not _UNSTORABLE.search(value)


def _moment(value: Any) -> datetime | None:
    """The moment that a text names; a day is its beginning in the server's time zone. None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        moment = parse_datetime(value) or parse_datetime(f"{value}T00:00:00")
    except ValueError:
        return None
    if moment is None:
        return None
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
