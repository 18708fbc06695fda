"""Proposals: memories that may be shared with the user's organisation, and the user's decision on each."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.operations import LEARNS, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import StrictSerializer
from finclaw.brain import promotion
from memory.models import EvolutionProposal
from memory.services.proposals import agree, decline, proposals_of

_DECISIONS: Final = {"agree": agree, "decline": decline, "withdraw": promotion.withdraw}


class DecisionInput(StrictSerializer):
    decision = serializers.ChoiceField(
        choices=[*_DECISIONS], help_text="``withdraw`` takes back what became knowledge already."
    )


class ProposalOutput(serializers.ModelSerializer[EvolutionProposal]):
    proposal_id = serializers.UUIDField(source="id")
    memory_id = serializers.UUIDField(source="item_id")
    text = serializers.CharField(help_text="As others would read it: without names and amounts.")
    statistics = serializers.DictField(help_text="The value of each threshold it passed.")

    class Meta:
        model = EvolutionProposal
        fields = (
            "proposal_id", "memory_id", "text", "statistics", "state", "created_at", "agreed_at", "reviewed_at",
        )  # fmt: skip


class ProposalsView(ApiView):
    @extend_schema(operation_id="proposal_list", parameters=PAGE, responses=page_of(ProposalOutput))
    def get(self, request: Request) -> Response:
        """Your memories that could help others in your organisation, latest first. Nothing is shared unless
        you agree.
        """
        return self.page(proposals_of(self.permit), ProposalOutput, ordering="-created_at")


class ProposalView(ApiView):
    @raises(*LEARNS, "proposal_closed")
    @extend_schema(operation_id="proposal_decide", request=DecisionInput, responses=ProposalOutput)
    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Agree to an operator's review, decline, or withdraw it after it became knowledge."""
        decide = _DECISIONS[self.valid(DecisionInput)["decision"]]
        return self.once(200, lambda: decide(self.permit, proposal_id), self._represent)

    def _represent(self, key: str) -> Any:
        return ProposalOutput(proposals_of(self.permit).get(pk=key)).data


urlpatterns = [
    path("memories/proposals", ProposalsView.as_view(), name="proposals"),
    path("memories/proposals/<uuid:proposal_id>", ProposalView.as_view(), name="proposal"),
]
