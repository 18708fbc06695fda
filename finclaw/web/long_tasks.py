"""Template data of long tasks: what runs, what ended since somebody looked, and where each is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import Q
from django.urls import reverse

from finclaw.models import LongTaskKind, LongTaskState, TaskStatus
from finclaw.web.types import TemplateData
from foundation.accounts.models import User

NEWS_SHOWN: Final = 20
"""How many tasks that run, or ended unseen, are looked at for the news."""
_PAGES: Final = {LongTaskKind.EXPORT: "web:exports", LongTaskKind.IMPORT: "web:imports"}


@dataclass(frozen=True)
class TaskNewsData:
    """How many tasks run, and those that ended unseen."""

    running: int = 0
    ended: tuple[TemplateData, ...] = ()


EMPTY_NEWS: Final = TaskNewsData()


def news_of(user: User) -> TaskNewsData:
    """The user's long tasks that run, and those that ended since they looked. To be read while acting for them."""
    told = Q(state__in=TaskStatus.UNFINISHED) | Q(is_unseen=True)
    found = list(TaskStatus.objects.filter(told, user_id=user.pk).order_by("-created_at")[:NEWS_SHOWN])
    ended = tuple(show_long_task(status) for status in found if status.is_over)
    return TaskNewsData(len(found) - len(ended), ended)


def show_long_task(status: TaskStatus) -> TemplateData:
    """One task, with the page that shows what it made."""
    return {
        "task_id": status.pk,
        "kind": status.kind,
        "label": status.get_kind_display(),
        "state": status.state,
        "is_over": status.is_over,
        "is_stopping": status.is_stopping,
        "is_unseen": status.is_unseen,
        "has_begun": status.state != LongTaskState.PENDING,
        "progress": status.progress,
        "asked_at": status.created_at,
        "url": _address_of(status),
    }


def _address_of(status: TaskStatus) -> str:
    page = _PAGES.get(LongTaskKind(status.kind))
    return reverse(page) if page else reverse("web:task", args=[status.pk])
