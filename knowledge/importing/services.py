"""Imports files of knowledge entries: every line is checked first, and all of them are written or none."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.accounts.models import EXTERNAL_ID_CHARS, Tenant, User
from foundation.exceptions import FinClawError, ValidationFailed
from knowledge.editing import EntryChange, check_entry, require_writer, store_checked
from knowledge.exceptions import ImportRefused
from knowledge.importing.files import read_entries
from knowledge.importing.types import FileEntry, Format, ImportReport, LineOutcome, LineReport
from knowledge.models import KnowledgeEntry
from knowledge.types import EntryState

MOST_BY_REQUEST: Final = 500
"""The most entries of a file that is imported while its sender waits."""
MOST: Final = 20_000
_BETWEEN: Final = 10
Progress = Callable[[int, int], None]
Line = TypeVar("Line")


@dataclass(frozen=True)
class _PlannedLine:
    report: LineReport
    entry: KnowledgeEntry | None = None  # with the file's fields, where it is to be written


@dataclass
class _Existing:
    """The entries that a file may speak of: by their id in the organisation, and those without one by their text."""

    by_external_id: dict[str, KnowledgeEntry] = field(default_factory=dict)
    by_text: dict[str, list[KnowledgeEntry]] = field(default_factory=dict)

    def twin_of(self, fields: Mapping[str, Any]) -> KnowledgeEntry | None:
        """The stored entry that says exactly this, for an entry without an id."""
        found = self.by_text.get(fields.get("text", ""), ())
        return next((entry for entry in found if not _differences(entry, fields)), None)


def import_for(user: User, data: bytes, file_format: Format, *, dry_run: bool) -> ImportReport:
    """Import a file into the user's organisation; raises also ``NotFound`` and ``PermissionDenied``."""
    require_writer(user)
    assert user.tenant is not None
    found = read_entries(data, file_format, most=MOST_BY_REQUEST)
    return import_entries(user.tenant, user, found, dry_run=dry_run, progress=_yield_to_other_requests)


def import_entries(
    tenant: Tenant, user: User | None, found: Sequence[FileEntry], *, dry_run: bool, progress: Progress | None = None
) -> ImportReport:
    """Import the entries of a file, or only say what would happen. Importing the same again changes nothing.

    An entry with an id of the organisation changes the one of the same, in the fields that the file gives, and brings
    it back where it has ended; one without is the same as an entry that says the same, or else new. Raises
    ``ImportRefused`` with the refused lines, and then nothing is written.
    """
    with transaction.atomic():
        if not dry_run:
            _wait_for_other_imports(tenant)
        planned = list(_with_progress(_plan(tenant, found), len(found), progress))
        refused = [line.report for line in planned if line.report.outcome == LineOutcome.REFUSED]
        if dry_run:
            return ImportReport(tuple(line.report for line in planned), is_written=False)
        if refused:
            raise ImportRefused([{"line": report.line, "reason": report.reason} for report in refused])
        written = list(_with_progress((_write(line, user) for line in planned), len(planned), progress))
    return ImportReport(tuple(written), is_written=True)


def _wait_for_other_imports(tenant: Tenant) -> None:
    """Import one file at a time into an organisation: the same one twice at once would add its entries twice."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 2))", [str(tenant.pk)])


def _yield_to_other_requests(done: int, _total: int) -> None:
    """One process serves many requests, and checking an entry takes milliseconds."""
    if done % _BETWEEN == 0:
        time.sleep(0)


def _write(line: _PlannedLine, user: User | None) -> LineReport:
    if line.entry is None:
        return line.report
    return replace(line.report, knowledge_id=store_checked(line.entry, user, EntryChange.IMPORTED).pk)


def _with_progress(lines: Iterator[Line], total: int, progress: Progress | None) -> Iterator[Line]:
    for done, line in enumerate(lines, 1):
        yield line
        if progress is not None:
            progress(done, total)


def _plan(tenant: Tenant, found: Sequence[FileEntry]) -> Iterator[_PlannedLine]:
    """What is to become of each entry of a file."""
    existing = _existing(tenant, found)
    seen = set[str]()
    for told in found:
        external_id = told.fields.get("external_id", "")
        if external_id in seen:
            yield _refused(told, _("An earlier line has the same id."))
            continue
        planned = _plan_line(tenant, told, existing)
        if external_id:
            seen.add(external_id)
        elif planned.entry is not None:  # the same once more is the same
            existing.by_text.setdefault(planned.entry.text, []).append(planned.entry)
        yield planned


def _plan_line(tenant: Tenant, told: FileEntry, existing: _Existing) -> _PlannedLine:
    if told.problem:
        return _refused(told, told.problem)
    external_id = told.fields.get("external_id", "")
    stored = existing.by_external_id.get(external_id) if external_id else existing.twin_of(told.fields)
    if stored is None:
        return _checked(told, KnowledgeEntry(tenant=tenant, **told.fields), LineOutcome.ADDED)
    changes = _differences(stored, _brought_back(stored, told.fields))
    if not changes:
        return _PlannedLine(_report(told, LineOutcome.SAME, stored))
    for name, value in changes.items():
        setattr(stored, name, value)
    return _checked(told, stored, LineOutcome.CHANGED)


def _checked(told: FileEntry, entry: KnowledgeEntry, outcome: LineOutcome) -> _PlannedLine:
    try:
        check_entry(entry)
    except FinClawError as refusal:
        return _refused(told, _reason(refusal))
    return _PlannedLine(_report(told, outcome, entry), entry)


def _existing(tenant: Tenant, found: Iterable[FileEntry]) -> _Existing:
    """The organisation's entries that have an id or a text of the file, locked; none that was promoted."""
    ids = {told.fields.get("external_id", "") for told in found} - {""}
    texts = {told.fields.get("text", "") for told in found if not told.fields.get("external_id")}
    own = KnowledgeEntry.objects.filter(tenant=tenant, derived_from_user=None).select_for_update()
    kept = _Existing({entry.external_id: entry for entry in own.filter(external_id__in=ids)})
    holding = own.exclude(pk__in=own.in_state(EntryState.ENDED, timezone.now()).values("pk"))
    for entry in holding.filter(external_id="", text__in=texts):
        kept.by_text.setdefault(entry.text, []).append(entry)
    return kept


def _brought_back(stored: KnowledgeEntry, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The file's fields; those of an entry that has ended make it hold again, unless they give an end."""
    has_ended = stored.valid_to is not None and stored.valid_to <= max(timezone.now(), stored.valid_from)
    return {"valid_to": None} | dict(fields) if has_ended else fields


def _differences(stored: KnowledgeEntry, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if getattr(stored, name) != value}


def _report(told: FileEntry, outcome: LineOutcome, entry: KnowledgeEntry) -> LineReport:
    return LineReport(told.line, outcome, entry.external_id, None if entry._state.adding else entry.pk)


def _refused(told: FileEntry, why: str) -> _PlannedLine:
    external_id = str(told.fields.get("external_id", ""))[:EXTERNAL_ID_CHARS]
    return _PlannedLine(LineReport(told.line, LineOutcome.REFUSED, external_id, None, why))


def _reason(refusal: FinClawError) -> str:
    """Why an entry is refused, by its fields; never its words."""
    if isinstance(refusal, ValidationFailed):
        return " ".join(f"{name}: {' '.join(map(str, told))}" for name, told in refusal.details.items())
    return refusal.message
