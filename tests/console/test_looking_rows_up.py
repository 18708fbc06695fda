"""A list is narrowed by what it offers: hidden columns cannot be guessed at, and no address is an error of ours."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from consent.models import AuditEvent
from consent.permit import Permit
from finclaw.console.audit import REFUSED_ACTION
from foundation.accounts.models import ApiToken, User
from foundation.admin import ModelAdmin
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from memory.models import ConversationEvent, MemoryItem, UserContext
from tests.console.conftest import SECRET

PROBES = (
    (User, "content_key__gt", "a"),
    (User, "content_key__isnull", "0"),
    (User, "password__startswith", "pbkdf2"),
    (User, "recovery_codes__code_hash__startswith", "a"),
    (User, "browser_sessions__session_key__startswith", "a"),
    (ApiToken, "digest__startswith", "a"),
    (ApiToken, "token_key__startswith", "a"),
    (ApiToken, "user__password__startswith", "pbkdf2"),
    (MemoryItem, "content__startswith", SECRET[:3]),
    (MemoryItem, "content_hash", "a"),
    (ConversationEvent, "content__icontains", SECRET),
    (UserContext, "user_focus_reason__startswith", SECRET[:3]),
    (MemoryItem, "no_such_column", "1"),
    (MemoryItem, "user__no_such__exact", "1"),
)
MISTYPED = (
    {"user__id__exact": "nobody"},
    {"user__id__exact": "\0"},
    {"state__exact": "\0"},
    {"state__in": ""},
    {"created_at__year": "99999999999999999999"},
    {"created_at__year": "9999"},
    {"created_at__year": "0"},
    {"created_at__year": "2026", "created_at__month": "13"},
    {"created_at__month": "x"},
    {"created_at__month": "99999999999999999999"},
    {"p": "99999999999999999999"},
    {"p": "-1"},
    {"o": "99.-1.x"},
    {"o": "content"},
    {"q": "\0"},
    {"_to_field": "content_hash"},
    {"state__isnull": "perhaps"},
)


def _list_of(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


@pytest.mark.parametrize(("model", "lookup", "value"), PROBES, ids=lambda part: getattr(part, "__name__", str(part)))
def test_a_hidden_column_cannot_be_guessed_at(
    as_operator: Client, operator: User, model: type[Model], lookup: str, value: str
) -> None:
    assert as_operator.get(_list_of(model), {lookup: value}).status_code == 400

    with in_role(OPERATOR_ROLE):
        tried = AuditEvent.objects.get(action=REFUSED_ACTION)
    assert tried.actor_id == operator.pk
    assert value not in str(tried.details).replace("changelist", "") or len(value) == 1


@pytest.mark.parametrize("query", MISTYPED, ids=str)
def test_what_cannot_be_looked_up_is_no_error_of_ours(as_operator: Client, query: dict[str, str]) -> None:
    assert as_operator.get(_list_of(MemoryItem), query).status_code in {200, 302, 400}


def test_what_a_list_offers_still_works(as_operator: Client, alice: User, bob: User, alices_rows: Permit) -> None:
    """Every filter's own links, every part of a date, and the way from a person to their rows."""
    offered = 0
    for model, page in admin.site._registry.items():
        answer = as_operator.get(_list_of(model))
        changes, request = answer.context["cl"], answer.wsgi_request
        for spec in changes.filter_specs:
            for choice in spec.choices(changes):
                for name, value in parse_qsl(choice["query_string"].removeprefix("?")):
                    assert page.lookup_allowed(name, value, request), name
                    offered += 1
    dated = {"created_at__year": "2026", "created_at__month": "11", "user__id__exact": str(bob.pk)}
    assert as_operator.get(_list_of(MemoryItem), dated).context["cl"].result_count == 0
    assert offered > 100


def test_every_page_narrows_its_look_ups() -> None:
    assert [page for page in admin.site._registry.values() if not isinstance(page, ModelAdmin)] == []
    for page in admin.site._registry.values():
        assert type(page).lookup_allowed is ModelAdmin.lookup_allowed
