"""Imports files of knowledge entries: every line is checked first, and all of them are written or none."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeVar

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.accounts.models import EXTERNAL_ID_CHARS, Tenant, User
from foundation.database.acting_user import acting_as, give_back_connection
from foundation.exceptions import FinClawError, ValidationFailed
from knowledge.entry_changes import EntryChange, check_entry, store_checked
from knowledge.exceptions import KnowledgeImportRefused, KnowledgeImportUnderWay
from knowledge.importing.files import read_entries
from knowledge.importing.types import Format, ImportedEntry, ImportReport, LineOutcome, LineReport
from knowledge.member_access import require_writer
from knowledge.models import KnowledgeEntry
from knowledge.services import require_safe_text
from knowledge.types import EntryState

MOST_BY_REQUEST: Final = 500
"""The most entries of a file that is imported while its sender waits."""
MOST: Final = 20_000
Progress = Callable[[int, int], None]
Opening = Callable[[], AbstractContextManager[None]]
"""Opens a transaction in which the organisation's entries are read and written."""
Line = TypeVar("Line")


@dataclass(frozen=True)
class _PlannedLine:
    report: LineReport
    entry: KnowledgeEntry | None = None  # with the file's fields, where it is to be written


@dataclass
class _StoredEntries:
    """The entries that a file may speak of: by their id in the organisation, and those without one by their text."""

    by_external_id: dict[str, KnowledgeEntry] = field(default_factory=dict)
    by_text: dict[str, list[KnowledgeEntry]] = field(default_factory=dict)

    def twin_of(self, fields: Mapping[str, Any]) -> KnowledgeEntry | None:
        """The stored entry that says exactly this, for an entry without an id."""
        found = self.by_text.get(fields.get("text", ""), ())
        return next((entry for entry in found if not entry.differing(fields)), None)


class _CheckedTexts:
    """``require_safe_text``, which takes tens of milliseconds, but once for each text that passes."""

    def __init__(self) -> None:
        self._safe = set[str]()

    def require_safe(self, text: str) -> None:
        if text not in self._safe:
            require_safe_text(text)
            self._safe.add(text)


def import_for(user: User, data: bytes, file_format: Format, *, dry_run: bool) -> ImportReport:
    """Import a file into the user's organisation; raises also ``NotFound`` and ``PermissionDenied``.

    Call outside a transaction, which would be held while every entry is checked.
    """
    opening = partial(acting_as, user.pk)
    with opening():
        require_writer(user)
        tenant = user.tenant
    assert tenant is not None
    found = read_entries(data, file_format, most=MOST_BY_REQUEST)
    return import_entries(tenant, user, found, dry_run=dry_run, opening=opening, progress=yield_to_other_requests)


def import_entries(
    tenant: Tenant,
    user: User | None,
    found: Sequence[ImportedEntry],
    *,
    dry_run: bool,
    opening: Opening = transaction.atomic,
    progress: Progress | None = None,
) -> ImportReport:
    """Import the entries of a file, or only say what would happen. Importing the same again changes nothing.

    An entry with an id of the organisation changes the one of the same, in the fields that the file gives, and brings
    it back where it has ended; one without is the same as an entry that says the same, or else new. Raises
    ``KnowledgeImportRefused`` with the refused lines, and ``KnowledgeImportUnderWay``; then nothing is written.
    """
    texts = _CheckedTexts()
    with opening():
        stored = _find_stored(tenant, found)
    give_back_connection()
    planned = list(_with_progress(_plan(tenant, found, stored, texts), len(found), progress))
    if dry_run:
        return ImportReport(tuple(line.report for line in planned), is_written=False)
    _require_importable(planned)
    with opening():
        _lock_out_other_imports(tenant)
        planned = list(_plan(tenant, found, _find_stored(tenant, found, for_change=True), texts))
        _require_importable(planned)
        written = list(_with_progress((_write(line, user) for line in planned), len(planned), progress))
    return ImportReport(tuple(written), is_written=True)


def _require_importable(planned: Iterable[_PlannedLine]) -> None:
    refused = [line.report for line in planned if line.report.outcome == LineOutcome.REFUSED]
    if refused:
        raise KnowledgeImportRefused([{"line": report.line, "reason": report.reason} for report in refused])


def _lock_out_other_imports(tenant: Tenant) -> None:
    """Import one file at a time into an organisation: the same one twice at once would add its entries twice.

    None waits for another, which would hold its connection. Raises ``KnowledgeImportUnderWay``.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 2))", [str(tenant.pk)])
        if not cursor.fetchone()[0]:
            raise KnowledgeImportUnderWay()


def yield_to_other_requests(_done: int, _total: int) -> None:
    """Let others have the process, which serves many requests: checking an entry takes tens of milliseconds."""
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


def _plan(
    tenant: Tenant, found: Sequence[ImportedEntry], stored: _StoredEntries, texts: _CheckedTexts
) -> Iterator[_PlannedLine]:
    """What is to become of each entry of a file."""
    seen = set[str]()
    for told in found:
        external_id = told.fields.get("external_id", "")
        if external_id in seen:
            yield _refused(told, _("An earlier line has the same id."))
            continue
        planned = _plan_line(tenant, told, stored, texts)
        if external_id:
            seen.add(external_id)
        elif planned.entry is not None:  # the same once more is the same
            stored.by_text.setdefault(planned.entry.text, []).append(planned.entry)
        yield planned


def _plan_line(tenant: Tenant, told: ImportedEntry, stored: _StoredEntries, texts: _CheckedTexts) -> _PlannedLine:
    if told.problem:
        return _refused(told, told.problem)
    external_id = told.fields.get("external_id", "")
    twin = stored.by_external_id.get(external_id) if external_id else stored.twin_of(told.fields)
    if twin is None:
        return _checked(told, KnowledgeEntry(tenant=tenant, **told.fields), LineOutcome.ADDED, texts)
    changes = twin.differing(_brought_back(twin, told.fields))
    if not changes:
        return _PlannedLine(_report(told, LineOutcome.SAME, twin))
    for name, value in changes.items():
        setattr(twin, name, value)
    return _checked(told, twin, LineOutcome.CHANGED, texts)


def _checked(told: ImportedEntry, entry: KnowledgeEntry, outcome: LineOutcome, texts: _CheckedTexts) -> _PlannedLine:
    try:
        check_entry(entry, texts.require_safe)
    except FinClawError as refusal:
        return _refused(told, _reason(refusal))
    return _PlannedLine(_report(told, outcome, entry), entry)


def _find_stored(tenant: Tenant, found: Iterable[ImportedEntry], *, for_change: bool = False) -> _StoredEntries:
    """The organisation's entries that have an id or a text of the file, none that was promoted; locked for a change."""
    ids = {told.fields.get("external_id", "") for told in found} - {""}
    texts = {told.fields.get("text", "") for told in found if not told.fields.get("external_id")}
    own = KnowledgeEntry.objects.filter(tenant=tenant, derived_from_user=None)
    own = own.select_for_update() if for_change else own
    stored = _StoredEntries({entry.external_id: entry for entry in own.filter(external_id__in=ids)})
    holding = own.exclude(pk__in=own.in_state(EntryState.ENDED, timezone.now()).values("pk"))
    for entry in holding.filter(external_id="", text__in=texts):
        stored.by_text.setdefault(entry.text, []).append(entry)
    return stored


def _brought_back(stored: KnowledgeEntry, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The file's fields; those of an entry that has ended make it hold again, unless they give an end."""
    return {"valid_to": None} | dict(fields) if stored.has_ended(timezone.now()) else fields


def _report(told: ImportedEntry, outcome: LineOutcome, entry: KnowledgeEntry) -> LineReport:
    return LineReport(told.line, outcome, entry.external_id, None if entry._state.adding else entry.pk)


def _refused(told: ImportedEntry, why: str) -> _PlannedLine:
    external_id = str(told.fields.get("external_id", ""))[:EXTERNAL_ID_CHARS]
    return _PlannedLine(LineReport(told.line, LineOutcome.REFUSED, external_id, None, why))


def _reason(refusal: FinClawError) -> str:
    """Why an entry is refused, by its fields; never its words."""
    if isinstance(refusal, ValidationFailed):
        return " ".join(f"{name}: {' '.join(map(str, told))}" for name, told in refusal.details.items())
    return refusal.message
