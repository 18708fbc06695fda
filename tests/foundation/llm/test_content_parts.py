"""Content blocks that travel with the user's message."""

from __future__ import annotations

from typing import Any

from foundation.llm.offline_model import OfflineModel
from foundation.llm.types import Message, Prompt
from foundation.sanitization.types import SafeText
from tests.foundation.llm.conftest import ModelMaker
from tests.support.model_server import ModelServer
from tests.support.prompt_text import memories

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


def test_parts_follow_the_text_of_the_last_message_only(server: ModelServer, make_model: ModelMaker) -> None:
    prompt = Prompt(
        SafeText(""),
        (Message("user", SafeText("Hi")), Message("assistant", SafeText("Hello")), Message("user", SafeText("Look:"))),
    )
    parts: list[dict[str, Any]] = [
        IMAGE,
        {"type": "text", "text": "a chart"},
        {"type": "document", "media_id": "m1", "text_fallback": "the report's first page"},
        {"type": "audio", "media_id": "m2"},
    ]

    make_model().call(prompt, "big", parts)

    first, _, last = server.requests[0].body["messages"]
    assert first["content"] == "Hi"
    assert last["content"] == [
        {"type": "text", "text": "Look:"},
        IMAGE,
        {"type": "text", "text": "a chart"},
        {"type": "text", "text": "the report's first page"},
    ]


def test_the_offline_model_reads_the_text_of_parts() -> None:
    prompt = Prompt(
        SafeText(""),
        (Message("user", SafeText("What do I say about this?")),),
        context=SafeText(memories("- [2026-01-15] Tea from Hangzhou is my favourite")),
    )

    reply = OfflineModel().call(prompt, "offline", [{"type": "image", "text_fallback": "a cup of tea"}])

    assert "“Tea from Hangzhou is my favourite”" in reply.text
