"""Files that come with messages in tests, through the product's own doors."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from media.extraction import services as extraction
from media.extraction.readers import read_text
from media.extraction.types import ExtractedText, ExtractionFailed, ExtractionLimits, Unread
from media.models import MediaFile
from memory.models import Session
from tests.media.uploading import checked


def extract_without_pictures(content: bytes, content_type: str, limits: ExtractionLimits, **more: Any) -> ExtractedText:
    """``extract_apart`` for all but pictures, which say nothing; without another process."""
    if content_type.startswith("image/"):
        raise ExtractionFailed(Unread.NO_TEXT)
    return read_text(content, content_type, limits)


def uploaded_saying(user: User, content: bytes, name: str, *pages: str) -> MediaFile:
    """A file of which the reader finds these pages, whatever it is: reading pictures takes seconds."""
    with patch.object(extraction, "extract_apart", return_value=ExtractedText(pages, ("reader",))):
        return checked(user, content, name)


def ask_about(user: User, session: Session, text: str, *files: MediaFile) -> TurnResult:
    """Send a message with files, and get its answer; what is learned from it is learned at once."""
    blocks = [{"type": file.kind, "media_id": str(file.pk)} for file in files]
    result = turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": text}, *blocks)))
    drain()
    return result
