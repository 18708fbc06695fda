"""Serves the rest of mem0's API: ping, users, feedback, exports and the progress of an addition."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.export.services import export_of, exports_of
from consent.models import ErasureScope
from finclaw.api.exports import ExportOutput
from finclaw.api.jobs import show_job
from finclaw.brain.long_tasks.services import start_task
from finclaw.mem0_api.base import Mem0View
from finclaw.mem0_api.inputs import Mem0AboutOne, Mem0Input, Mem0Query, Mem0Whose
from finclaw.mem0_api.shapes import Shape, change_shapes, entity_shape
from finclaw.mem0_api.views import erasure_shape, forget
from finclaw.models import LongTaskKind
from finclaw.provisioning import ProvisioningRefused, erase_end_user
from foundation.accounts.models import ServiceToken
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, require_found
from foundation.outbox.models import OutboxMessage
from memory.governance.feedback import give_feedback
from memory.retrieval.conditions import ANY
from memory.services.item_queries import items_matching

_STATES = {"pending": "PENDING", "processing": "RUNNING", "done": "SUCCEEDED"}


class Mem0Feedback(Mem0Input):
    memory_id = serializers.UUIDField()
    feedback = serializers.ChoiceField(choices=("POSITIVE", "NEGATIVE", "VERY_NEGATIVE"), allow_null=True)
    feedback_reason = serializers.CharField(max_length=500, required=False, allow_null=True, allow_blank=True)


class Mem0Export(Mem0AboutOne):
    schema = serializers.JSONField(required=False)
    memory_export_id = serializers.UUIDField(required=False)


class PingView(Mem0View):
    query_input = Mem0Query

    def get(self, request: Request) -> Response:
        """That the key is good. The client takes no answer without the ids of an organisation and a project."""
        holder: Any = request.user
        home = str(holder.tenant_id or holder.pk)
        return Response({"status": "ok", "user_email": None, "org_id": home, "project_id": home})


class EntitiesView(Mem0View):
    query_input = Mem0Query

    def get(self, request: Request) -> Response:
        """The people whom the key reaches, with how much is remembered of each."""
        shapes: list[Shape] = []
        for person in self.people_named({ANY}):
            with self.acting_for(person) as permit:
                shapes.append(entity_shape(person, items_matching(permit).count()))
        return Response({"count": len(shapes), "next": None, "previous": None, "results": shapes})


class EntityView(Mem0View):
    query_input = Mem0Query

    def delete(self, request: Request, kind: str, name: str) -> Response:
        """Forget a user: with a service token the whole account, with one's own key everything learned."""
        if kind != "user":
            raise NotFound()
        if isinstance(request.auth, ServiceToken):
            person, made = erase_end_user(request.auth, name)
        else:
            person = self.person_named({"user_id": name})
            with self.acting_for(person):
                made = forget(person, ErasureScope.MEMORIES)
        with acting_as(person.pk):
            return Response({"message": "Entity deleted successfully!", **erasure_shape(request, made)})


class FeedbackView(Mem0View):
    def post(self, request: Request) -> Response:
        """Say whether a memory serves its user; without ``feedback`` nothing is changed."""
        given = self.valid(Mem0Feedback)
        with self.acting_on(given["memory_id"]) as item:
            if given["feedback"]:
                signal: Any = "positive" if given["feedback"] == "POSITIVE" else "negative"
                give_feedback(self.permit, item.pk, signal, given.get("feedback_reason") or "")
        return Response({"id": str(given["memory_id"]), "feedback": given["feedback"]})


class ExportsView(Mem0View):
    def post(self, request: Request) -> Response:
        """Begin an archive of all that is kept about one person; it has one shape, whatever ``schema`` asks for."""
        given = self.valid(Mem0Export)
        with self.acting_for(self.person_named(given)) as permit:
            export_id = start_task(permit, self.person, LongTaskKind.EXPORT, {"source": "api"})
        return Response({"message": "Memory export request received.", "id": str(export_id)})


class ExportResultView(Mem0View):
    def post(self, request: Request) -> Response:
        """How far an archive is, and where it can be downloaded; the latest one where none is named."""
        given = self.valid(Mem0Export)
        with self.acting_for(self.person_named(given)):
            key = given.get("memory_export_id")
            export = export_of(self.person, key) if key else require_found(exports_of(self.person).first())
            return Response(ExportOutput(export, context={"request": request}).data)


class AdditionStateView(Mem0View):
    query_input = Mem0Whose

    def get(self, request: Request, event_id: UUID) -> Response:
        """What became of an addition."""
        with self.acting_for(self.person_named(self.query)) as permit:
            job = require_found(OutboxMessage.objects.filter(pk=event_id, user=self.person).first())
            shown = show_job(permit, job)
            changes = change_shapes(permit, shown["results"])
        return Response({"id": str(event_id), "status": _STATES.get(shown["state"], "FAILED"), "results": changes})


class RefusedView(Mem0View):
    def post(self, request: Request) -> Response:
        """Settings of the server, and emptying all of it, are no program's to change."""
        raise ProvisioningRefused()
