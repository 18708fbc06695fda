"""OpenAI's own client, unchanged, asks for responses: at once and in events, with tools, and going on from each."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import ConversationEvent, Session
from tests.support.cast import allow
from tests.support.model_server import AsksFor, Drops, ModelServer, Refuses, Says
from tests.support.openai_clients import WEATHER, OpenedClients

pytestmark = pytest.mark.django_db(transaction=True)

TOOL: Any = {"type": "function", **WEATHER["function"], "strict": False}
OSLO = '{"city": "Oslo"}'


@pytest.fixture
def server(model_of_programs: ModelServer) -> ModelServer:
    return model_of_programs


@pytest.fixture
def client(alice: User, clients: OpenedClients, server: ModelServer) -> openai.OpenAI:
    allow(alice)
    return clients.open(alice)


def _ask(client: openai.OpenAI, given: Any, **more: Any) -> Any:
    return client.responses.create(**{"model": "finclaw", "input": given, **more})


def _output(call: Any, said: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call.call_id, "output": said}


def _stored(user: User) -> list[tuple[str, str]]:
    with acting_as(user.pk):
        told = ConversationEvent.objects.not_replaced().order_by("session_id", "seq")
        return [(event.role, event.text) for event in told]


def test_a_response_of_somebody_else_is_not_there(client: openai.OpenAI, charlie: User, clients: OpenedClients) -> None:
    allow(charlie)
    answered, other = _ask(client, "Hello"), clients.open(charlie)
    for key in (answered.id, "resp_0", "made-up", answered.id.upper()):
        asked: list[Any] = [
            lambda key=key: other.responses.retrieve(key),
            lambda key=key: other.responses.input_items.list(key),
            lambda key=key: other.responses.delete(key),
            lambda key=key: _ask(other, "And then?", previous_response_id=key),
            lambda key=key: _ask(other, "And then?", conversation=answered.conversation.id),
        ]
        for ask in asked:
            with pytest.raises(openai.NotFoundError):
                ask()


def test_before_any_decision_on_consent_nothing_is_answered(charlie: User, clients: OpenedClients) -> None:
    for more in ({}, {"previous_response_id": "resp_" + "0" * 32}):
        with pytest.raises(openai.PermissionDeniedError) as refused:
            _ask(clients.open(charlie), "Hello", **more)
        assert refused.value.code == "profile_consent_required"


NOT_TAKEN: list[tuple[dict[str, Any], str]] = [
    ({"input": []}, "input"),
    ({"input": [{"role": "assistant", "content": "Hello"}]}, "input"),
    ({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}]}, "input"),
    ({"input": [{"type": "web_search_call", "id": "x"}]}, "input"),
    ({"input": [{"type": []}]}, "input"),
    ({"input": [{"type": "function_call_output", "call_id": "x", "output": "x"}]}, "input"),
    (
        {"input": [{"role": "user", "content": "Hi"}, {"type": "function_call_output", "call_id": [], "output": "x"}]},
        "input",
    ),
    ({"tools": [{"type": "web_search"}]}, "tools"),
    ({"store": "no"}, "store"),
    ({"background": True}, "background"),
    ({"prompt": {"id": "x"}}, "prompt"),
    ({"conversation": "conv_x", "previous_response_id": "resp_x"}, "conversation"),
]


def test_what_is_not_taken_is_refused_by_its_name(client: openai.OpenAI, server: ModelServer) -> None:
    for given, param in NOT_TAKEN:
        with pytest.raises(openai.BadRequestError) as refused:
            _ask(client, "Hello", extra_body=given)
        assert refused.value.param == param, given
    assert server.requests == []


def test_a_response_has_the_shape_that_clients_read(client: openai.OpenAI, alice: User, server: ModelServer) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    answer = _ask(
        client, "What of bonds?", instructions="I follow BTC.", max_output_tokens=50, temperature=0.2,
        metadata={"a": "b"}, tools=[TOOL], tool_choice={"type": "function", "name": "get_weather"},
        text={"format": {"type": "json_schema", "name": "f", "schema": schema}}, reasoning={"effort": "low"},
    )  # fmt: skip
    assert (answer.status, answer.output_text, answer.metadata) == ("completed", "Bonds fell.", {"a": "b"})
    assert (answer.usage.input_tokens, answer.usage.total_tokens) == (12, 15)
    sent = server.requests[-1].body
    assert "I follow BTC." in sent["messages"][0]["content"]
    assert (sent["max_tokens"], sent["temperature"], sent["reasoning_effort"]) == (50, 0.2, "low")
    assert sent["tools"][0]["function"] == {**WEATHER["function"], "strict": False}
    assert sent["tool_choice"] == {"type": "function", "function": {"name": "get_weather"}}
    assert sent["response_format"] == {"type": "json_schema", "json_schema": {"name": "f", "schema": schema}}
    assert not {"instructions", "metadata", "text", "input", "store"} & set(sent)
    assert _stored(alice) == [("user", "What of bonds?"), ("assistant", "Bonds fell.")]


def test_a_stream_is_numbered_and_ends_as_clients_expect(client: openai.OpenAI, server: ModelServer) -> None:
    with client.responses.stream(model="finclaw", input="What of bonds?") as stream:
        events: list[Any] = list(stream)
        final = stream.get_final_response()
    assert [event.type for event in events] == [
        "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
        "response.output_text.delta", "response.output_text.delta", "response.output_text.done",
        "response.content_part.done", "response.output_item.done", "response.completed",
    ]  # fmt: skip
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert final.output_text == "Bonds fell."
    assert len({event.item_id for event in events if event.type.startswith("response.output_text")}) == 1
    assert client.responses.retrieve(final.id).output_text == "Bonds fell."


def test_an_answer_that_was_cut_is_incomplete(client: openai.OpenAI, server: ModelServer) -> None:
    server.default = Says(("Bonds ",), finish_reason="length")
    assert _ask(client, "What of bonds?").incomplete_details.reason == "max_output_tokens"
    assert list(_ask(client, "What of bonds?", stream=True))[-1].type == "response.incomplete"


def test_a_stream_whose_model_fails_in_its_midst_says_so_and_stores_nothing(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    server.default = Drops(("Bonds ",))
    events = list(_ask(client, "What of bonds?", stream=True))
    assert [event.type for event in events[-2:]] == ["error", "response.failed"]
    assert events[-1].response.error.code == "model_unavailable"
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert _stored(alice) == []
    server.default = Refuses(503)
    with pytest.raises(openai.InternalServerError):
        _ask(client, "What of bonds?", stream=True, text={"format": {"type": "json_object"}})


def test_an_input_goes_on_from_a_response_or_in_a_conversation(client: openai.OpenAI, alice: User) -> None:
    first = _ask(client, "What of bonds?")
    second = _ask(client, "And stocks?", previous_response_id=first.id)
    third = _ask(client, "And gold?", conversation={"id": second.conversation.id})
    assert first.conversation == second.conversation == third.conversation
    assert second.previous_response_id == first.id
    assert [text for _, text in _stored(alice)][::2] == ["What of bonds?", "And stocks?", "And gold?"]
    items: list[Any] = client.responses.input_items.list(second.id).data
    assert [item.content[0].text for item in items] == ["And stocks?"]


def test_a_response_that_was_gone_on_from_begins_another_conversation(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    first = _ask(client, "What of bonds?")
    _ask(client, "And stocks?", previous_response_id=first.id)
    other = _ask(client, "And gold?", previous_response_id=first.id)
    assert other.conversation != first.conversation
    said = [message["content"] for message in server.requests[-1].body["messages"][1:]]
    assert said[:2] == ["What of bonds?", "Bonds fell."]
    assert "And stocks?" not in "".join(said)
    with acting_as(alice.pk):
        told = ConversationEvent.objects.filter(session_id=other.conversation.id.removeprefix("conv_")).order_by("seq")
        assert [(event.text, event.learnable) for event in told] == [
            ("What of bonds?", False), ("Bonds fell.", False), ("And gold?", True), ("Bonds fell.", True),
        ]  # fmt: skip


def test_an_input_that_is_the_whole_conversation_finds_it(client: openai.OpenAI, alice: User) -> None:
    said: list[Any] = [{"role": "user", "content": "What of bonds?"}]
    first = _ask(client, said, store=False)
    said += [item.model_dump(exclude_none=True) for item in first.output]
    said += [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "And stocks?"}]
    assert _ask(client, said, store=False).conversation == first.conversation
    with acting_as(alice.pk):
        assert Session.objects.count() == 1


@pytest.mark.parametrize("streams", [False, True])
def test_tools_are_called_and_answered_by_their_outputs_alone(
    client: openai.OpenAI, alice: User, server: ModelServer, streams: bool
) -> None:
    def ask(given: Any, **more: Any) -> Any:
        answer = _ask(client, given, tools=[TOOL], stream=streams, **more)
        return list(answer)[-1].response if streams else answer

    server.script([AsksFor((("get_weather", OSLO), ("get_weather", "{}")), said="Let me look."),
                   AsksFor((("get_weather", '{"city": "Rome"}'),))])  # fmt: skip
    first = ask("Which city is warmer?")
    assert [item.type for item in first.output] == ["message", "function_call", "function_call"]
    assert [item.type for item in client.responses.retrieve(first.id).output][1:] == ["function_call"] * 2
    with acting_as(alice.pk):
        [asked] = Session.objects.get().awaited_tools["rounds"]  # as values, in no protocol's shape
    called = [{"id": call.call_id, "name": "get_weather", "arguments": call.arguments} for call in first.output[1:]]
    assert asked == {"said": "Let me look.", "calls": called, "answers": []}
    outputs = [_output(call, f"{number} degrees") for number, call in enumerate(first.output[1:])]
    second = ask(outputs, previous_response_id=first.id)
    assert [item.arguments for item in second.output] == ['{"city": "Rome"}']
    third = ask([_output(second.output[0], "7 degrees")], previous_response_id=second.id)
    assert (third.output_text, third.conversation) == ("Bonds fell.", first.conversation)
    sent = server.requests[-1].body["messages"]
    assert [message["role"] for message in sent[-6:]] == ["user", "assistant", "tool", "tool", "assistant", "tool"]
    assert [message["content"] for message in sent if message["role"] == "tool"] == [
        "0 degrees", "1 degrees", "7 degrees",
    ]  # fmt: skip
    assert _stored(alice) == [("user", "Which city is warmer?"), ("assistant", "Bonds fell.")]
    with acting_as(alice.pk):
        assert [session.awaited_tools for session in Session.objects.all()] == [{}]


def test_events_of_a_tool_call_keep_their_places(client: openai.OpenAI, server: ModelServer) -> None:
    server.script([AsksFor((("get_weather", OSLO), ("get_weather", "{}")))])
    events = list(_ask(client, "Which city is warmer?", tools=[TOOL], stream=True))
    assert [event.type.removeprefix("response.") for event in events[2:6]] == [
        "output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done",
    ]  # fmt: skip
    done = [event for event in events if event.type == "response.function_call_arguments.done"]
    assert [(event.output_index, event.arguments) for event in done] == [(0, OSLO), (1, "{}")]


def test_a_message_beside_the_outputs_is_asked_with_what_tools_said(client: openai.OpenAI, server: ModelServer) -> None:
    server.script([AsksFor((("get_weather", OSLO),))])
    first = _ask(client, "Is Oslo warm?", tools=[TOOL])
    more = [_output(first.output[0], "7 degrees"), {"role": "user", "content": "And Rome?"}]
    _ask(client, more, previous_response_id=first.id, tools=[TOOL])
    roles = [message["role"] for message in server.requests[-1].body["messages"]]
    assert roles[1:4] == ["user", "assistant", "tool"]


def test_calls_that_the_program_sends_itself_are_kept_nowhere(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    server.script([AsksFor((("get_weather", OSLO),))])
    said: list[Any] = [{"role": "user", "content": "Is Oslo warm?"}]
    first = _ask(client, said, tools=[TOOL], store=False)
    with acting_as(alice.pk):
        assert [session.awaited_tools for session in Session.objects.all()] == [{}]
    output = _output(first.output[0], "7 degrees")
    with pytest.raises(openai.BadRequestError):
        _ask(client, [output], previous_response_id=first.id, tools=[TOOL])
    said += [*(item.model_dump(exclude_none=True) for item in first.output), output]
    second = _ask(client, said, tools=[TOOL], store=False)
    assert (second.output_text, second.conversation) == ("Bonds fell.", first.conversation)
    assert _stored(alice) == [("user", "Is Oslo warm?"), ("assistant", "Bonds fell.")]


def test_what_must_not_be_kept_reaches_no_model(client: openai.OpenAI, server: ModelServer) -> None:
    card = "4111 1111 1111 1111"
    call = {"type": "function_call", "call_id": "1", "name": "pay", "arguments": f'{{"card": "{card}"}}'}
    for given in (card, [{"role": "user", "content": "Hello"}, call, {**call, "type": "function_call_output",
                                                                     "output": "done"}]):  # fmt: skip
        with pytest.raises(openai.UnprocessableEntityError):
            _ask(client, given)
    assert server.requests == []


def test_a_program_may_say_only_so_much_beside_a_message(client: openai.OpenAI, settings: Settings) -> None:
    settings.MAX_MESSAGE_CHARS = 100
    with pytest.raises(openai.BadRequestError) as refused:
        _ask(client, "Hello", instructions="word " * 600)
    assert refused.value.code == "context_length_exceeded"


def test_a_key_stores_a_turn_once(client: openai.OpenAI, alice: User) -> None:
    key = {"extra_headers": {"Idempotency-Key": "one"}}
    first, again = _ask(client, "What of bonds?", **key), _ask(client, "What of bonds?", **key)
    assert (first.id, first.output) == (again.id, again.output)
    assert len(_stored(alice)) == 2
    with pytest.raises(openai.ConflictError):
        _ask(client, "What of stocks?", **key)


def test_an_answer_is_not_deleted_alone(client: openai.OpenAI, alice: User) -> None:
    with pytest.raises(openai.APIStatusError) as refused:
        client.responses.delete(_ask(client, "What of bonds?").id)
    assert (refused.value.status_code, refused.value.code) == (405, "method_not_allowed")
    assert len(_stored(alice)) == 2
