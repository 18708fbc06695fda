"""Words the tip under a research result: that preferences can be set, shown at most once in 24 hours; or, after all
consent was withdrawn, that nothing in the result was personal, shown every time.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final, Literal

from consent.permit import Permit
from finclaw.brain.research.types import LoadedSlices
from foundation.accounts.services import claim_tip
from foundation.language import Language
from memory.models import ResearchTask

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
    """Whether the finished task shows the tip: the user stated no reply preferences, and saw no tip lately, here or on
    a page. It counts as shown then.

    Call in the transaction that stores the result.
    """
    return not permit.is_revoked and slices.is_cold and claim_tip(permit.user_id)


def task_context(permit: Permit, slices: LoadedSlices) -> dict[str, Any]:
    """What the task stores of the memory it was given, where each slice was read, and whether all personalization was
    off.
    """
    read_from = {name: list(scopes) for name, scopes in slices.read_from.items()}
    return slices.as_json() | {"slices_read_from": read_from, _OFF: permit.is_revoked}


def hint_of(task: ResearchTask) -> TaskHint | None:
    """The hint stored with the task."""
    if task.result_kind and task.context.get(_OFF):
        return "personalization_off"
    return "set_preferences" if task.tip else None


def hint_text(hint: TaskHint, language: Language) -> str:
    """The hint in words."""
    return _WORDS[hint, language]
