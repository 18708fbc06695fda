"""Answers a turn (a message and its answer) that a program requests for the user whose token it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase

from finclaw.api.masking import masked_in
from finclaw.api.serializers import QuerySerializer
from finclaw.api.streaming import Body, Piece, Pieces, event_frame, stream_response
from finclaw.api.turn_answers import TurnView
from finclaw.brain.answers.fallback_answers import Interruption
from finclaw.brain.types import ProgramRequest, TurnRequest
from finclaw.errors import to_response
from finclaw.openai_api.base import OpenAIView
from finclaw.openai_api.chat_messages import ChatMessages
from finclaw.openai_api.conversations import SESSION_HEADER, known_turn
from foundation.personal_data import ConsentScope
from memory.content_blocks import TEXT, checked_blocks
from memory.erasure.expiry import forget_unused
from memory.services.client_histories import begin_from_history, history_messages

SpokenPiece = str | Body


class ProgramTurnView(OpenAIView, TurnView):
    """Answers a chat; each protocol shapes the answer in its own way."""

    query_input = QuerySerializer
    given: dict[str, Any]  # the validated body
    reply_id: UUID
    begun: UUID | None = None  # the conversation that this request began
    remembers = True  # whether a conversation that this request begins is remembered
    asked: TurnRequest | None = None  # None where the answer is repeated for its Idempotency-Key

    @property
    def streams(self) -> bool:
        return bool(self.given["stream"])

    def represent(self, shown: dict[str, Any]) -> dict[str, Any]:
        """The fields as they are."""
        return shown

    def answer_chat(self, chat: ChatMessages, program: ProgramRequest, named: str | None) -> HttpResponseBase:
        """The answer to a chat, in the conversation that is ``named`` or found."""
        names = [self.user.name]
        blocks = checked_blocks([{"type": TEXT, "text": text} for text in chat.asked], names)
        submission = self.claim(**masked_in(names, content="\n".join(chat.asked)))
        self.reply_id = submission.reply_id

        def ask() -> TurnRequest:
            with self.acting() as permit:
                known = known_turn(
                    permit, self.user, chat, blocks, program, named=named, reply_id=self.reply_id,
                    temporary=not self.remembers,
                )  # fmt: skip
            self.asked = known or TurnRequest(self._begin(chat), tuple(blocks), self.reply_id, program=program)
            return self.asked

        try:
            return self.answer(submission, ask)
        except Exception:
            self._forget_unused()
            raise

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

    def _begin(self, chat: ChatMessages) -> UUID:
        """A new conversation for a chat."""
        said = history_messages(self.user, chat.history)
        with self.acting() as permit:
            session = begin_from_history(
                permit, self.user, chat.history, said, program=self.program, remember=self.remembers
            )
        self.begun = session.pk
        return session.pk

    def _forget_unused(self) -> None:
        """Delete the conversation that this request began, if its turn failed before anything was said in it."""
        if self.begun is not None:
            forget_unused(self.user.pk, self.begun)

    def _frames(self, first: Piece, rest: Pieces) -> Iterator[str]:
        try:
            with closing(rest):
                yield from self.frames(_spoken(chain([first], rest)))
        except GeneratorExit:
            self._forget_unused()
            raise
        except Exception as error:  # noqa: BLE001  the status line is gone: the stream itself must say it
            self._forget_unused()
            yield self.error_frame(to_response(error, self.request).data)


def _spoken(pieces: Iterable[Piece]) -> Iterator[SpokenPiece]:
    """The pieces of one answer. If a model fails after the first piece, its error is raised and the stream fails:
    pieces that were sent cannot be taken back, and nothing is stored.
    """
    has_begun = False
    for piece in pieces:
        if not isinstance(piece, Interruption):
            has_begun = has_begun or bool(piece)
            yield piece
        elif has_begun:
            raise piece.error
