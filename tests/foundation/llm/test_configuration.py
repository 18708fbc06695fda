"""Which model the settings ask for."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from foundation.llm import configured_model, model_id_for
from foundation.llm.configuration import configured_backend
from foundation.llm.types import Prompt
from tests.support.model_server import ModelServer


def test_without_a_server_the_offline_model_answers(settings: Settings, prompt: Prompt) -> None:
    settings.OPENAI_BASE_URL = ""

    model = configured_model(None)

    assert model.is_offline
    assert model.call(prompt, model_id_for("large"), kind="answer").model_id == "offline"


def test_with_a_server_it_is_asked(settings: Settings, server: ModelServer, prompt: Prompt) -> None:
    settings.OPENAI_BASE_URL = server.base_url
    settings.MODEL_MAX_OUTPUT_TOKENS = 77

    model = configured_model(None)

    assert not model.is_offline
    assert model.call(prompt, "big", kind="answer").text == "Hello."
    assert server.requests[0].body["max_tokens"] == 77


def test_one_connection_pool_serves_everybody_as_long_as_the_settings_stay(settings: Settings) -> None:
    first = configured_backend()
    assert configured_backend() is first

    settings.MODEL_TIMEOUT_SECONDS = 1.5
    assert configured_backend() is not first


def test_each_role_has_its_model_and_the_large_one_stands_in_for_a_missing_small_one(
    settings: Settings,
) -> None:
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    settings.MODEL_LARGE, settings.MODEL_SMALL = "big", "little"
    assert (model_id_for("large"), model_id_for("small")) == ("big", "little")

    settings.MODEL_SMALL = ""
    assert model_id_for("small") == "big"

    settings.MODEL_LARGE = ""
    with pytest.raises(ImproperlyConfigured):
        model_id_for("large")


def test_an_offline_installation_never_imports_the_client() -> None:
    code = "import sys, foundation.llm; print('openai' in sys.modules)"

    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def test_what_a_server_wants_besides_goes_with_every_request(settings: Settings, prompt: Prompt) -> None:
    with ModelServer() as server:
        settings.OPENAI_BASE_URL = server.base_url
        settings.MODEL_EXTRA_BODY = {"thinking": {"type": "disabled"}}
        configured_model(None).call(prompt, "big", kind="answer")

    assert server.requests[0].body["thinking"] == {"type": "disabled"}
