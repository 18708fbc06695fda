"""Reads what the files say that came with a message, for its prompt and for a model that sees images."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final
from uuid import UUID

from consent.permit import Permit
from consent.services import permit_for
from finclaw.brain.recall.passage_choice import PassageChoice, choose_passages
from finclaw.brain.types import AttachedFile, CandidateDecision, TurnContext, TurnRequest
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.llm import model_sees_images
from foundation.sanitization.prompt_text import NOTHING, element, escape_text, join_texts, trusted_text
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SafeText
from foundation.telemetry.degradations import report_degraded
from media.exceptions import MediaNotSafe
from media.extraction.texts import passages_of
from media.extraction.types import Unread
from media.models import MediaFile, MediaPassage
from media.services import files_of, open_file, require_safe
from memory.content_blocks import FALLBACK

ATTACHMENT_UNREAD: Final = "attachment_unread"
"""The degraded reason of an answer that did not know all that the files with its message say."""
MOST_IMAGE_BYTES: Final = 6_000_000
"""A larger image is not shown to a model: servers refuse it."""
_WAITING: Final = trusted_text("Its text is still being read.")
_UNREAD: Final = trusted_text("Its text could not be read.")
_BLOCKED: Final = trusted_text("It was left out, since it gives orders to assistants.")
_NOT: Final = trusted_text("no")
_LEFT_OUT: Final = trusted_text("[…]")


@dataclass(frozen=True)
class Attachments:
    """What a prompt shows of the files: an element each, and parts for a model that sees.

    ``passages`` are all of the files, which search need not find once more; ``decisions`` are on those looked at.
    """

    elements: tuple[SafeText, ...] = ()
    passages: frozenset[UUID] = frozenset()
    decisions: tuple[CandidateDecision, ...] = ()
    content_parts: tuple[dict[str, Any], ...] = ()


NO_ATTACHMENTS: Final = Attachments()


def attached_files(permit: Permit, request: TurnRequest) -> tuple[AttachedFile, ...]:
    """The files that a message comes with.

    Raises ``MediaNotSafe`` for one that was not found safe, or is not the user's. For a message that is answered anew,
    those that are still there.
    """
    fallbacks = {
        UUID(block["media_id"]): str(block.get(FALLBACK, "")) for block in request.blocks if "media_id" in block
    }
    if not fallbacks:
        return ()
    if request.repeats:
        files = [file for file in files_of(permit).filter(pk__in=fallbacks) if file.is_safe]
    else:
        try:
            files = require_safe(permit, list(fallbacks))
        except NotFound:
            raise MediaNotSafe() from None
    by_id = {file.pk: file for file in files}
    return tuple(AttachedFile(by_id[key], fallback) for key, fallback in fallbacks.items() if key in by_id)


def shows_images(context: TurnContext) -> bool:
    """Whether the message comes with an image that the model can see."""
    return any(map(shows_image, context.files))


def shows_image(attached: AttachedFile) -> bool:
    """Whether the file is an image for a model that sees: one that was read, since orders may stand in it."""
    file = attached.file
    is_read = file.text_state == MediaFile.TextState.READ or file.unread_reason == Unread.NO_TEXT
    is_shown = file.kind == MediaFile.Kind.IMAGE and is_read and file.stored_size <= MOST_IMAGE_BYTES
    return is_shown and model_sees_images()


def read_attachments(context: TurnContext) -> Attachments:
    """What the message's files say, as far as it was read and fits. Call outside any transaction."""
    if not context.files:
        return NO_ATTACHMENTS
    with acting_as(context.user.pk):
        passages = passages_of(permit_for(context.user), [attached.file.pk for attached in context.files])
        opened = {attached.file.pk: open_file(attached.file) for attached in context.files if shows_image(attached)}
    every = [row for rows in passages.values() for row in rows]
    choice = choose_passages(every, context.request.text, in_images=opened)
    elements = [_element(attached, passages.get(attached.file.pk, ()), choice) for attached in context.files]
    if any(attached.file.text_state == MediaFile.TextState.WAITING for attached in context.files):
        report_degraded(ATTACHMENT_UNREAD)
    harmless = (one.file for one in context.files if choice.is_harmless(passages.get(one.file.pk, ())))
    parts = (_image_part(file, b"".join(opened[file.pk])) for file in harmless if file.pk in opened)
    return Attachments(tuple(elements), frozenset(row.pk for row in every), tuple(choice.decisions), tuple(parts))


def _element(attached: AttachedFile, passages: Sequence[MediaPassage], choice: PassageChoice) -> SafeText:
    file = attached.file
    is_whole = not file.text_is_cut and choice.shown.issuperset(row.pk for row in passages)
    attributes = {
        "name": sanitize(file.name).text,
        "kind": sanitize(file.kind).text,
        "whole": NOTHING if is_whole else _NOT,
    }
    return element("attachment", _body(attached, passages, choice), attributes)


def _body(attached: AttachedFile, passages: Sequence[MediaPassage], choice: PassageChoice) -> SafeText:
    """What the file says, with a mark where something is left out; else why nothing of it is shown."""
    if any(row.pk in choice.shown for row in passages):
        return join_texts("\n", (NOTHING, *_pieces(passages, choice), NOTHING))
    if any(choice.is_blocked(row.pk) for row in passages):
        return _BLOCKED
    if said := sanitize(attached.fallback or attached.file.text_fallback).text:
        return escape_text(said, quote=False)
    return _WAITING if attached.file.text_state == MediaFile.TextState.WAITING else _UNREAD


def _pieces(passages: Sequence[MediaPassage], choice: PassageChoice) -> Iterator[SafeText]:
    """The passages that are shown, and one mark for all that are left out between two."""
    for is_shown, rows in groupby(passages, key=lambda row: row.pk in choice.shown):
        if is_shown:
            yield from (escape_text(choice.looked_at[row.pk].safe_text, quote=False) for row in rows)
        else:
            yield _LEFT_OUT


def _image_part(file: MediaFile, content: bytes) -> dict[str, Any]:
    """An image as OpenAI's protocol writes it: its bytes in the address."""
    address = f"data:{file.media_type};base64,{b64encode(content).decode()}"
    return {"type": "image_url", "image_url": {"url": address}}
