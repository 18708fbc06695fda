"""Reads what the files say that came with a message, for its prompt and for a model that sees images."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from consent.permit import Permit
from consent.services import permit_for
from finclaw.brain.prompt.memory_lines import memory_tokens
from finclaw.brain.sanitization.candidates import sanitize_candidates
from finclaw.brain.types import AttachedFile, CandidateDecision, PromptCandidate, TurnContext, TurnRequest
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.llm import model_sees_images
from foundation.sanitization.prompt_text import NOTHING, element, escape_text, join_texts, trusted_text
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SafeText, SanitizationResult
from foundation.telemetry.degradations import report_degraded
from foundation.text import tokenize
from media.exceptions import MediaNotSafe
from media.extraction.texts import passages_of
from media.extraction.types import Unread
from media.models import MediaFile, MediaPassage
from media.services import files_of, open_file, require_safe
from memory.content_blocks import FALLBACK

ATTACHED: Final = "attached"
"""The receipt's reason for what a file says that came with the message."""
ATTACHMENT_UNREAD: Final = "attachment_unread"
"""The degraded reason of an answer that did not know all that the files with its message say."""
ROOM: Final = 6_000
"""Tokens for the text of all files of a message; of longer ones the passages that fit the message are shown."""
MOST_IMAGE_BYTES: Final = 6_000_000
"""A larger image is not shown to a model: servers refuse it."""
_WAITING: Final = trusted_text("Its text is still being read.")
_UNREAD: Final = trusted_text("Its text could not be read.")
_BLOCKED: Final = trusted_text("It was left out, since it gives orders to assistants.")
_NOT: Final = trusted_text("no")
_LEFT_OUT: Final = trusted_text("[…]")


@dataclass(frozen=True)
class Attachments:
    """What a prompt shows of the files: an element each, the decisions on their passages, and parts for a model that
    sees.
    """

    elements: tuple[SafeText, ...] = ()
    decisions: tuple[CandidateDecision, ...] = ()
    content_parts: tuple[dict[str, Any], ...] = ()

    @property
    def passages(self) -> set[UUID]:
        """All passages of the files, which search need not find once more."""
        return {decision.candidate.id for decision in self.decisions}


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
    candidates = {key: _candidates(rows) for key, rows in passages.items()}
    shown = _fitting([candidate for rows in candidates.values() for candidate in rows], context.request.text)
    elements = [_element(attached, candidates.get(attached.file.pk, ()), shown) for attached in context.files]
    if any(attached.file.text_state == MediaFile.TextState.WAITING for attached in context.files):
        report_degraded(ATTACHMENT_UNREAD)
    decided = (candidate for rows in candidates.values() for candidate in rows)
    harmless = (one.file for one in context.files if not any(map(_is_blocked, candidates.get(one.file.pk, ()))))
    parts = (_image_part(file, b"".join(opened[file.pk])) for file in harmless if file.pk in opened)
    return Attachments(tuple(elements), tuple(_decisions(decided, shown)), tuple(parts))


def _candidates(passages: Iterable[MediaPassage]) -> tuple[PromptCandidate, ...]:
    """The passages of a file as candidates, sanitized."""
    found = (
        PromptCandidate("document", row.pk, row.text, 1.0, 0, row.created_at, said_by=row.file_name) for row in passages
    )
    return tuple(replace(one, tokens=memory_tokens(one)) for one in sanitize_candidates(found))


def _is_blocked(candidate: PromptCandidate) -> bool:
    return candidate.sanitization == SanitizationResult.BLOCKED


def _fitting(candidates: Sequence[PromptCandidate], message: str) -> set[UUID]:
    """The passages to show: all where they fit, else those that share most words with the message, the first first."""
    asked = set(tokenize(message))
    usable = [candidate for candidate in candidates if not _is_blocked(candidate)]
    ranked = sorted(usable, key=lambda candidate: -len(asked.intersection(tokenize(candidate.text))))
    shown, room = set(), ROOM
    for candidate in ranked:
        if candidate.tokens <= room:
            shown.add(candidate.id)
            room -= candidate.tokens
    return shown


def _decisions(candidates: Iterable[PromptCandidate], shown: set[UUID]) -> Iterable[CandidateDecision]:
    """What the receipt says of the passages: which the model read, and which were blocked or found no room."""
    for candidate in candidates:
        if _is_blocked(candidate):
            yield CandidateDecision(candidate, accepted=False, reason="blocked")
        else:
            is_shown = candidate.id in shown
            yield CandidateDecision(candidate, is_shown, ATTACHED if is_shown else "budget_exceeded")


def _element(attached: AttachedFile, candidates: Sequence[PromptCandidate], shown: set[UUID]) -> SafeText:
    file = attached.file
    is_whole = len(shown.intersection(candidate.id for candidate in candidates)) == len(candidates)
    attributes = {
        "name": sanitize(file.name).text,
        "kind": sanitize(file.kind).text,
        "whole": _NOT if file.text_is_cut or not is_whole else NOTHING,
    }
    return element("attachment", _body(attached, candidates, shown), attributes)


def _body(attached: AttachedFile, candidates: Sequence[PromptCandidate], shown: set[UUID]) -> SafeText:
    """What the file says, with a mark where something is left out; else why nothing of it is shown."""
    pieces = [candidate.safe_text if candidate.id in shown else _LEFT_OUT for candidate in candidates]
    if any(candidate.id in shown for candidate in candidates):
        return join_texts("\n", (NOTHING, *(escape_text(piece, quote=False) for piece in pieces), NOTHING))
    if any(map(_is_blocked, candidates)):
        return _BLOCKED
    if said := sanitize(attached.fallback or attached.file.text_fallback).text:
        return escape_text(said, quote=False)
    return _WAITING if attached.file.text_state == MediaFile.TextState.WAITING else _UNREAD


def _image_part(file: MediaFile, content: bytes) -> dict[str, Any]:
    """An image as OpenAI's protocol writes it: its bytes in the address."""
    address = f"data:{file.media_type};base64,{b64encode(content).decode()}"
    return {"type": "image_url", "image_url": {"url": address}}
