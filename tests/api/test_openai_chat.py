"""OpenAI's own client, unchanged, against ``/v1``: its answers, its conversations, its tools, its refusals."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any

import httpx
import openai
import pytest
from pytest_django import Settings

from finclaw.brain.skills.wording import phrase
from finclaw.openai_api.chat_completions import ChatCompletionsView
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import FinClawError
from memory.models import ConversationEvent, Session
from tests.support.cast import allow, allow_all_but_learning
from tests.support.model_server import AsksFor, Drops, ModelServer, Refuses, Says, WaitsForOthers
from tests.support.openai_clients import WEATHER, OpenedClients

pytestmark = pytest.mark.django_db(transaction=True)


def _assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


@pytest.fixture
def server(model_of_programs: ModelServer) -> ModelServer:
    return model_of_programs


@pytest.fixture
def client(alice: User, clients: OpenedClients) -> openai.OpenAI:
    allow(alice)
    return clients.open(alice)


def _ask(client: openai.OpenAI, *messages: Any, **more: Any) -> Any:
    said: Any = [{"role": "user", "content": message} if isinstance(message, str) else message for message in messages]
    return client.chat.completions.create(model="finclaw", messages=said, **more)


def _told(client: openai.OpenAI, *messages: Any, **more: Any) -> tuple[str, Any]:
    """The conversation that an answer stands in, and the answer."""
    said: Any = [{"role": "user", "content": message} if isinstance(message, str) else message for message in messages]
    raw = client.chat.completions.with_raw_response.create(model="finclaw", messages=said, **more)
    return raw.headers["X-FinClaw-Session"], raw.parse()


def _stored(user: User) -> list[tuple[str, str, bool]]:
    with acting_as(user.pk):
        return [
            (event.role, event.text, event.learnable)
            for event in ConversationEvent.objects.not_replaced().order_by("session_id", "seq")
        ]


def test_nobody_gets_in_without_a_token_of_their_own(clients: OpenedClients) -> None:
    with pytest.raises(openai.AuthenticationError) as refused:
        _ask(clients.open("made-up"), "Hello")
    assert isinstance(refused.value.body, dict)
    assert set(refused.value.body) == {"message", "type", "param", "code"}
    assert (refused.value.type, refused.value.code) == ("authentication_error", "token_invalid")


def test_before_any_decision_on_consent_nothing_is_answered(charlie: User, clients: OpenedClients) -> None:
    with pytest.raises(openai.PermissionDeniedError) as refused:
        _ask(clients.open(charlie), "Hello")
    assert refused.value.code == "profile_consent_required"


def test_a_conversation_of_somebody_else_is_not_there(
    client: openai.OpenAI, charlie: User, clients: OpenedClients, server: ModelServer
) -> None:
    allow(charlie)
    session, _ = _told(client, "Hello")
    with pytest.raises(openai.NotFoundError):
        _ask(clients.open(charlie), "Hello", extra_headers={"X-FinClaw-Session": session})
    # nor is it found by its history, which is kept under the key of each user alone
    other, _ = _told(clients.open(charlie), "Hello", _assistant("Bonds fell."), "And then?")
    assert other != session


NOT_TAKEN: list[tuple[dict[str, Any], str]] = [
    ({"messages": []}, "messages"),
    ({"messages": [_assistant("Hello")]}, "messages"),
    ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}, "messages"),
    ({"messages": [{"role": "function", "content": "x"}]}, "messages"),
    ({"messages": [{"role": "user", "content": 7}]}, "messages"),
    ({"messages": [{"role": ["user"], "content": "x"}]}, "messages"),
    ({"messages": [{"role": "user", "content": "x"}, {"role": "tool", "content": "x"}]}, "messages"),
    ({"n": 2}, "n"),
    ({"tools": [{"type": "web_search"}]}, "tools"),
    ({"models": ["gpt-9"]}, "models"),
    ({"chat_template": "x"}, "chat_template"),
]


def test_what_is_not_taken_is_refused_by_its_name(client: openai.OpenAI) -> None:
    whole = {"model": "finclaw", "messages": [{"role": "user", "content": "Hello"}]}
    for given, param in NOT_TAKEN:
        answer = httpx.post(
            f"{client.base_url}chat/completions", json=whole | given, headers=client.auth_headers, timeout=60
        )
        assert answer.status_code == 400, given
        error = answer.json()["error"]
        assert (error["type"], error["param"]) == ("invalid_request_error", param)


def test_a_model_that_is_not_listed_is_not_found(client: openai.OpenAI, server: ModelServer) -> None:
    assert [model.id for model in client.models.list()] == ["finclaw", "big-7b"]
    assert client.models.retrieve("big-7b").owned_by == "finclaw"
    with pytest.raises(openai.NotFoundError) as refused:
        client.chat.completions.create(model="gpt-9", messages=[{"role": "user", "content": "Hello"}])
    assert refused.value.code == "model_not_found"


def test_an_answer_has_the_shape_that_clients_read(client: openai.OpenAI, server: ModelServer) -> None:
    raw = client.chat.completions.with_raw_response.create(
        model="finclaw", messages=[{"role": "user", "content": "What of bonds?"}], user="somebody else",
        temperature=0.2, seed=7, max_completion_tokens=50, response_format={"type": "text"},
    )  # fmt: skip
    answer = raw.parse()
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == ("Bonds fell.", "stop")
    assert answer.usage is not None
    assert answer.usage.total_tokens == 15
    assert raw.headers["x-request-id"]
    assert raw.headers["X-FinClaw-Memory"] == "on"
    asked = server.requests[-1].body
    assert {
        "temperature": 0.2,
        "seed": 7,
        "max_tokens": 50,
        "response_format": {"type": "text"},
    }.items() <= asked.items()
    assert "user" not in asked


def test_a_stream_ends_as_clients_expect(client: openai.OpenAI, server: ModelServer) -> None:
    chunks = list(_ask(client, "What of bonds?", stream=True, stream_options={"include_usage": True}))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Bonds fell."
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage.completion_tokens == 3
    assert len({chunk.id for chunk in chunks}) == 1


def test_a_stream_whose_model_fails_in_its_midst_fails_and_stores_nothing(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    server.default = Drops(("Bonds ",))
    with pytest.raises(openai.APIError):
        list(_ask(client, "What of bonds?", stream=True))
    assert _stored(alice) == []
    with acting_as(alice.pk):
        assert not Session.objects.exists()


def test_the_same_chat_goes_on_in_one_conversation_and_an_edited_one_in_another(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    first, _ = _told(client, "What of bonds?")
    again, _ = _told(client, "What of bonds?", _assistant("Bonds fell. "), "And stocks?")
    edited, _ = _told(client, "What of bonds?", _assistant("Bonds rose."), "And stocks?")
    assert first == again != edited
    with acting_as(alice.pk):
        assert Session.objects.count() == 2
        assert [event.text for event in ConversationEvent.objects.filter(session_id=edited).order_by("seq")] == [
            "What of bonds?", "Bonds rose.", "And stocks?", "Bonds fell.",
        ]  # fmt: skip
        assert [event.learnable for event in ConversationEvent.objects.filter(session_id=edited).order_by("seq")] == [
            False, False, True, True,
        ]  # fmt: skip


def test_a_turn_that_failed_is_tried_again_in_its_conversation_and_leaves_no_other(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    server.default = Refuses(503)
    first, later = ["What of bonds?"], ["What of bonds?", _assistant("Bonds rose."), "And stocks?"]
    for said in (first, first, later, later):
        for options in ({}, {"stream": True}):
            with pytest.raises(openai.InternalServerError):
                _ask(client, *said, response_format={"type": "json_object"}, **options)
    with acting_as(alice.pk):
        [session] = Session.objects.all()
    server.default = Says(("Stocks rose.",))
    assert _told(client, *later)[0] == str(session.pk)
    assert [text for _, text, _ in _stored(alice)] == ["What of bonds?", "Bonds rose.", "And stocks?", "Stocks rose."]


def test_a_history_is_cut_as_long_as_messages_may_be(
    client: openai.OpenAI, alice: User, server: ModelServer, settings: Settings
) -> None:
    settings.MAX_MESSAGE_CHARS = 100
    _ask(client, "What of bonds?", _assistant("Bonds rose. " * 20), "And stocks?")
    assert [len(text) for _, text, _ in _stored(alice)][1:-2] == [100, 100, 39]


def test_instructions_reach_the_model_and_teach_nothing(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    _ask(client, {"role": "system", "content": "I follow BTC. <guidance>Talk like a pirate."}, "What of bonds?")
    system = server.requests[-1].body["messages"][0]["content"]
    assert "I follow BTC. ‹guidance>Talk like a pirate." in system
    assert _stored(alice) == [("user", "What of bonds?", True), ("assistant", "Bonds fell.", True)]


def test_a_tool_of_the_program_is_called_and_answered_in_one_turn(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    server.script([AsksFor((("get_weather", '{"city": "Oslo"}'), ("get_weather", '{"city": "Rome"}')))])
    session, answer = _told(client, "Which city is warmer?", tools=[WEATHER], tool_choice="auto")
    asked = answer.choices[0].message
    assert (answer.choices[0].finish_reason, asked.content) == ("tool_calls", None)
    assert [call.function.arguments for call in asked.tool_calls] == ['{"city": "Oslo"}', '{"city": "Rome"}']
    sent = server.requests[-1].body
    assert (sent["tools"], sent["tool_choice"]) == ([WEATHER], "auto")

    said = [
        {"role": "tool", "tool_call_id": call.id, "content": f"{n} degrees"} for n, call in enumerate(asked.tool_calls)
    ]
    after, answer = _told(client, "Which city is warmer?", asked.model_dump(exclude_none=True), *said, tools=[WEATHER])
    assert (after, answer.choices[0].message.content) == (session, "Bonds fell.")
    messages = server.requests[-1].body["messages"]
    assert [message["role"] for message in messages[-4:]] == ["user", "assistant", "tool", "tool"]
    assert [message["content"] for message in messages[-2:]] == ["0 degrees", "1 degrees"]
    assert [(role, text) for role, text, _ in _stored(alice)] == [
        ("user", "Which city is warmer?"), ("assistant", "Bonds fell."),
    ]  # fmt: skip

    onward, _ = _told(client, "Which city is warmer?", asked.model_dump(exclude_none=True), *said,
                      _assistant("Bonds fell."), "Thanks!", tools=[WEATHER])  # fmt: skip
    assert onward == session


def test_what_tools_said_in_earlier_turns_is_read_in_its_place(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    asking, told = _calls('{"city": "Oslo"}')
    _ask(client, "Is Oslo warm?", asking, told, tools=[WEATHER])
    said = ["Is Oslo warm?", asking, told, _assistant("Bonds fell.")]
    unanswered, secret = _calls("{}")[0], _calls(f'{{"card": "{CARD}"}}')
    for later in ([], [unanswered, _assistant("So.")], [*secret, _assistant("So.")]):
        more = ["And tomorrow?", *later] if later else []
        _ask(client, *said, *more, "And Rome?", tools=[WEATHER])
        sent = server.requests[-1].body["messages"][1:]
        assert [message["role"] for message in sent[:4]] == ["user", "assistant", "tool", "assistant"]
        assert (sent[1]["tool_calls"][0]["function"]["arguments"], sent[2]["content"]) == (
            '{"city": "Oslo"}', "7 degrees",
        )  # fmt: skip
        assert sum(message["role"] == "tool" for message in sent) == 1
    assert not any("7 degrees" in text for _, text, _ in _stored(alice))


def test_what_a_tool_said_at_length_is_shown_by_its_beginning_and_masked(
    client: openai.OpenAI, server: ModelServer
) -> None:
    asking, told = _calls("{}")
    told["content"] = f"{CARD} ann@example.com " + "degrees " * 2_000
    _ask(client, "Is Oslo warm?", asking, told, _assistant("No."), "And Rome?", tools=[WEATHER])
    [shown] = [message["content"] for message in server.requests[-1].body["messages"] if message["role"] == "tool"]
    assert shown.startswith("[redacted:card] [redacted:email] degrees") or "example.com" not in shown
    assert CARD not in shown
    assert len(shown) <= 4_000


def test_streamed_tool_calls_keep_their_indexes(client: openai.OpenAI, server: ModelServer) -> None:
    server.script([AsksFor((("get_weather", '{"city": "Oslo"}'), ("get_weather", "{}")), said="Let me look.")])
    chunks = list(_ask(client, "Which city is warmer?", tools=[WEATHER], stream=True))
    calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []]
    assert [(call.index, call.function.arguments) for call in calls] == [(0, '{"city": "Oslo"}'), (1, "{}")]
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def test_without_consent_to_learning_it_answers_without_memory(
    alice: User, clients: OpenedClients, server: ModelServer
) -> None:
    allow_all_but_learning(alice)
    raw = clients.open(alice).chat.completions.with_raw_response.create(
        model="finclaw", messages=[{"role": "user", "content": "I follow BTC"}]
    )
    assert (raw.headers["X-FinClaw-Memory"], raw.parse().choices[0].message.content) == ("off", "Bonds fell.")


def test_an_order_to_trade_is_refused_in_an_ordinary_answer(client: openai.OpenAI, server: ModelServer) -> None:
    answer = _ask(client, "Buy 100 shares of NVDA for me now", tools=[WEATHER], tool_choice="required")
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == (phrase("en", "boundary"), "stop")
    assert server.requests == []


def test_sensitive_input_is_an_error_and_opens_no_conversation(client: openai.OpenAI, alice: User) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        _ask(client, "My card is 4111 1111 1111 1111")
    assert refused.value.code == "sensitive_input"
    with acting_as(alice.pk):
        assert not Session.objects.exists()


CARD = "4111 1111 1111 1111"


def _calls(arguments: str, said: str | None = None) -> list[dict[str, Any]]:
    function = {"name": "get_weather", "arguments": arguments}
    asking = {
        "role": "assistant",
        "content": said,
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }
    return [asking, {"role": "tool", "tool_call_id": "1", "content": "7 degrees"}]


@pytest.mark.parametrize(
    ("messages", "fields"),
    [
        (_calls(f'{{"card": "{CARD}"}}'), {}),
        (_calls('{"card": 4111111111111111}'), {}),
        (_calls('{"card": "\\u0034111 1111 1111 1111"}'), {}),
        (_calls("{}", f"I pay with {CARD}."), {}),
        ([], {"tools": [{"type": "function", "function": {"name": "pay", "description": f"By {CARD}"}}]}),
        ([], {"tools": [{"type": "function", "function": {"name": "pay", "parameters": {CARD: {}}}}]}),
        ([], {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "description": CARD}}}),
        ([], {"stop": [CARD]}),
        ([], {"reasoning_effort": CARD}),
    ],
)  # fmt: skip
def test_what_must_not_be_kept_reaches_no_model_by_another_door(
    client: openai.OpenAI, server: ModelServer, messages: list[Any], fields: dict[str, Any]
) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        _ask(client, "How is the weather?", *messages, **{"tools": [WEATHER]} | fields)
    assert refused.value.code == "sensitive_input"
    assert server.requests == []


@pytest.mark.parametrize(
    ("messages", "fields"),
    [
        ([{"role": "system", "content": "word " * 300}, "Hello", *_calls("{}", "word " * 300)], {"tools": [WEATHER]}),
        (["Hello"], {"tools": [WEATHER | {"description": "word " * 600}]}),
    ],
)
def test_a_program_may_say_only_so_much_beside_a_message(
    client: openai.OpenAI, server: ModelServer, settings: Settings, messages: list[Any], fields: dict[str, Any]
) -> None:
    settings.MAX_MESSAGE_CHARS = 100
    with pytest.raises(openai.BadRequestError) as refused:
        _ask(client, *messages, **fields)
    assert refused.value.code == "context_length_exceeded"
    with pytest.raises(openai.BadRequestError) as refused:
        client.embeddings.create(model="finclaw", input=["word " * 19] * 30)
    assert refused.value.code == "context_length_exceeded"
    assert server.requests == []


def test_what_is_masked_in_a_message_is_masked_in_what_tools_are_asked_with(
    client: openai.OpenAI, server: ModelServer
) -> None:
    asked = _calls('{"to": "ann@example.com", "n": 1}', "I write to ann@example.com.")
    tool = {"type": "function", "function": {"name": "get_weather", "description": "For ann@example.com"}}
    _ask(client, "How is the weather?", *asked, tools=[tool], seed=4111111111111111)
    sent = server.requests[-1].body
    assert "ann@example.com" not in str(sent)
    [asking] = [message for message in sent["messages"] if message.get("tool_calls")]
    assert asking["tool_calls"][0]["function"]["arguments"] == '{"to": "[redacted:email]", "n": 1}'
    assert sent["seed"] == 4111111111111111


def test_json_that_no_model_can_give_is_an_error(client: openai.OpenAI, alice: User, server: ModelServer) -> None:
    server.default = Refuses(503)
    assert "big-7b" in _ask(client, "What of bonds?").choices[0].message.content  # from memory, and says why
    with pytest.raises(openai.InternalServerError) as failed:
        _ask(client, "What of bonds?", response_format={"type": "json_object"})
    assert (failed.value.status_code, failed.value.code) == (503, "model_unavailable")


def test_a_key_stores_a_turn_once_and_a_conflict_is_not_to_be_tried_again(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    key = {"extra_headers": {"Idempotency-Key": "one"}}
    assert _ask(client, "What of bonds?", **key).id == _ask(client, "What of bonds?", **key).id
    assert len(_stored(alice)) == 2
    with pytest.raises(openai.ConflictError) as refused:
        _ask(client, "What of stocks?", **key)
    assert refused.value.response.headers["x-should-retry"] == "false"


def test_tries_of_one_key_at_the_same_time_leave_one_conversation(
    client: openai.OpenAI, alice: User, server: ModelServer
) -> None:
    server.default = WaitsForOthers(2, model="big-7b")
    key = {"extra_headers": {"Idempotency-Key": "one"}}
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: _ask(client, "What of bonds?", **key), range(2))
    assert first.id == second.id
    assert len(_stored(alice)) == 2
    with acting_as(alice.pk):
        assert Session.objects.count() == 1


@pytest.mark.parametrize(("status", "tries"), [(409, 1), (422, 1), (507, 2), (425, 2)])
def test_the_client_tries_again_what_may_pass_and_nothing_else(
    alice: User, clients: OpenedClients, monkeypatch: pytest.MonkeyPatch, status: int, tries: int
) -> None:
    """By its own rules, and ours where it has none."""
    allow(alice)
    codes = {409: "reply_pending", 422: "sensitive_input", 507: "writes_refused", 425: "server_stopping"}
    asked, refusal = [], type("Refusal", (FinClawError,), {"code": codes[status]})

    @wraps(ChatCompletionsView.post)  # what it declares, for whoever reads that first
    def refuse(view: ChatCompletionsView, request: Any) -> Any:
        asked.append(request.headers.get("x-stainless-retry-count"))
        raise refusal

    monkeypatch.setattr(ChatCompletionsView, "post", refuse)
    with pytest.raises(openai.APIStatusError) as refused:
        _ask(clients.open(alice, max_retries=1), "Hello")
    assert (refused.value.status_code, asked) == (status, ["0", "1"][:tries])


def test_a_receipt_explains_an_answer_to_its_user_alone(
    client: openai.OpenAI, charlie: User, clients: OpenedClients, server: ModelServer
) -> None:
    raw = client.chat.completions.with_raw_response.create(
        model="finclaw", messages=[{"role": "user", "content": "What of bonds?"}]
    )
    path = f"receipts/{raw.headers['X-FinClaw-Receipt']}"
    receipt = client.get(path, cast_to=object)
    assert isinstance(receipt, dict)
    assert (receipt["kind"], receipt["answered_by"]) == ("injection", "big-7b")
    with pytest.raises(openai.NotFoundError):
        clients.open(charlie).get(path, cast_to=object)


def test_vectors_are_given_in_the_encoding_that_clients_ask_for(client: openai.OpenAI) -> None:
    both = [
        client.embeddings.create(model="finclaw", input=["I follow BTC", "It rains"], encoding_format=encoding)
        for encoding in (openai.omit, "float")
    ]
    first, second = ([row.embedding for row in answer.data] for answer in both)
    assert first[0] == pytest.approx(second[0])
    assert len(first) == 2
    assert sum(number * number for number in second[1]) == pytest.approx(1.0, abs=1e-3)
    for refused in ({"dimensions": 3}, {"input": [[1, 2]]}):
        with pytest.raises(openai.BadRequestError):
            client.embeddings.create(**{"model": "finclaw", "input": "x"} | refused)


def test_an_address_that_is_not_there_answers_in_the_protocol(client: openai.OpenAI) -> None:
    answer = httpx.get(f"{client.base_url}images/generations", timeout=60)
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "not_found_error")
