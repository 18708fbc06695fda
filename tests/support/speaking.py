"""Turns in tests: their prompts, their replies, and how somebody wants to be answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytest_django import Settings

from finclaw.brain import turn
from finclaw.brain.answers.types import PreparedTurn
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Session
from personas.services import states
from personas.services.documents import write_user_document
from personas.types import ModeInForce
from tests.support.talk import open_session, permit_of


def prepared(user: User, text: str, session: Session | None = None) -> PreparedTurn:
    """A turn up to its reply, in a conversation of its own unless one is given."""
    asked = TurnRequest((session or open_session(user)).pk, ({"type": "text", "text": text},))
    return turn.prepare(user, asked)


def prompt_of(user: User, text: str = "What about copper?", session: Session | None = None) -> str:
    """What is for a turn before its message, instructions first; its reply never comes."""
    return _read_first(prepared(user, text, session))


def _read_first(turn_prepared: PreparedTurn) -> str:
    prompt = turn_prepared.prompt
    return "\n\n".join((prompt.system, prompt.guidance, prompt.context))


def ask(user: User, session: Session, text: str) -> TurnResult:
    """A whole turn."""
    return turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": text},)))


def prompt_answered(user: User, session: Session, text: str) -> str:
    """What was for a turn before its message, instructions first; it was answered."""
    asked = prepared(user, text, session)
    list(turn.stream(asked))
    return _read_first(asked)


def state_of(user: User, session: Session) -> ModeInForce:
    """The mode at the person's next turn."""
    with acting_as(user.pk):
        session.refresh_from_db()
        return states.mode_of(permit_of(user), session)


def serve(user: User, body: str) -> None:
    """The person writes how they want to be served."""
    with acting_as(user.pk):
        write_user_document(permit_of(user), user, body)


def persona_file(folder: Path, settings: Settings) -> Callable[[str], None]:
    """Lets ``persona.yaml`` say something else for the rest of the test."""
    path = folder / "persona.yaml"

    def write(text: str) -> None:
        path.write_text(text, encoding="utf-8")
        settings.PERSONA_FILE = str(path)

    return write
