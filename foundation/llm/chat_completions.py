"""Requests chat completions through the official client, and returns the events as plain JSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
import openai


class ChatCompletions:
    """Stands in for ``client.chat.completions``; its streams yield JSON objects, not the client's model classes.

    ``wire_format`` reads the few fields that are needed; building the client's classes takes five times as long.
    """

    def __init__(self, client: openai.OpenAI) -> None:
        self._client = client

    def create(
        self, *, timeout: httpx2.Timeout, extra_body: Mapping[str, Any], **request: Any
    ) -> openai.Stream[object]:
        """Begin a stream of events, JSON objects, with ``extra_body`` among the request's fields."""
        return self._client.post(
            "/chat/completions",
            cast_to=object,
            body=request,
            options={"timeout": timeout, "extra_json": dict(extra_body)},
            stream=True,
            stream_cls=openai.Stream[object],
        )
