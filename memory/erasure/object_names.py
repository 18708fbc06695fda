"""Takes back what research is called where the words that named it are erased.

A snapshot, a thread or a report then says that nothing names its object, until its user does. An object that its user
corrected is theirs to change: it was taken from nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.language import language_of, normalize
from memory.erasure.research import ResearchCleaning
from memory.models import Checkpoint, Refresh, ResearchTask, Snapshot, Thread
from memory.research.types import StatementSource
from memory.research.unnamed_objects import ERASED, unnamed_object

_Sources = Sequence[Mapping[str, Any]]
_PROMPT: Final = (StatementSource("prompt").as_json(),)  # of rows from before their sources were noted
_UNNAMED: Final = [ERASED.as_json()]
_HANDED_ON: Final = frozenset({"task", "snapshot"})  # kinds of sources that were named by a prompt of their own


@dataclass(frozen=True)
class ObjectNameCleaning:
    """Unnames the user's research objects that were named by what a ``research`` cleaning removes, or by a task among
    ``tasks``, which go whole.

    Call while acting for the user; cleaning again changes nothing.
    """

    research: ResearchCleaning
    tasks: Collection[UUID] = ()

    def clean(self) -> None:
        """Unname the objects."""
        with in_role(ERASER_ROLE):  # some may be invisible already
            for row in list(self._going()):
                if isinstance(row, ResearchTask):
                    _unname_report(row)
                else:
                    _unname_object(row)

    def count_left(self) -> int:
        """How many still bear a name that was taken from erased words. Call as the eraser."""
        return sum(1 for _ in self._going())

    def _going(self) -> Iterator[Snapshot | Thread | ResearchTask]:
        own, handed_on = self.research.prompts_of, self._handed_on()
        mine = {"user_id": self.research.user_id, "created_at__lte": self.research.before}
        for snapshot in Snapshot.with_erased.filter(**mine).iterator():
            if self._goes(snapshot.object_sources, _called(snapshot), handed_on, asked=snapshot.task_id in own):
                yield snapshot
        for thread in Thread.with_erased.filter(**mine).iterator():
            if self._goes(thread.object_sources, _called(thread), handed_on):
                yield thread
        for task in ResearchTask.with_erased.filter(report__has_key="title", **mine).iterator():
            sources = task.report.get("title_sources") or _PROMPT
            if self._goes(sources, [task.report["title"]], handed_on, asked=task.pk in own):
                yield task

    def _handed_on(self) -> set[str]:
        """The tasks whose words go, and the snapshots they made: whatever was named after those goes too."""
        made = Snapshot.with_erased.filter(task__in=self.research.prompts_of, user_id=self.research.user_id)
        return {*map(str, (*self.research.prompts_of, *self.tasks)), *map(str, made.values_list("pk", flat=True))}

    def _goes(
        self, sources: _Sources, called: Sequence[str], handed_on: Collection[str], *, asked: bool = False
    ) -> bool:
        """Whether a name was taken from erased words; ``asked``: the row's own prompt is among these."""
        named = {"sources": sources, "text": ". ".join(called)}
        return (
            any(map(self.research.is_gone, sources))
            or self.research.also(named)
            or (asked and any(source["kind"] == "prompt" for source in sources))
            or any(source["kind"] in _HANDED_ON and source["id"] in handed_on for source in sources)
        )


def unnamed_refs(user_id: UUID) -> set[str]:
    """References to everything of the user's on an object that lost its name, as feedback and the drift log use them.

    Call as the eraser.
    """
    lost: dict[str, Any] = {"user_id": user_id, "object_sources": _UNNAMED}
    threads = set(Thread.with_erased.filter(**lost).values_list("pk", flat=True))
    within: dict[str, Any] = {"user_id": user_id, "thread__in": threads}
    found = {
        "snapshot": Snapshot.with_erased.filter(**lost),
        "refresh": Refresh.with_erased.filter(**within),
        "checkpoint": Checkpoint.with_erased.filter(**within),
        "report": ResearchTask.with_erased.filter(**within),
    }
    made = {f"{kind}:{key}" for kind, rows in found.items() for key in rows.values_list("pk", flat=True)}
    return made | {f"thread:{key}" for key in threads}


def _called(row: Snapshot | Thread) -> list[str]:
    return [name for name in (row.object_name, row.object_alias) if name]


def _unname_object(row: Snapshot | Thread) -> None:
    called = _called(row)
    unnamed = unnamed_object(language_of(row.main_thesis if isinstance(row, Snapshot) else row.current_thesis))
    row.object_kind, row.object_name = unnamed.kind, unnamed.name
    row.object_alias, row.object_sources = "", _UNNAMED
    fields = ["object_kind", "object_name", "object_alias", "object_sources"]
    if isinstance(row, Thread):
        row.title = unnamed.name if row.title in called else row.title
        row.refresh_conditions = [one for one in row.refresh_conditions if not _names_any(one, called)]
        fields += ["title", "refresh_conditions"]
    row.save(update_fields=fields)


def _names_any(sentence: str, called: Collection[str]) -> bool:
    return any(normalize(name) in normalize(sentence) for name in called)


def _unname_report(task: ResearchTask) -> None:
    title = unnamed_object(language_of(task.report.get("data_quality_note", ""))).name
    task.report = task.report | {"title": title, "title_sources": _UNNAMED}
    task.save(update_fields=["report"])
