"""What the model server refuses, as a wrong key, is a line on Today and a word in readiness until the model answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse
from prometheus_client import REGISTRY
from pytest_django import Settings

from foundation.llm import ModelUnavailable, configuration, configured_model, model_id_for
from foundation.llm.types import Message, Prompt
from foundation.sanitization.types import SafeText
from tests.support.model_server import Behaviour, Drops, ModelServer, Refuses, Says, SendsBody

TODAY = reverse("admin:index")
KEY = "sk-not-to-be-shown"
QUIET = "Nothing needs you right now."
WRONG_KEY = "The model server refuses our key for big (HTTP 401). Check OPENAI_API_KEY."
UNKNOWN = "The model server does not know big (HTTP 404). Check MODEL_LARGE, MODEL_SMALL and OPENAI_BASE_URL."
REFUSED = "The model server refuses requests to big (HTTP 400). Run manage.py check_model to see which."
pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = running.base_url, KEY
        settings.MODEL_LARGE, settings.MODEL_SMALL, settings.MODEL_MAX_RETRIES = "big", "little", 0
        yield running


def _ask() -> None:
    prompt = Prompt(SafeText(""), (Message("user", SafeText("Well?")),))
    configured_model(None).call(prompt, model_id_for("large"), kind="answer")


def _meet(server: ModelServer, *failures: Behaviour) -> None:
    server.script(failures)
    for _ in failures:
        with pytest.raises(ModelUnavailable):
            _ask()


def _forget_circuits() -> None:
    """As another process has it, that meets the server for the first time."""
    configuration._backend.cache_clear()


def _circuit_is_open() -> float | None:
    return REGISTRY.get_sample_value("model_circuit_open", {"model": "big"})


def _ready(client: Client) -> str:
    answer = client.get(reverse("ready"))
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")
    return str(answer.json()["model"])


@pytest.mark.parametrize(
    ("refusal", "line"),
    [
        (Refuses(401, message=KEY), WRONG_KEY), (Refuses(403), WRONG_KEY.replace("401", "403")),
        (Refuses(404), UNKNOWN),
    ],
)  # fmt: skip
def test_it_is_named_until_the_model_answers(
    as_operator: Client, client: Client, server: ModelServer, refusal: Refuses, line: str
) -> None:
    _meet(server, refusal)

    page = as_operator.get(TODAY).content.decode()
    assert f'<li class="error">{line}</li>' in page
    assert QUIET not in page
    assert KEY not in page
    assert _ready(client) == "refused"

    _ask()
    assert line not in as_operator.get(TODAY).content.decode()
    assert _ready(client) == "configured"


def test_one_refused_request_is_not_the_models_refusal(
    as_operator: Client, client: Client, server: ModelServer
) -> None:
    for answered_after in (1, 2, 2):
        _meet(server, *[Refuses(400)] * answered_after)
        assert _ready(client) == "configured"
        assert REFUSED not in as_operator.get(TODAY).content.decode()
        _ask()

    _meet(server, *[Refuses(400)] * 3)
    assert _ready(client) == "refused"
    assert f'<li class="error">{REFUSED}</li>' in as_operator.get(TODAY).content.decode()


def test_a_changed_key_takes_the_line_away(client: Client, server: ModelServer, settings: Settings) -> None:
    _meet(server, Refuses(401))
    assert _ready(client) == "refused"

    settings.OPENAI_API_KEY = "another"

    assert _ready(client) == "configured"


@pytest.mark.parametrize("failure", [Refuses(503), Refuses(429), Says(("",))])
def test_what_passes_by_itself_is_none(client: Client, server: ModelServer, failure: Behaviour) -> None:
    _meet(server, failure)

    assert _ready(client) == "configured"


def test_a_format_that_is_refused_and_done_without_is_none(client: Client, server: ModelServer) -> None:
    server.script([Refuses(400), Says(("{}",))])
    prompt = Prompt(SafeText(""), (Message("user", SafeText("Well?")),))

    configured_model(None).call(prompt, model_id_for("large"), kind="answer", schema={"type": "object"})

    assert _ready(client) == "configured"


@pytest.mark.parametrize(
    ("failure", "cause"),
    [
        (Refuses(503), "it answers with errors"),
        (Drops(), "it cannot be reached"),
        (SendsBody("<html></html>", "text/html"), "it sends something other than answers, such as a page of a gateway"),
    ],
    ids=str,
)
def test_a_server_that_is_down_is_named_until_it_answers(
    as_operator: Client, client: Client, server: ModelServer, settings: Settings, failure: Behaviour, cause: str,
) -> None:  # fmt: skip
    settings.MODEL_CIRCUIT_FAILURES = 3
    line = f"The model server fails for big ({cause}). It is asked again at intervals."
    _meet(server, *[failure] * 2)
    assert _ready(client) == "configured"

    _meet(server, failure)

    assert _ready(client) == "failing"
    page = as_operator.get(TODAY).content.decode()
    assert f'<li class="error">{line}</li>' in page
    assert QUIET not in page
    assert _circuit_is_open() == 1
    with pytest.raises(ModelUnavailable, match="not asked for now"):
        _ask()

    _forget_circuits()
    _ask()
    assert line not in as_operator.get(TODAY).content.decode()
    assert _ready(client) == "configured"


def test_one_refused_request_after_an_outage_is_not_the_models_refusal(
    client: Client, server: ModelServer, settings: Settings
) -> None:
    settings.MODEL_CIRCUIT_FAILURES = 1
    _meet(server, Refuses(503))
    _forget_circuits()

    _meet(server, Refuses(400))

    assert _ready(client) == "configured"


def test_without_a_model_readiness_says_offline(client: Client, settings: Settings) -> None:
    settings.OPENAI_BASE_URL = ""
    assert _ready(client) == "offline"
