"""Telling things through the product's own door, and reading the portraits that come of it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import ChatGroup, User
from foundation.database.acting_user import acting_as
from foundation.llm import Prompt, Reply, TokenUsage
from foundation.outbox.tasks import drain
from memory.historian.services import end
from memory.models import EntityProfile, SearchEntry, Session
from memory.portraits import services as portraits
from memory.portraits.types import EntityType, PortraitView
from memory.types import EndInput
from tests.support.talk import permit_of


class ScriptedModel:
    """A small model that says what it is told to."""

    is_offline = False

    def __init__(self, says: Callable[[Prompt], str]) -> None:
        self._says = says

    def effective_id(self, model_id: str) -> str:
        """The model asked for: no ceiling is reached."""
        return model_id

    def call(self, prompt: Prompt, model_id: str, *_: Any, **__: Any) -> Reply:
        """The scripted answer."""
        return Reply(self._says(prompt), model_id, TokenUsage(0, 0))

    def stream(self, prompt: Prompt, model_id: str, *_: Any, **__: Any) -> Generator[str, None, Reply]:
        """The scripted answer in one piece."""
        reply = self.call(prompt, model_id)
        yield reply.text
        return reply


def tell(user: User, session: Session, text: str, at: datetime | None = None, message: UUID | None = None) -> str:
    """An ``end`` with this new information, worked off; answers its event's id."""
    request = EndInput(
        f"req-{uuid4()}", new_info=text, force=True, occurred_at=at, message_ids=(message,) if message else ()
    )
    with acting_as(user.pk):
        receipt = end(permit_of(user), user, session, request)
    drain()
    assert receipt.event_id is not None
    return receipt.event_id


def portrait(user: User, of: ChatGroup | User | None = None) -> PortraitView | None:
    """What ``user`` sees of somebody's portrait, their own unless told."""
    kind: EntityType = "group" if isinstance(of, ChatGroup) else "user"
    with acting_as(user.pk):
        return portraits.portrait_of(permit_of(user), kind, (of or user).pk)


def body(user: User, of: ChatGroup | User | None = None) -> str:
    """Its Markdown, "" where there is none."""
    view = portrait(user, of)
    return view.body if view else ""


def bullets(user: User, of: ChatGroup | User | None = None) -> list[str]:
    """Its lines."""
    return [line.removeprefix("- ") for line in body(user, of).splitlines() if line.startswith("- ")]


def edit(user: User, text: str, group: ChatGroup | None = None) -> PortraitView:
    """The user writes their own part."""
    with acting_as(user.pk):
        return portraits.edit(permit_of(user), "group" if group else "user", (group or user).pk, text)


def rollback(user: User, revision: int | None = None) -> PortraitView:
    """The user takes their own portrait back."""
    with acting_as(user.pk):
        return portraits.rollback(permit_of(user), "user", user.pk, revision)


def versions(user: User) -> list[str]:
    """The bodies of every version of everything the user has, the latest first."""
    with acting_as(user.pk):
        return list(EntityProfile.history.order_by("-history_id").values_list("body", flat=True))


def stored_words(user: User) -> str:
    """Everything that the rows of the user's portraits hold, in every version, and their lexemes."""
    with acting_as(user.pk):
        rows = [*EntityProfile.objects.filter(user=user).values(), *EntityProfile.history.filter(user=user).values()]
        entries = SearchEntry.objects.filter(user=user, kind="profile").values_list("terms", flat=True)
        return f"{rows} {list(entries)}"


def erase(user: User, scope: ErasureScope, target: str = "", sources: Sources = Sources.REDACT) -> None:
    """Ask for it, and let the worker carry it out."""
    with acting_as(user.pk):
        forget(user, scope, target, sources, source="api")
    drain()
