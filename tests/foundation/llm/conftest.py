from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from foundation.llm.admission_control import AdmissionControl
from foundation.llm.openai_compatible import OpenAICompatibleModel
from foundation.llm.types import CallLimits, Message, Prompt
from foundation.sanitization.types import SafeText
from tests.support.model_server import ModelServer

ModelMaker = Callable[..., OpenAICompatibleModel]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def make_model(server: ModelServer) -> ModelMaker:
    """A model behind the server, with limits a test can wait for."""

    def make(
        *,
        timeout: float = 30.0,
        silence: float = 30.0,
        retries: int = 0,
        base_url: str = "",
        api_key: str = "key",
        admissions: AdmissionControl | None = None,
    ) -> OpenAICompatibleModel:
        limits = CallLimits(timeout, silence, retries, max_output_tokens=500, first_backoff_seconds=0.01)
        return OpenAICompatibleModel(
            base_url=base_url or server.base_url, api_key=api_key, limits=limits, admissions=admissions
        )

    return make


@pytest.fixture
def prompt() -> Prompt:
    return Prompt(SafeText("Be careful."), (Message("user", SafeText("Where does Alice live?")),))
