"""Background jobs, as their user sees them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.permit import Permit
from finclaw.api.base import ApiView
from foundation.database.acting_program import acting_program
from foundation.exceptions import NotFound
from foundation.outbox.models import OutboxMessage
from memory.services.item_queries import items_of


class ChangeOutput(serializers.Serializer[Any]):
    memory_id = serializers.UUIDField()
    memory = serializers.CharField(allow_null=True, help_text="null where it is no longer kept.")
    event = serializers.ChoiceField(choices=["ADD", "UPDATE", "SUPERSEDE", "MERGE", "NONE"])


class JobOutput(serializers.Serializer[Any]):
    job_id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=OutboxMessage.State.choices)
    progress = serializers.FloatField(help_text="0 until it is done, then 1.")
    results = ChangeOutput(many=True)


def show_job(permit: Permit, job: OutboxMessage) -> dict[str, Any]:
    """The job's state, and in words what it did to the user's memories.

    To a program that is kept from kinds of memory, a change of what it does not see is as no change.
    """
    changes = [change for change in (job.result or {}).get("results", []) if "memory_id" in change]
    kept = items_of(permit).in_bulk([UUID(change["memory_id"]) for change in changes])
    words = {str(key): item.content for key, item in kept.items()}
    if acting_program().withheld:
        changes = [change for change in changes if change["memory_id"] in words]
    return {
        "job_id": job.pk,
        "state": job.state,
        "progress": 1.0 if job.state == OutboxMessage.State.DONE else 0.0,
        "results": [change | {"memory": words.get(change["memory_id"])} for change in changes],
    }


class JobView(ApiView):
    @extend_schema(operation_id="job_retrieve", responses=JobOutput)
    def get(self, request: Request, job_id: UUID) -> Response:
        """The progress of a job, and its result.

        A program that is kept from kinds of memory is told of no change of what it does not see.
        """
        job = OutboxMessage.objects.filter(pk=job_id, user=self.user).first()
        if job is None:
            raise NotFound()
        return Response(JobOutput(show_job(self.permit, job)).data)


urlpatterns = [path("jobs/<uuid:job_id>", JobView.as_view(), name="job")]
