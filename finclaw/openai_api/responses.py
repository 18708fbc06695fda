"""Serves responses: a turn (a message and its answer) as OpenAI's newer clients request it, and stored answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.operations import TURNS, raises
from finclaw.api.streaming import Body
from finclaw.brain.programs.chats import ChatMessage
from finclaw.brain.programs.conversations import earlier_messages
from finclaw.openai_api.base import OpenAIView
from finclaw.openai_api.model_list import CHOOSING
from finclaw.openai_api.program_turns import ProgramTurnView, SpokenPiece
from finclaw.openai_api.reference import InputItemsOutput, ResponseOutput, streamed
from finclaw.openai_api.response_events import ResponseEvents
from finclaw.openai_api.response_inputs import ResponseInput, as_chat
from finclaw.openai_api.response_shapes import (
    CONVERSATION_PREFIX,
    RESPONSE_PREFIX,
    final_fields,
    message_item,
    output_items,
    read_id,
    response_shape,
)
from foundation.exceptions import FinClawError
from memory.models import ConversationEvent
from memory.services.awaited_tools import pending_tool_calls
from memory.services.client_histories import answer_of, continue_after
from memory.services.sessions import message_before


class ResponsesView(ProgramTurnView):
    messages_field = "input"

    @raises(*TURNS, "sensitive_input", "context_length_exceeded", "model_not_found")
    @extend_schema(operation_id="openai_response_create", request=ResponseInput, responses=streamed(ResponseOutput))
    def post(self, request: Request) -> HttpResponseBase:
        """Answer an input as OpenAI's clients ask for it, with ``stream`` in events. The conversation is that of
        ``previous_response_id``, the one that ``conversation`` names, or as with chat completions the one whose history
        the input is. The headers of the answer are those of a chat completion.
        """
        self.given = self.valid(ResponseInput)
        before, named, remember = self._find_conversation()
        program: dict[str, Any] = {"resends_tool_calls": not self.given.get("store", True)}
        if named:
            program["history"] = ()
        return self.answer_chat(as_chat(self.given, before), named, remember=remember, **program)

    def whole_answer(self, body: Body) -> HttpResponseBase:
        return self.with_headers(Response(self._show_started() | final_fields(body)), body)

    def frames(self, pieces: Iterable[SpokenPiece]) -> Iterator[str]:
        """The events of a response. A tool call's arguments come in one piece."""
        self._events = ResponseEvents(self.reply_id, self._show_started())
        return self._events.turn_events(pieces)

    def error_frame(self, error: dict[str, Any]) -> str:
        return "".join(self._events.failure_events(error["error"]))

    def _find_conversation(self) -> tuple[list[ChatMessage], str | None, bool]:
        """The messages before the input, the conversation that the request names, if it does, and whether another one
        would be remembered.
        """
        if "conversation" in self.given:
            return [], str(read_id(CONVERSATION_PREFIX, self.given["conversation"])), True
        if "previous_response_id" not in self.given:
            return [], None, True
        with self.acting() as permit:
            permit.require_decision()
            answer_id = read_id(RESPONSE_PREFIX, self.given["previous_response_id"])
            found = continue_after(permit, answer_of(permit, answer_id))
        sends_outputs = any(message and message.role == "tool" for message in self.given["input"])
        before = list(earlier_messages(found, with_calls=sends_outputs))
        return before, str(found.session_id) if found.session_id else None, found.remember

    def _show_started(self) -> dict[str, Any]:
        """The response before its turn has ended."""
        return response_shape(self.reply_id, self.given, self.asked and self.asked.session_id)


class AnswerNotForgottenAlone(FinClawError):
    code = "method_not_allowed"
    default_message = "An answer is not forgotten alone. Forget its conversation, or what was learned from it."


class StoredResponseView(OpenAIView):
    @extend_schema(operation_id="openai_response", responses=ResponseOutput)
    def get(self, request: Request, response_id: str) -> Response:
        """A response as it is stored: what was said, and in which conversation."""
        answer = self.answer_called(response_id)
        rounds = pending_tool_calls(answer.session, answer.pk)
        said, calls = (rounds[-1].text, rounds[-1].calls) if rounds else (answer.text, ())
        stored = {"status": "completed", "output": output_items(answer.pk, said, calls)}
        return Response(response_shape(answer.pk, {"model": CHOOSING}, answer.session_id, **stored))

    @raises("method_not_allowed")
    @extend_schema(operation_id="openai_response_delete", responses=None)
    def delete(self, request: Request, response_id: str) -> Response:
        """Refuse to delete an answer alone: it is forgotten with its conversation."""
        self.answer_called(response_id)
        raise AnswerNotForgottenAlone()

    def answer_called(self, response_id: str) -> ConversationEvent:
        """The answer of this response. Raises ``NotFound``."""
        return answer_of(self.permit, read_id(RESPONSE_PREFIX, response_id))


class InputItemsView(StoredResponseView):
    http_method_names = ("get",)

    @extend_schema(operation_id="openai_input_items", responses=InputItemsOutput)
    def get(self, request: Request, response_id: str) -> Response:
        """The message that a response answers."""
        question = message_before(self.answer_called(response_id))
        items = [message_item(question.pk, question.role, question.text)] if question else []
        first = items[0]["id"] if items else None
        return Response({"object": "list", "data": items, "first_id": first, "last_id": first, "has_more": False})
