"""Creates research tasks: proposes a route, refuses requests to act, queues the task. Previews what it would use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.boundary import refuse_execution, refuse_fields
from finclaw.brain.boundary.statements import refuse_statements
from finclaw.brain.material.route_proposal import propose_route
from finclaw.brain.research.recommendations import refresh_conditions_for, stated_language
from finclaw.brain.research.routes import ROUTES
from finclaw.brain.research.slices import load_slices, snapshot_language
from finclaw.brain.research.types import LoadedSlices
from finclaw.brain.skills.permissions import require_permitted
from foundation.accounts.models import User
from memory.models import ResearchTask, Route, Snapshot, Thread, UserContext
from memory.research import task_lifecycle
from memory.research.draft_validation import validate_draft
from memory.research.profile_context import checked_fields, save_profile_context
from memory.research.threads import save_as_thread
from memory.research.types import CognitionObject, TaskDraft, ThreadDraft
from personas.advisor_order import Advisor, ordered_advisors


@dataclass(frozen=True)
class TaskPreview:
    """What a task would use: its route, its slices of memory, and its advisors in order."""

    route: str
    slices: LoadedSlices
    advisors: tuple[Advisor, ...]


def create_research_task(permit: Permit, user: User, draft: TaskDraft) -> ResearchTask:
    """Queue a piece of research. Raises ``BoundaryRefused`` where it asks to act, ``SkillNotPermitted``, and what
    ``create_task`` raises.
    """
    return task_lifecycle.create_task(permit, user, _with_permitted_route(user, draft))


def create_refresh_task(
    permit: Permit, user: User, thread: Thread, said: str, stated: Mapping[str, str], *, confirm_financial: bool
) -> ResearchTask:
    """Queue a refresh of a thread: ``said`` is what is new, ``stated`` fields of its context.

    Raises ``BoundaryRefused``, ``SkillNotPermitted``, and what ``request_refresh`` raises.
    """
    require_permitted(user, Route.THREAD_REFRESH)
    refuse_execution(said)
    refuse_statements(stated.values())
    return task_lifecycle.request_refresh(permit, user, thread, stated, said=said, confirm_financial=confirm_financial)


def preview_task(permit: Permit, user: User, draft: TaskDraft) -> TaskPreview:
    """What the draft would use; nothing is stored. Raises what ``create_research_task`` raises for the draft."""
    given = validate_draft(permit, user, _with_permitted_route(user, draft))
    slices, policy = load_slices(permit, user, given), ROUTES[given.route]
    return TaskPreview(
        given.route, slices, ordered_advisors(policy.advisors, slices.risk_prompt_preference, at_stake=policy.at_stake)
    )


def start_thread_from_snapshot(
    permit: Permit, user: User, snapshot: Snapshot, draft: ThreadDraft, consent_id: UUID
) -> Thread:
    """Save a snapshot as a thread; conditions that were not chosen follow from its object.

    Raises ``BoundaryRefused`` where what is stated for it orders something, and what ``save_as_thread`` raises.
    """
    refuse_statements(draft.fields.values())
    if draft.refresh_conditions is None:
        draft = replace(draft, refresh_conditions=suggested_conditions(permit, snapshot))
    return save_as_thread(permit, user, snapshot, draft, consent_id)


def state_in_profile(permit: Permit, values: Mapping[str, str], *, confirm_financial: bool = False) -> UserContext:
    """Set fields of the stated profile context.

    Raises what ``save_profile_context`` raises, sensitive input first, and ``BoundaryRefused`` where a value orders
    something.
    """
    screened = checked_fields(values)
    refuse_statements(screened.values())
    return save_profile_context(permit, screened, confirm_financial=confirm_financial)


def suggested_conditions(permit: Permit, snapshot: Snapshot) -> tuple[str, ...]:
    """When a thread made of the snapshot would be worth a refresh, in the snapshot's language."""
    about = CognitionObject(snapshot.object_kind, snapshot.object_name)
    return refresh_conditions_for(about, snapshot_language(snapshot) or stated_language(permit))


def _with_permitted_route(user: User, draft: TaskDraft) -> TaskDraft:
    """The draft with its route, or one proposed by its words that the user may use."""
    routed = draft if draft.route else replace(draft, route=propose_route(draft.prompt))
    refuse_acting_draft(routed)
    require_permitted(user, routed.route)
    return routed


def refuse_acting_draft(draft: TaskDraft) -> None:
    """Raise ``BoundaryRefused`` for a draft that asks to act, for a checkpoint's forbidden fields, and where what is
    stated about oneself orders something or holds such a field.
    """
    refuse_execution(draft.prompt)
    refuse_statements(draft.overrides.values())
    if draft.route == Route.PRE_EXECUTION:
        refuse_fields([draft.prompt, draft.overrides])
