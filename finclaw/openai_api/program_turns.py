"""Answers a turn (a message and its answer) that a program requests for the user whose token it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar, Final
from uuid import UUID

from django.http.response import HttpResponseBase

from finclaw.api.masking import masked_in
from finclaw.api.serializers import QuerySerializer
from finclaw.api.streaming import Body, Piece, Pieces, event_frame, stream_response
from finclaw.api.turn_answers import TurnSubmission, TurnView
from finclaw.brain.answers.fallback_answers import one_answer
from finclaw.brain.programs.caller_fields import caller_fields
from finclaw.brain.programs.chats import read_chat
from finclaw.brain.programs.conversations import ChatPlace
from finclaw.brain.programs.prompt_room import beside_history, require_room
from finclaw.brain.types import TurnRequest
from finclaw.errors import to_response
from finclaw.openai_api.base import OpenAIView
from finclaw.openai_api.chat_requests import fields_for_model
from finclaw.openai_api.model_list import role_of
from foundation.personal_data import ConsentScope
from memory.content_blocks import TEXT, checked_blocks

SESSION_HEADER: Final = "X-FinClaw-Session"
SpokenPiece = str | Body


class ProgramTurnView(OpenAIView, TurnView):
    """Answers a chat; each protocol shapes the answer in its own way."""

    query_input = QuerySerializer
    messages_field: ClassVar[str]  # the field of the body that holds the messages
    given: dict[str, Any]  # the validated body
    reply_id: UUID
    place: ChatPlace
    asked: TurnRequest | None = None  # None where the answer is repeated for its Idempotency-Key
    shows_memories = False  # the receipt tells of them

    @property
    def streams(self) -> bool:
        return bool(self.given["stream"])

    def represent(self, shown: dict[str, Any]) -> dict[str, Any]:
        """The fields as they are."""
        return shown

    def answer_chat(
        self, chat_body: Mapping[str, Any], named: str | None, *, remember: bool = True, **program: Any
    ) -> HttpResponseBase:
        """The answer to a chat completion's body, in the conversation that is ``named`` or found; ``program`` is what
        else the program requests. Without ``remember`` a conversation that begins here is temporary.
        """
        names, fields = [self.user.name], fields_for_model(chat_body)
        require_room([*beside_history(chat_body["messages"]), *fields.values()])
        chat = read_chat(chat_body["messages"], names, field=self.messages_field)
        most_tokens = chat_body.get("max_completion_tokens") or chat_body.get("max_tokens")
        caller = caller_fields(fields, most_tokens, names)
        requested = replace(chat.request(caller, role_of(chat_body["model"])), **program)
        blocks = checked_blocks([{"type": TEXT, "text": text} for text in chat.asked], names)
        submission = self.claim(**masked_in(names, content="\n".join(chat.asked)))
        self.reply_id = submission.reply_id
        self.place = ChatPlace(self.acting, self.user, chat, named, self.program, remember)

        def ask() -> TurnRequest:
            self.asked = self.place.turn(blocks, self.reply_id, requested)
            return self.asked

        try:
            return self.answer(submission, ask)
        except Exception:
            self.place.forget_unused()
            raise

    def replay(self, submission: TurnSubmission) -> HttpResponseBase:
        """The stored answer again, without the conversation that was begun here for a second one."""
        if self.asked is not None:
            self.place.forget_unused()
            self.asked = None
        return super().replay(submission)

    def stream_answer(self, pieces: Pieces, learned: Iterable[Body | None] = ()) -> HttpResponseBase:
        first = next(pieces)  # a turn that fails at once still has its status
        return self.with_headers(stream_response(self._frames(first, pieces)))

    def frames(self, pieces: Iterable[SpokenPiece]) -> Iterator[str]:
        """The frames of the protocol for the pieces of an answer, of which the last is its body."""
        raise NotImplementedError

    def error_frame(self, error: dict[str, Any]) -> str:
        """The frame that says how a stream failed: nothing of its turn is stored."""
        return event_frame(error)

    def with_headers(self, response: HttpResponseBase, shown: Body | None = None) -> HttpResponseBase:
        """The response with the conversation, the receipt and whether memory was open in its headers."""
        is_open = self.permit.for_answers().allows(ConsentScope.MEMORY_LEARNING)
        response["X-FinClaw-Memory"] = "on" if is_open else "off"
        if self.asked is not None:
            response[SESSION_HEADER] = str(self.asked.session_id)
        if receipt_id := (shown["receipt_id"] if shown else self.asked and self.asked.receipt_id):
            response["X-FinClaw-Receipt"] = str(receipt_id)
        return response

    def _frames(self, first: Piece, rest: Pieces) -> Iterator[str]:
        try:
            with closing(rest):
                yield from self.frames(one_answer(chain([first], rest)))
        except GeneratorExit:
            self.place.forget_unused()
            raise
        except Exception as error:  # noqa: BLE001  the status line is gone: the stream itself must say it
            self.place.forget_unused()
            yield self.error_frame(to_response(error, self.request).data)
