"""The hint under a result: that preferences could be set (seed A §8.3), light and at most once in 24 hours (O-6); to
somebody who withdrew everything, every time, that nothing was personal (seed A §8.5).
"""

from __future__ import annotations

from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final, Literal

from django.conf import settings
from django.utils import timezone

from consent.permit import Permit
from finclaw.brain.research.objective import Language
from finclaw.brain.research.types import LoadedSlices
from foundation.accounts.services import lock_user
from memory.models import ResearchTask
from memory.research.task_lifecycle import tasks_of

TaskHint = Literal["set_preferences", "personalization_off"]
_WORDS: Final = MappingProxyType[tuple[TaskHint, Language], str](
    {
        ("set_preferences", "en"): "Setting your preferences makes results fit you better.",
        ("set_preferences", "zh"): "设置偏好可让结果更贴合你。",
        ("personalization_off", "en"): (
            "Your consent is withdrawn, so nothing here was personal. You can choose again under Privacy."
        ),
        ("personalization_off", "zh"): "已撤回同意，因此结果未做个性化；如需个性化结果，请在“隐私”中重新设置。",
    }
)
_OFF: Final = "personalization_off"


def tip_is_due(permit: Permit, slices: LoadedSlices) -> bool:
    """Whether the task that ends now closes with the tip: its person stated nothing of how to answer, and was not told
    within the last COLD_START_TIP_HOURS.

    To be called in the transaction that stores the answer: of two tasks that end at once only one tells them.
    """
    if permit.revoked or not slices.is_cold:
        return False
    lock_user(permit.user_id)
    since = timezone.now() - timedelta(hours=settings.COLD_START_TIP_HOURS)
    return not tasks_of(permit).filter(tip=True, ended_at__gt=since).exists()


def task_context(permit: Permit, slices: LoadedSlices) -> dict[str, Any]:
    """What a task keeps of the memory it was given, and whether all of that was switched off."""
    return slices.as_json() | {_OFF: permit.revoked}


def hint_of(task: ResearchTask) -> TaskHint | None:
    """The hint that a task ended with."""
    if task.result_kind and task.context.get(_OFF):
        return "personalization_off"
    return "set_preferences" if task.tip else None


def hint_text(hint: TaskHint, language: Language) -> str:
    """What a hint says."""
    return _WORDS[hint, language]
