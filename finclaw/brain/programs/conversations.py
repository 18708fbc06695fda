"""Finds the conversation that a program's chat belongs to: the one it names, or the one whose history it sends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.programs.chats import ChatMessage, ProgramChat
from finclaw.brain.types import ProgramRequest, TurnRequest
from foundation.accounts.models import User
from foundation.exceptions import NotFound
from knowledge.types import Platform
from memory.erasure.expiry import forget_unused
from memory.models import Session
from memory.services.client_histories import (
    AnswerContinuation,
    awaiting_question,
    begin_from_history,
    history_messages,
    session_of_history,
)
from memory.services.sessions import session_of
from memory.types import NewMessage


@dataclass
class ChatPlace:
    """Where a chat is answered. ``acting`` opens a transaction in the user's name; ``label`` is the program's name.

    Without ``remember`` only temporary conversations are searched, and one that begins here is temporary.
    """

    acting: Callable[[], AbstractContextManager[Permit]]
    user: User
    chat: ProgramChat
    named: str | None
    label: str
    remember: bool
    begun: UUID | None = None

    def turn(self, blocks: Sequence[dict[str, Any]], reply_id: UUID, program: ProgramRequest) -> TurnRequest:
        """The turn that answers the chat, in a new conversation where there is none yet. Raises ``NotFound`` if the
        one it names is not the user's, and ``ProfileConsentRequired``.
        """
        with self.acting() as permit:
            permit.require_decision()
            session = _session_named(permit, self.named) if self.named else self._session_known(permit)
            repeats = None
            if session and self.chat.rounds:
                repeats = awaiting_question(permit, self.user, session, self.chat.known)
            if session is None and not self.chat.history:
                session = self._begin(permit)
        if repeats:
            return TurnRequest(repeats.session_id, repeats.blocks, reply_id, repeats, program, platform=Platform.OPENAI)
        session = session or self._begin_with_history()
        return TurnRequest(session.pk, tuple(blocks), reply_id, program=program, platform=Platform.OPENAI)

    def forget_unused(self) -> None:
        """Delete the conversation that was begun here, if nothing was said in it: its turn failed."""
        if self.begun is not None:
            forget_unused(self.user.pk, self.begun)

    def _session_known(self, permit: Permit) -> Session | None:
        histories = [self.chat.known, self.chat.history] if self.chat.rounds else [self.chat.history]
        found = (session_of_history(permit, self.user, lines, temporary=not self.remember) for lines in histories)
        return next(filter(None, found), None)

    def _begin_with_history(self) -> Session:
        said = history_messages(self.user, self.chat.history)
        with self.acting() as permit:
            return self._begin(permit, said)

    def _begin(self, permit: Permit, said: Sequence[NewMessage] = ()) -> Session:
        session = begin_from_history(
            permit, self.user, self.chat.history, said, program=self.label, remember=self.remember
        )
        self.begun = session.pk
        return session


def earlier_messages(found: AnswerContinuation, *, with_calls: bool) -> Iterator[ChatMessage]:
    """The messages before those that a program sends after an answer: those that its new conversation begins with, or
    ``with_calls`` the tool calls that the answer waits for.
    """
    yield from (ChatMessage(line.role, line.text) for line in found.lines)
    if found.awaited and with_calls:
        yield ChatMessage("user", found.asked)
        for asked in found.awaited:
            yield ChatMessage("assistant", asked.text, asked.calls)
            answered = zip(asked.calls, asked.answers, strict=False)  # the last is not answered yet
            yield from (ChatMessage("tool", text, call_id=call.id) for call, text in answered)


def _session_named(permit: Permit, named: str) -> Session:
    try:
        session_id = UUID(named)
    except ValueError:
        raise NotFound() from None
    return session_of(permit, session_id)
