"""Context processors: facts about the installation and the user for every page."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from finclaw.web.long_tasks import EMPTY_NEWS, TaskNewsData, news_of
from foundation.accounts.invitations import invitations_received_by
from foundation.accounts.models import User


def cognition(request: HttpRequest) -> dict[str, bool]:
    """``cognition_off``: whether events and portraits are neither made nor recalled."""
    return {"cognition_off": not settings.COGNITIVE_ENABLED}


def invitations(request: HttpRequest) -> dict[str, Any]:
    """``invitations_waiting``: how many group invitations wait for the user; counted where shown."""
    return {"invitations_waiting": SimpleLazyObject(lambda: _invitation_count(request))}


def task_news(request: HttpRequest) -> dict[str, Any]:
    """``task_news``: the user's long tasks that run, and those that ended unseen; read where shown."""
    return {"task_news": SimpleLazyObject(lambda: _task_news(request))}


def _task_news(request: HttpRequest) -> TaskNewsData:
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return EMPTY_NEWS
    try:
        return news_of(user)
    except DatabaseError:
        return EMPTY_NEWS  # error pages are shown without the news


def _invitation_count(request: HttpRequest) -> int:
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return 0
    try:
        return invitations_received_by(user).count()
    except DatabaseError:
        return 0  # error pages are shown without the count
