"""Each tool does over MCP what the API does, in the name of the token's user, in both versions of the protocol."""

from __future__ import annotations

from functools import partial
from typing import Any

import httpx2
import pytest
from asgiref.sync import sync_to_async
from mcp import Client
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, ElicitRequestParams, ElicitResult

from foundation.accounts.models import User
from foundation.accounts.services import issue_token, revoke_tokens
from tests.mcp.conftest import McpServer, call, refusal_of, result_of, use
from tests.support.cast import allow, allow_all_but_learning
from tests.support.service import tenant_with_token

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
LATEST = "2026-07-28"
VERSIONS = ("legacy", LATEST)  # the first one is 2025-11-25


def _kept(server: McpServer, token: str, text: str) -> str:
    """The id of a memory that was kept word for word."""
    [answer] = use(server.client(token), call("add_memory", text=text, infer=False))
    return str(result_of(answer)["results"][0]["memory_id"])


def test_an_outsider_reaches_no_memory_by_any_tool(mcp_server: McpServer, alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    memory_id = _kept(mcp_server, issue_token(alice)[1], "I own a vineyard.")
    answers = use(
        mcp_server.client(issue_token(charlie)[1]),
        call("get_memory", memory_id=memory_id),
        call("memory_history", memory_id=memory_id),
        call("update_memory", memory_id=memory_id, content="Mine."),
        call("delete_memory", memory_id=memory_id, confirm=True),
        call("search_memories", query="vineyard"),
        call("get_memories"),
    )
    assert all("(not_found)" in refusal_of(answer) for answer in answers[:4])
    assert [result_of(answer)["results"] for answer in answers[4:]] == [[], []]


def test_without_a_valid_token_nothing_is_answered(mcp_server: McpServer, alice: User) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream"}
    refused = ("", "Bearer made-up", f"Basic {issue_token(alice)[1]}", f"Bearer {tenant_with_token('Acme')[1]}")
    for sent in refused:
        authorization = {"Authorization": sent} if sent else {}
        answer = httpx2.post(mcp_server.url, json=asked, headers=headers | authorization)
        assert answer.status_code == 401
        assert "resource_metadata=" in answer.headers["www-authenticate"]


@pytest.mark.parametrize("mode", VERSIONS)
def test_a_token_that_was_revoked_does_nothing_from_that_moment_on(
    mcp_server: McpServer, alice: User, mode: str
) -> None:
    allow(alice)
    token = issue_token(alice)[1]

    refused: list[CallToolResult] = []

    async def revoke(client: Client) -> None:
        await sync_to_async(revoke_tokens, thread_sensitive=False)(alice)

    async def search(client: Client) -> None:
        refused.append(await client.call_tool("search_memories", {"query": "What do I follow?"}))

    with pytest.raises(BaseExceptionGroup):  # the second time it is refused before it is read
        use(mcp_server.client(token, mode=mode), call("get_memories"), revoke, search, search)
    assert ["(token_revoked)" in refusal_of(answer) for answer in refused] == [True]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_memories", {}),
        ("search_memories", {"query": "x", "top_k": 0}),
        ("get_memory", {"memory_id": "../users/me"}),
        ("get_memories", {"cursor": "made up"}),
        ("get_profile", {"entity_id": "somebody"}),
        ("delete_memory", {"memory_id": "x", "sources": "burn"}),
        ("end", {"action_summary": "Done.", "session_id": "x"}),
    ],
)
def test_what_cannot_be_is_refused(mcp_server: McpServer, alice: User, tool: str, arguments: dict[str, Any]) -> None:
    allow(alice)
    [answer] = use(mcp_server.client(issue_token(alice)[1]), call(tool, **arguments))
    assert refusal_of(answer)


@pytest.mark.parametrize("mode", VERSIONS)
def test_a_memory_is_kept_found_corrected_and_explained(mcp_server: McpServer, alice: User, mode: str) -> None:
    allow(alice)
    token = issue_token(alice)[1]
    memory_id = _kept(mcp_server, token, "I follow Nvidia.")
    corrected, found, listed, history = use(
        mcp_server.client(token, mode=mode),
        call("update_memory", memory_id=memory_id, content="I follow TSMC.", reason="Sold."),
        call("search_memories", query="Which company do I follow?"),
        call("get_memories", page_size=1),
        call("memory_history", memory_id=memory_id),
    )
    assert result_of(corrected)["memory"] == "I follow TSMC."
    assert [row["memory"] for row in result_of(found)["results"]] == ["I follow TSMC."]
    assert [row["memory"] for row in result_of(listed)["results"]] == ["I follow TSMC."]
    assert [row["state"] for row in result_of(history)["results"]] == ["superseded", "active"]


def test_nothing_is_remembered_that_the_user_has_not_allowed(mcp_server: McpServer, alice: User) -> None:
    allow_all_but_learning(alice)
    [answer] = use(mcp_server.client(issue_token(alice)[1]), call("add_memory", text="I follow BTC."))
    assert "(consent_scope_missing)" in refusal_of(answer)


def _answering(*, forget: bool, asked: list[str]) -> Any:
    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"forget": forget})

    return answer


@pytest.mark.parametrize("mode", VERSIONS)
def test_the_user_is_asked_before_something_is_forgotten(mcp_server: McpServer, alice: User, mode: str) -> None:
    allow(alice)
    token, asked = issue_token(alice)[1], list[str]()
    memory_id = _kept(mcp_server, token, "I own a vineyard.")
    forget = call("delete_memory", memory_id=memory_id, confirm=True)
    opened = partial(mcp_server.client, token, mode=mode)
    [refused] = use(opened(elicitation_callback=_answering(forget=False, asked=asked)), forget)
    [receipt] = use(opened(elicitation_callback=_answering(forget=True, asked=asked)), forget)
    assert "Nothing was forgotten" in refusal_of(refused)
    assert all("I own a vineyard." in question for question in asked)
    assert len(asked) == 2
    assert result_of(receipt)["tombstone_id"]
    [gone] = use(mcp_server.client(token), call("get_memory", memory_id=memory_id))
    assert "(not_found)" in refusal_of(gone)


def test_a_program_that_cannot_ask_says_that_the_user_agreed(mcp_server: McpServer, alice: User) -> None:
    allow(alice)
    token = issue_token(alice)[1]
    memory_id = _kept(mcp_server, token, "I own a vineyard.")
    refused, receipt = use(
        mcp_server.client(token),
        call("delete_memory", memory_id=memory_id),
        call("delete_memory", memory_id=memory_id, confirm=True),
    )
    assert "confirm: true" in refusal_of(refused)
    assert result_of(receipt)["item_count"] == 1


def test_context_is_given_with_reasons_in_one_call(mcp_server: McpServer, alice: User) -> None:
    allow(alice)
    token = issue_token(alice)[1]
    memory_id = _kept(mcp_server, token, "I follow Nvidia.")
    context, recalled = use(
        mcp_server.client(token),
        call("get_context", query="Which company do I follow?", tokens=500),
        lambda client: client.get_prompt("recall", {"topic": "the company I follow"}),
    )
    [part] = result_of(context)["parts"]
    assert (part["kind"], part["id"], part["text"]) == ("item", memory_id, "I follow Nvidia.")
    assert part["decision_reason"]
    assert "I follow Nvidia." in result_of(context)["text"]
    assert "I follow Nvidia." in recalled.messages[0].content.text


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_not_offered_is_refused_by_the_protocol_itself(
    mcp_server: McpServer, alice: User, version: str
) -> None:
    refused: list[MCPError] = []

    async def ask(client: Client) -> None:
        for request in (
            client.call_tool("forget_everything"),
            client.get_prompt("forget", {}),
            client.get_prompt("recall", {}),
            client.get_prompt("recall", {"topic": "funds " * 10_000}),  # which the API finds too long
        ):
            with pytest.raises(MCPError) as error:
                await request
            refused.append(error.value)

    use(mcp_server.client(issue_token(alice)[1], mode=version), ask)
    assert [error.code for error in refused] == [INVALID_PARAMS] * 3 + [INTERNAL_ERROR]
    assert ["forget_everything" in refused[0].message, "topic" in refused[2].message] == [True, True]
    assert "(validation_error)" in refused[3].message


def test_it_offers_to_announce_no_change_of_a_list(mcp_server: McpServer, alice: User) -> None:
    async def ask(client: Client) -> dict[str, Any]:
        return client.server_capabilities.model_dump()

    [offered] = use(mcp_server.client(issue_token(alice)[1]), ask)
    assert [offered[name]["list_changed"] for name in ("tools", "prompts", "resources")] == [False] * 3


def test_without_consent_the_context_says_why_it_is_empty(mcp_server: McpServer, alice: User) -> None:
    allow_all_but_learning(alice)
    [context] = use(mcp_server.client(issue_token(alice)[1]), call("get_context", query="Which company?"))
    assert result_of(context)["text"] == ""
    assert result_of(context)["withheld"]


def test_a_turn_is_closed_in_a_new_conversation(mcp_server: McpServer, alice: User) -> None:
    allow(alice)
    closed, portraits, events = use(
        mcp_server.client(issue_token(alice)[1]),
        call("end", action_summary="Compared two funds.", new_info="Alice prefers the cheaper one."),
        call("search_profiles", query="Which funds?"),
        call("search_events", query="Which funds were compared?"),
    )
    assert result_of(closed)["queued"]
    assert result_of(portraits)["results"] == result_of(events)["results"] == []


def test_every_tool_has_a_title_all_hints_and_a_schema_of_its_answer(mcp_server: McpServer, alice: User) -> None:
    [listed] = use(mcp_server.client(issue_token(alice)[1]), Client.list_tools)
    hints = {tool.name: tool.annotations.model_dump() for tool in listed.tools if tool.annotations}
    assert all(tool.title and tool.description and tool.output_schema for tool in listed.tools)
    assert all(value is not None for hint in hints.values() for name, value in hint.items() if name != "title")
    assert [name for name, hint in hints.items() if hint["destructive_hint"]] == ["delete_memory"]
    assert len(hints) == 12


def test_a_memory_is_a_resource_of_its_own_user(mcp_server: McpServer, alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    token = issue_token(alice)[1]
    uri = f"finclaw://memories/{_kept(mcp_server, token, 'I own a vineyard.')}"
    listed, read = use(mcp_server.client(token), Client.list_resources, lambda client: client.read_resource(uri))
    assert [(str(row.uri), row.title) for row in listed.resources] == [(uri, "I own a vineyard.")]
    assert read.contents[0].text.startswith("I own a vineyard.")
    outsider = mcp_server.client(issue_token(charlie)[1])
    [nothing] = use(outsider, Client.list_resources)
    assert nothing.resources == []
    with pytest.raises(BaseExceptionGroup) as refused:
        use(mcp_server.client(issue_token(charlie)[1]), lambda client: client.read_resource(uri))
    assert refused.group_contains(MCPError)
