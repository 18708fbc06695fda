"""A worker goes on with its other jobs while a file is checked or read."""

from __future__ import annotations

from threading import Barrier
from unittest.mock import patch

import pytest

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from media import scans
from media.extraction import services as extraction
from media.extraction.types import ExtractedText
from media.scanning.types import CleanContent, InspectedFile
from media.uploads import receive
from tests.media.uploading import reread
from tests.support.cast import allow

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE_SECONDS = 30


def test_one_file_is_checked_while_another_is_read(alice: User) -> None:
    allow(alice)
    drain()
    at_once = Barrier(2)

    def check(content: bytes, media_type: str) -> CleanContent:
        if content == b"Two.":
            at_once.wait(PATIENCE_SECONDS)
        return CleanContent(InspectedFile(media_type))

    def read(content: bytes, *_: object, **__: object) -> ExtractedText:
        if content == b"One.":
            at_once.wait(PATIENCE_SECONDS)
        return ExtractedText(("Tea at five.",), ("reader",))

    files = [receive(alice, [text], "a.txt") for text in (b"One.", b"Two.")]
    with patch.object(scans, "find_safe", check), patch.object(extraction, "extract_apart", read):
        drain()
    assert [reread(media).text_state for media in files] == ["read", "read"]
