"""Evaluates learning: sends labelled chats to the product and reads what it has learned afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from consent.services import grant_consent, permit_for
from finclaw.brain.turn import prepare, stream
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.evaluation.labelled_chats import LabelledChat
from memory.evaluation.learning_scores import TOP, LearnedChat, LearnedMemory, Standing
from memory.models import ConversationEvent, MemoryItem
from memory.services.item_queries import items_of
from memory.services.sessions import start_session

_STATES = (MemoryItem.State.ACTIVE, MemoryItem.State.QUARANTINED)
_IN_ANSWERS = ("item", "turn")


@contextmanager
def without_a_model() -> Iterator[None]:
    """Answer and learn without a model, whatever model the settings name."""
    before = settings.OPENAI_BASE_URL
    settings.OPENAI_BASE_URL = ""
    try:
        yield
    finally:
        settings.OPENAI_BASE_URL = before


def learn_chats(chats: Iterable[LabelledChat], said: Callable[[], object] = lambda: None) -> Iterator[LearnedChat]:
    """Send each chat as a new user, one turn per message, and drain the queue after each; calls ``said`` once per chat.

    Call in a database of its own: its queue is drained, and the chats stay in it.
    """
    for chat in chats:
        yield _learn_chat(chat)
        said()


def _learn_chat(chat: LabelledChat) -> LearnedChat:
    user = _create_person(chat.name)
    session = _create_session(user)
    after = []
    for message in chat.messages:
        _run_turn(user, session, message.text)
        drain()
        after.append(_learned_memories(user, session))
    answer, top = _ask_afterwards(user, chat.question) if chat.question else ("", ())
    return LearnedChat(chat, tuple(after), answer, top)


def _create_person(name: str) -> User:
    user = User.objects.create_user(username=f"learning.{name}", display_name="Alice")
    with acting_as(user.pk):
        grant_consent(user, tuple(ConsentScope), source="command")
    return user


def _create_session(user: User) -> UUID:
    with acting_as(user.pk):
        return start_session(permit_for(user), user).pk


def _run_turn(user: User, session: UUID, text: str) -> tuple[str, tuple[str, ...]]:
    """The answer, and the memories at the top of its prompt."""
    turn = prepare(user, TurnRequest(session, ({"type": "text", "text": text},)))
    taken = [decision for decision in turn.assembly.decisions if decision.accepted]
    taken.sort(key=lambda decision: decision.position or 0)
    memories = [accepted.candidate.text for accepted in taken if accepted.candidate.kind in _IN_ANSWERS]
    result = [part for part in stream(turn) if isinstance(part, TurnResult)][-1]
    return result.reply, tuple(memories[:TOP])


def _ask_afterwards(user: User, question: str) -> tuple[str, tuple[str, ...]]:
    """Ask in a new conversation, which contains none of the chat's messages."""
    return _run_turn(user, _create_session(user), question)


def _learned_memories(user: User, session: UUID) -> tuple[LearnedMemory, ...]:
    with acting_as(user.pk):
        permit = permit_for(user)
        open_items = (
            items_of(permit).filter(superseded_at=None, state__in=_STATES).exclude(invalid_at__lte=timezone.now())
        )
        own = ConversationEvent.objects.filter(session=session, role=ConversationEvent.Role.USER).order_by("seq")
        said = list(own.values_list("pk", flat=True))
        return tuple(_learned_memory(item, said) for item in open_items.exclude(memory_type="agent_experience"))


def _learned_memory(item: MemoryItem, said: list[UUID]) -> LearnedMemory:
    positions = frozenset(position for position, message in enumerate(said) if message in item.message_ids)
    standing: Standing = "in_force" if item.state == MemoryItem.State.ACTIVE else "asked"
    return LearnedMemory(item.chain_id, item.content, standing, positions)
