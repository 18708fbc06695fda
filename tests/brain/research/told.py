"""People with something to load: what they stated, the threads they follow, the drift that was seen."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from uuid import UUID

from consent.services import permit_for, withdraw_consent
from drift.models import DriftSignal
from finclaw.brain.research.slices import load_slices
from finclaw.brain.research.types import LoadedSlices
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from memory.models import ObjectKind, Thread, ThreadContext
from memory.research.profile_context import save_profile_context
from memory.research.types import TaskDraft
from tests.support.talk import permit_of

PREFERENCES = MappingProxyType(
    {
        "language_preference": "zh",
        "research_depth": "deep",
        "risk_prompt_preference": "risk_first",
        "user_focus_reason": "I care about dividends",
    }
)


def state(user: User, values: Mapping[str, str] = PREFERENCES, *, financial: bool = False) -> None:
    """Say it for everything: in profile scope."""
    with acting_as(user.pk):
        save_profile_context(permit_for(user), values, confirm_financial=financial)


def revoke(user: User) -> None:
    """Withdraw everything at once."""
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
        assert consent_id is not None
        withdraw_consent(user, consent_id, source="api")


def follow(
    user: User, title: str = "NVDA margins", kind: str = ObjectKind.ASSET, name: str = "NVDA", **fields: object
) -> Thread:
    """A thread of the user's."""
    with acting_as(user.pk):
        return Thread.objects.create(
            user=user, title=title, object_kind=kind, object_name=name, current_thesis="Margins hold.",
            consent_version=permit_for(user).version, **fields,
        )  # fmt: skip


def state_for(user: User, thread: Thread, **fields: object) -> ThreadContext:
    """Say it for one thread."""
    with acting_as(user.pk):
        version = permit_for(user).version
        return ThreadContext.objects.create(user=user, thread=thread, consent_version=version, **fields)


def drift(user: User, count: int = 1) -> None:
    """So many drift signals, now."""
    stance = {"value": "helpful", "captured_at": "2026-03-01T00:00:00+00:00", "captured_in_object_ref": "thread:1"}
    with acting_as(user.pk):
        version = permit_for(user).version
        for _ in range(count):
            DriftSignal.objects.create(
                drift_id=f"drift_{new_id()}", user=user, object_ref="thread:1", signal_kind="grade_reversal",
                prior_signal=stance, current_signal=stance, delta_summary="Secret words of a drift.",
                triggers_alert=True, consent_version=version,
            )  # fmt: skip


def task(
    route: str,
    prompt: str = "How does NVDA stand?",
    *,
    thread: Thread | None = None,
    as_of: datetime | None = None,
    **overrides: str,
) -> TaskDraft:
    """A task as it is asked for."""
    thread_id: UUID | None = thread.pk if thread else None
    return TaskDraft(route, prompt, overrides, thread_id, as_of)


def loaded(user: User, asked: TaskDraft) -> LoadedSlices:
    """What the task is given of memory."""
    with acting_as(user.pk):
        return load_slices(permit_of(user), user, asked)
