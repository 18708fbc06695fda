"""Removes the names of research objects that were taken from erased words.

The snapshot, thread or report then counts as unnamed until the user names it. A name that the user corrected it to
stays: only the former name, which is stored as its alias, is removed.
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
from memory.research.types import CORRECTION, StatementSource, is_corrected
from memory.research.unnamed_objects import ERASED, unnamed_object

_Sources = Sequence[Mapping[str, Any]]
_PROMPT: Final = (StatementSource("prompt").as_json(),)  # of rows from before their sources were noted
_UNNAMED: Final = [ERASED.as_json()]
_NAMED_BY_A_PROMPT: Final = frozenset({"task", "snapshot"})  # kinds of sources with a prompt of their own


@dataclass(frozen=True)
class ObjectNameCleaning:
    """Removes names of the user's research objects that come from words that the ``research`` cleaning removes, or from
    a task among ``tasks``, which are erased as a whole.

    Call while acting for the user; cleaning again changes nothing.
    """

    research: ResearchCleaning
    tasks: Collection[UUID] = ()

    def clean(self) -> None:
        """Unname the objects."""
        with in_role(ERASER_ROLE):  # some may be invisible already
            for row in list(self._rows_to_unname()):
                if isinstance(row, ResearchTask):
                    _unname_report(row)
                elif is_corrected(row.object_sources):
                    _drop_alias(row)
                else:
                    _unname_object(row)

    def count_left(self) -> int:
        """How many still bear a name that was taken from erased words. Call as the eraser."""
        return sum(1 for _ in self._rows_to_unname())

    def _rows_to_unname(self) -> Iterator[Snapshot | Thread | ResearchTask]:
        prompts, origins = self.research.prompts_of, self._erased_origins()
        mine = {"user_id": self.research.user_id, "created_at__lte": self.research.before}
        for snapshot in Snapshot.with_erased.filter(**mine).iterator():
            names, is_asked = _names_taken(snapshot), snapshot.task_id in prompts
            if self._is_named_by_erased_words(snapshot.object_sources, names, origins, is_prompt_erased=is_asked):
                yield snapshot
        for thread in Thread.with_erased.filter(**mine).iterator():
            if self._is_named_by_erased_words(thread.object_sources, _names_taken(thread), origins):
                yield thread
        for task in ResearchTask.with_erased.filter(report__has_key="title", **mine).iterator():
            sources = task.report.get("title_sources") or _PROMPT
            names = [] if is_corrected(sources) else [task.report["title"]]
            if self._is_named_by_erased_words(sources, names, origins, is_prompt_erased=task.pk in prompts):
                yield task

    def _erased_origins(self) -> set[str]:
        """The tasks whose words are erased, and their snapshots: a name taken from one of these is erased, too."""
        made = Snapshot.with_erased.filter(task__in=self.research.prompts_of, user_id=self.research.user_id)
        return {*map(str, (*self.research.prompts_of, *self.tasks)), *map(str, made.values_list("pk", flat=True))}

    def _is_named_by_erased_words(
        self,
        sources: _Sources,
        names: Sequence[str],
        erased_origins: Collection[str],
        *,
        is_prompt_erased: bool = False,
    ) -> bool:
        """Whether any of ``names`` was taken from erased words; ``is_prompt_erased``: the row's own prompt is among
        these.
        """
        if not names:
            return False
        return (
            any(map(self.research.is_gone, sources))
            or self.research.is_disclosing({"sources": sources, "text": ". ".join(names)})
            or (is_prompt_erased and any(source["kind"] == "prompt" for source in sources))
            or any(source["kind"] in _NAMED_BY_A_PROMPT and source["id"] in erased_origins for source in sources)
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


def _names_taken(row: Snapshot | Thread) -> list[str]:
    """The object's name and alias that come from its sources: only the alias if the user corrected the name."""
    names = (row.object_alias,) if is_corrected(row.object_sources) else (row.object_name, row.object_alias)
    return [name for name in names if name]


def _drop_alias(row: Snapshot | Thread) -> None:
    """Remove the former name of an object whose name the user corrected; the user's name stays."""
    taken = _names_taken(row)
    row.object_alias, row.object_sources = "", [CORRECTION.as_json()]
    _save_without(row, taken)


def _unname_object(row: Snapshot | Thread) -> None:
    taken = _names_taken(row)
    unnamed = unnamed_object(language_of(row.main_thesis if isinstance(row, Snapshot) else row.current_thesis))
    row.object_kind, row.object_name = unnamed.kind, unnamed.name
    row.object_alias, row.object_sources = "", _UNNAMED
    _save_without(row, taken)


def _save_without(row: Snapshot | Thread, taken: Collection[str]) -> None:
    """Save an object's new name; for a thread also its title and conditions without the names ``taken``."""
    fields = ["object_kind", "object_name", "object_alias", "object_sources"]
    if isinstance(row, Thread):
        row.title = row.object_name if row.title in taken else row.title
        row.refresh_conditions = [one for one in row.refresh_conditions if not _names_any(one, taken)]
        fields += ["title", "refresh_conditions"]
    row.save(update_fields=fields)


def _names_any(sentence: str, names: Collection[str]) -> bool:
    return any(normalize(name) in normalize(sentence) for name in names)


def _unname_report(task: ResearchTask) -> None:
    title = unnamed_object(language_of(task.report.get("data_quality_note", ""))).name
    task.report = task.report | {"title": title, "title_sources": _UNNAMED}
    task.save(update_fields=["report"])
