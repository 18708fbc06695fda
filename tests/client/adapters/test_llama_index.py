"""LlamaIndex's ``BaseMemory``: FinClaw's answers as the buffer in memory does.

Left out, with the reason: blocks other than text, ``additional_kwargs``, and messages of systems and tools (FinClaw
keeps what people and the assistant said, in words); the limit of tokens of the buffer (the whole history is given).
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("llama_index.core.memory", reason="LlamaIndex is not installed: make adapters")

from finclaw_client import ConsentError, FinClaw
from finclaw_client.adapters.llama_index import FinClawMemory
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer

from tests.support.coroutines import run_coroutine

pytestmark = pytest.mark.django_db(transaction=True)
ASKED, ANSWERED = ChatMessage(role="user", content="I own a vineyard."), ChatMessage(role="assistant", content="Where?")
MORE = ChatMessage(role="user", content="In Burgundy.")


@pytest.fixture(params=["theirs", "ours"])
def memory(request: pytest.FixtureRequest) -> BaseMemory:
    if request.param == "theirs":
        return ChatMemoryBuffer.from_defaults(tokenizer_fn=str.split)
    return FinClawMemory.from_defaults(client=request.getfixturevalue("as_alice"))


def test_what_is_put_stands_in_order_until_it_is_reset(memory: BaseMemory) -> None:
    assert memory.get_all() == []
    memory.put(ASKED)
    memory.put_messages([ANSWERED, MORE])
    assert memory.get_all() == memory.get() == memory.get("Where is it?") == [ASKED, ANSWERED, MORE]
    memory.set([MORE])
    assert memory.get_all() == [MORE]
    memory.reset()
    assert memory.get_all() == []


def test_with_await_it_is_the_same(memory: BaseMemory) -> None:
    async def talk() -> Any:
        await memory.aput(ASKED)
        await memory.aput_messages([ANSWERED])
        before = await memory.aget(), await memory.aget_all()
        await memory.aset([MORE])
        after = await memory.aget_all()
        await memory.areset()
        return *before, after, await memory.aget_all()

    assert run_coroutine(talk) == ([ASKED, ANSWERED], [ASKED, ANSWERED], [MORE], [])


def test_what_is_remembered_stands_before_the_chat_where_it_may(as_alice: FinClaw) -> None:
    as_alice.memories.add_verbatim("I own a vineyard in Burgundy.")
    memory = FinClawMemory.from_defaults(client=as_alice, context_tokens=500)
    memory.put_messages([ChatMessage(role="system", content="Be brief."), MORE])
    [known, said] = memory.get("Where is my vineyard?")
    assert ("Burgundy" in str(known.content), known.role.value, said) == (True, "system", MORE)
    assert memory.get_all() == [MORE]


def test_without_consent_it_is_refused(as_bob: FinClaw) -> None:
    with pytest.raises(ConsentError):
        FinClawMemory.from_defaults(client=as_bob).put(ASKED)
