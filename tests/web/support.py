"""People in front of a browser, and memories to show them."""

from __future__ import annotations

from uuid import UUID

from django.test import Client

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import CognitiveEvent, ConversationEvent, MemoryItem, Session
from memory.services.receipts import write_receipts
from memory.services.sessions import record_messages, start_session
from memory.services.versions import ItemDraft
from memory.types import LineDraft, NewMessage
from tests.support.cast import A_MONDAY
from tests.support.items import add_item


def signed_in(user: User) -> Client:
    """A browser in which this person is signed in."""
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def chat_of(user: User, *texts: str) -> Session:
    """A chat in which this person said these things."""
    with acting_as(user.pk):
        session = start_session(permit_for(user), user, title="BTC")
        said = [NewMessage.of_text("user", text, user.name) for text in texts]
        if said:
            record_messages(permit_for(user), session, said)
    return session


def said_in(user: User, session: Session) -> list[ConversationEvent]:
    """The messages of a chat."""
    with acting_as(user.pk):
        return list(session.events.order_by("seq"))


def memory_of(user: User, content: str, *, message_ids: tuple[UUID, ...] = ()) -> MemoryItem:
    """A statement about this person, mentioned in passing."""
    draft = ItemDraft(
        content, "preference", "preference", "observation", 0.5,
        attributes={"subject": content}, detail={"change": "add", "message_ids": [str(key) for key in message_ids]},
    )  # fmt: skip
    with acting_as(user.pk):
        return add_item(permit_for(user), draft)


def waiting_memory_of(user: User, content: str, said: str = "I may go to Kunming") -> MemoryItem:
    """A statement set aside until this person decides, with the words it came from."""
    (message,) = said_in(user, chat_of(user, said))
    detail = {"rule": "test", "message_ids": [str(message.pk)]}
    draft = ItemDraft(content, "observation", "fact", "observation", 0.3, detail=detail, quarantined=True)
    with acting_as(user.pk):
        return add_item(permit_for(user), draft)


def event_of(user: User, session: Session, event_id: str, text: str) -> CognitiveEvent:
    """An event of this person's."""
    with acting_as(user.pk):
        return CognitiveEvent.objects.create(
            event_id=event_id, perspective="sender", user=user, session=session, request_id=event_id, end_seq=1,
            canonical_text=text, timestamp_utc=A_MONDAY, timestamp_local=A_MONDAY.isoformat(), timezone="Asia/Shanghai",
            request_type="private", sender=user, has_new_info=True, rewritten_by="offline", consent_version=1,
        )  # fmt: skip


def used(user: User, session: Session, *rows: MemoryItem | CognitiveEvent, kind: str = "item") -> None:
    """The last message of a chat stands for a reply that was given these."""
    lines = [LineDraft(kind, row.pk, True, "relevance", 1.0, position=rank) for rank, row in enumerate(rows, 1)]
    with acting_as(user.pk):
        message = session.events.order_by("seq").last()
        assert message is not None
        write_receipts(
            permit_for(user),
            session,
            message.pk,
            [],
            lines,
            budget={},
            budget_exceeded=False,
            degraded=(),
            context_hash="",
        )
