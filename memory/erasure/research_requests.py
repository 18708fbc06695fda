"""Erases research that was asked for in a conversation together with the words that asked for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from consent.erasure.types import Targets
from consent.permit import Permit
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.labels import TASK, TURN
from memory.erasure.research_targets import kept_in_threads, targets_of_tasks
from memory.models import ConversationEvent, ResearchTask

PROMPTS: Final = "memory.ResearchTask words"


def with_requested_research(permit: Permit, targets: Targets) -> Targets:
    """Add to the targets the tasks that their messages asked for, with everything made by those.

    A result that the user saved in a thread stays until the thread is erased; only the words that asked for it are
    erased. Call while acting for the user, before the rows are hidden.
    """
    messages = targets.losing(TURN)
    return _with_tasks(permit, targets, _requested_tasks(permit, messages)) if messages else targets


def research_requested_in_chats(permit: Permit) -> Targets:
    """Every task that the user ever asked for in a conversation, with its results."""
    said = ConversationEvent.objects.filter(user_id=permit.user_id).values("pk")
    asked = ResearchTask.objects.filter(user_id=permit.user_id, pk__in=said).values_list("pk", flat=True)
    return _with_tasks(permit, Targets(), asked)


def empty_prompts(user_id: UUID, targets: Targets) -> None:
    """Empty the prompts of the tasks that stay. Call while acting for the user."""
    with in_role(ERASER_ROLE):
        _tasks_that_stay(user_id, targets).update(prompt="")


def count_prompts_left(user_id: UUID, targets: Targets) -> int:
    """How many of the tasks that stay still hold their prompt. Call as the eraser."""
    return _tasks_that_stay(user_id, targets).exclude(prompt="").count()


def _tasks_that_stay(user_id: UUID, targets: Targets) -> QuerySet[ResearchTask]:
    return ResearchTask.with_erased.filter(pk__in=targets.touched.get(TASK, ()), user_id=user_id)


def _with_tasks(permit: Permit, targets: Targets, tasks: Iterable[UUID]) -> Targets:
    asked = set(tasks)
    if not asked:
        return targets
    staying = kept_in_threads(permit, asked)
    return targets | targets_of_tasks(permit, asked - staying) | Targets(touched={TASK: staying})


def _requested_tasks(permit: Permit, messages: Collection[UUID]) -> list[UUID]:
    """The tasks that these messages asked for.

    A task has the id of the message that asked for it, and its prompt may hold the message just before that.
    """
    said = ConversationEvent.objects.filter(pk__in=messages, user_id=permit.user_id)
    words = [message.text for message in said if message.text]
    conversations = said.values("session_id")
    around = ConversationEvent.objects.filter(session_id__in=conversations, user_id=permit.user_id).values("pk")
    asked = ResearchTask.objects.filter(user_id=permit.user_id, pk__in=around)
    return [task.pk for task in asked if task.pk in messages or any(map(partial(_opens_with, task), words))]


def _opens_with(task: ResearchTask, text: str) -> bool:
    """Whether a task's prompt opens with the text of an earlier message, which stands on lines of its own."""
    return task.prompt.startswith(f"{text}\n")
