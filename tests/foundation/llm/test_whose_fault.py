"""Whose fault a failed call was: the provider's, which passes without the text, or the request's own."""

from __future__ import annotations

import pytest

from foundation.embeddings.exceptions import EmbeddingUnavailable
from foundation.embeddings.openai_compatible import OpenAICompatibleEmbedder
from foundation.llm.exceptions import MalformedReply, ModelUnavailable
from foundation.llm.offline_model import OfflineModel
from foundation.llm.types import Prompt
from tests.foundation.llm.conftest import ModelMaker
from tests.support.model_server import MALFORMED, Behaviour, Drops, Hangs, ModelServer, Refuses, Says, SendsBody


def _failure(make_model: ModelMaker, prompt: Prompt, silence: float = 30.0) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as failure:
        make_model(silence=silence).call(prompt, "big")
    return failure.value


@pytest.mark.parametrize(
    "behaviour",
    [
        Drops(),
        SendsBody("<html>maintenance</html>", "text/html"),
        SendsBody(" <html>maintenance</html>"),
        SendsBody(""),
        *(Refuses(status) for status in (401, 402, 403, 404, 408, 410, 429, 500, 502, 503)),
    ],
    ids=str,
)
def test_what_every_text_would_meet_is_the_providers(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, behaviour: Behaviour
) -> None:
    server.default = behaviour

    assert _failure(make_model, prompt).is_providers_fault


def test_a_servers_silence_is_the_providers(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    server.default = Hangs()

    assert _failure(make_model, prompt, silence=0.1).is_providers_fault


@pytest.mark.parametrize(
    "behaviour",
    [
        Refuses(400), Refuses(413), Refuses(422), MALFORMED, Says(("  ",)), Says(("",), finish_reason="content_filter"),
        SendsBody("[]"), SendsBody("", "text/event-stream"), SendsBody("data: [DONE]\n\n", "text/event-stream"),
    ],
    ids=str,
)  # fmt: skip
def test_what_this_text_brought_about_is_not(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, behaviour: Behaviour
) -> None:
    server.default = behaviour

    assert not _failure(make_model, prompt).is_providers_fault


def test_an_answer_without_the_structure_is_not(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    server.default = Says(("No JSON at all.",))

    with pytest.raises(MalformedReply) as failure:
        make_model().call(prompt, "big", schema={"type": "object"})
    assert not failure.value.is_providers_fault


def test_nobody_who_was_down_is_taken_for_a_poisonous_text() -> None:
    assert ModelUnavailable().is_providers_fault
    assert ModelUnavailable().reason == ""
    assert ModelUnavailable().retry_after is None


def test_how_long_to_wait_is_told_as_the_server_says(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    server.default = Refuses(503, {"Retry-After": "17"})

    failure = _failure(make_model, prompt)

    assert (failure.reason, failure.retry_after_seconds, failure.retry_after) == ("server_error", 17.0, 17)
    assert ModelUnavailable(details={"retry_after_seconds": 0.2}).retry_after == 1


def test_a_gateways_page_in_place_of_vectors_is_the_providers(server: ModelServer) -> None:
    server.embeddings = SendsBody("<html>maintenance</html>", "text/html")
    embedder = OpenAICompatibleEmbedder(
        base_url=server.base_url, api_key="k", model="m", timeout_seconds=5, max_retries=0
    )

    with pytest.raises(EmbeddingUnavailable) as failure:
        embedder.embed_passages(["A text."])

    assert failure.value.is_providers_fault


@pytest.mark.parametrize(("status", "is_providers"), [(503, True), (400, False)])
def test_embedding_tells_it_likewise(server: ModelServer, status: int, is_providers: bool) -> None:
    server.embeddings = Refuses(status, {"Retry-After": "9"})
    embedder = OpenAICompatibleEmbedder(
        base_url=server.base_url, api_key="k", model="m", timeout_seconds=5, max_retries=0
    )

    with pytest.raises(EmbeddingUnavailable) as failure:
        embedder.embed_passages(["A text."])

    assert (failure.value.is_providers_fault, failure.value.retry_after) == (is_providers, 9)


def test_no_outage_is_waited_for_where_nobody_was_asked(prompt: Prompt) -> None:
    with pytest.raises(ModelUnavailable) as failure:
        OfflineModel().call(prompt, "offline", schema={"type": "object"})

    assert (failure.value.is_providers_fault, failure.value.is_outage) == (True, False)
    assert ModelUnavailable().is_outage
    assert not MalformedReply().is_outage
