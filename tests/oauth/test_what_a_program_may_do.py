"""Every address has a scope for programs, or is closed to them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from finclaw.api.program_access import ANY, SCOPES
from foundation.accounts.models import User
from foundation.accounts.scopes import ALL_SCOPES, READ, WRITE
from tests.support.api import code_of
from tests.support.cast import allow
from tests.support.oauth import Assistant

METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}


def named_views(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[tuple[str, set[str]]]:
    """The name and the methods of every view of REST framework's, below the name space of its address."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from named_views(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
        elif hasattr(pattern.callback, "cls"):
            methods = {method for method in METHODS if hasattr(pattern.callback.cls, method.lower())}
            yield f"{space}{pattern.name}", methods


def test_the_table_names_views_methods_and_scopes_that_exist() -> None:
    views: dict[str, set[str]] = {}
    for name, methods in named_views(get_resolver().url_patterns):
        views.setdefault(name, set()).update(methods)
    assert len(views) > 100
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
