"""Gives each object one name: what the user calls it in a thread, else what their snapshots so far call it, else the
name in the shipped tables. The words of the question are stored as an alias.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from django.db.models import Q

from consent.permit import Permit
from finclaw.brain.understanding.aliases import AliasGroup
from foundation.language import Language
from foundation.personal_data import ConsentScope
from memory.models import ObjectKind, Snapshot, Thread
from memory.research.asset_names import canonical_name, names_of_object
from memory.research.results import snapshots_of
from memory.research.threads import threads_of
from memory.research.types import CognitionObject, StatementSource

_PROMPT: Final = StatementSource("prompt")


def name_object(
    permit: Permit, about: CognitionObject, names: Collection[AliasGroup], language: Language
) -> CognitionObject:
    """The object under its one name, with the user's wording as its alias and the rows it was taken from.

    ``names`` are the organisation's own. Call acting for the user.
    """
    called = replace(about, name=canonical_name(about, language, names))
    named = _named_before(permit, about, called) or called
    alias = about.name if named.name != about.name else ""
    return replace(named, alias=alias, sources=about.sources or (_PROMPT,))


def object_of_thread(thread: Thread) -> CognitionObject:
    """The object of a thread, with the rows it was taken from."""
    sources = tuple(map(StatementSource.from_json, thread.object_sources))
    return CognitionObject(thread.object_kind, thread.object_name, thread.object_alias, sources)


def _named_before(permit: Permit, about: CognitionObject, called: CognitionObject) -> CognitionObject | None:
    """The object as an earlier thread or snapshot of the user's names it; None without one, or after a revocation.

    A thread's name may be one that only its user knows it by. A theme is named in the words of its question, and takes
    no name from earlier snapshots.
    """
    if permit.is_revoked:
        return None
    is_same = Q(object_kind=about.kind, object_name__in={*names_of_object(about), *names_of_object(called)})
    rows: list[Thread | Snapshot | None] = []
    if permit.allows(ConsentScope.SAVE_TO_THREAD):
        corrected = Q(object_name__iexact=about.name, object_sources__contains=[{"kind": "correction"}])
        rows.append(threads_of(permit).filter(corrected | is_same).first())
    if about.kind != ObjectKind.THEME:
        rows.append(snapshots_of(permit).filter(is_same).first())
    named = (CognitionObject(row.object_kind, row.object_name) for row in rows if row is not None)
    return next(named, None)
