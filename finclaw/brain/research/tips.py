"""The hint under a result that preferences could be set (seed A §8.3): light, and at most once in 24 hours (O-6)."""

from __future__ import annotations

from datetime import timedelta
from types import MappingProxyType
from typing import Final

from django.conf import settings
from django.utils import timezone

from consent.permit import Permit
from finclaw.brain.research.objective import Language
from finclaw.brain.research.types import LoadedSlices
from foundation.accounts.services import lock_user
from memory.research.tasks import tasks_of

_SET: Final = MappingProxyType[Language, str](
    {
        "en": "Setting your preferences makes results fit you better.",
        "zh": "设置偏好可让结果更贴合你。",
    }
)
_REVOKED: Final = MappingProxyType[Language, str](
    {
        "en": "Your consent is withdrawn, so nothing here was personal. You can choose again under Privacy.",
        "zh": "已撤回同意，因此结果未做个性化；如需个性化结果，请在“隐私”中重新设置。",
    }
)


def tip_is_due(permit: Permit, slices: LoadedSlices) -> bool:
    """Whether the task that ends now closes with the tip: its person stated nothing of how to answer, and was not told
    within the last COLD_START_TIP_HOURS.

    To be called in the transaction that stores the answer: of two tasks that end at once only one tells them.
    """
    if not slices.is_cold:
        return False
    lock_user(permit.user_id)
    since = timezone.now() - timedelta(hours=settings.COLD_START_TIP_HOURS)
    return not tasks_of(permit).filter(tip=True, ended_at__gt=since).exists()


def tip_of(permit: Permit, language: Language) -> str:
    """What the tip says; to somebody who withdrew everything, that nothing was personal (seed A §8.5)."""
    return (_REVOKED if permit.revoked else _SET)[language]
