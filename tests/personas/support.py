"""Saying things and having them written back, through the product's own doors."""

from __future__ import annotations

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.language import ParsedMessage
from memory.models import ConversationEvent, Session
from personas.message_wishes import infer_wishes
from personas.models import PersonaSignal
from personas.services.preferences import preferences_of, waiting_preferences
from personas.services.write_back import write_back_wishes
from personas.types import Mode, Preference, WriteBackOutcome
from tests.support.talk import permit_of, say


def tell(user: User, session: Session, text: str, *, mode: Mode = "hybrid") -> WriteBackOutcome:
    """The user says it, is answered in ``mode``, and what it says about ways of answering is weighed."""
    (message,) = say(user, session, text, learn=False)
    return weigh(user, message, mode=mode)


def weigh(user: User, message: ConversationEvent, *, mode: Mode = "hybrid") -> WriteBackOutcome:
    """Weigh a message that was recorded."""
    with acting_as(user.pk):
        return write_back_wishes(permit_of(user), message, infer_wishes(ParsedMessage(message.text)).signals, mode=mode)


def learned(user: User) -> dict[str, str]:
    """What is used of the user's preferences: key → value."""
    with acting_as(user.pk):
        return {one.key: one.value for one in preferences_of(permit_of(user))}


def waiting(user: User) -> list[Preference]:
    """What waits for the user's word."""
    with acting_as(user.pk):
        return list(waiting_preferences(permit_of(user)))


def signs(user: User) -> int:
    """How many signs are counted."""
    with acting_as(user.pk):
        return PersonaSignal.objects.count()
