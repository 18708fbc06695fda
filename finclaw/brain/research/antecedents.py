"""Finds what "it" is: the object of a request that names none is taken from what came before the request.

From the conversation the request stands in, the latest message first; without one from the user's research of the last
24 hours; else from what is remembered. Only assets and their events are taken, since their names are public; a theme is
named in somebody's own words, which must go when those are erased. What was taken can be corrected with the thread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Final, cast

from consent.permit import Permit
from finclaw.brain.material.subject import find_asset, find_object
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.aliases import AliasGroup
from finclaw.brain.understanding.finance import tickers_in
from memory.models import ConversationEvent, ObjectKind, ResearchTask, Snapshot, Thread
from memory.models.sessions import text_of
from memory.research.task_lifecycle import tasks_of
from memory.research.types import CognitionObject, SourceKind, StatementSource, is_corrected

MESSAGES_READ: Final = 20
MESSAGES_SEARCHED: Final = 100  # for a ticker that the conversation has noted
TASKS_READ: Final = 5
TASKS_REACH: Final = timedelta(hours=24)


def find_antecedent(
    permit: Permit, task: ResearchTask, names: Collection[AliasGroup], remembered: Iterable[PromptCandidate]
) -> CognitionObject | None:
    """The object spoken of before the task, with the rows that named it; None where nothing did. Call acting for the
    user.
    """
    asked = ConversationEvent.objects.filter(pk=task.pk, user_id=permit.user_id).first()
    said = _said_before(permit, asked, names) if asked else _researched(permit, task, names)
    best = sorted(remembered, key=lambda candidate: candidate.score, reverse=True)
    recalled = (
        _taken_from(
            named_object(candidate.text, names), StatementSource(cast("SourceKind", candidate.kind), str(candidate.id))
        )
        for candidate in best[:1]
    )
    return next((about for source in (said, recalled) for about in source if about), None)


def _said_before(
    permit: Permit, asked: ConversationEvent, names: Collection[AliasGroup]
) -> Iterator[CognitionObject | None]:
    """What the user's messages in the conversation name, the latest first, then the tickers that it has noted.

    A ticker that stands in none of the latest ``MESSAGES_SEARCHED`` is not taken: erasing them could not reach it.
    """
    earlier = ConversationEvent.objects.filter(
        session_id=asked.session_id, user_id=permit.user_id, role="user", seq__lt=asked.seq, redacted_at=None
    ).order_by("-seq")
    said = [
        (StatementSource("message", str(key)), text_of(content))
        for key, content in earlier.values_list("pk", "content")[:MESSAGES_SEARCHED]
    ]
    for source, text in said[:MESSAGES_READ]:
        yield _taken_from(named_object(text, names), source)
    # A group's slots hold what other members named.
    noted = [] if asked.group_id else asked.session.entity_slots.get("tickers", [])[::-1]
    tickers = [(source, {*tickers_in(text)}) for source, text in said] if noted else []
    for ticker in noted:
        sources = [source for source, written in tickers if ticker in written]
        yield _taken_from(named_object(ticker, names), *sources) if sources else None


def _researched(permit: Permit, task: ResearchTask, names: Collection[AliasGroup]) -> Iterator[CognitionObject | None]:
    """What the user's earlier tasks were about, the latest first."""
    earlier = tasks_of(permit).filter(created_at__lt=task.created_at, created_at__gte=task.created_at - TASKS_REACH)
    for done in earlier.exclude(pk=task.pk)[:TASKS_READ]:
        made = done.thread or Snapshot.objects.filter(task=done, user_id=permit.user_id).first()
        if made is None:
            yield _taken_from(named_object(done.prompt, names), StatementSource("task", str(done.pk)))
        else:
            yield _taken_from(_public(made.object_kind, made.object_name, names), *_sources_of(made))


def _sources_of(made: Thread | Snapshot) -> tuple[StatementSource, ...]:
    """An earlier thread or snapshot, and what its object was taken from besides its own prompt; where the object was
    corrected, its thread alone, with which the correction is erased.
    """
    if is_corrected(made.object_sources):
        return (StatementSource("thread", str(made.pk if isinstance(made, Thread) else made.thread_id)),)
    kind: SourceKind = "thread" if isinstance(made, Thread) else "snapshot"
    behind = map(StatementSource.from_json, made.object_sources)
    return (StatementSource(kind, str(made.pk)), *(source for source in behind if source.id))


def _taken_from(about: CognitionObject | None, *sources: StatementSource) -> CognitionObject | None:
    return replace(about, sources=sources) if about else None


def named_object(text: str, names: Collection[AliasGroup]) -> CognitionObject | None:
    """The asset, or the event of one, that a text is about; None where it names none."""
    about = find_object(text, names)
    return _public(about.kind, about.name, names) or _asset_anywhere(text, names)


def _public(kind: str, name: str, names: Collection[AliasGroup]) -> CognitionObject | None:
    is_public = kind != ObjectKind.THEME and bool(find_asset(name, names))
    return CognitionObject(kind, name) if is_public else None


def _asset_anywhere(text: str, names: Collection[AliasGroup]) -> CognitionObject | None:
    asset = find_asset(text, names)
    return CognitionObject(ObjectKind.ASSET, asset) if asset else None
