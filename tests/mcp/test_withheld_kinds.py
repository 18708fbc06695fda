"""A program that its user keeps from a kind of memory neither reads nor writes it, by any tool, prompt or resource."""

from __future__ import annotations

import pytest
from mcp import Client
from pytest_django import Settings

from foundation.accounts.models import User
from tests.mcp.conftest import McpServer, call, refusal_of, result_of, use
from tests.support.withheld_kinds import TEA, WORK, World, told

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
TEA_QUESTION, WORK_QUESTION = "Which tea do I like?", "Where do I work?"


@pytest.fixture
def world(mcp_server: McpServer, mcp_port: int, alice: User, settings: Settings) -> World:
    """Alice, whose assistant is kept from her preferences."""
    settings.MCP_PORT = mcp_port
    return World(alice, "preference", resource=mcp_server.url)


def test_a_kept_program_is_told_nothing_of_a_withheld_kind(mcp_server: McpServer, world: World) -> None:
    answers = use(
        mcp_server.client(world.token),
        call("search_memories", query=TEA_QUESTION),
        call("get_memories"),
        call("get_memories", containing="tea", memory_type="preference"),
        call("get_context", query=TEA_QUESTION),
        call("search_events", query=TEA_QUESTION),
        call("search_profiles", query=TEA_QUESTION),
        lambda client: client.get_prompt("recall", {"topic": "the tea that I like"}),
        Client.list_resources,
    )
    assert not [answer for answer in answers if "Hangzhou" in str(answer) or world.tea in str(answer)]
    assert [row["memory"] for row in result_of(answers[1])["results"]] == [WORK]
    found, context = use(
        mcp_server.client(world.token),
        call("search_memories", query=WORK_QUESTION),
        call("get_context", query=WORK_QUESTION),
    )
    assert WORK in {row["memory"] for row in result_of(found)["results"]}
    assert WORK in result_of(context)["text"]


def test_a_kept_program_changes_and_adds_nothing_of_a_withheld_kind(mcp_server: McpServer, world: World) -> None:
    *hidden, same_words = use(
        mcp_server.client(world.token),
        call("get_memory", memory_id=world.tea),
        call("memory_history", memory_id=world.tea),
        call("update_memory", memory_id=world.tea, content="I like nothing."),
        call("delete_memory", memory_id=world.tea, confirm=True),
        call("add_memory", text=TEA, infer=False),
    )
    assert all("(not_found)" in refusal_of(answer) for answer in hidden)
    assert "(kind_withheld)" in refusal_of(same_words)
    world.keep_from("insight")  # what is kept word for word is one
    refused, listed = use(
        mcp_server.client(world.token), call("add_memory", text="I own a bicycle.", infer=False), call("get_memories")
    )
    assert "(kind_withheld)" in refusal_of(refused)
    seen = {row["memory"] for row in result_of(listed)["results"]}
    assert (TEA in seen, WORK in seen) == (True, False)
    known = told(world.own)
    assert {TEA, WORK} <= known
    assert not known & {"I own a bicycle.", "I like nothing."}
