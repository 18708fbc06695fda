"""The models and the client without ``await`` are what ``make client`` makes of the API and of the client with it."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder

from tests.api.test_openapi_document import document

FOLDER = settings.BASE_DIR / "clients" / "python"
PACKAGE = FOLDER / "finclaw_client"


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    yield import_module("generate")
    del sys.modules["generate"]


def test_the_models_are_those_of_the_document(generate: Any, tmp_path: Path) -> None:
    described = tmp_path / "openapi.json"
    described.write_text(json.dumps(document(), cls=DjangoJSONEncoder))
    assert generate.models(described) == (PACKAGE / "models.py").read_text(), "run `make client`"


def test_the_client_without_await_is_the_one_with_it(generate: Any) -> None:
    committed = {path.name: path.read_text() for path in (PACKAGE / "sync").glob("*.py")}
    assert generate.sync_modules() == committed, "run `make client`"
