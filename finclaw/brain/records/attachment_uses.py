"""Records which files a stored message came with."""

from __future__ import annotations

from consent.permit import Permit
from finclaw.brain.types import TurnContext
from media.extraction.services import index_later
from media.services import record_use, require_safe
from memory.models import ConversationEvent


def record_attachments(permit: Permit, context: TurnContext, message: ConversationEvent) -> None:
    """Tie the files to the message, and have their text found from now on, where the message may be learned from.

    Call in the transaction that stores the message. Raises ``NotFound`` for a file that was forgotten meanwhile.
    """
    if not context.files:
        return
    said = {attached.file.pk: attached.fallback for attached in context.files}
    for file in require_safe(permit, list(said)):
        if said[file.pk] and not file.text_fallback:
            file.text_fallback = said[file.pk]
            file.save(update_fields=["text_fallback"])
        if message.learnable:
            index_later(permit.user_id, file.pk)
    record_use(permit, list(said), message.session_id, message.pk)
