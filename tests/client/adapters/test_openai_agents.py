"""The Agents SDK's ``Session``: FinClaw's answers as the one in SQLite's memory does.

Left out, with the reason: ``pop_item`` (FinClaw forgets conversations and memories, but no single message); items that
are no message of the user's or the assistant's, and of those anything but role and text.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("agents.memory", reason="The Agents SDK is not installed: make adapters")

from agents import SQLiteSession
from agents.memory import Session, SessionSettings
from finclaw_client import ConsentError, FinClaw
from finclaw_client.adapters.openai_agents import FinClawSession

from tests.support.coroutines import run_coroutine

pytestmark = pytest.mark.django_db(transaction=True)
SAID: list[Any] = [
    {"role": role, "content": text}
    for role, text in (("user", "I own a vineyard."), ("assistant", "Where?"), ("user", "In Burgundy."))
]


@pytest.fixture(params=["theirs", "ours"])
def session(request: pytest.FixtureRequest) -> Session:
    if request.param == "theirs":
        return SQLiteSession("alice")
    return FinClawSession(request.getfixturevalue("as_alice"))


def _run(talk: Callable[[], Awaitable[Any]]) -> Any:
    return run_coroutine(talk)


def test_what_is_added_stands_in_order_until_it_is_cleared(session: Session) -> None:
    async def talk() -> Any:
        assert await session.get_items() == []
        await session.add_items(SAID[:1])
        await session.add_items(SAID[1:])
        limited = [await session.get_items(limit=limit) for limit in (0, 1, 2, 9)]
        whole = await session.get_items()
        await session.clear_session()
        empty = await session.get_items()
        await session.add_items(SAID[2:])
        return limited, whole, empty, await session.get_items()

    limited, whole, empty, again = _run(talk)
    assert limited == [[], SAID[2:], SAID[1:], SAID]
    assert (whole, empty, again) == (SAID, [], SAID[2:])


def test_the_settings_of_a_session_limit_it_too(session: Session) -> None:
    session.session_settings = SessionSettings(limit=1)

    async def talk() -> Any:
        await session.add_items(SAID)
        return await session.get_items(), await session.get_items(limit=2)

    assert _run(talk) == (SAID[2:], SAID[1:])


def test_it_is_a_session_and_keeps_what_was_said_of_items_of_all_kinds(as_alice: FinClaw) -> None:
    session = FinClawSession(as_alice)
    assert isinstance(session, Session)
    items: list[Any] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello."}]},
        {"type": "function_call", "call_id": "1", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "12°"},
        {"type": "message", "role": "assistant", "id": "m", "status": "completed",
         "content": [{"type": "output_text", "text": "Cold.", "annotations": []}]},
    ]  # fmt: skip

    async def talk() -> Any:
        await session.add_items(items)
        return await FinClawSession(as_alice, session.session_id).get_items()

    assert _run(talk) == [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Cold."}]


def test_a_single_message_is_not_taken_back_and_without_consent_none_is_kept(
    as_alice: FinClaw, as_bob: FinClaw
) -> None:
    with pytest.raises(NotImplementedError, match="clear_session"):
        _run(FinClawSession(as_alice).pop_item)
    with pytest.raises(ConsentError):
        _run(lambda: FinClawSession(as_bob).add_items(SAID))
