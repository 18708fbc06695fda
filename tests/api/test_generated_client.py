"""A generator takes the whole OpenAPI document, and the client that it writes works against the product."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.serializers.json import DjangoJSONEncoder
from openapi_spec_validator import OpenAPIV30SpecValidator

from finclaw.wsgi import application
from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from foundation.outbox.tasks import drain
from tests.api.test_openapi_document import document
from tests.support.cast import allow

pytestmark = pytest.mark.django_db(transaction=True)
PACKAGE = "finclaw_generated"
FILES = (
    "image/webp",
    "image/png",
    "image/jpeg",
    "application/zip",
    "text/csv",
    "application/jsonl",
    "application/x-ndjson",
    "text/markdown",
)
CONFIGURATION = json.dumps(
    {"content_type_overrides": dict.fromkeys(FILES, "application/octet-stream"), "post_hooks": []}
)


def _plain() -> dict[str, Any]:
    return dict(json.loads(json.dumps(document(), cls=DjangoJSONEncoder)))


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the generated package, which can be imported."""
    folder = tmp_path_factory.mktemp("generated")
    source, configuration = folder / "document.json", folder / "configuration.yaml"
    source.write_text(json.dumps(_plain()))
    configuration.write_text(CONFIGURATION)
    arguments = ["--path", source, "--config", configuration, "--meta", "none", "--output-path", folder / PACKAGE]
    ran = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", *map(str, arguments)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "WARNING" not in ran.stdout + ran.stderr, ran.stdout
    sys.path.insert(0, str(folder))
    yield folder / PACKAGE
    sys.path.remove(str(folder))


@pytest.fixture
def client(alice: User, generated: Path) -> Any:
    """The generated client, signed in as Alice; it calls the product in this process."""
    return _client(issue_token(alice)[1])


def _client(token: str) -> Any:
    made: Any = import_module(PACKAGE).AuthenticatedClient
    transport = {"transport": httpx.WSGITransport(app=application)}
    return made("http://testserver", token=token, raise_on_unexpected_status=True, httpx_args=transport)


def _call(operation: str, /, **arguments: Any) -> Any:
    return import_module(f"{PACKAGE}.api.{operation}").sync_detailed(**arguments)


def _model(kind: str, /, **fields: Any) -> Any:
    return getattr(import_module(f"{PACKAGE}.models"), kind).from_dict(fields)


def test_the_document_keeps_to_the_specification() -> None:
    assert [str(error) for error in OpenAPIV30SpecValidator(_plain()).iter_errors()] == []


def test_every_operation_is_generated(generated: Path) -> None:
    written = {path.stem for path in (generated / "api").rglob("*.py")} - {"__init__"}
    operations = {found["operationId"] for methods in document()["paths"].values() for found in methods.values()}
    assert written == operations


def test_a_stranger_and_a_mistake_get_typed_errors(client: Any) -> None:
    refused = _call("groups.group_create", client=client, body=_model("GroupInput", name=""))
    assert (refused.status_code, refused.parsed.code.value) == (400, "validation_error")
    assert _call("users.user_retrieve", client=_client("nothing")).parsed.code.value == "token_invalid"


def test_a_conversation_is_held_learned_from_searched_and_forgotten(alice: User, client: Any) -> None:
    allow(alice)
    session = _call("sessions.session_create", client=client, body=_model("SessionInput", title="Wine")).parsed
    said = _model("MessageInput", content="I own a vineyard in Burgundy.")
    turn = _call("sessions.message_send", session_id=session.session_id, client=client, body=said).parsed
    drain()
    job = _call("jobs.job_retrieve", job_id=turn.learning.job_id, client=client).parsed
    assert job.state.value == "done"
    learned = _call("messages.message_learned", message_id=turn.user_message_id, client=client).parsed
    assert (learned.status.value, learned.message_id) == ("done", turn.user_message_id)
    assert turn.learning.url == f"/api/messages/{turn.user_message_id}/learned"
    stated = _model("AdditionInput", text="I follow Bitcoin.", infer=False)
    [found] = _call("memories.memory_add", client=client, body=stated).parsed.results
    asked = _model("MemorySearchInput", query="Do I follow Bitcoin?")
    hits = _call("memories.memory_search", client=client, body=asked).parsed.results
    assert found.memory_id in {hit.memory_id for hit in hits}
    rated = _model("FeedbackInput", rating="helpful")
    assert _call("memories.memory_feedback", memory_id=found.memory_id, client=client, body=rated).status_code == 200
    forgotten = _call("memories.memory_delete", memory_id=found.memory_id, client=client)
    assert forgotten.headers["Location"].endswith(f"/api/erasures/{forgotten.parsed.tombstone_id}")
    assert _call("memories.memory_retrieve", memory_id=found.memory_id, client=client).status_code == 404


def test_a_page_leads_to_the_next(client: Any) -> None:
    for name in "ABC":
        _call("groups.group_create", client=client, body=_model("GroupInput", name=name))
    first = _call("groups.group_list", client=client, page_size=2).parsed
    cursor = httpx.URL(first.next_).params["cursor"]
    assert [group.name for group in _call("groups.group_list", client=client, cursor=cursor).parsed.results] == ["A"]
