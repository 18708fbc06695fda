"""Erases from research what was taken from forgotten rows.

Every statement names its sources, and is erased with any of them. A thesis is erased with its sources, wherever it was
repeated. A task's prompt may be erased while its result stays in a thread: then the statements taken from the prompt
are erased, there and where later snapshots took them over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final, Self
from uuid import UUID

from django.db.models import Q

from consent.erasure.plan import ErasurePlan
from consent.erasure.types import Targets
from consent.models import ErasureScope
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.disclosure import ErasedWords
from memory.erasure.labels import EVENT, ITEM, SNAPSHOT, TASK, THREAD, TURN
from memory.models import (
    Checkpoint,
    Refresh,
    ResearchTask,
    Session,
    Snapshot,
    TaskContext,
    Thread,
    WatchQuestion,
)
from memory.research.threads import MAX_TITLE_CHARS
from memory.research.watch_questions import normalized_question

STATEMENTS: Final = "research statements"
_SOURCES: Final = (ITEM, EVENT, TURN, THREAD, SNAPSHOT)  # whose rows statements name
# The arrays and objects in which statements stand, by the table that holds them.
_HOLDING: Final[tuple[tuple[type[Snapshot | Checkpoint | ResearchTask | TaskContext], tuple[str, ...]], ...]] = (
    (Snapshot, ("evidence", "counter_thesis", "invalidators", "told")),
    (Checkpoint, ("conditions", "risks", "invalidators", "told")),
    (ResearchTask, ("report", "partial", "lookahead_warnings")),
    (TaskContext, ("note",)),
)
Holding = Snapshot | Checkpoint | ResearchTask | TaskContext
IsGone = Callable[[Mapping[str, Any]], bool]  # of a source, as a row keeps it
Goes = Callable[[Mapping[str, Any]], bool]  # of what names its sources
_LEARNED: Final = frozenset({"item", "event"})  # kinds of sources


def _never(_: Mapping[str, Any]) -> bool:
    return False


def _goes_with_erasure(plan: ErasurePlan) -> IsGone:
    """The test whether an erasure covers a source.

    It covers the named rows, or everything stated, or everything learned and, if it takes messages, everything said.
    """
    if plan.is_everything_learned:
        kinds = _LEARNED | ({"message"} if plan.takes_messages else set())
        return lambda source: source["kind"] in kinds
    if plan.scope == ErasureScope.PROFILE:
        return lambda source: source["kind"] == "context"
    deleted = (plan.targets.delete.get(label, ()) for label in _SOURCES)
    ids = {str(key) for keys in (*deleted, plan.targets.redact.get(TURN, ())) for key in keys}
    return lambda source: source["id"] in ids


def is_learned_source(source: Mapping[str, Any]) -> bool:
    """Whether a source is withdrawn with the consent to learn, like the memories themselves."""
    return source["kind"] in _LEARNED


def _discloses_partly(targets: Targets, words: ErasedWords) -> Goes:
    """The test whether a statement discloses what is forgotten, and comes from a row that keeps its other sentences."""
    kept = {str(key) for label in (TURN, EVENT) for key in targets.cut.get(label, {})}

    def goes(sourced: Mapping[str, Any]) -> bool:
        if not any(source["id"] in kept for source in sourced.get("sources", ())):
            return False
        return "text" not in sourced or words.disclosed_in(str(sourced["text"]))

    return goes


@dataclass(frozen=True)
class ResearchCleaning:
    """Removes statements with an erased source from the user's research objects made up to ``before``.

    It also removes what was written from these statements, statements taken from the prompts of the tasks
    ``prompts_of``, and those for which ``is_disclosing`` is true. Call while acting for the user; cleaning again
    changes nothing.
    """

    user_id: UUID
    before: datetime
    is_gone: IsGone
    prompts_of: Collection[UUID] = ()
    is_disclosing: Goes = _never

    @classmethod
    def of(cls, plan: ErasurePlan, words: ErasedWords) -> Self:
        """The cleaning that an erasure needs."""
        targets = plan.targets
        prompts, is_disclosing = targets.touched.get(TASK, ()), _discloses_partly(targets, words)
        return cls(plan.user_id, plan.before, _goes_with_erasure(plan), prompts, is_disclosing)

    def clean(self) -> None:
        """Remove the statements."""
        with in_role(ERASER_ROLE):  # some may be invisible already
            for row, fields, goes in list(self._naming()):
                gone = [text for name in fields for text in _texts_going(getattr(row, name), goes)]
                for name in fields:
                    setattr(row, name, _without_statements(getattr(row, name), goes))
                if isinstance(row, Snapshot):
                    fields = (*fields, *_forget_around(row, gone, goes))
                row.save(update_fields=fields)

    def count_left(self) -> int:
        """How many research objects still hold a statement with an erased source. Call as the eraser."""
        return sum(1 for _ in self._naming())

    def _naming(self) -> Iterator[tuple[Holding, tuple[str, ...], Goes]]:
        """The objects that name an erased source, each with its fields of statements and the erased ones among them."""
        asked = Snapshot.with_erased.filter(task__in=self.prompts_of, user_id=self.user_id) if self.prompts_of else ()
        handed_on = {str(snapshot.pk) for snapshot in asked}
        for model, fields in _HOLDING:
            for row in model.with_erased.filter(user_id=self.user_id, created_at__lte=self.before).iterator():
                was_asked = _task_of(row) in self.prompts_of
                named = partial(_source_test, is_gone=self.is_gone, asked=was_asked, handed_on=handed_on)
                goes = partial(_goes_by_any, rules=(named, self.is_disclosing))
                held = [getattr(row, name) for name in fields] + [_thesis_of(row)]
                if any(map(goes, _sourced_in(held))):
                    yield row, fields, goes


def detach_sessions(user_id: UUID, targets: Targets) -> None:
    """Detach conversations from an erased thread. Call while acting for the user."""
    with in_role(ERASER_ROLE):
        Session.with_erased.filter(thread_id__in=targets.delete.get(THREAD, ()), user_id=user_id).update(thread=None)


def _goes_by_any(sourced: Mapping[str, Any], rules: Collection[Goes]) -> bool:
    return any(rule(sourced) for rule in rules)


def _source_test(sourced: Mapping[str, Any], *, is_gone: IsGone, asked: bool, handed_on: Collection[str]) -> bool:
    """Whether words with these sources are to be erased.

    They are if a source is erased, if they come from the prompt of the row's own task and that is erased (``asked``),
    or if they come from such a prompt through a snapshot. A thesis has no ``text``, and names all that it was written
    from at once.
    """
    sources = sourced.get("sources", ())
    if any(map(is_gone, sources)):
        return True
    before = [source["id"] for source in sources if source["kind"] == "snapshot"]
    from_prompt = any(source["kind"] == "prompt" for source in sources)
    return from_prompt and (any(key in handed_on for key in before) or (asked and not (before and "text" in sourced)))


def _task_of(row: Holding) -> UUID:
    return row.pk if isinstance(row, ResearchTask) else row.task_id


def _thesis_of(row: Holding) -> dict[str, Any]:
    return {"sources": row.thesis_sources} if isinstance(row, Snapshot) else {}


def _sourced_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every nested object that names its sources."""
    if isinstance(value, dict):
        if "sources" in value:
            yield value
        for part in value.values():
            yield from _sourced_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _sourced_in(part)


def _texts_going(value: Any, goes: Goes) -> list[str]:
    return [sourced["text"] for sourced in _sourced_in(value) if sourced.get("text") and goes(sourced)]


def _without_statements(value: Any, goes: Goes) -> Any:
    """The same arrays and objects without the statements to be erased."""
    if isinstance(value, dict):
        return {key: _without_statements(part, goes) for key, part in value.items()}
    if isinstance(value, list):
        return [_without_statements(part, goes) for part in value if not (isinstance(part, dict) and goes(part))]
    return value


def _forget_around(snapshot: Snapshot, gone: Collection[str], goes: Goes) -> tuple[str, ...]:
    """Remove a snapshot's erased statements from what was written from it; returns the other fields to save."""
    thesis = [snapshot.main_thesis] if goes(_thesis_of(snapshot)) else []
    _forget_quoted(snapshot, {text for text in (*gone, *thesis) if text})
    return _forget_thesis(snapshot) if thesis else ()


def _forget_quoted(snapshot: Snapshot, gone: Collection[str]) -> None:
    """Remove these sentences from the changes listed in refreshes of its thread, and from a title made of one."""
    for refresh in Refresh.with_erased.filter(thread=snapshot.thread_id, user_id=snapshot.user_id):
        kept = [change for change in refresh.changed_inferences if not {change["before"], change["after"]} & {*gone}]
        if kept != refresh.changed_inferences:
            refresh.changed_inferences = kept
            refresh.save(update_fields=["changed_inferences"])
    for thread in Thread.with_erased.filter(snapshots=snapshot, user_id=snapshot.user_id):
        if any(text[:MAX_TITLE_CHARS] in thread.title for text in gone):
            Thread.with_erased.filter(pk=thread.pk).update(title=thread.object_name)


def _forget_thesis(snapshot: Snapshot) -> tuple[str, ...]:
    """Empty the thesis and what was written from the same sources, wherever repeated; returns the fields to save."""
    thesis, questions = snapshot.main_thesis, snapshot.watch_questions
    mine = partial(Q, user_id=snapshot.user_id)
    around = mine(snapshot=snapshot)
    if thesis:
        around |= mine(thesis_before=thesis)
        Thread.with_erased.filter(mine(current_thesis=thesis)).update(current_thesis="")
    Refresh.with_erased.filter(around).update(change_summary="", changed_inferences=[])
    Refresh.with_erased.filter(mine(thesis_before=thesis)).update(thesis_before="")
    asked = mine(thread=snapshot.thread_id, question__in=[normalized_question(question) for question in questions])
    WatchQuestion.with_erased.filter(asked).delete()
    snapshot.main_thesis, snapshot.watch_questions, snapshot.thesis_sources = "", [], []
    return ("main_thesis", "watch_questions", "thesis_sources")
