"""Chat templates of Qwen, Mistral and Gemma raise on a late system message, on an assistant who speaks first, and on
two messages of one speaker: no prompt has any of these.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.types import Message, Prompt
from foundation.llm.wire_format import chat_messages
from foundation.sanitization.types import SafeText
from tests.foundation.llm.conftest import ModelMaker
from tests.support.model_server import Exchange, ModelServer, Refuses, Says

texts = st.text(max_size=20).map(SafeText)
messages = st.lists(st.builds(Message, st.sampled_from(["user", "assistant"]), texts), max_size=8)
PROMPT = Prompt(
    SafeText("Be careful."),
    (Message("user", SafeText("Hello")), Message("assistant", SafeText("Hi")), Message("user", SafeText("Well?"))),
    guidance=SafeText("Be brief."),
    context=SafeText("<user_context>\nlanguage_preference: en\n</user_context>"),
)


class StrictTemplate:
    """A server whose chat template takes a system message first at most, and after it user and assistant by turns."""

    def perform(self, exchange: Exchange) -> None:
        roles = [message["role"] for message in exchange.request.body["messages"]]
        spoken = roles[1:] if roles[0] == "system" else roles
        strict = all(role == ("user", "assistant")[place % 2] for place, role in enumerate(spoken))
        (Says() if strict else Refuses(400)).perform(exchange)


def test_a_strict_template_answers_the_first_request(server: ModelServer, make_model: ModelMaker) -> None:
    server.default = StrictTemplate()

    assert make_model().call(PROMPT, "big").text == "Hello."

    [request] = server.requests
    assert [message["role"] for message in request.body["messages"]] == ["system", "user", "assistant", "user"]


def test_what_is_for_this_turn_stands_before_the_users_words_and_apart_from_them() -> None:
    *_, asked = chat_messages(PROMPT, None)

    assert asked == {
        "role": "user",
        "content": "<guidance>\nBe brief.\n</guidance>\n\n<context>\n<user_context>\nlanguage_preference: en\n"
        "</user_context>\n</context>\n\nWell?",
    }


@given(messages, texts, texts)
def test_users_and_assistant_speak_by_turns_whatever_was_said(
    earlier: list[Message], opening: SafeText, system: SafeText
) -> None:
    prompt = Prompt(system, (*earlier, Message("user", SafeText("Well?"))), opening=opening)
    roles = [message["role"] for message in chat_messages(prompt, None)]
    spoken = roles[1:] if roles[0] == "system" else roles
    assert "system" not in spoken
    assert spoken == (["user", "assistant"] * len(spoken))[: len(spoken)]
    assert spoken[-1] == "user"
    assert all(message.content in "\n".join(prompt.texts) for message in earlier if message.role == "user")


@pytest.mark.parametrize("status", [400, 500])
def test_a_refusal_is_no_reason_to_ask_otherwise(server: ModelServer, make_model: ModelMaker, status: int) -> None:
    server.default = Refuses(status)

    with pytest.raises(ModelUnavailable):
        make_model().call(PROMPT, "big")

    assert len(server.requests) == 1
