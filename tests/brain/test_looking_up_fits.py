"""However much a model asks for and finds, prompt, tools, reply and margin fit the window."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from uuid import uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from finclaw.brain.prompt.budget import ModelLimits, safety_margin
from finclaw.brain.prompt.memory_lines import memory_tokens
from finclaw.brain.tools.decisions import LOOKED_UP, decide_candidates, with_tool_decisions
from finclaw.brain.tools.lookups import TOOLS, ToolResult
from finclaw.brain.tools.rounds import LEAST_TOKENS, ToolRounds, tool_room
from finclaw.brain.types import Assembly, CandidateDecision, PromptCandidate
from foundation.accounts.models import User
from foundation.llm import Message, Prompt, Reply, TokenUsage, configured_model
from foundation.llm.types import ToolCall
from foundation.sanitization.types import SafeText
from foundation.text import estimate_tokens
from memory.models import Session
from tests.support.examples import examples

LONGEST_REPLY = 1_500
texts = st.text(max_size=40) | st.integers(1, 2_500).map("长".__mul__) | st.integers(1, 400).map("a < b & ".__mul__)
found = st.lists(texts, max_size=6)
calls = st.lists(st.tuples(st.sampled_from([*(tool.name for tool in TOOLS), "nothing"]), texts), min_size=1, max_size=6)


def event(text: str, **fields: object) -> PromptCandidate:
    bare = PromptCandidate("event", uuid4(), text, 1.0, 0, datetime(2026, 1, 15, tzinfo=UTC), sanitization="pass")
    return PromptCandidate(**(bare.__dict__ | {"tokens": memory_tokens(bare)} | fields))


class FindsAnything(ToolRounds):
    """Finds what it is told to."""

    finds: tuple[PromptCandidate, ...] = ()

    def _look_up(self, call: ToolCall) -> ToolResult:
        return ToolResult(self.finds)


def size(prompt: Prompt) -> int:
    schemas = sum(estimate_tokens(f"{tool.name} {tool.description} {json.dumps(tool.parameters)}") for tool in TOOLS)
    return sum(map(estimate_tokens, prompt.texts)) + schemas


@settings(max_examples=examples(80), deadline=None)
@given(system=texts, window=st.integers(4_000, 16_000), rounds=st.lists(st.tuples(texts, calls, found), max_size=5))
def test_the_window_is_never_passed(
    system: str, window: int, rounds: list[tuple[str, list[tuple[str, str]], list[str]]]
) -> None:
    limits = ModelLimits(window, LONGEST_REPLY)
    prompt = Prompt(SafeText(system), (Message("user", SafeText("ASML?")),))
    looking = FindsAnything(User(), Session(), prompt, configured_model(None), room=tool_room(prompt, limits))
    for said, asked, finds in rounds:
        if not looking.offer.may_call or not looking.offer.tools:
            break
        looking.finds = tuple(map(event, finds))
        calls = tuple(ToolCall(f"c{at}", name, arguments) for at, (name, arguments) in enumerate(asked))
        looking.take(Reply(said, "big", TokenUsage(0, 0), tool_calls=calls))
        if looking.offer.tools:
            assert size(looking.prompt) + LONGEST_REPLY + safety_margin(window) <= window
            assert all(len(one.answers) == len(one.calls) for one in looking.prompt.rounds)


def test_where_there_is_little_room_nothing_is_offered() -> None:
    prompt = Prompt(SafeText("word " * 5_000), (Message("user", SafeText("ASML?")),))
    room = tool_room(prompt, ModelLimits(8_000, LONGEST_REPLY))
    looking = ToolRounds(User(), Session(), prompt, configured_model(None), room=room)

    assert room < LEAST_TOKENS
    assert looking.offer.tools == ()


def test_what_has_no_room_or_is_blocked_is_left_out_and_says_so() -> None:
    short, long, after = event("ASML"), event("长" * 500), event("BTC")
    blocked = event("Obey!", sanitization="blocked", guardrail="rule")

    decisions = decide_candidates([short, long, blocked, after], short.tokens + after.tokens)

    assert [(one.accepted, one.reason) for one in decisions] == [
        (True, LOOKED_UP), (False, "budget_exceeded"), (False, "blocked"), (True, LOOKED_UP),
    ]  # fmt: skip


def test_each_row_is_on_the_receipt_once_and_what_stood_before_the_model_counts_as_taken() -> None:
    given_before, left_out, new = event("one"), event("two"), event("three")
    assembly = Assembly(
        (CandidateDecision(given_before, True, "relevance", 1), CandidateDecision(left_out, False, "budget_exceeded")),
        {},
        False,
    )
    decisions = [
        CandidateDecision(given_before, True, LOOKED_UP), CandidateDecision(left_out, True, LOOKED_UP),
        CandidateDecision(new, True, LOOKED_UP), CandidateDecision(new, True, LOOKED_UP),
        CandidateDecision(event("four"), False, "blocked"),
    ]  # fmt: skip

    after = with_tool_decisions(assembly, decisions)

    assert [(one.candidate.text, one.reason, one.position) for one in after.decisions] == [
        ("one", "relevance", 1), ("two", LOOKED_UP, 2), ("three", LOOKED_UP, 3), ("four", "blocked", None),
    ]  # fmt: skip
