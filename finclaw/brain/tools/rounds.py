"""Lets a model call tools before it answers: at most three rounds, within a time limit and a token budget.

Everything the model read stands on the receipt like a memory. A model server that rejects tools, or fails after
requesting some, is asked once more without them (``tools_unavailable``).
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from dataclasses import replace
from time import monotonic
from typing import Final

import structlog
from django.conf import settings

from consent.services import permit_for_answers
from finclaw.brain.measured_runs import REFUSAL, RunOutcome, measure_run
from finclaw.brain.prompt.budget import ModelLimits, safety_margin
from finclaw.brain.prompt.memory_lines import LIST_TOKENS, memory_elements
from finclaw.brain.recall.overruled_statements import NOTHING_OVERRULED, OverruledStatements
from finclaw.brain.sanitization.candidates import sanitize_candidates
from finclaw.brain.tools.decisions import decide_candidates
from finclaw.brain.tools.lookups import TOOLS, ToolRefused, ToolResult, parse_arguments, query_of, run_tool
from finclaw.brain.tools.reply_streams import AskModel, CompletedReply, record_pieces
from finclaw.brain.tools.turn_end import END, END_TOOL, TurnEnd, known_name, parse_turn_end
from finclaw.brain.turn_budget import TURN_BUDGET_SPENT, TurnBudget
from finclaw.brain.types import CandidateDecision, PromptCandidate, zone_of
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, give_back_connection
from foundation.exceptions import FinClawError
from foundation.llm import (
    LanguageModel,
    ModelUnavailable,
    Prompt,
    Reply,
    TokenUsage,
    model_calls_tools,
)
from foundation.llm.types import NO_TOOLS, ToolCall, ToolOffer, ToolRound
from foundation.sanitization.prompt_text import NOTHING, as_data, element, join_texts, trusted_text
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SafeText
from foundation.telemetry.degradations import collect_degradations, note_degraded, report_degraded
from foundation.text import estimate_tokens
from memory.exceptions import MemoryUnavailable
from memory.models import Session, ToolReceipt
from memory.retrieval.services import embed_query
from memory.types import SearchResult, ToolRun

log = structlog.get_logger(__name__)
MAX_ROUNDS: Final = 3
MAX_CALLS: Final = 4  # in one round: each is a search
MOST_TOKENS: Final = 4_000  # for all results of a turn: the baseline of the personal context
LEAST_TOKENS: Final = 400  # a result with less room is not worth a call
TOOLS_UNAVAILABLE: Final = "tools_unavailable"
_REFUSES_TOOLS: Final = frozenset({"request_refused", "unusable_answer"})
_ENDED: Final = trusted_text("Taken down. Now answer the person.")
_NOTHING_FOUND: Final = trusted_text("Nothing was found.")
_PARAGRAPH: Final = "\n\n"
_SCHEMAS: Final = sum(
    estimate_tokens(f"{tool.name} {tool.description} {json.dumps(tool.parameters)}") for tool in (*TOOLS, END_TOOL)
)


def offers_tools() -> bool:
    """Whether the large model takes tools, and memory of events and portraits is switched on."""
    return bool(settings.COGNITIVE_ENABLED) and model_calls_tools()


def converse(ask: AskModel, turn_rounds: ToolRounds) -> Generator[str, None, CompletedReply]:
    """Ask the model, run the tools it calls, and ask again until it answers.

    Text that the model writes before a tool call belongs to its reply. Raises ``ModelUnavailable``.
    """
    said: list[str] = []
    usage = TokenUsage(0, 0)
    while True:
        heard: list[str] = []
        try:
            reply = yield from record_pieces(ask(turn_rounds.prompt, turn_rounds.offer), heard)
        except ModelUnavailable as error:
            if any(heard) or not turn_rounds.may_give_up(error):
                raise
            turn_rounds.give_up(error)
            continue
        usage += reply.usage
        turn_rounds.spend(reply.usage)
        if turn_rounds.prompt.caller.has_tools:  # the program's own, which it runs itself
            return turn_rounds.complete(replace(reply, usage=usage))
        if turn_rounds.finish_if_answered(reply):
            whole = replace(reply, text=_PARAGRAPH.join([*said, reply.text]), usage=usage, tool_calls=())
            return turn_rounds.complete(whole)
        if reply.text.strip():
            said.append(reply.text)
            yield _PARAGRAPH
        turn_rounds.take(reply)


class ToolRounds:
    """The tool rounds of one turn; ``prompt`` and ``offer`` are what to ask next. Call outside any transaction."""

    def __init__(
        self,
        user: User,
        session: Session,
        prompt: Prompt,
        model: LanguageModel,
        *,
        room: int,
        looks_up: bool = True,
        message: str = "",
        overruled: OverruledStatements = NOTHING_OVERRULED,
        budget: TurnBudget | None = None,
    ) -> None:
        """``room`` is how many tokens all results may take, 0 to offer no tool: see ``tool_room``. The model may look
        things up where it ``looks_up``, and say what the turn came to where ``message`` is what the user said. What is
        ``overruled`` is not found. ``budget`` is what the turn may yet ask of models.
        """
        self._budget = budget or TurnBudget.configured()
        self._overruled = overruled
        self.prompt = prompt
        self._message = message
        self._looks_up = looks_up
        self._tools = (*(TOOLS if looks_up else ()), *((END_TOOL,) if message else ()))
        self._ending: TurnEnd | None = None
        self._user, self._session, self._model = user, session, model
        self._room = room
        self._offers = room >= LEAST_TOKENS
        self._until = monotonic() + settings.TOOLS_TIMEOUT_SECONDS
        self._decisions: list[CandidateDecision] = []
        self._searches: list[SearchResult] = []
        self._degraded: dict[str, None] = {}
        self._runs: list[ToolRun] = []

    @property
    def offer(self) -> ToolOffer:
        """The tools to offer, as long as rounds, tokens and time are left."""
        if not self._offers:
            return NO_TOOLS
        left = len(self.prompt.rounds) < MAX_ROUNDS and self._room >= LEAST_TOKENS and monotonic() < self._until
        return ToolOffer(self._tools, may_call=left and self._is_affordable())

    def spend(self, usage: TokenUsage) -> None:
        """Count a model call and its tokens against the turn's budget."""
        self._budget.spend(usage)

    def _is_affordable(self) -> bool:
        """Whether the turn's budget allows a call for tools besides that for the answer; reported where it does not."""
        is_affordable = self._budget.allows_before_answer(self.prompt.texts)
        if not is_affordable:
            with collect_degradations(self._degraded):
                report_degraded(TURN_BUDGET_SPENT)
        return is_affordable

    def finish_if_answered(self, reply: Reply) -> bool:
        """Whether the reply needs no further round: it calls nothing, or only ``end`` beside an answer."""
        if reply.tool_calls and (not reply.text.strip() or any(call.name != END for call in reply.tool_calls)):
            return False
        for call in reply.tool_calls:
            self._run_call(call, room=0)
        return True

    def take(self, reply: Reply) -> None:
        """Run the tools that the reply calls. Where the results exceed the budget, tools are withdrawn."""
        left = self._room - sum(map(estimate_tokens, ToolRound(reply.text, reply.tool_calls, ()).texts))
        answers: list[SafeText] = []
        with collect_degradations(self._degraded):
            for number, call in enumerate(reply.tool_calls):
                answers.append(self._run_call(call, left, may_run=number < MAX_CALLS))
                left -= estimate_tokens(answers[-1])
        if left < 0:
            self._withdraw("no_room")
            return
        self._room = left
        looked_up = ToolRound(reply.text, reply.tool_calls, tuple(answers))
        self.prompt = replace(self.prompt, rounds=(*self.prompt.rounds, looked_up))

    def may_give_up(self, error: ModelUnavailable) -> bool:
        """Whether asking again without tools may succeed."""
        return self._offers and bool(self.prompt.rounds or error.details.get("reason") in _REFUSES_TOOLS)

    def give_up(self, error: ModelUnavailable) -> None:
        """Ask without tools from now on."""
        self._withdraw(str(error.details.get("reason", "")))

    def complete(self, reply: Reply) -> CompletedReply:
        """The whole reply with everything that ran degraded."""
        whole = replace(reply, degraded=tuple(dict.fromkeys([*reply.degraded, *self._degraded])))
        looked_up = tuple(self._decisions), tuple(self._searches)
        return CompletedReply(whole, self.prompt, *looked_up, self._ending, tuple(self._runs))

    def _withdraw(self, reason: str) -> None:
        """Offer no more tools. What was looked up stays on the receipt: the model may have used it already."""
        log.warning("tools_failed", reason=reason, rounds=len(self.prompt.rounds))
        with collect_degradations(self._degraded):
            report_degraded(TOOLS_UNAVAILABLE)
        self._offers = False
        self.prompt = replace(self.prompt, rounds=())

    def _run_call(self, call: ToolCall, room: int, *, may_run: bool = True) -> SafeText:
        """What a call found, or why it is refused, for the model to read."""
        with measure_run(self._runs, ToolReceipt.Kind.TOOL, known_name(call.name)) as run:
            try:
                if not may_run:
                    raise ToolRefused("Too many calls at once.", {REFUSAL: "too_many_calls"})
                if call.name == END:
                    return self._take_turn_end(call)
                if monotonic() > self._until:
                    raise ToolRefused("There is no time left.", {REFUSAL: "no_time"})
                return self._render_result(call.name, self._look_up(call), room, run)
            except FinClawError as error:
                if isinstance(error, MemoryUnavailable):
                    run.fail(error)
                    note_degraded([error.code])
                else:
                    run.refuse(error.details.get(REFUSAL, error.code))
                log.info("tool_refused", reason=error.code)
                return element("tool_error", as_data(error.message))

    def _take_turn_end(self, call: ToolCall) -> SafeText:
        """Store the model's ``end`` of the turn; only the first one counts."""
        if not self._message or self._ending is not None:
            sentence = "The turn has ended already." if self._message else "There is no such tool."
            raise ToolRefused(sentence, {REFUSAL: "not_offered"})
        self._ending = parse_turn_end(call, self._message, self._user.name)
        return _ENDED

    def _look_up(self, call: ToolCall) -> ToolResult:
        if not self._looks_up:
            raise ToolRefused("There is no such tool.", {REFUSAL: "not_offered"})
        arguments = parse_arguments(call.name, call.arguments)
        text = query_of(arguments)
        question = embed_query(text) if text else None
        with acting_as(self._user.pk):
            # The consent is read again: a withdrawal while the model thought counts.
            looked = run_tool(permit_for_answers(self._user), self._session, self._user.name, arguments, question)
        give_back_connection()
        return looked

    def _render_result(self, name: str, looked: ToolResult, room: int, run: RunOutcome) -> SafeText:
        zone = zone_of(self._session, self._user)
        dated = [candidate.dated_in(zone) for candidate in looked.candidates]
        candidates = tuple(map(self._overruled.judge, sanitize_candidates(dated)))
        self._searches += [looked.found] if looked.found else []
        room -= estimate_tokens(_result_element(name, [])) + LIST_TOKENS
        decisions = decide_candidates(candidates, room)
        self._decisions += decisions
        run.counts = {"found": len(decisions), "taken": sum(decision.accepted for decision in decisions)}
        return _result_element(name, [decision.candidate for decision in decisions if decision.accepted])


def tool_room(prompt: Prompt, limits: ModelLimits) -> int:
    """Tokens left for tool results beside ``prompt``, the longest reply and the margin; never below 0."""
    taken = sum(map(estimate_tokens, prompt.texts)) + limits.longest_reply + safety_margin(limits.window)
    return max(0, min(MOST_TOKENS, limits.window - taken - _SCHEMAS))


def _result_element(name: str, found: Sequence[PromptCandidate]) -> SafeText:
    lines = (NOTHING, memory_elements(found) or _NOTHING_FOUND, NOTHING)
    return element("found", join_texts("\n", lines), {"tool": sanitize(name).text})
