"""The user's answers to proposals to share a memory with their organisation, which they can withdraw at any time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from consent.permit import Permit
from finclaw.brain.promotion import withdraw
from finclaw.web.access import MemberView
from finclaw.web.types import TemplateData
from foundation.exceptions import NotFound
from memory.exceptions import ProposalClosed
from memory.models import EvolutionProposal
from memory.services.proposals import agree, decline, proposals_of

State = EvolutionProposal.State
_OPEN = (State.CANDIDATE, State.AGREED, State.APPROVED)
_ANSWERS: Mapping[str, tuple[Callable[[Permit, UUID], Any], Any]] = {
    "agree": (agree, _("Thank you. Somebody in your organisation looks at it before it is used.")),
    "decline": (decline, _("Then it stays between us. I do not ask again.")),
    "withdraw": (withdraw, _("Taken back. Your organisation no longer has it.")),
}


class ProposalAnswer(MemberView):
    """The user's answer to a proposal."""

    def post(self, request: HttpRequest, proposal_id: UUID, answer: str) -> HttpResponse:
        """Carry out the answer. Where it was decided meanwhile, the page says so and nothing changes."""
        if answer not in _ANSWERS:
            raise NotFound()
        carry_out, said = _ANSWERS[answer]
        try:
            carry_out(self.permit, proposal_id)
        except ProposalClosed:
            messages.info(request, _("This was decided already, or the memory has changed since."))
        else:
            messages.success(request, said)
        return redirect("web:privacy")


def show_proposals(permit: Permit) -> list[TemplateData]:
    """Proposals that wait for an answer or can still be withdrawn, latest first."""
    return [
        {"proposal_id": proposal.pk, "text": proposal.text, "state": proposal.state, "memory_id": proposal.item_id}
        for proposal in proposals_of(permit).filter(state__in=_OPEN)
    ]
