"""Builds the ``end`` of a chat, from which the historian writes an event: the user's messages since the last end."""

from __future__ import annotations

from consent.permit import Permit
from finclaw.brain.understanding.intent import classify
from foundation.accounts.models import User
from foundation.language import ParsedMessage, split_sentences, statements_in
from memory.evolution.style_commands import is_style_command
from memory.historian.unreported_messages import messages_to_report
from memory.indexing.unconfirmed_health import find_unconfirmed_health, without_health
from memory.models import Session
from memory.types import EndInput

_REQUESTS = frozenset({"small_talk", "research"})


def build_end_input(permit: Permit, user: User, session: Session) -> EndInput:
    """The ``end`` of a chat: all the user's messages since the last end, if at least one of them states something.

    Ending again without a message in between gives the same request id, and so the same event.
    """
    request_id = f"chat-{session.pk}-{session.last_seq}"
    said = messages_to_report(permit, session, request_id)
    private = find_unconfirmed_health(user.pk, said)
    telling = any(is_statement(_public_text(spoken.text) if spoken.pk in private else spoken.text) for spoken in said)
    return EndInput(
        request_id=request_id,
        message_ids=tuple(message.pk for message in said) if telling else (),
        occurred_at=said[-1].occurred_at if telling else None,
    )


def _public_text(text: str) -> str:
    return " ".join(without_health(split_sentences(text)))


def is_statement(text: str) -> bool:
    """Whether a message may state a fact; a mere question, greeting, request or instruction on style does not."""
    if not statements_in(text) or is_style_command(text):
        return False
    return classify(ParsedMessage(text)).intent_type not in _REQUESTS
