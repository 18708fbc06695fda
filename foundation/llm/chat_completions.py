"""Chat completions through the official client, whose answers are left as they came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
import openai


class ChatCompletions:
    """``client.chat.completions`` for streams, without a class of the client's for each event.

    ``wire_format`` reads what it needs of them; making those classes first takes five times as long as reading.
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
