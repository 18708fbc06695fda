"""Research set aside as possible training examples: listed, and taken back one by one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.schema import PAGE, page_of
from memory.models import TrainingAssetCandidate
from memory.research.training_candidates import candidate_of, candidates_of, revoke_candidate


class TrainingCandidateOutput(serializers.ModelSerializer[TrainingAssetCandidate]):
    candidate_id = serializers.UUIDField(source="id")
    object_ref = serializers.CharField(help_text="``snapshot:``, ``refresh:`` or ``checkpoint:``, and its id.")

    class Meta:
        model = TrainingAssetCandidate
        fields = (
            "candidate_id", "object_ref", "status", "withdrawal_status", "consent_version", "created_at", "reviewed_at",
        )  # fmt: skip


class TrainingCandidatesView(ApiView):
    @extend_schema(operation_id="training_candidate_list", parameters=PAGE, responses=page_of(TrainingCandidateOutput))
    def get(self, request: Request) -> Response:
        """Your research that may become a training example, latest first. With what you took back.

        Only what was made under ``training_use_allowed`` is set aside. Nothing is trained on it.
        """
        return self.page(candidates_of(self.permit), TrainingCandidateOutput, ordering="-created_at")


class TrainingCandidateView(ApiView):
    @extend_schema(operation_id="training_candidate_revoke", responses={200: TrainingCandidateOutput})
    def delete(self, request: Request, candidate_id: UUID) -> Response:
        """Take one back, at once and for good: no later consent sets it aside again. The research itself stays."""
        return self.once(200, lambda: revoke_candidate(self.permit, candidate_id), self._represent)

    def _represent(self, key: str) -> Any:
        return TrainingCandidateOutput(candidate_of(self.permit, UUID(key))).data


urlpatterns = [
    path("training-candidates", TrainingCandidatesView.as_view(), name="training_candidates"),
    path("training-candidates/<uuid:candidate_id>", TrainingCandidateView.as_view(), name="training_candidate"),
]
