"""Every address has a scope for programs, or is closed to them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from finclaw.api.program_access import ANY, SCOPES
from foundation.accounts.models import User
from foundation.accounts.scopes import ALL_SCOPES, CONVERSE, READ, WRITE
from tests.support.api import code_of
from tests.support.cast import allow
from tests.support.oauth import Assistant

METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
CLOSED = {
    "api:bookmark", "api:bookmarks", "api:certificate", "api:checkpoint", "api:consent", "api:consent_history",
    "api:context", "api:docs",
    "api:end_user", "api:end_user_consent", "api:end_users", "api:erasure_preview", "api:erasure_request",
    "api:erasures", "api:export", "api:export_ask", "api:export_download", "api:exports", "api:group",
    "api:group_invitation", "api:group_invitations", "api:groups", "api:import", "api:imports",
    "api:knowledge", "api:knowledge_entry", "api:knowledge_history", "api:knowledge_imports", "api:knowledge_undo",
    "api:knowledge_relation", "api:knowledge_relation_history", "api:knowledge_relations",
    "api:invitation_accept", "api:invitation_decline", "api:invitation_join", "api:invitations", "api:long_task",
    "api:long_task_cancellation", "api:long_task_result", "api:long_tasks", "api:member",
    "api:members", "api:object_feedback", "api:one_consent", "api:one_feedback", "api:one_program",
    "api:one_service_token", "api:one_token", "api:persona_documents", "api:persona_mode", "api:persona_preference",
    "api:persona_preference_confirm", "api:persona_preferences", "api:persona_user_document", "api:programs",
    "api:proposal", "api:proposals", "api:provisioned_accounts", "api:provisioned_tenants", "api:recommended",
    "api:save_as_thread",
    "api:schema", "api:service_tokens", "api:session_persona", "api:snapshot", "api:task", "api:task_cancel",
    "api:task_preview", "api:tasks", "api:thread", "api:thread_refresh", "api:thread_refreshes", "api:threads",
    "api:tokens", "api:training_candidate", "api:training_candidates", "api:watch_question_reopen",
    "api:watch_question_resolve", "api:webhook", "api:webhook_deliveries", "api:webhook_delivery_resend",
    "api:webhook_ping", "api:webhook_secret", "api:webhooks", "mem0:add", "mem0:batch", "mem0:delete_all",
    "mem0:entities", "mem0:entity", "mem0:entity_of_now", "mem0:event", "mem0:export_result", "mem0:exports",
    "mem0:feedback", "mem0:history", "mem0:list", "mem0:memory", "mem0:ping", "mem0:search",
    "mem0:server_configure", "mem0:server_history", "mem0:server_memories", "mem0:server_memory",
    "mem0:server_reset", "mem0:server_search", "oauth:authorization_server", "oauth:one_protected_resource",
    "oauth:protected_resource", "oauth:register", "oauth:revoke", "oauth:token",
}  # fmt: skip
"""Views that no program reaches; a new view is named here, or gets its scope in the table."""


def named_views(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[tuple[str, set[str]]]:
    """The name and the methods of every view of REST framework's, below the name space of its address."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from named_views(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
        elif hasattr(pattern.callback, "cls"):
            methods = {method for method in METHODS if hasattr(pattern.callback.cls, method.lower())}
            yield f"{space}{pattern.name}", methods


def methods_of_views() -> dict[str, set[str]]:
    views: dict[str, set[str]] = {}
    for name, methods in named_views(get_resolver().url_patterns):
        views.setdefault(name, set()).update(methods)
    return views


def test_every_view_has_a_scope_or_is_closed_on_purpose() -> None:
    assert sorted(methods_of_views()) == sorted([*SCOPES, *CLOSED])


def test_the_table_names_views_methods_and_scopes_that_exist() -> None:
    views = methods_of_views()
    unknown = {
        (name, method) for name, methods in SCOPES.items() for method in methods if method not in views.get(name, ())
    }
    assert not unknown
    assert {scope for methods in SCOPES.values() for scope in methods.values()} <= {ANY, *ALL_SCOPES}


def test_what_the_table_does_not_name_is_closed(alice: User) -> None:
    allow(alice)
    client = Assistant().connect(alice)
    closed = {
        "/api/auth/tokens": "get", "/api/exports": "get", "/api/webhooks": "post", "/api/groups": "get",
        "/api/users/me/profile-consent": "post", "/api/users/me/erasure": "post", "/api/imports": "post",
        "/api/tasks": "get", "/v3/memories/search/": "post", "/api/provisioning/tenants": "get",
        "/api/users/me": "patch",
    }  # fmt: skip
    for path, method in closed.items():
        answer = getattr(client, method)(path, {} if method != "get" else None)
        assert answer.status_code in {401, 403}, path
        assert answer.json()["code"] in {"permission_denied", "not_authenticated"}, path


@pytest.mark.parametrize("scope", ALL_SCOPES)
def test_a_scope_opens_its_own_addresses_alone(alice: User, scope: str) -> None:
    allow(alice)
    client = Assistant().connect(alice, scope=scope)
    asked = {
        "memories:read": client.get("/api/memories"),
        "memories:write": client.post("/api/memories", {}),
        "memories:forget": client.delete("/api/memories/01900000-0000-7000-8000-000000000000"),
        "converse": client.post("/api/sessions", {}),
    }
    open_to = {name for name, answer in asked.items() if answer.status_code != 403}
    assert open_to == {scope}
    refused = next(answer for name, answer in asked.items() if name != scope)
    assert code_of(refused) == "permission_denied"
    assert client.get("/api/auth/token").json()["scopes"] == [scope]


def test_a_missing_scope_is_named(alice: User) -> None:
    allow(alice)
    answer = Assistant().connect(alice, scope=READ).post("/api/memories", {})
    assert answer.json()["details"] == {"required_scopes": [WRITE]}
    assert answer.status_code == 403
    challenge = answer["WWW-Authenticate"]
    assert challenge.startswith('Bearer error="insufficient_scope", scope="memories:write", resource_metadata="http')


def test_each_protocol_names_a_missing_scope(alice: User) -> None:
    allow(alice)
    client = Assistant().connect(alice, scope=READ)
    for path, scope in (("/v1/chat/completions", CONVERSE), ("/v1/embeddings", CONVERSE), ("/api/sessions", CONVERSE)):
        answer = client.post(path, {})
        assert answer.status_code == 403, path
        assert f'error="insufficient_scope", scope="{scope}"' in answer["WWW-Authenticate"], path


def test_no_scope_is_asked_for_where_none_would_help(alice: User) -> None:
    allow(alice)
    answer = Assistant().connect(alice, scope=READ).get("/api/auth/tokens")
    assert (answer.status_code, answer.has_header("WWW-Authenticate")) == (403, False)
