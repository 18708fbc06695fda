"""Asking for research: the route proposed, the boundary kept, the task queued; and what a task would be given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.research.boundary import refuse_execution, refuse_fields
from finclaw.brain.research.proposing import propose_route
from finclaw.brain.research.recommending import language_of, refresh_conditions_for
from finclaw.brain.research.routes import ROUTES
from finclaw.brain.research.slices import load_slices
from finclaw.brain.research.types import LoadedSlices
from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed
from memory.models import ResearchTask, Route, Snapshot, Thread
from memory.research import tasks
from memory.research.threads import save_as_thread, thread_of
from memory.research.types import CognitionObject, TaskDraft, ThreadDraft
from memory.services.contexts import checked
from personas.advisors import Advisor, in_order


@dataclass(frozen=True)
class Preview:
    """What a task would be: its route, what of memory it would be given, and whom it would ask, in their order."""

    route: str
    slices: LoadedSlices
    advisors: tuple[Advisor, ...]


def ask_for(permit: Permit, user: User, draft: TaskDraft) -> ResearchTask:
    """Queue a piece of research. Raises ``BoundaryRefused`` where it asks to act, and what ``create_task`` raises."""
    routed = _routed(draft)
    _refuse_to_act(routed)
    return tasks.create_task(permit, user, routed)


def ask_for_refresh(
    permit: Permit, user: User, thread: Thread, said: str, stated: Mapping[str, str], *, confirm_financial: bool
) -> ResearchTask:
    """Queue another look at a thread: ``said`` is what is new, ``stated`` fields of its context.

    Raises ``BoundaryRefused``, and what ``request_refresh`` raises.
    """
    for text in (said, *stated.values()):
        refuse_execution(text)
    return tasks.request_refresh(permit, user, thread, stated, said=said, confirm_financial=confirm_financial)


def preview(permit: Permit, user: User, draft: TaskDraft) -> Preview:
    """What the draft would run with; nothing is stored. Raises ``BoundaryRefused``, ``ProfileConsentRequired``,
    ``ValidationFailed``, ``NotFound``.
    """
    permit.require_decision()
    routed = replace(_routed(draft), overrides=checked(draft.overrides))
    _refuse_to_act(routed)
    if routed.thread_id is not None:
        thread_of(permit, routed.thread_id)
    slices, policy = load_slices(permit, user, routed), ROUTES[routed.route]
    return Preview(
        routed.route, slices, in_order(policy.advisors, slices.risk_prompt_preference, at_stake=policy.at_stake)
    )


def keep_as_thread(permit: Permit, user: User, snapshot: Snapshot, draft: ThreadDraft, consent_id: UUID) -> Thread:
    """Follow what a snapshot asks; conditions that nobody chose follow from what it is about (M-7).

    Raises what ``save_as_thread`` raises.
    """
    if draft.refresh_conditions is None:
        about = CognitionObject(snapshot.object_kind, snapshot.object_name)
        draft = replace(draft, refresh_conditions=refresh_conditions_for(about, language_of(permit)))
    return save_as_thread(permit, user, snapshot, draft, consent_id)


def _routed(draft: TaskDraft) -> TaskDraft:
    """The draft with a route: of a thread another look at it, else what its words ask for."""
    if not draft.prompt.strip():
        raise ValidationFailed(details={"prompt": ["Say what is to be looked into."]})
    return draft if draft.route else replace(draft, route=propose_route(draft.prompt))


def _refuse_to_act(draft: TaskDraft) -> None:
    """Refuse what asks to act, stated fields included, and before a checkpoint what acting would need (B-11)."""
    for text in (draft.prompt, *draft.overrides.values()):
        refuse_execution(text)
    if draft.route == Route.PRE_EXECUTION:
        refuse_fields([draft.prompt, draft.overrides])
