"""Every field that takes free text, of the API and of the pages, is screened, or stands here with the reason why not.

That the doors of the first list refuse and mask is held by ``test_a_refused_value_is_nowhere`` and the tests of their
resources; this one holds that a new field is decided on.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django import forms
from rest_framework import serializers

import finclaw.api
import finclaw.mem0_api
import finclaw.openai_api
import finclaw.web.forms
from consent.sensitive.policy import FIELD_POLICIES
from finclaw.api.serializers import StrictSerializer, TimeZoneField
from finclaw.openai_api.chat_requests import IGNORED_FIELDS, KEPT_FOR_MODEL
from finclaw.openai_api.response_inputs import ResponseInput

# Which policy a field is screened under, by its name; where classes differ, by class and name.
SCREENED: Final = {
    "AddedMessage.name": "name",
    "CognitionObjectInput.name": "cognition_object",
    "object_name": "cognition_object",
    "BodyInput.body": "body", "PortraitForm.body": "body",
    "CredentialsInput.name": "token_name", "TokenForm.name": "token_name", "ServiceTokenInput.name": "token_name",
    "DocumentInput.body": "persona_document", "VoiceForm.body": "persona_document",
    "EndBody.summary": "action_summary",
    "GroupForm.name": "group_name", "GroupInput.name": "group_name",
    "AccountInput.username": "username",
    "EndUserInput.user_id": "external_id",
    "EvidenceInput.reference": "reference", "EvidenceInput.statement": "consent_statement",
    "TenantInput.name": "tenant_name",
    "GroupInviteForm.username": "username", "MemberInput.username": "username", "SignUpForm.username": "username",
    "StateInput.notes": "persona_notes",
    "EventCorrectForm.text": "canonical_text",
    "ThreadRefreshForm.said": "prompt", "SuppliedInput.text": "prompt",
    "AdditionInput.text": "content", "BlockInput.text": "content",
    **{f"Mem0Addition.{name}": "metadata" for name in ("agent_id", "app_id", "run_id")},
    "Mem0Addition.messages": "content", "Mem0BatchRow.text": "content", "Mem0Change.text": "content",
    "Mem0Feedback.feedback_reason": "comment",
    **{f"ChatCompletionInput.{name}": "content" for name in ("messages", *KEPT_FOR_MODEL)},
    **{f"ResponseInput.{name}": "content" for name in (*KEPT_FOR_MODEL, "input", "instructions", "text", "reasoning")},
    "EmbeddingsInput.input": "content",
    **{
        f"Knowledge{name}.{field}": "knowledge"
        for name in ("Fields", "Input", "Change")
        for field in ("subject", "slot", "source", "external_id", "graph_node_id")
    },
    "KnowledgeInput.text": "knowledge", "KnowledgeChange.text": "knowledge",
    "KnowledgeRelationInput.from_node": "knowledge", "KnowledgeRelationInput.to_node": "knowledge",
    "ChatSearchForm.q": "query",
    **{f"{name}.q": "query" for name in ("EventFilterForm", "MemoryFilterForm", "TimelineFilterForm")},
    **{
        name: name
        for name in (
            "content", "prompt", "query", "reason", "metadata", "request_id", "action_summary", "new_info", "location",
            "canonical_text", "comment", "title", "display_name", "refresh_conditions", "user_focus_reason",
            "research_style", "user_stated_position_context", "time_horizon", "constraints",
        )
    },
}  # fmt: skip
COMPARED: Final = "compared with what is known, and stored nowhere"
IGNORED: Final = "taken from clients that send it, and used for nothing"
HASHED: Final = "stored as a hash alone"
WEBHOOKS: Final = ("WebhookInput", "WebhookChange", "WebhookForm")
MODEL_CALLS: Final = ("ChatCompletionInput", "EmbeddingsInput", "ModelCallInput", "ResponseInput")
NOT_SCREENED: Final = {
    "BlockInput.text_fallback": "of media, which are refused: no block keeps it",
    "CodeInput.code": COMPARED,
    "ConfirmInput.confirm": COMPARED,
    "ErasureInput.confirm": COMPARED,
    "TypedForgetForm.confirm": COMPARED,
    "ErasureInput.target_id": "stored where it is the id of a row of the person's own",
    "ErasurePreviewQuery.target_id": "asked with, and stored nowhere",
    "ObjectFeedbackInput.related_object_ref": "stored where it names a row of the person's own",
    "SecretQuery.secret": COMPARED,
    "CredentialsInput.username": COMPARED,
    "SignInForm.username": COMPARED,
    "RecoverForm.username": COMPARED,
    "RecoverForm.code": COMPARED,
    "CredentialsInput.password": COMPARED,
    "CurrentPasswordForm.password": COMPARED,
    "SignInForm.password": COMPARED,
    "PasswordForm.old_password": COMPARED,
    "PasswordForm.new_password1": HASHED,
    "PasswordForm.new_password2": HASHED,
    "RecoverForm.new_password": HASHED,
    "SignUpForm.password": HASHED,
    "SignUpForm.time_zone": "a name of the IANA database, or refused",
    "FiltersInput.category": COMPARED,
    **{f"Mem0{name}.filters": COMPARED for name in ("AboutOne", "Addition", "Export", "List", "Named", "Search")},
    **{f"Mem0{name}.user_id": COMPARED for name in ("AboutOne", "Addition", "Export", "Named", "Whose")},
    **{f"{name}.model": COMPARED for name in MODEL_CALLS},
    **{f"ResponseInput.{name}": COMPARED for name in ("previous_response_id", "conversation")},
    **{f"ChatCompletionInput.{name}": IGNORED for name in IGNORED_FIELDS},
    **{f"ResponseInput.{name}": IGNORED for name in ResponseInput.ignored_fields},
    "EmbeddingsInput.user": IGNORED,
    "Mem0Export.schema": IGNORED,
    **{f"{name}.url": "an address that is told of events: masked it would be another" for name in WEBHOOKS},
    "ListInput.q": COMPARED,
    "KnowledgeRelationListQuery.node": COMPARED,
    **{f"KnowledgeListQuery.{name}": COMPARED for name in ("subject", "external_id", "graph_node_id", "q")},
}


def _loaded(package: Any) -> None:
    for module in pkgutil.iter_modules(package.__path__):
        if module.name != "migrations":
            importlib.import_module(f"{package.__name__}.{module.name}")


def _subclasses(parent: type[Any]) -> Iterator[type[Any]]:
    for child in parent.__subclasses__():
        yield child
        yield from _subclasses(child)


def _takes_text(field: Any) -> bool:
    if isinstance(field, serializers.ListField):
        return _takes_text(field.child)
    if isinstance(field, serializers.DictField | serializers.JSONField):
        return True
    return isinstance(field, serializers.CharField) and not isinstance(field, TimeZoneField)


def _of_the_api() -> Iterator[tuple[str, str]]:
    for package in (finclaw.api, finclaw.mem0_api, finclaw.openai_api):
        _loaded(package)
    for serializer in set(_subclasses(StrictSerializer)):
        if serializer.__module__.startswith("finclaw."):
            for name, field in serializer().fields.items():
                if _takes_text(field):
                    yield serializer.__name__, name


def _of_the_pages() -> Iterator[tuple[str, str]]:
    _loaded(finclaw.web.forms)
    for form in set(_subclasses(forms.BaseForm)):
        if form.__module__.startswith("finclaw.web."):
            for name, field in form.base_fields.items():
                if isinstance(field, forms.CharField) and not isinstance(field, forms.UUIDField):
                    yield form.__name__, name


FIELDS: Final = sorted({*_of_the_api(), *_of_the_pages()})


@pytest.mark.parametrize(("owner", "name"), FIELDS, ids=".".join)
def test_a_field_that_takes_text_is_screened_or_has_a_reason_not_to_be(owner: str, name: str) -> None:
    whole = f"{owner}.{name}"
    policy = SCREENED.get(whole) or (None if whole in NOT_SCREENED else SCREENED.get(name))

    assert (policy is None) == (whole in NOT_SCREENED), f"decide whether {whole} is screened"
    assert policy is None or policy in FIELD_POLICIES


def test_no_field_is_listed_that_is_none() -> None:
    known = {f"{owner}.{name}" for owner, name in FIELDS} | {name for _, name in FIELDS}

    assert len(FIELDS) > 80
    assert {*SCREENED, *NOT_SCREENED} <= known
