"""LangChain's own tests of chat models, through ``BASE`` with the token ``KEY``; run by ``tests.clients``."""

from __future__ import annotations

import os
from typing import Any

from langchain_openai import ChatOpenAI  # type: ignore[import-not-found]
from langchain_tests.integration_tests import ChatModelIntegrationTests  # type: ignore[import-not-found]


class TestChatModel(ChatModelIntegrationTests):  # type: ignore[misc]
    @property
    def chat_model_class(self) -> Any:
        return ChatOpenAI

    @property
    def chat_model_params(self) -> dict[str, Any]:
        address, key = f"{os.environ['BASE']}/v1", os.environ["KEY"]
        return {"model": "finclaw", "base_url": address, "api_key": key, "max_retries": 0, "stream_usage": True}

    @property
    def model_override_value(self) -> str:
        return "big-7b"

    @property
    def supports_json_mode(self) -> bool:
        return True

    @property
    def supports_image_inputs(self) -> bool:
        return False
