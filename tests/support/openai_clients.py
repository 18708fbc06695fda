"""OpenAI's own client against the running product, and a model for it to reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import openai
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from tests.support.model_server import ModelServer, Says

WEATHER: Final[Any] = {
    "type": "function",
    "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


@contextmanager
def model_of_programs(settings: Settings) -> Iterator[ModelServer]:
    """The large model, which says that bonds fell; there is no small one."""
    with ModelServer(Says(("Bonds ", "fell."))) as server:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY, settings.MODEL_LARGE = server.base_url, "test", "big-7b"
        settings.MODEL_SMALL, settings.MODEL_MAX_RETRIES = "", 0
        yield server


class OpenedClients:
    """Makes clients, and closes them at the end: a server waits for every connection that is held open."""

    def __init__(self, live_server: LiveServer) -> None:
        self._address, self._opened = f"{live_server.url}/v1", ExitStack()

    def open(self, user: User | str, **options: Any) -> openai.OpenAI:
        """A client with a token of this user, or with this key."""
        key = user if isinstance(user, str) else issue_token(user)[1]
        made = openai.OpenAI(base_url=self._address, api_key=key, **{"max_retries": 0} | options)
        return self._opened.enter_context(made)

    def close(self) -> None:
        """Close all of them."""
        self._opened.close()
