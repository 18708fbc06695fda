"""No text of a prompt or a reply leaves in an error or a log line."""

from __future__ import annotations

import json
import logging
import traceback

import pytest

from foundation.llm.exceptions import MalformedReply, ModelUnavailable
from foundation.llm.types import Message, Prompt
from foundation.sanitization.types import SafeText
from tests.foundation.llm.conftest import ModelMaker
from tests.support.model_server import Behaviour, ModelServer, Refuses, Says, SendsBody, SendsEvents

NEEDLE = "柏林-needle-7431"
SECRET_PROMPT = Prompt(SafeText(f"Alice said {NEEDLE}"), (Message("user", SafeText(f"Is {NEEDLE} right?")),))
SCHEMA = {"type": "object", "properties": {"kind": {"enum": ["a"]}}, "additionalProperties": False}

ECHOES = [
    Refuses(400, message=f"cannot serve: {NEEDLE}"),
    Refuses(500, message=NEEDLE),
    SendsBody(f'{{"choices": "{NEEDLE}'),
    SendsBody(json.dumps({"choices": [{"message": NEEDLE}]})),
    SendsBody(NEEDLE, "text/plain"),
]


def assert_clean(failure: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    assert NEEDLE not in "".join(traceback.format_exception(failure))
    assert NEEDLE not in str(getattr(failure, "details", ""))
    assert NEEDLE not in caplog.text


@pytest.mark.parametrize("behaviour", ECHOES)
def test_an_error_that_echoes_the_prompt_is_told_in_our_words(
    server: ModelServer, make_model: ModelMaker, caplog: pytest.LogCaptureFixture, behaviour: Behaviour
) -> None:
    caplog.set_level(logging.DEBUG)
    server.default = behaviour

    with pytest.raises(ModelUnavailable) as failure:
        make_model(retries=1).call(SECRET_PROMPT, "big")

    assert_clean(failure.value, caplog)


def test_a_stream_error_that_echoes_the_prompt_is_told_in_our_words(
    server: ModelServer, make_model: ModelMaker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.default = SendsEvents((json.dumps({"error": {"message": NEEDLE}}),))

    with pytest.raises(ModelUnavailable) as failure:
        next(make_model().stream(SECRET_PROMPT, "big"))

    assert_clean(failure.value, caplog)


@pytest.mark.parametrize("text", [NEEDLE, f'{{"kind": "{NEEDLE}"}}', f'{{"{NEEDLE}": 1}}', f'["{NEEDLE}"]'])
def test_a_structured_answer_that_breaks_its_schema_is_not_quoted(
    server: ModelServer, make_model: ModelMaker, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    caplog.set_level(logging.DEBUG)
    server.default = Says((text,))

    with pytest.raises(MalformedReply) as failure:
        make_model().call(SECRET_PROMPT, "big", schema=SCHEMA)

    assert_clean(failure.value, caplog)


def test_a_call_that_goes_well_logs_no_text(
    server: ModelServer, make_model: ModelMaker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.default = Says((NEEDLE,))

    assert make_model().call(SECRET_PROMPT, "big").text == NEEDLE

    assert NEEDLE not in caplog.text
