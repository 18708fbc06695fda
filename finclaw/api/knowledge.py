"""What an organisation knows: read by its members as far as it is meant for them, written by its owners and admins."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import Q
from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.operations import located, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import BoundedList, MomentField, QuerySerializer, StrictSerializer
from foundation.accounts.models import Tenant, User
from knowledge.entry_changes import (
    EntryChange,
    EntryVersion,
    change_entry,
    create_entry,
    entry_history,
    entry_versions,
    undo_change,
    withdraw_entry,
)
from knowledge.member_access import visible_entries, visible_entry
from knowledge.models import KnowledgeEntry
from knowledge.models.entries import MAX_CHARS
from knowledge.querysets import KnowledgeEntryQuerySet
from knowledge.types import NODE_CHARS, EntryState, Platform

_VERSION: Final = "The version that was read: a change since is answered 409 ``entry_changed``."
_WRITES: Final = ("permission_denied", "not_found")
_TEXTS: Final = ("orders_assistant", "sensitive_input")
_KIND: Final = (
    "A rule goes before memories of the same subject and slot; a role_rule says how to speak to some roles, a tone how "
    "the organisation speaks, a platform_tone how it does on some platforms; a fact is found by its words."
)

_NODE: Final = "The node of the organisation's graph that it is about: ``linen-jacket``; empty for none."


def _choices(choices: list[tuple[str, Any]], help_text: str) -> BoundedList:
    return BoundedList(
        child=serializers.ChoiceField(choices=choices), max_length=len(choices), required=False, help_text=help_text
    )


class KnowledgeFields(StrictSerializer):
    """The fields of an entry that its writers choose, none of them required."""

    kind = serializers.ChoiceField(choices=KnowledgeEntry.Kind.choices, required=False, help_text=_KIND)
    subject = serializers.CharField(
        max_length=120, allow_blank=True, required=False, help_text="Whom or what it is about, as memories word it."
    )
    slot = serializers.CharField(
        max_length=60,
        allow_blank=True,
        required=False,
        help_text="What of it a rule settles: ``reply_style``.",
    )
    source = serializers.CharField(  # type: ignore[assignment]  # DRF takes declared fields out of the class
        max_length=200, allow_blank=True, required=False, help_text="Where it is written, or who decided it."
    )
    external_id = serializers.CharField(
        max_length=120, allow_blank=True, required=False, help_text="Your own id of it, by which imports find it."
    )
    graph_node_id = serializers.CharField(max_length=NODE_CHARS, allow_blank=True, required=False, help_text=_NODE)
    org_tiers = _choices(Tenant.OrgTier.choices, "For which tiers it holds; empty for all.")
    roles = _choices(User.Role.choices, "For which roles it holds; empty for all.")
    platforms = _choices(Platform.choices, "On which platforms it holds; empty for all.")
    valid_from = MomentField(required=False, help_text="From when it holds; now unless said.")
    valid_to = MomentField(required=False, allow_null=True, help_text="Until when it holds; null for no end.")


class KnowledgeInput(KnowledgeFields):
    text = serializers.CharField(max_length=MAX_CHARS, help_text="What it says.")


class KnowledgeChange(KnowledgeFields):
    version = serializers.IntegerField(min_value=1, help_text=_VERSION)
    text = serializers.CharField(max_length=MAX_CHARS, required=False, help_text="What it says.")


class KnowledgeUndo(StrictSerializer):
    version = serializers.IntegerField(min_value=1, help_text=_VERSION)


class KnowledgeVersionQuery(QuerySerializer):
    version = serializers.IntegerField(min_value=1, help_text=_VERSION)


class KnowledgeListQuery(QuerySerializer):
    kind = serializers.ChoiceField(choices=KnowledgeEntry.Kind.choices, required=False, help_text="Only of this kind.")
    state = serializers.ChoiceField(
        choices=[*EntryState.choices, ("all", "all")],
        default=EntryState.IN_FORCE.value,
        help_text="Only in this state. Who does not write sees what is in force for them, whatever is asked.",
    )
    subject = serializers.CharField(max_length=120, required=False, help_text="Only about this subject.")
    external_id = serializers.CharField(max_length=120, required=False, help_text="Only the one with this id of yours.")
    graph_node_id = serializers.CharField(
        max_length=NODE_CHARS, required=False, help_text="Only about this node of the organisation's graph."
    )
    q = serializers.CharField(max_length=200, required=False, help_text="Only with these words in text or subject.")


class KnowledgeOutput(serializers.ModelSerializer[KnowledgeEntry]):
    knowledge_id = serializers.UUIDField(source="id")
    kind = serializers.ChoiceField(choices=KnowledgeEntry.Kind.choices, help_text=_KIND)
    text = serializers.CharField(help_text="What it says.")
    graph_node_id = serializers.CharField(help_text=_NODE)
    version = serializers.IntegerField(help_text="How often it was written, from 1.")
    state = serializers.ChoiceField(choices=EntryState.choices, help_text="Whether it holds now.")
    is_shared = serializers.BooleanField(
        source="is_promoted", help_text="Whether a member shared it, without their name."
    )
    valid_from = serializers.DateTimeField(help_text="From when it holds.")
    valid_to = serializers.DateTimeField(allow_null=True, help_text="Until when it holds; null for no end.")

    class Meta:
        model = KnowledgeEntry
        fields = (
            "knowledge_id", "kind", "subject", "slot", "text", "source", "external_id", "graph_node_id", "org_tiers",
            "roles", "platforms", "valid_from", "valid_to", "state", "version", "is_shared", "created_at", "updated_at",
        )  # fmt: skip


class KnowledgeVersionOutput(serializers.Serializer[EntryVersion]):
    version = serializers.IntegerField(source="row.version", help_text="The number of this version, from 1.")
    change = serializers.ChoiceField(choices=EntryChange.choices, help_text="What made this version.")
    changed_at = serializers.DateTimeField(source="row.history_date")
    changed_by = serializers.CharField(help_text="The member who did; empty for an operator, and for who has left.")
    kind = serializers.ChoiceField(source="row.kind", choices=KnowledgeEntry.Kind.choices, help_text=_KIND)
    subject = serializers.CharField(source="row.subject", help_text="Whom or what it was about.")
    slot = serializers.CharField(source="row.slot", help_text="What of the subject it settled.")
    text = serializers.CharField(source="row.text", help_text="What it said.")
    source = serializers.CharField(  # type: ignore[assignment]
        source="row.source", help_text="Where it is written, or who decided it."
    )
    external_id = serializers.CharField(source="row.external_id", help_text="Your own id of it then; empty for none.")
    graph_node_id = serializers.CharField(source="row.graph_node_id", help_text="The node that it was about.")
    org_tiers = serializers.ListField(
        source="row.org_tiers", child=serializers.CharField(), help_text="For which tiers it held; empty for all."
    )
    roles = serializers.ListField(
        source="row.roles", child=serializers.CharField(), help_text="For which roles it held; empty for all."
    )
    platforms = serializers.ListField(
        source="row.platforms", child=serializers.CharField(), help_text="On which platforms it held; empty for all."
    )
    valid_from = serializers.DateTimeField(source="row.valid_from", help_text="From when it held.")
    valid_to = serializers.DateTimeField(source="row.valid_to", allow_null=True, help_text="Until when it held.")


class KnowledgeView(ApiView):
    query_inputs: ClassVar = {"GET": KnowledgeListQuery}

    @extend_schema(
        operation_id="knowledge_list", parameters=[KnowledgeListQuery, *PAGE], responses=page_of(KnowledgeOutput)
    )
    def get(self, request: Request) -> Response:
        """What your organisation knows, as it is in force for you, last written first. Owners and admins see all of
        it, also what is meant for others, has ended or is yet to come. Without an organisation there is none.
        """
        return self.page(_filtered(visible_entries(self.user), self.query), KnowledgeOutput, ordering="-updated_at")

    @located("knowledge_entry", "knowledge_id", status=201)
    @raises(*_WRITES, *_TEXTS)
    @extend_schema(operation_id="knowledge_create", request=KnowledgeInput, responses={201: KnowledgeOutput})
    def post(self, request: Request) -> Response:
        """Write an entry, as an owner or an admin. It holds for all members it is meant for, from ``valid_from`` on.

        A text that gives the assistant orders, as no text may, is refused: it would be left out of every answer.
        """
        return self.once(201, partial(create_entry, self.user, self.valid(KnowledgeInput)), partial(_show_entry, self))


class KnowledgeEntryView(ApiView):
    query_inputs: ClassVar = {"DELETE": KnowledgeVersionQuery}

    @extend_schema(operation_id="knowledge_retrieve", responses=KnowledgeOutput)
    def get(self, request: Request, knowledge_id: UUID) -> Response:
        """One entry that you may read."""
        return Response(_show_entry(self, knowledge_id))

    @raises(*_WRITES, *_TEXTS, "entry_changed")
    @extend_schema(operation_id="knowledge_update", request=KnowledgeChange, responses=KnowledgeOutput)
    def patch(self, request: Request, knowledge_id: UUID) -> Response:
        """Change an entry that you read at this version. What a member shared is theirs alone to take back (403)."""
        given = self.valid(KnowledgeChange)
        change = partial(change_entry, self.user, knowledge_id, given.pop("version"), given)
        return self.once(200, change, partial(_show_entry, self))

    @raises(*_WRITES, "entry_changed")
    @extend_schema(
        operation_id="knowledge_withdraw", parameters=[KnowledgeVersionQuery], responses={200: KnowledgeOutput}
    )
    def delete(self, request: Request, knowledge_id: UUID) -> Response:
        """Withdraw an entry: it ends now and keeps its history. An undo brings it back."""
        withdraw = partial(withdraw_entry, self.user, knowledge_id, self.query["version"])
        return self.once(200, withdraw, partial(_show_entry, self))


class KnowledgeUndoView(ApiView):
    @raises(*_WRITES, *_TEXTS, "entry_changed", "nothing_to_undo")
    @extend_schema(operation_id="knowledge_undo", request=KnowledgeUndo, responses=KnowledgeOutput)
    def post(self, request: Request, knowledge_id: UUID) -> Response:
        """Take back the last change of an entry, or its withdrawal. An undo is undone likewise."""
        undo = partial(undo_change, self.user, knowledge_id, self.valid(KnowledgeUndo)["version"])
        return self.once(200, undo, partial(_show_entry, self))


class KnowledgeHistoryView(ApiView):
    @raises(*_WRITES)
    @extend_schema(operation_id="knowledge_history", parameters=PAGE, responses=page_of(KnowledgeVersionOutput))
    def get(self, request: Request, knowledge_id: UUID) -> Response:
        """Every version of an entry, the latest first: who wrote it, when, and what it said. For those who write."""
        rows = entry_history(self.user, knowledge_id)
        shown = partial(entry_versions, self.user)
        return self.page(rows, KnowledgeVersionOutput, ordering="-version", shown_as=shown)


_EXACT: Final = ("kind", "subject", "external_id", "graph_node_id")
"""The parameters of a list that an entry's field of the same name must equal."""


def _filtered(entries: KnowledgeEntryQuerySet, query: dict[str, Any]) -> KnowledgeEntryQuerySet:
    """The entries that the query string asks for."""
    if query["state"] != "all":
        entries = entries.in_state(EntryState(query["state"]), timezone.now())
    if words := query.get("q"):
        entries = entries.filter(Q(text__icontains=words) | Q(subject__icontains=words))
    return entries.filter(**{name: query[name] for name in _EXACT if name in query})


def _show_entry(view: ApiView, knowledge_id: UUID | str) -> Any:
    return KnowledgeOutput(visible_entry(view.user, UUID(str(knowledge_id)))).data


urlpatterns = [
    path("knowledge", KnowledgeView.as_view(), name="knowledge"),
    path("knowledge/<uuid:knowledge_id>", KnowledgeEntryView.as_view(), name="knowledge_entry"),
    path("knowledge/<uuid:knowledge_id>/undo", KnowledgeUndoView.as_view(), name="knowledge_undo"),
    path("knowledge/<uuid:knowledge_id>/history", KnowledgeHistoryView.as_view(), name="knowledge_history"),
]
