"""C-7: whatever a door refuses or masks is in no table, log line, metric, queue payload, answer or prompt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from django.core.cache import cache
from prometheus_client import generate_latest
from psycopg import sql

from consent.sensitive.policy import FIELD_POLICIES, SECRETS, SensitivePolicy
from consent.sensitive.types import SensitiveKind
from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from memory.models import MemoryItem, Session
from tests.consent.sensitive.samples import SAMPLES, Sample
from tests.support import api
from tests.support.cast import PASSWORD, allow
from tests.support.model_server import ModelServer
from tests.support.talk import open_session
from tests.web import support as web

pytestmark = pytest.mark.django_db(transaction=True)
HARMLESS = "a harmless needle 9417"


@dataclass
class Scene:
    """Alice with everything allowed, a conversation and a memory; her program and her browser."""

    alice: User
    session: Session
    memory: MemoryItem

    def __post_init__(self) -> None:
        self.program = api.signed_in(self.alice)
        self.browser = web.signed_in(self.alice)

    def post(self, path: str, body: Any) -> Any:
        key = sha256(f"{path} {body}".encode()).hexdigest()
        return self.program.post(f"/api/{path}", body, headers={"Idempotency-Key": key})

    def patch(self, path: str, body: Any) -> Any:
        return self.program.patch(f"/api/{path}", body)

    def correct(self, **body: str) -> Any:
        newest = self.program.get("/api/memories").json()["results"][0]["memory_id"]
        return self.patch(f"memories/{newest}", {"content": "Likes tea", **body})


Send = Callable[[Scene, str], Any]
Leaks = Callable[..., dict[str, list[str]]]
_SCOPES = dict.fromkeys(
    ["save_to_thread", "save_to_profile", "training_use_allowed", "memory_learning_allowed"], True
)  # fmt: skip
_ENDS = iter(range(1, 1000))


def _ending(scene: Scene, **body: str) -> Any:
    return scene.post(f"sessions/{scene.session.pk}/end", {"request_id": f"r{next(_ENDS)}", **body})


def _context(field: str) -> Send:
    return lambda scene, text: scene.patch("users/me/context", {field: text, "confirm_financial": True})


def _grant(scene: Scene, text: str) -> Any:
    return scene.post("users/me/profile-consent", {**_SCOPES, "preferences": {"user_focus_reason": text}})


def _token(scene: Scene, text: str) -> Any:
    return scene.post("auth/token", {"username": scene.alice.username, "password": PASSWORD, "name": text})


def _blocks(scene: Scene, text: str) -> Any:
    blocks = [{"type": "text", "text": "Look:"}, {"type": "text", "text": text}]
    return scene.post(f"sessions/{scene.session.pk}/messages", {"content_blocks": blocks})


def _streamed(scene: Scene, text: str) -> Any:
    return scene.post(f"sessions/{scene.session.pk}/messages?stream=true", {"content": text})


# Each door of the API: the field its refusals name, and a request that brings a text to it.
DOORS: dict[str, tuple[str, Send]] = {
    "message": ("content", lambda s, text: s.post(f"sessions/{s.session.pk}/messages", {"content": text})),
    "message, blocks": ("content", _blocks),
    "message, streamed": ("content", _streamed),
    "end, summary": ("action_summary", lambda s, text: _ending(s, action_summary=text)),
    "end, legacy summary": ("action_summary", lambda s, text: _ending(s, summary=text)),
    "end, new info": ("new_info", lambda s, text: _ending(s, new_info=text)),
    "end, location": ("location", lambda s, text: _ending(s, new_info="bought tea", location=text)),
    "added to learn": ("content", lambda s, text: s.post("memories", {"text": text})),
    "added word for word": ("content", lambda s, text: s.post("memories", {"text": text, "infer": False})),
    "speaker": (
        "name",
        lambda s, text: s.post("memories", {"messages": [{"role": "user", "content": "I like tea", "name": text}]}),
    ),
    "added metadata": (
        "metadata",
        lambda s, text: s.post("memories", {"text": "tea", "infer": False, "metadata": {"a": [text]}}),
    ),
    "correction": ("content", lambda s, text: s.correct(content=text)),
    "correction, reason": ("reason", lambda s, text: s.correct(reason=text)),
    "session title": ("title", lambda s, text: s.post("sessions", {"title": text})),
    "session location": ("location", lambda s, text: s.post("sessions", {"location": text})),
    "new title": ("title", lambda s, text: s.patch(f"sessions/{s.session.pk}", {"title": text})),
    "group name": ("group_name", lambda s, text: s.post("groups", {"name": text})),
    "token name": ("token_name", _token),
    "preferences": ("user_focus_reason", _grant),
    **{
        f"context, {field}": (field, _context(field))
        for field in (
            "user_focus_reason", "research_style", "user_stated_position_context", "time_horizon", "constraints",
        )
    },
}  # fmt: skip
WEB_DOORS: dict[str, Callable[[Scene, str], Any]] = {
    "chat": lambda s, text: s.browser.post(f"/chat/{s.session.pk}/send/", {"content": text}),
    "chat, streamed": lambda s, text: s.browser.post(f"/chat/{s.session.pk}/send/?stream=true", {"content": text}),
    "correction": lambda s, text: s.browser.post(f"/memories/{s.memory.pk}/correct/", {"content": text}),
    "preferences": lambda s, text: s.browser.post(
        "/settings/", {"section": "preferences", "user_focus_reason": text}
    ),
    "key name": lambda s, text: s.browser.post("/settings/keys/new/", {"name": text}),
    "search": lambda s, text: s.browser.get("/memories/", {"q": text}),
}  # fmt: skip


@pytest.fixture
def scene(transactional_db: None, alice: User) -> Iterator[Scene]:
    cache.clear()
    allow(alice)
    yield Scene(alice, open_session(alice), web.memory_of(alice, "Likes tea"))
    cache.clear()


@pytest.fixture
def leaks(
    superuser_connection: psycopg.Connection, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> Leaks:
    """Where texts are found: tables (queue and idempotency keys among them), logs, standard error, metrics. A text that
    is found nowhere is not among them.
    """
    caplog.set_level("DEBUG")
    printed: list[str] = []

    def search(*texts: str) -> dict[str, list[str]]:
        printed.extend(capfd.readouterr())
        places = {"logs": caplog.text, "output": "".join(printed), "metrics": generate_latest().decode()}
        places |= dict(_tables(superuser_connection))
        found = {text: [place for place, content in places.items() if _holds(content, text)] for text in texts}
        return {text: places for text, places in found.items() if places}

    return search


def _holds(content: str, text: str) -> bool:
    needle = needle_of(text)
    return any(form in content for form in (needle, json.dumps(needle)[1:-1], needle.encode().hex()))


def _tables(connection: psycopg.Connection) -> Iterator[tuple[str, str]]:
    names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert len(names) > 30
    for (name,) in names:
        rows = connection.execute(sql.SQL("SELECT row::text FROM {} AS row").format(sql.Identifier(name)))
        yield name, "\n".join(row for (row,) in rows)


def needle_of(text: str) -> str:
    """The longest line: a table's rows are printed with their line breaks as they are, JSON with escaped ones."""
    return max(text.splitlines(), key=len)


def body_of(response: Any) -> str:
    is_stream = getattr(response, "streaming", False)
    return (b"".join(response.streaming_content) if is_stream else response.content).decode()


@pytest.mark.parametrize("door", DOORS)
def test_an_api_door_refuses_or_masks_every_kind_and_keeps_nothing(scene: Scene, leaks: Leaks, door: str) -> None:
    field, send = DOORS[door]
    for sample in _fitting(door):
        response = send(scene, sample.text)
        body = body_of(response)
        if _is_refused(field, sample):
            assert (response.status_code, api.code_of(response)) == (422, "sensitive_input")
            assert response.json()["details"]["field"] == field
            assert response.json()["details"]["kinds"] == [sample.kind.value]
        else:
            assert response.status_code < 300
            assert f'"field":"{field}","kind":"{sample.kind.value}"' in body.replace(": ", ":").replace(", ", ",")
        assert needle_of(sample.value) not in body
    drain()
    assert leaks(*(sample.value for sample in SAMPLES)) == {}
    harmless = send(scene, HARMLESS)
    assert harmless.status_code < 300
    assert "masked" not in body_of(harmless)
    assert leaks(HARMLESS)  # the same door, the same search: what is accepted is found


@pytest.mark.parametrize("door", WEB_DOORS)
def test_a_page_never_shows_a_refused_value_again_and_keeps_nothing(scene: Scene, leaks: Leaks, door: str) -> None:
    secrets = [sample for sample in _fitting(door) if sample.kind in SECRETS]
    for sample in secrets:
        response = WEB_DOORS[door](scene, sample.text)
        assert response.status_code == 422
        assert needle_of(sample.value) not in body_of(response)
    assert leaks(*(sample.value for sample in secrets)) == {}


def test_the_model_is_sent_the_masked_text(scene: Scene, settings: Any) -> None:
    send = DOORS["message"][1]
    with ModelServer() as server:
        settings.OPENAI_BASE_URL = server.base_url
        for sample in SAMPLES:
            send(scene, sample.text)
        sent = json.dumps([request.body for request in server.requests], ensure_ascii=False)
    assert "[redacted:email]" in sent
    assert [sample.value for sample in SAMPLES if needle_of(sample.value) in sent] == []


def test_a_repeated_request_is_answered_with_the_same_masks(scene: Scene) -> None:
    send = DOORS["message"][1]
    first, again = send(scene, "write to carol@example.com"), send(scene, "write to carol@example.com")
    assert first.json() == again.json()
    assert again.json()["masked"] == [{"field": "content", "kind": "email"}]


def test_her_own_name_is_no_secret_of_hers(scene: Scene) -> None:
    response = DOORS["message"][1](scene, f"My name is {scene.alice.display_name}.")
    assert "masked" not in response.json()


def _fitting(door: str) -> list[Sample]:
    """The samples that are not refused for their length alone."""
    longest = {"token name": 80, "key name": 80, "speaker": 60}.get(door, 1_000)
    # A name is what is asked for, and kept.
    fitting = [one for one in SAMPLES if door != "speaker" or one.kind is not SensitiveKind.PERSONAL_NAME]
    return [sample for sample in fitting if len(sample.text) <= longest]


def _is_refused(field: str, sample: Sample) -> bool:
    return sample.kind in SECRETS or FIELD_POLICIES[field] is SensitivePolicy.REJECT
