"""Template data of threads: where a question stands, and how its thesis changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from consent.permit import Permit
from finclaw.brain.research.comparison import condition_of
from finclaw.web.timeline import Timeline, TimelineSpan, draw_timeline
from finclaw.web.types import TemplateData
from memory.models import Refresh, ResearchTask, Thread, ThreadContext, WatchQuestion
from memory.research.contexts import fields_of
from memory.research.types import ThesisVersion

THESES_DRAWN = 12


def show_thread(thread: Thread) -> TemplateData:
    """A thread, in the list and on its own page."""
    return {
        "thread_id": thread.pk,
        "title": thread.title,
        "about": thread.object_name,
        "alias": thread.object_alias,
        "kind": thread.get_object_kind_display(),
        "thesis": thread.current_thesis,
        "is_closed": thread.state == Thread.State.CLOSED,
        "conditions": thread.refresh_conditions,
        "begun_at": thread.created_at,
        "updated_at": thread.updated_at,
        "closed_at": thread.closed_at,
    }


def show_refresh(refresh: Refresh) -> TemplateData:
    """A refresh of a thread, with what it changed. Reads its snapshot."""
    return {
        "snapshot_id": refresh.snapshot_id,
        "at": refresh.created_at,
        "summary": refresh.change_summary,
        "thesis_before": refresh.thesis_before,
        "thesis_after": refresh.snapshot.main_thesis,
        "turned": refresh.thesis_before != refresh.snapshot.main_thesis,
        "changes": refresh.changed_inferences,
    }


def change_made_by(permit: Permit, task: ResearchTask) -> TemplateData | None:
    """What a refresh task changed; None for any other task, or where that was forgotten."""
    refresh = Refresh.objects.filter(task=task, user_id=permit.user_id).select_related("snapshot").first()
    return show_refresh(refresh) if refresh else None


def show_question(question: WatchQuestion, former: Collection[str] = ()) -> TemplateData:
    """A watch question and since when it has its state; ``former`` are conditions of a thesis the thread no longer
    holds.
    """
    is_resolved = question.state == WatchQuestion.State.RESOLVED
    since = question.resolved_at if is_resolved else question.reopened_at
    return {
        "question_id": question.pk,
        "question": question.question,
        "is_resolved": is_resolved,
        "is_former": condition_of(question.question) in former,
        "state": WatchQuestion.State(question.state).label,
        "since": since or question.created_at,
    }


def show_stated(contexts: Iterable[ThreadContext]) -> list[TemplateData]:
    """What was stated for a thread, oldest first, whether or not it is still used."""
    return [
        {
            "at": context.created_at,
            "is_blocked": context.consent_blocked,
            "fields": [
                {"label": context._meta.get_field(name).verbose_name, "value": value}  # type: ignore[union-attr]
                for name, value in fields_of(context).items()
            ],
        }
        for context in contexts
    ]


def draw_theses(thread: Thread, theses: Sequence[ThesisVersion], now: datetime) -> Timeline:
    """The theses over time, one lane each, oldest first; a repeated one continues its bar."""
    held = [current for current, before in zip(theses, [None, *theses], strict=False) if _differs_from(current, before)]
    ends = [*(after.at for after in held[1:]), thread.closed_at]
    spans = [
        TimelineSpan(thread.pk, thesis.text, thesis.at, end, "past" if end else "now")
        for thesis, end in zip(held, ends, strict=False)
    ]
    return draw_timeline([[span] for span in spans[-THESES_DRAWN:]], now)


def _differs_from(thesis: ThesisVersion, before: ThesisVersion | None) -> bool:
    return before is None or thesis.text != before.text
