"""What the page says before research is erased: a thread, or one task."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _

from consent.models import ErasureScope, Sources
from consent.permit import Permit
from finclaw.erasure import targets_of
from finclaw.web.data_inventory import row_counts_in_words
from finclaw.web.erasure_confirmations import ErasureConfirmation
from finclaw.web.erasure_effects import describe_exports
from memory.models import ConversationEvent, ResearchTask, Thread


def confirm_thread(permit: Permit, thread: Thread) -> ErasureConfirmation:
    """The confirmation for a thread with everything that belongs to it."""
    targets = targets_of(permit, ErasureScope.THREAD, str(thread.pk), Sources.REDACT)
    return ErasureConfirmation(
        title=_("Forget this thread?"),
        button=_("Forget this thread"),
        cancel_url=reverse("web:thread", args=[thread.pk]),
        text=thread.title,
        goes=[*row_counts_in_words(targets.delete), *describe_exports(permit)],
    )


def confirm_task(permit: Permit, task: ResearchTask) -> ErasureConfirmation:
    """The confirmation for one task. Raises ``KeptInThread``."""
    targets = targets_of(permit, ErasureScope.TASK, str(task.pk), Sources.REDACT)
    its_thread = [_("Its thread stays, with all the rest of it.")] if task.thread_id else []
    in_a_chat = ConversationEvent.objects.filter(pk=task.pk).exists()  # a task has the id of the message it is from
    its_message = [_("The message that asked for it stays in its chat.")] if in_a_chat else []
    return ErasureConfirmation(
        title=_("Forget this piece of research?"),
        button=_("Forget this piece of research"),
        cancel_url=reverse("web:task", args=[task.pk]),
        text=task.question,
        goes=[*row_counts_in_words(targets.delete), *describe_exports(permit)],
        stays=" ".join([*its_thread, *its_message]),
    )
