"""LangChain's chat history: FinClaw's answers as the one in memory does.

Left out, with the reason: ids, names, tool calls and ``additional_kwargs`` of messages, and messages of systems and
tools (FinClaw keeps what people and the assistant said, in words).
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langchain_core.chat_history", reason="LangChain is not installed: make adapters")

from finclaw_client import ConsentError, FinClaw
from finclaw_client.adapters.langchain import FinClawChatMessageHistory
from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from tests.support.coroutines import run_coroutine

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=["theirs", "ours"])
def history(request: pytest.FixtureRequest) -> BaseChatMessageHistory:
    if request.param == "theirs":
        return InMemoryChatMessageHistory()
    return FinClawChatMessageHistory(request.getfixturevalue("as_alice"))


def _said(messages: Any) -> list[tuple[str, str]]:
    return [(message.type, message.content) for message in messages]


def test_what_is_added_stands_in_order_until_it_is_cleared(history: BaseChatMessageHistory) -> None:
    assert history.messages == []
    history.add_user_message("I own a vineyard.")
    history.add_ai_message("Where?")
    history.add_messages([HumanMessage("In Burgundy."), AIMessage("A fine place.")])
    expected = [("human", "I own a vineyard."), ("ai", "Where?"), ("human", "In Burgundy."), ("ai", "A fine place.")]
    assert _said(history.messages) == expected
    assert _said(run_coroutine(history.aget_messages)) == expected
    assert str(history) == "\n".join(f"{'Human' if who == 'human' else 'AI'}: {text}" for who, text in expected)
    history.clear()
    assert history.messages == []
    history.add_user_message("I follow Bitcoin.")
    assert _said(history.messages) == [("human", "I follow Bitcoin.")]


def test_with_await_it_is_the_same(history: BaseChatMessageHistory) -> None:
    async def talk() -> Any:
        await history.aadd_messages([HumanMessage("I own a vineyard."), AIMessage("Where?")])
        told = await history.aget_messages()
        before = _said(told)
        await history.aclear()
        return before, _said(await history.aget_messages())

    assert run_coroutine(talk) == ([("human", "I own a vineyard."), ("ai", "Where?")], [])


def test_it_goes_on_in_another_process_and_leaves_out_systems_and_tools(as_alice: FinClaw) -> None:
    history = FinClawChatMessageHistory(as_alice)
    calls = AIMessage("", tool_calls=[{"name": "weather", "args": {}, "id": "1"}])
    history.add_messages(
        [SystemMessage("Be brief."), HumanMessage("Hello."), calls, ToolMessage("12°", tool_call_id="1")]
    )
    assert _said(FinClawChatMessageHistory(as_alice, history.session_id).messages) == [("human", "Hello.")]


def test_without_consent_it_is_refused(as_bob: FinClaw) -> None:
    with pytest.raises(ConsentError):
        FinClawChatMessageHistory(as_bob).add_user_message("I own a vineyard.")
