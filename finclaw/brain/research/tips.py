"""The tip under a research result: that preferences can be set, at most once in 24 hours; or, after all consent was
withdrawn, every time, that nothing in it was personal.
"""

from __future__ import annotations

from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final, Literal

from django.conf import settings
from django.utils import timezone

from consent.permit import Permit
from finclaw.brain.research.types import LoadedSlices
from foundation.accounts.services import lock_user
from foundation.language import Language
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
    """Whether the finished task shows the tip: the user stated no reply preferences and saw none in the last
    COLD_START_TIP_HOURS.

    Call in the transaction that stores the result: of two tasks that end together only one shows it.
    """
    if permit.revoked or not slices.is_cold:
        return False
    lock_user(permit.user_id)
    since = timezone.now() - timedelta(hours=settings.COLD_START_TIP_HOURS)
    return not tasks_of(permit).filter(tip=True, ended_at__gt=since).exists()


def task_context(permit: Permit, slices: LoadedSlices) -> dict[str, Any]:
    """What the task stores of the memory it was given, where each slice was read, and whether all personalization was
    off.
    """
    read_from = {name: list(scopes) for name, scopes in slices.read_from.items()}
    return slices.as_json() | {"slices_read_from": read_from, _OFF: permit.revoked}


def hint_of(task: ResearchTask) -> TaskHint | None:
    """The hint stored with the task."""
    if task.result_kind and task.context.get(_OFF):
        return "personalization_off"
    return "set_preferences" if task.tip else None


def hint_text(hint: TaskHint, language: Language) -> str:
    """The hint in words."""
    return _WORDS[hint, language]
