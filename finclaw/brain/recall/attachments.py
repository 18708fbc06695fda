"""Reads what the files say that came with a message, for its prompt and for a model that sees images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final
from uuid import UUID

from consent.permit import Permit
from consent.services import permit_for
from finclaw.brain.prompt.budget import attachment_room, configured_limits
from finclaw.brain.recall.attached_images import IMAGE_UNSEEN, image_part, images_to_show, seeable_images
from finclaw.brain.recall.passage_choice import PassageChoice, choose_passages
from finclaw.brain.types import AttachedFile, CandidateDecision, TurnContext, TurnRequest
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.sanitization.prompt_text import NOTHING, element, escape_text, join_texts, trusted_text
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SafeText
from foundation.telemetry.degradations import report_degraded
from foundation.text import estimate_tokens
from media.exceptions import MediaNotSafe
from media.extraction.texts import passages_of
from media.models import MediaFile, MediaPassage
from media.services import files_of, require_safe
from memory.content_blocks import FALLBACK

ATTACHMENT_UNREAD: Final = "attachment_unread"
"""The degraded reason of an answer that did not know all that the files with its message say."""
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
    return bool(images_to_show(context.files))


def read_attachments(context: TurnContext) -> Attachments:
    """What the message's files say, as far as it was read and fits. Call outside any transaction."""
    if not context.files:
        return NO_ATTACHMENTS
    with acting_as(context.user.pk):
        passages = passages_of(permit_for(context.user), [attached.file.pk for attached in context.files])
    every = [row for rows in passages.values() for row in rows]
    text = context.request.text
    room = attachment_room(configured_limits(), estimate_tokens(text))
    choice = choose_passages(every, text, {image.pk for image in images_to_show(context.files)}, room)
    elements = [_element(attached, passages.get(attached.file.pk, ()), choice) for attached in context.files]
    if any(attached.file.text_state == MediaFile.TextState.WAITING for attached in context.files):
        report_degraded(ATTACHMENT_UNREAD)
    parts = tuple(_image_parts(context, passages, choice))
    return Attachments(tuple(elements), frozenset(row.pk for row in every), tuple(choice.decisions), parts)


def _image_parts(
    context: TurnContext, passages: Mapping[UUID, Sequence[MediaPassage]], choice: PassageChoice
) -> Iterator[dict[str, Any]]:
    """The images whose text gives no orders; reports where one is left out for another reason."""
    shown = {image.pk for image in images_to_show(context.files)}
    for image in seeable_images(context.files):
        rows = passages.get(image.pk, ())
        if any(choice.is_blocked(row.pk) for row in rows):
            continue
        is_shown = image.pk in shown and choice.is_harmless(rows)
        if is_shown and (part := image_part(context.user.pk, image)) is not None:
            yield part
        else:
            report_degraded(IMAGE_UNSEEN)


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
