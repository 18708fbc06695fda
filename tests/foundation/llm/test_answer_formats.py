"""JSON of servers that know no schema, or no format at all: found out once, remembered, and found out anew later."""

from __future__ import annotations

import json

import pytest

from foundation.llm.answer_formats import FormatMemory
from foundation.llm.exceptions import MalformedReply, ModelUnavailable
from foundation.llm.expiring_memory import REMEMBERED_SECONDS
from foundation.llm.openai_compatible import OpenAICompatibleModel
from foundation.llm.types import CallLimits, Prompt
from foundation.sanitization.types import SafeText
from tests.support.model_server import KnowsFormats, ModelServer, Refuses, Says, Stalls

SCHEMA = {"title": "mood", "type": "object", "required": ["mood"], "properties": {"mood": {"type": "string"}}}
GOOD = Says(('{"mood": "calm"}',))
WRONG = Says(("It is calm.",))
EVERYTHING = frozenset({"json_schema", "json_object"})
OBJECTS = frozenset({"json_object"})
NOTHING: frozenset[str] = frozenset()


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def model(server: ModelServer, clock: Clock) -> OpenAICompatibleModel:
    limits = CallLimits(30.0, 30.0, max_retries=2, max_output_tokens=500, first_backoff_seconds=0.01)
    return OpenAICompatibleModel(base_url=server.base_url, api_key="", limits=limits, formats=FormatMemory(clock))


def asked(server: ModelServer) -> list[str]:
    """The formats asked for so far, in order; forgets them."""
    formats = [request.body.get("response_format", {}).get("type", "prompt") for request in server.requests]
    server.requests.clear()
    return formats


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize(
    ("known", "tried"),
    [
        (EVERYTHING, ["json_schema"]),
        (OBJECTS, ["json_schema", "json_object"]),
        (NOTHING, ["json_schema", "json_object", "prompt"]),
    ],
)
def test_the_best_format_that_the_server_knows_is_found_and_remembered(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt, known: frozenset[str], tried: list[str],
    status: int,
) -> None:  # fmt: skip
    server.default = KnowsFormats(known, GOOD, status)

    assert json.loads(model.call(prompt, "small", schema=SCHEMA).text) == {"mood": "calm"}
    assert asked(server) == tried
    model.call(prompt, "small", schema=SCHEMA)
    assert asked(server) == tried[-1:]


def test_below_the_schema_it_stands_in_the_system_prompt(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt
) -> None:
    server.default = KnowsFormats(NOTHING, GOOD)

    model.call(prompt, "small", schema=SCHEMA)
    model.call(Prompt(SafeText(""), prompt.messages), "small", schema=SCHEMA)

    by_schema, by_object, in_words, without_system = [request.body["messages"] for request in server.requests]
    assert by_schema[0]["content"] == "Be careful."
    for messages in (by_object, in_words, without_system):
        assert [message["role"] for message in messages] == ["system", "user"]
        assert json.dumps(SCHEMA) in messages[0]["content"]
    assert in_words[0]["content"].startswith("Be careful.\n\n")


def test_each_model_of_a_server_is_remembered_by_itself(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt
) -> None:
    server.script([Refuses(400)])
    server.default = GOOD

    model.call(prompt, "small", schema=SCHEMA)
    model.call(prompt, "large", schema=SCHEMA)

    assert asked(server) == ["json_schema", "json_object", "json_schema"]


def test_a_server_that_was_upgraded_is_found_again(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt, clock: Clock
) -> None:
    server.default = KnowsFormats(OBJECTS, GOOD)
    model.call(prompt, "small", schema=SCHEMA)
    server.default = GOOD
    asked(server)

    for moment in (REMEMBERED_SECONDS - 1, REMEMBERED_SECONDS):
        clock.now = moment
        model.call(prompt, "small", schema=SCHEMA)

    assert asked(server) == ["json_object", "json_schema"]


def test_a_prompt_refused_in_every_format_tells_nothing_about_any(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt
) -> None:
    server.script([Refuses(400)] * 3)
    server.default = GOOD

    with pytest.raises(ModelUnavailable) as failure:
        model.call(prompt, "small", schema=SCHEMA)
    assert failure.value.details["reason"] == "request_refused"
    assert asked(server) == ["json_schema", "json_object", "prompt"]

    for _ in range(2):
        model.call(prompt, "small", schema=SCHEMA)
    assert asked(server) == ["json_schema"] * 2


def test_a_prompt_refused_in_a_format_that_was_answered_in_is_not_asked_in_another(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt
) -> None:
    server.script([GOOD, Refuses(400)])
    server.default = GOOD

    model.call(prompt, "small", schema=SCHEMA)
    with pytest.raises(ModelUnavailable):
        model.call(prompt, "small", schema=SCHEMA)
    model.call(prompt, "small", schema=SCHEMA)

    assert asked(server) == ["json_schema"] * 3


@pytest.mark.parametrize("behaviour", [Refuses(401), Refuses(404), Refuses(503), Refuses(429, {"Retry-After": "0"})])
def test_what_has_nothing_to_do_with_the_format_changes_it_not(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt, behaviour: Refuses
) -> None:
    server.default = behaviour
    with pytest.raises(ModelUnavailable):
        model.call(prompt, "small", schema=SCHEMA)
    assert set(asked(server)) == {"json_schema"}


def test_a_500_to_a_format_that_was_answered_in_is_a_failure_like_any_other(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt
) -> None:
    server.script([GOOD, Refuses(500), GOOD])

    for _ in range(2):
        model.call(prompt, "small", schema=SCHEMA)

    assert asked(server) == ["json_schema"] * 3


def test_a_server_that_ignores_the_schema_is_asked_in_words_next_time(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt
) -> None:
    server.script([WRONG, WRONG, GOOD, WRONG, GOOD])

    for outcome in ("malformed", "malformed", "good", "malformed", "good"):
        if outcome == "good":
            model.call(prompt, "small", schema=SCHEMA)
        else:
            with pytest.raises(MalformedReply):
                model.call(prompt, "small", schema=SCHEMA)

    assert asked(server) == ["json_schema", "json_object", "prompt", "prompt", "prompt"]


def test_one_wrong_answer_among_right_ones_costs_no_format(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt
) -> None:
    server.script([GOOD, WRONG, GOOD, Says(('{"mood"',), finish_reason="length"), GOOD])

    for _ in range(5):
        try:
            model.call(prompt, "small", schema=SCHEMA)
        except MalformedReply:
            continue

    assert set(asked(server)) == {"json_schema"}


@pytest.mark.parametrize(
    "text",
    ['Here you are: {"mood": "calm"} Anything else?', '<think>{hm}</think>\n```json\n{"mood": "calm"}\n```'],
)
def test_words_around_the_object_are_allowed_where_no_server_forbids_them(
    server: ModelServer, model: OpenAICompatibleModel, prompt: Prompt, text: str
) -> None:
    server.default = KnowsFormats(NOTHING, Says((text,)))

    assert json.loads(model.call(prompt, "small", schema=SCHEMA).text) == {"mood": "calm"}


def test_a_server_that_hangs_is_not_asked_in_another_format(server: ModelServer, prompt: Prompt) -> None:
    server.default = Stalls()
    limits = CallLimits(5.0, 0.1, max_retries=2, max_output_tokens=500)
    model = OpenAICompatibleModel(base_url=server.base_url, api_key="", limits=limits)

    with pytest.raises(ModelUnavailable) as failure:
        model.call(prompt, "small", schema=SCHEMA)

    assert failure.value.details["reason"] == "timeout"
    assert asked(server) == ["json_schema"]
