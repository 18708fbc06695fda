"""An embeddings server over real HTTP, and the ways it fails."""

from __future__ import annotations

import json
import socket
from typing import Any

import numpy as np
import pytest

from foundation.embeddings import EmbeddingUnavailable
from foundation.embeddings.openai_compatible import BATCH_SIZE, OpenAICompatibleEmbedder
from tests.support.model_server import Behaviour, Drops, Embeds, ModelServer, Refuses, SendsBody, Stalls


def _embedder(server: ModelServer, **options: Any) -> OpenAICompatibleEmbedder:
    given: dict[str, Any] = {
        "base_url": server.base_url,
        "api_key": "key",
        "model": "m",
        "timeout_seconds": 30.0,
        "max_retries": 0,
    }
    return OpenAICompatibleEmbedder(**(given | options))


def _sends(*vectors: Any, indexes: list[int] | None = None) -> SendsBody:
    places = indexes or range(len(vectors))
    data = [{"index": index, "embedding": vector} for index, vector in zip(places, vectors, strict=True)]
    return SendsBody(json.dumps({"object": "list", "data": data, "model": "m"}))


def test_rows_are_unit_vectors_in_the_order_asked(server: ModelServer) -> None:
    server.script([_sends([0.0, 2.0], [3.0, 0.0], indexes=[1, 0])])

    assert _embedder(server).embed_passages(["one", "two"]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_query_has_the_vector_of_the_same_passage(server: ModelServer) -> None:
    embedder = _embedder(server)

    assert np.array_equal(embedder.embed_queries(["one", "two"]), embedder.embed_passages(["one", "two"]))


def test_many_texts_go_in_batches(server: ModelServer) -> None:
    texts = [f"text {number}" for number in range(2 * BATCH_SIZE + 1)]

    matrix = _embedder(server).embed_passages(texts)

    assert [len(request.body["input"]) for request in server.requests] == [BATCH_SIZE, BATCH_SIZE, 1]
    assert np.allclose(matrix[-1], _embedder(server).embed_passages(texts[-1:])[0])


def test_the_request_names_model_key_and_plain_numbers(server: ModelServer) -> None:
    _embedder(server, api_key="secret").embed_passages(["hello"])

    request = server.requests[0]
    assert request.headers["Authorization"] == "Bearer secret"
    assert request.body == {"model": "m", "input": ["hello"], "encoding_format": "float"}


def test_asked_dimensions_are_sent_and_name_a_space_of_their_own(server: ModelServer) -> None:
    embedder = _embedder(server, dimensions=8)

    embedder.embed_passages(["hello"])

    assert server.requests[0].body["dimensions"] == embedder.dimensions == 8
    assert embedder.model_id != _embedder(server).model_id


def test_unknown_dimensions_are_asked_once(server: ModelServer) -> None:
    embedder = _embedder(server)

    assert (embedder.dimensions, embedder.dimensions) == (8, 8)
    assert len(server.requests) == 1


def test_no_texts_give_no_rows(server: ModelServer) -> None:
    assert _embedder(server).embed_passages([]).shape == (0, 8)


def test_an_empty_text_is_not_sent_empty(server: ModelServer) -> None:
    _embedder(server).embed_passages(["", "hello"])

    assert all(text.strip() for text in server.requests[0].body["input"])


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (Refuses(400), "request_refused"),
        (Refuses(401), "credentials_refused"),
        (Refuses(429), "rate_limited"),
        (Refuses(500), "server_error"),
        (Drops(), "unreachable"),
        (SendsBody('{"data": [{"embe'), "unusable_answer"),
        (SendsBody("<html>gateway</html>", "text/html"), "unusable_answer"),
        (SendsBody('{"data": null}'), "unusable_answer"),
        (SendsBody('{"data": []}'), "unusable_answer"),
        (SendsBody('{"data": [{"index": 0, "embedding": [NaN, 1]}]}'), "unusable_answer"),
        (_sends([1.0], [1.0]), "unusable_answer"),
        (_sends([1.0], indexes=[1]), "unusable_answer"),
        (_sends([]), "unusable_answer"),
        (_sends([0.0, 0.0]), "unusable_answer"),
        (_sends("AAAA"), "unusable_answer"),
    ],
)
def test_every_failure_is_embedding_unavailable_with_a_reason(
    server: ModelServer, behaviour: Behaviour, reason: str
) -> None:
    server.script([behaviour])

    with pytest.raises(EmbeddingUnavailable) as failure:
        _embedder(server).embed_passages(["what Alice said"])

    assert failure.value.code == "vector_unavailable"
    assert failure.value.details["reason"] == reason
    assert "Alice" not in f"{failure.value} {failure.value.details}"


def test_a_stalled_server_is_given_up(server: ModelServer) -> None:
    server.script([Stalls()])

    with pytest.raises(EmbeddingUnavailable) as failure:
        _embedder(server, timeout_seconds=0.2).embed_passages(["hello"])

    assert failure.value.details["reason"] == "timeout"


def test_a_server_that_is_not_there_is_unreachable(server: ModelServer) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    with pytest.raises(EmbeddingUnavailable) as failure:
        _embedder(server, base_url=address).embed_passages(["hello"])

    assert failure.value.details["reason"] == "unreachable"


def test_a_passing_failure_is_tried_again(server: ModelServer) -> None:
    server.script([Refuses(429, {"Retry-After": "0"}), Refuses(503, {"Retry-After": "0"})])

    assert _embedder(server, max_retries=2).embed_passages(["hello"]).shape == (1, 8)
    assert len(server.requests) == 3


@pytest.mark.parametrize("asked", [None, 8])
def test_vectors_of_another_length_are_refused(server: ModelServer, asked: int | None) -> None:
    embedder = _embedder(server, dimensions=asked)
    embedder.embed_passages(["hello"])
    server.script([Embeds(dimensions=4)])

    with pytest.raises(EmbeddingUnavailable) as failure:
        embedder.embed_passages(["hello"])

    assert failure.value.details["reason"] == "dimension_mismatch"


def test_rows_of_unequal_length_are_refused(server: ModelServer) -> None:
    server.script([_sends([1.0, 0.0], [1.0])])

    with pytest.raises(EmbeddingUnavailable):
        _embedder(server).embed_passages(["one", "two"])
