"""Which embedder the settings ask for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from pytest_django import Settings

from foundation.embeddings import E5Embedder, LocalEmbedder, configured_embedder
from tests.support.model_server import ModelServer


@pytest.mark.parametrize(("name", "embedder"), [("e5", E5Embedder), ("light", LocalEmbedder)])
def test_without_a_server_the_embedded_model_is_used(settings: Settings, name: str, embedder: type) -> None:
    settings.EMBEDDINGS_BASE_URL = ""
    settings.EMBEDDER = name

    assert isinstance(configured_embedder(), embedder)
    assert configured_embedder() is configured_embedder()


def test_with_a_server_it_is_asked(settings: Settings, server: ModelServer) -> None:
    settings.EMBEDDINGS_BASE_URL = server.base_url
    settings.EMBEDDINGS_MODEL = "their-model"

    embedder = configured_embedder()

    assert embedder.embed_passages(["hello"]).shape == (1, 8)
    assert embedder.model_id == server.requests[0].body["model"] == "their-model"


def test_an_installation_without_a_server_never_imports_its_client() -> None:
    program = "import sys, foundation.embeddings; sys.exit('openai' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_an_unknown_embedded_model_is_refused_with_the_names_that_there_are() -> None:
    settings = subprocess.run(
        [sys.executable, "-c", "import finclaw.settings"],
        env={**os.environ, "EMBEDDER": "heavy"}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert settings.returncode
    assert "EMBEDDER" in settings.stderr
    assert "e5, light" in settings.stderr
