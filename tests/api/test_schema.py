"""The OpenAPI schema is sound, its pages stand under the strict content policy, and the API keeps to it."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
import schemathesis
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck, Phase, given, settings
from rest_framework.test import APIClient
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from finclaw.wsgi import application
from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import WatchQuestion
from tests.api.test_route_policy import CONTRACT
from tests.support.api import post, signed_in
from tests.support.cast import allow, group_with
from tests.support.research import checkpoint_made, snapshot_made, thread_kept

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
RESEARCH = {"tasks", "snapshots", "checkpoints", "threads", "feedback", "skills", "training"}
EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "2"))  # of each operation; `make prove` asks for more


def _document() -> dict[str, Any]:
    generator: Any = SchemaGenerator
    return dict(generator().get_schema(request=None, public=True))


def test_the_schema_is_valid_and_describes_every_address() -> None:
    document = _document()
    validate_schema(document)  # type: ignore[no-untyped-call]
    described = {re.sub(r"{\w+}", "<id>", path).removeprefix("/api/"): set(map(str.upper, methods))
                 for path, methods in document["paths"].items() if path.startswith("/api/")}  # fmt: skip
    assert described == {path: methods for path, methods in CONTRACT.items() if path not in {"schema", "docs"}}


def test_every_write_names_its_key() -> None:
    for path, methods in _document()["paths"].items():
        for method, operation in methods.items():
            named = {parameter["name"] for parameter in operation.get("parameters", [])}
            is_write = (
                method != "get" and not path.endswith(("/search", "/preview", "/api/context")) and "/auth/" not in path
            )
            is_write = is_write and not path.endswith("/export") and "/imports" not in path
            is_write = (
                is_write and "/provisioning/" not in path and not path.startswith(("/v1/embed", "/v1/responses/"))
            )
            assert ("Idempotency-Key" in named) == is_write, (method, path)


def test_the_pages_load_nothing_from_elsewhere_and_nothing_inline(db: None) -> None:
    page = APIClient().get("/api/docs")
    html = page.content.decode()
    assert "unsafe" not in page["Content-Security-Policy"]
    assert "<style" not in html
    assert all(url.startswith("/") for url in re.findall(r'(?:src|href)="([^"]+)"', html))
    assert re.findall(r"<script[^>]*>\s*</script>", html) == re.findall(r"<script.*?</script>", html, re.S)
    for url in re.findall(r'(?:src|href)="([^"]+)"', html):
        assert APIClient().get(url.replace("&amp;", "&")).status_code == 200


@pytest.mark.timeout(420)  # some seventy operations, each with its examples
@pytest.mark.django_db(transaction=True)
def test_no_request_the_schema_allows_breaks_the_api_or_the_schema(alice: User) -> None:
    schema = schemathesis.openapi.from_dict(_document())
    schema.app = application
    results = list(schema.get_all_operations())
    operations = [result.ok() for result in results if isinstance(result, Ok)]
    assert len(operations) == len(results)
    reads = [operation for operation in operations if operation.method.lower() == "get"]
    assert len(operations) > len(reads) > 20

    allow(alice)
    reachable = _reachable(alice, *(operation.path for operation in reads))
    for operation in reads:
        _probe(operation, reachable, issue_token(alice)[1])
    for operation in operations:
        if operation not in reads:  # a write may take away, or lock, what the next one is to reach
            allow(alice)
            reachable = _reachable(alice, operation.path) if _reaches(operation.path) else {}
            _probe(operation, reachable, issue_token(alice)[1])


def _probe(operation: Any, reachable: dict[str, str], token: str) -> None:
    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy())
    def probe(case: Any) -> None:
        known = {name: reachable[name] for name in case.path_parameters or {} if name in reachable}
        case.path_parameters = (case.path_parameters or {}) | known
        response = case.call(headers={"Authorization": f"Token {token}"})
        case.validate_response(response, checks=CHECKS)

    probe()


def _reaches(path: str) -> bool:
    """Whether a write reaches something that is there: by its address, or by looking for it."""
    return "{" in path or path.endswith(("search", "context"))


def _reachable(alice: User, *paths: str) -> dict[str, str]:
    """Something of Alice's behind the paths, so that requests reach past the 404. Research is made where one asks for
    it: two snapshots, a checkpoint and a thread are three runs.
    """
    client = signed_in(alice)
    session = post(client, "/api/sessions", {}).json()["session_id"]
    post(client, f"/api/sessions/{session}/end", {"request_id": "r", "new_info": "Alice bought a vineyard."})
    job = post(client, "/api/memories", {"text": "Remember that I like tea."}).json()["job_id"]
    drain()
    kept = post(client, "/api/memories", {"text": "I own a vineyard.", "infer": False}).json()
    return {
        "user_id": "me",
        "session_id": session,
        "event_id": "r:1",
        "job_id": job,
        "export_id": _exported(client) if any("export" in path for path in paths) else "",
        "memory_id": kept["results"][0]["memory_id"],
        "preference_id": _preferred(client, session) if any("preference" in path for path in paths) else "",
        "group_id": str(group_with(alice).pk),
    } | (_researched(alice) if any(RESEARCH & set(re.split(r"\W", path)) for path in paths) else {})


def _researched(alice: User) -> dict[str, str]:
    """A task, what it made, and a thread with a question."""
    snapshot = snapshot_made(alice)
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        question = WatchQuestion.objects.filter(thread=thread).get()
    return {
        "task_id": str(snapshot.task_id),
        "snapshot_id": str(snapshot.pk),
        "checkpoint_id": str(checkpoint_made(alice).pk),
        "thread_id": str(thread.pk),
        "question_id": str(question.pk),
    }


def _preferred(client: APIClient, session: str) -> str:
    """How Alice wants to be answered, as she said."""
    post(client, f"/api/sessions/{session}/messages", {"content": "From now on, always keep your answers short."})
    return str(client.get("/api/persona/preferences").json()["results"][0]["id"])


def _exported(client: APIClient) -> str:
    """An export that is ready, beside one that waits."""
    ready = post(client, "/api/users/me/export").json()["export_id"]
    drain()
    post(client, "/api/users/me/export")
    return str(ready)
