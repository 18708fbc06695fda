"""What the consent tests share: everything the product stores about somebody, written and counted."""

from __future__ import annotations

from contextlib import suppress

from consent.exceptions import ConsentScopeMissing
from consent.permit import Permit
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.outbox.tasks import drain
from memory.historian.services import end
from memory.learning.services import observe
from memory.models import CognitiveEvent, CognitiveJob, ConversationEvent, MemoryItem, SearchEntry, UserContext
from memory.research.profile_context import save_profile_context
from memory.services.item_decisions import add_stated
from memory.services.sessions import record_messages, start_session
from memory.types import EndInput, NewMessage

Rows = dict[str, int]
NOTHING_LEARNED: Rows = {"items": 0, "events": 0, "jobs": 0, "entries": 0}


def live_a_little(user: User) -> None:
    """Use every door through which something of ``user`` could be stored; a refused one stays shut."""
    with acting_as(user.pk):
        permit = permit_for(user)
        session = start_session(permit, user)
        said = record_messages(permit, session, [NewMessage.of_text("user", "I prefer short answers.", user.name)])
        observe(permit, said)
        end(permit, user, session, EndInput(request_id=str(new_id()), action_summary="asked for a summary", force=True))
        _unless_refused(permit)
    drain()


def _unless_refused(permit: Permit) -> None:
    for write in (
        lambda: save_profile_context(permit, {"research_depth": "deep"}),
        lambda: add_stated(permit, "Uses a spreadsheet for everything."),
    ):
        with suppress(ConsentScopeMissing):
            write()


def learned(user: User) -> Rows:
    """Rows that exist only under ``memory_learning_allowed``."""
    with acting_as(user.pk):
        return {
            "items": MemoryItem.objects.count(),
            "events": CognitiveEvent.objects.count(),
            "jobs": CognitiveJob.objects.count(),
            "entries": SearchEntry.objects.count(),
        }


def contexts(user: User) -> tuple[int, int]:
    """Profile contexts, and the history rows they left."""
    with acting_as(user.pk):
        return UserContext.objects.count(), UserContext.history.count()


def messages(user: User) -> int:
    """Raw messages: any consent record is enough for them."""
    with acting_as(user.pk):
        return ConversationEvent.objects.count()
