"""Promotes a user's memory to knowledge of their organisation, and takes it back.

Five thresholds, then the user's agreement, then an operator's approval make a de-identified entry of knowledge. Taking
it back, withdrawing the consent and erasing the memory each remove it.
"""

from __future__ import annotations

from contextlib import suppress
from uuid import UUID

import structlog

from consent.erasure.plan import ErasurePart
from consent.erasure.types import Targets
from consent.exceptions import LearningStopped
from consent.models import AuditEvent
from consent.permit import Permit
from consent.services import learning_permit, permit_for, scope_held_since
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, on_behalf_of
from foundation.personal_data import ConsentScope
from knowledge.member_access import org_of
from knowledge.models import KnowledgeEntry
from knowledge.promoted_entries import PromotedText, add_promoted, count_contradictions, remove_promoted
from memory.exceptions import ProposalClosed
from memory.models import EvolutionProposal
from memory.services import promotion, proposals

PROPOSAL, ENTRY = EvolutionProposal._meta.label, KnowledgeEntry._meta.label
log = structlog.get_logger(__name__)


def nominate() -> int:
    """Propose every memory that passes the five thresholds; returns how many. Runs on a schedule."""
    asked = sum(_nominate_for(user_id) for user_id in promotion.users_with_candidates())
    log.info("memories_proposed", proposals=asked)
    return asked


def approve(proposal: EvolutionProposal, operator_id: UUID) -> KnowledgeEntry:
    """An operator turns an agreed proposal into knowledge.

    Raises ``ProposalClosed`` where it was decided, or its memory changed since; and what consent and erasure raise
    where the user no longer allows it.
    """
    with on_behalf_of(proposal.user_id):
        user, permit = _person_and_permit(proposal)
        agreed = proposals.agreed_proposal(permit, proposal.pk)
        if user.tenant_id != agreed.tenant_id:  # the user has changed organisation since
            raise ProposalClosed()
        entry = add_promoted(permit, user, _promoted_fact(agreed))
        proposals.approve(agreed, entry.pk, operator_id)
        _record_audit(agreed, "proposal.approved", operator_id)
    return entry


def reject(proposal: EvolutionProposal, operator_id: UUID) -> None:
    """An operator rejects an agreed proposal. Raises as ``approve``."""
    with on_behalf_of(proposal.user_id):
        _, permit = _person_and_permit(proposal)
        _record_audit(proposals.reject(permit, proposal.pk, operator_id), "proposal.rejected", operator_id)


def withdraw(permit: Permit, proposal_id: UUID, actor_id: UUID | None = None) -> EvolutionProposal:
    """Take back promoted knowledge, for the user or for an operator acting for them.

    Call in a transaction acting for the user. Raises ``NotFound``, ``ProposalClosed``.
    """
    taken = proposals.withdraw_proposal(permit, proposal_id)
    if taken.knowledge_id is not None:
        remove_promoted(permit.user_id, taken.knowledge_id)
    _record_audit(taken, "proposal.withdrawn", actor_id or permit.user_id)
    return taken


def withdraw_for(proposal: EvolutionProposal, operator_id: UUID) -> None:
    """``withdraw`` for the user, from the operators' role."""
    with on_behalf_of(proposal.user_id):
        _, permit = _person_and_permit(proposal)
        withdraw(permit, proposal.pk, operator_id)


class PromotionErasure(ErasurePart):
    """Adds to an erasure what was promoted from its rows."""

    def extend(self, permit: Permit) -> Targets:
        targets = self.plan.targets
        named = EvolutionProposal.objects.filter(pk__in=targets.delete.get(PROPOSAL, ()), user_id=permit.user_id)
        entries = {key for key in named.values_list("knowledge_id", flat=True) if key}
        return targets | Targets(delete={ENTRY: entries})


def _nominate_for(user_id: UUID) -> int:
    with suppress(LearningStopped), acting_as(user_id):
        permit = learning_permit(user_id, scope_held_since(user_id, ConsentScope.MEMORY_LEARNING))
        user = User.objects.select_related("tenant").filter(pk=user_id).first()
        if permit is None or user is None or user.tenant is None:
            return 0
        found = list(promotion.promotion_candidates(permit, user))
        return sum(
            promotion.propose(permit, candidate, user.tenant.pk, _conflict_ratio(user, candidate))
            for candidate in found
        )
    return 0


def _conflict_ratio(user: User, candidate: promotion.PromotionCandidate) -> float:
    """The share of the organisation's entries on the same subject and slot that disagree; 0 without any."""
    org = org_of(user)
    if org is None:
        return 0.0
    related, contrary = count_contradictions(org, candidate.subject, candidate.slot, candidate.text)
    return contrary / related if related else 0.0


def _person_and_permit(proposal: EvolutionProposal) -> tuple[User, Permit]:
    user = User.objects.get(pk=proposal.user_id)
    return user, permit_for(user)


def _promoted_fact(proposal: EvolutionProposal) -> PromotedText:
    """The proposal as a fact, whatever it proposed: that a member prefers something is no rule for the others."""
    about = proposal.item.attributes
    return PromotedText(proposal.text, str(about.get("subject", "")), str(about.get("slot", "")))


def _record_audit(proposal: EvolutionProposal, action: str, actor_id: UUID) -> None:
    AuditEvent.objects.create(user_id=proposal.user_id, actor_id=actor_id, action=action, subject_id=proposal.pk)
