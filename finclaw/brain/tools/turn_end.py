"""Handles the tool ``end``: with it a model reports what a turn came to, and ``memory.historian`` makes events of it.

Two fields, both optional: what the assistant did, and one new thing that the user told. Events are made of the
message's own words; a new thing that the message does not hold is refused.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, ValidationError

from consent.permit import Permit
from consent.sensitive.services import screen_text
from finclaw.brain.measured_runs import REFUSAL
from finclaw.brain.tools.lookups import TOOLS, UNKNOWN_TOOL, ToolArguments, ToolRefused, tool_of
from foundation.accounts.models import User
from foundation.llm.types import ToolCall
from memory.historian.automatic_ends import turn_request_id
from memory.historian.services import end
from memory.historian.unreported_messages import messages_to_report
from memory.importing.validation import describe_errors
from memory.mentions import core_terms
from memory.models import ConversationEvent, Session
from memory.types import EndInput, EndReceipt

END: Final = "end"
MAX_FIELD_CHARS: Final = 500
FOUNDED_SHARE: Final = 0.5
"""Share of the content terms of ``new_info`` that must stand in the user's message."""
_EndText = Annotated[str, Field(max_length=MAX_FIELD_CHARS)]


class TurnEnd(ToolArguments):
    """Say what this turn came to, for the long-term memory: once, beside your answer."""

    action_summary: _EndText = Field("", description="What you did in this turn, in one short sentence; or empty.")
    new_info: _EndText = Field("", description="The one new thing this message tells of the person; or empty.")
    force: bool = Field(False, description="Leave it out.")


END_TOOL: Final = tool_of(END, TurnEnd)
_NAMES: Final = frozenset(tool.name for tool in (*TOOLS, END_TOOL))


def known_name(name: str) -> str:
    """The name of a tool of FinClaw's, else ``UNKNOWN_TOOL``: other text that a model wrote as a name is not stored."""
    return name if name in _NAMES else UNKNOWN_TOOL


def parse_turn_end(call: ToolCall, message: str, speaker: str) -> TurnEnd:
    """The model's ``end``, fit to be stored. Raises ``ToolRefused`` with what is wrong with it, and
    ``SensitiveInput``.
    """
    try:
        given = TurnEnd.model_validate_json(call.arguments or "{}")
    except ValidationError as error:
        raise ToolRefused(describe_errors(error), {REFUSAL: "invalid_arguments"}) from None
    if not _is_in_message(given.new_info, message, speaker):
        sentence = "new_info is not what this message tells. Leave it empty where the message tells nothing."
        raise ToolRefused(sentence, {REFUSAL: "unfounded"})
    for field in ("action_summary", "new_info"):
        screen_text(field, getattr(given, field), [speaker])
    return given


def _is_in_message(new_info: str, message: str, speaker: str) -> bool:
    told = core_terms(new_info) - core_terms(speaker)
    return len(told & core_terms(message)) >= FOUNDED_SHARE * len(told)


def _was_told(permit: Permit, session: Session, message: ConversationEvent) -> bool:
    """Whether the message was reported already, when the conversation ended after its model had failed."""
    waiting = messages_to_report(permit, session, turn_request_id(message.pk))
    return message.pk not in {said.pk for said in waiting}


def end_turn(
    permit: Permit, user: User, session: Session, said: list[ConversationEvent], given: TurnEnd, *, is_repeated: bool
) -> EndReceipt:
    """End the turn of these messages, the user's first, in the transaction that stores them; stores nothing where
    neither field says anything. Where the message is answered anew (``is_repeated``), it may have been
    reported meanwhile: then only what the assistant did is stored.
    """
    question, *answers = said
    if is_repeated and _was_told(permit, session, question):
        given, said = given.model_copy(update={"new_info": ""}), answers
    told = said if given.action_summary else said[:1] if given.new_info else []
    request = EndInput(
        request_id=turn_request_id(question.pk),
        action_summary=given.action_summary,
        new_info=given.new_info,
        force=True,  # the reply being sent right now
        occurred_at=question.occurred_at,
        # The assistant's action is erased together with the reply it was taken in.
        message_ids=tuple(message.pk for message in told),
    )
    return end(permit, user, session, request)
