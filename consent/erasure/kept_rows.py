"""Lists the rows that an erasure leaves on purpose, by table and with the reason, for the certificate."""

from __future__ import annotations

from collections.abc import Iterable

from consent.declarations import personal_models
from consent.erasure.plan import ErasurePlan
from consent.erasure.types import KeptRows
from consent.models import AuditEvent, ErasureFence, Tombstone

_FALLS_NOW = frozenset({ErasureFence._meta.label})  # deleted in the transaction that completes the erasure
_OF_EVERY_ERASURE = frozenset({Tombstone._meta.label, AuditEvent._meta.label})


def kept_rows(plan: ErasurePlan, of_parts: Iterable[KeptRows]) -> list[KeptRows]:
    """The rows that the erasure leaves, by table: as the erasure parts report them, else as the models declare.

    An erasure of a whole scope lists every table that it leaves; one of single rows lists only what remains of those
    rows, and its own proof. Call as the eraser, last.
    """
    kept = {rows.place: rows for rows in of_parts if rows.rows}
    emptied = {personal.label for personal in plan.tables}
    for personal in personal_models():
        label, reason = personal.label, personal.declaration.kept_for
        is_named = plan.is_whole or label in _OF_EVERY_ERASURE
        if not is_named or label in {*kept, *emptied, *_FALLS_NOW} or reason is None:
            continue
        if rows := personal.rows_of(plan.user_id).count():
            kept[label] = KeptRows(label, rows, reason)
    return [kept[place] for place in sorted(kept)]
