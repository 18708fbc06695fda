"""Every address of the API asks who is there, but for a short list; and the contract's addresses are all there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.urls import URLPattern
from rest_framework.test import APIClient

from finclaw.api.urls import urlpatterns
from tests.support.api import MISSING, code_of, send

PUBLIC = {("POST", "auth/token"), ("GET", "schema"), ("GET", "docs"), ("GET", "exports/download/<id>")}
# Whatever the method, no sign-in stands before these; a certificate asks for its secret, or for its person.
OPEN_TO_ALL = {"schema", "docs", "exports/download/<id>", "erasures/<id>/certificate"}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
CONTRACT = {
    "auth/token": {"GET", "POST", "DELETE"},
    "auth/tokens": {"GET", "DELETE"},
    "auth/tokens/<id>": {"PATCH", "DELETE"},
    "auth/programs": {"GET"},
    "auth/programs/<id>": {"PATCH"},
    "users/me": {"GET", "PATCH"},
    "groups": {"GET", "POST"},
    "groups/<id>": {"GET"},
    "groups/<id>/invitations": {"GET", "POST"},
    "groups/<id>/invitations/<id>": {"DELETE"},
    "groups/<id>/members": {"POST"},
    "groups/<id>/members/<id>": {"DELETE"},
    "invitations": {"GET"},
    "invitations/join": {"POST"},
    "invitations/<id>/accept": {"POST"},
    "invitations/<id>/decline": {"POST"},
    "users/<id>/profile-consent": {"GET", "POST"},
    "provisioning/tenants": {"GET", "POST"},
    "provisioning/accounts": {"POST"},
    "provisioning/service-tokens": {"GET", "POST"},
    "provisioning/service-tokens/<id>": {"DELETE"},
    "provisioning/users": {"GET", "POST"},
    "provisioning/users/<id>": {"GET", "DELETE"},
    "provisioning/users/<id>/consent": {"GET", "PUT", "DELETE"},
    "users/<id>/profile-consent/history": {"GET"},
    "users/<id>/profile-consent/<id>": {"DELETE"},
    "users/<id>/context": {"GET", "PATCH", "DELETE"},
    "users/<id>/export": {"POST"},
    "context": {"GET", "POST"},
    "exports": {"GET"},
    "imports": {"GET", "POST"},
    "imports/<id>": {"GET", "DELETE"},
    "exports/<id>": {"GET"},
    "exports/download/<id>": {"GET"},
    "sessions": {"GET", "POST"},
    "sessions/<id>": {"GET", "PATCH", "DELETE"},
    "sessions/<id>/archive": {"POST"},
    "sessions/<id>/reopen": {"POST"},
    "sessions/<id>/messages": {"GET", "POST"},
    "messages/<id>/learned": {"GET"},
    "messages/<id>/retry": {"POST"},
    "sessions/<id>/end": {"POST"},
    "sessions/<id>/persona": {"GET", "PUT", "DELETE"},
    "persona/mode": {"PUT"},
    "persona/documents": {"GET"},
    "persona/documents/user": {"GET", "PUT"},
    "persona/preferences": {"GET"},
    "persona/preferences/<id>": {"DELETE"},
    "persona/preferences/<id>/confirm": {"POST"},
    "receipts/<id>": {"GET"},
    "memories": {"GET", "POST", "DELETE"},
    "memories/<id>": {"GET", "PATCH", "DELETE"},
    "memories/<id>/history": {"GET"},
    "memories/<id>/confirm": {"POST"},
    "memories/<id>/reject": {"POST"},
    "memories/<id>/undo": {"POST"},
    "memories/<id>/settle": {"POST"},
    "memories/<id>/take-back": {"POST"},
    "memories/<id>/feedback": {"POST"},
    "memories/search": {"POST"},
    "messages/search": {"POST"},
    "memories/proposals": {"GET"},
    "memories/proposals/<id>": {"POST"},
    "jobs/<id>": {"GET"},
    "users/<id>/erasure": {"POST"},
    "erasures/preview": {"GET"},
    "erasures": {"GET"},
    "erasures/<id>": {"GET"},
    "erasures/<id>/certificate": {"GET"},
    "events": {"GET"},
    "events/<id>": {"GET", "PATCH", "DELETE"},
    "events/search": {"POST"},
    "entity-profiles/<id>/<id>": {"GET", "PATCH", "DELETE"},
    "entity-profiles/<id>/<id>/revisions": {"GET"},
    "entity-profiles/<id>/<id>/rollback": {"POST"},
    "entity-profiles/search": {"POST"},
    "tasks": {"GET", "POST"},
    "tasks/preview": {"POST"},
    "tasks/<id>": {"GET", "DELETE"},
    "tasks/<id>/cancel": {"POST"},
    "tasks/all": {"GET"},
    "tasks/<id>/status": {"GET"},
    "tasks/<id>/result": {"GET"},
    "tasks/<id>/cancellation": {"POST"},
    "skills/recommended": {"GET"},
    "snapshots/<id>": {"GET"},
    "snapshots/<id>/save-as-thread": {"POST"},
    "checkpoints/<id>": {"GET"},
    "threads": {"GET"},
    "threads/<id>": {"GET", "PATCH", "DELETE"},
    "threads/<id>/refresh": {"POST"},
    "threads/<id>/refreshes": {"GET"},
    "threads/<id>/watch-questions/<id>/resolve": {"POST"},
    "threads/<id>/watch-questions/<id>/reopen": {"POST"},
    "training-candidates": {"GET"},
    "training-candidates/<id>": {"DELETE"},
    "feedback": {"GET", "POST"},
    "feedback/<id>": {"DELETE"},
    "knowledge": {"GET", "POST"},
    "knowledge/<id>": {"GET", "PATCH", "DELETE"},
    "knowledge/imports": {"POST"},
    "knowledge/relations": {"GET", "POST"},
    "knowledge/relations/<id>": {"GET", "DELETE"},
    "knowledge/relations/history": {"GET"},
    "knowledge/<id>/undo": {"POST"},
    "knowledge/<id>/history": {"GET"},
    "media": {"GET", "POST"},
    "media/<id>": {"GET", "DELETE"},
    "media/<id>/content": {"GET"},
    "media/<id>/reading": {"POST"},
    "media/<id>/thumbnail": {"GET"},
    "bookmarks": {"GET", "POST"},
    "bookmarks/<id>": {"GET", "DELETE"},
    "webhooks": {"GET", "POST"},
    "webhooks/<id>": {"GET", "PATCH", "DELETE"},
    "webhooks/<id>/secret": {"POST"},
    "webhooks/<id>/ping": {"POST"},
    "webhooks/<id>/deliveries": {"GET"},
    "webhooks/<id>/deliveries/<id>/resend": {"POST"},
    "schema": {"GET"},
    "docs": {"GET"},
}
EVENT = "r:1"


def _routes() -> Iterator[tuple[str, set[str]]]:
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        if pattern.name == "unmatched":
            continue
        view = getattr(pattern.callback, "cls", None)
        assert view is not None, "every address is a DRF view"
        yield _template(pattern), {method for method in METHODS if hasattr(view, method.lower())}


def _template(pattern: URLPattern) -> str:
    if pattern.name == "event":
        return "events/<id>"
    parts = str(pattern.pattern).split("/")
    return "/".join("<id>" if part.startswith("<") else part for part in parts)


def _path(template: str) -> str:
    return f"/api/{template.replace('<id>', EVENT if template == 'events/<id>' else MISSING)}"


def test_the_addresses_are_exactly_the_contracts() -> None:
    assert dict(_routes()) == CONTRACT


@pytest.mark.parametrize("method", METHODS)
def test_nobody_gets_past_the_door_unnamed(db: None, method: str) -> None:
    client = APIClient(raise_request_exception=False)
    for template in CONTRACT:
        cache.clear()  # these are more requests than a stranger may send in a minute
        answer = send(client, method, _path(template), b"{}")
        if (method, template) in PUBLIC:
            assert answer.status_code in {200, 400, 404}, template
        elif template in OPEN_TO_ALL and method not in CONTRACT[template]:
            assert answer.status_code == 405, template
        else:
            assert (answer.status_code, code_of(answer)) == (401, "not_authenticated"), template
