"""An answer that the model's limit ended says so; one that ended by itself does not."""

from __future__ import annotations

import pytest

from foundation.llm.types import ANSWER_CUT, Prompt
from tests.foundation.llm.conftest import ModelMaker
from tests.foundation.llm.test_streaming import drained
from tests.support.model_server import ModelServer, Says, SendsBody


@pytest.mark.parametrize(("reason", "is_cut"), [("length", True), ("max_tokens", True), ("stop", False)])
@pytest.mark.parametrize("knows_streams", [True, False])
def test_the_finish_reason_is_told(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, reason: str, is_cut: bool, knows_streams: bool
) -> None:
    server.default = Says(("Bonds are",), finish_reason=reason, knows_streams=knows_streams)
    model = make_model()

    assert model.call(prompt, "big").degraded == ((ANSWER_CUT,) if is_cut else ())
    assert drained(model.stream(prompt, "big"))[1].degraded == ((ANSWER_CUT,) if is_cut else ())


def test_counts_that_cannot_be_read_cost_no_answer(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    server.default = SendsBody(
        '{"choices": [{"message": {"content": "Berlin."}}], "usage": {"prompt_tokens": null, "completion_tokens": "x"}}'
    )

    reply = make_model().call(prompt, "big")

    assert reply.text == "Berlin."
    assert reply.usage.prompt_tokens > 0
