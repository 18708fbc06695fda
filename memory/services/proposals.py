"""Proposals of memories as organisational knowledge: the user decides, then an operator."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from consent.permit import Permit
from consent.services import hold_permit, scope_held_since
from foundation.exceptions import require_found
from foundation.personal_data import ConsentScope
from memory.exceptions import ProposalClosed
from memory.models import EvolutionProposal, MemoryItem

State = EvolutionProposal.State


def proposals_of(permit: Permit) -> QuerySet[EvolutionProposal]:
    """The user's proposals, the latest first; none without ``memory_learning_allowed``."""
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return EvolutionProposal.objects.none()
    return _consented_proposals(permit).order_by("-created_at", "-id")


def agree(permit: Permit, proposal_id: UUID) -> EvolutionProposal:
    """Let an operator look at a proposal.

    Raises ``NotFound``; ``ProposalClosed`` if it is decided already, or its memory no longer has the same words.
    """
    proposal = _locked_proposal(permit, proposal_id, State.CANDIDATE)
    require_still_said(permit, proposal)
    return _enter_state(proposal, State.AGREED, agreed_at=timezone.now(), consent_version=permit.version)


def decline(permit: Permit, proposal_id: UUID) -> EvolutionProposal:
    """Decline a proposal, even one that an operator has yet to look at. Raises ``NotFound``, ``ProposalClosed``."""
    return _enter_state(_locked_proposal(permit, proposal_id, State.CANDIDATE, State.AGREED), State.DECLINED)


def agreed_proposal(permit: Permit, proposal_id: UUID) -> EvolutionProposal:
    """A proposal that the user agreed to and whose memory still has the same words, locked for an operator's decision.

    Raises ``NotFound``, ``ProposalClosed``.
    """
    proposal = _locked_proposal(permit, proposal_id, State.AGREED)
    require_still_said(permit, proposal)
    return proposal


def approve(proposal: EvolutionProposal, knowledge_id: UUID, operator_id: UUID) -> EvolutionProposal:
    """Mark a proposal as approved: it became this entry of knowledge."""
    return _enter_state(
        proposal, State.APPROVED, knowledge_id=knowledge_id, reviewed_at=timezone.now(), reviewed_by=operator_id
    )


def reject(permit: Permit, proposal_id: UUID, operator_id: UUID) -> EvolutionProposal:
    """Reject a proposal as an operator. Raises ``NotFound``, ``ProposalClosed``."""
    proposal = _locked_proposal(permit, proposal_id, State.AGREED)
    return _enter_state(proposal, State.REJECTED, reviewed_at=timezone.now(), reviewed_by=operator_id)


def withdraw_proposal(permit: Permit, proposal_id: UUID) -> EvolutionProposal:
    """Withdraw approved knowledge; the caller removes the entry. Raises ``NotFound``, ``ProposalClosed``."""
    return _enter_state(_locked_proposal(permit, proposal_id, State.APPROVED), State.WITHDRAWN)


def require_still_said(permit: Permit, proposal: EvolutionProposal) -> None:
    """Raise ``ProposalClosed`` where the memory was corrected, rejected or found outdated since it was proposed."""
    same_words = MemoryItem.objects.filter(
        user_id=permit.user_id, chain_id=proposal.chain_id, content_hash=proposal.item.content_hash
    )
    standing = same_words.in_force(timezone.now()).exclude(epistemic_type=MemoryItem.EpistemicType.OUTDATED)
    if not standing.exists():
        raise ProposalClosed()


def _consented_proposals(permit: Permit) -> QuerySet[EvolutionProposal]:
    """The user's proposals, without those of a consent that was withdrawn and granted again."""
    since = scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING)
    return EvolutionProposal.objects.filter(user_id=permit.user_id, consent_version__gte=since)


def _locked_proposal(permit: Permit, proposal_id: UUID, *states: str) -> EvolutionProposal:
    """The user's proposal in one of these states, under a consent that is held until the transaction ends."""
    permit.require(ConsentScope.MEMORY_LEARNING)
    hold_permit(permit)  # locks the user before the row, as everywhere
    mine = _consented_proposals(permit).select_for_update(of=("self",)).select_related("item")
    proposal = require_found(mine.filter(pk=proposal_id).first())
    if proposal.state not in states:
        raise ProposalClosed()
    return proposal


def _enter_state(proposal: EvolutionProposal, state: str, **fields: object) -> EvolutionProposal:
    for name, value in ({"state": state} | fields).items():
        setattr(proposal, name, value)
    proposal.save(update_fields=["state", *fields])
    return proposal
