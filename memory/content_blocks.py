"""Content blocks, of which a message consists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from consent.sensitive.services import screen_text
from foundation.exceptions import ValidationFailed
from media.exceptions import MediaNotSafe

TEXT = "text"
BLOCK_TYPES = frozenset({TEXT, "image", "audio", "document"})
REDACTED = "redacted"
"""The type of the wordless block that replaces sentences taken out of a message, at the moment given in ``at``."""
MAX_BLOCKS = 20


def checked_blocks(blocks: Sequence[dict[str, Any]], known_names: Collection[str] = ()) -> tuple[dict[str, Any], ...]:
    """Validate content blocks: keep their known fields only and mask what is sensitive, except ``known_names``.

    Raises ``ValidationFailed`` for an empty, oversized or unknown block and ``MediaNotSafe`` for media: no scanner has
    found any file safe, and what is not known safe is refused whole. Raises ``SensitiveInput``.
    """
    if not blocks or len(blocks) > MAX_BLOCKS:
        raise ValidationFailed(
            details={"content_blocks": [_("Give between 1 and %(limit)d blocks.") % {"limit": MAX_BLOCKS}]}
        )
    checked = tuple(_checked_block(block) for block in blocks)
    if not any(block["text"].strip() for block in checked):
        raise ValidationFailed(details={"content": [_("The message is empty.")]})
    if sum(len(block["text"]) for block in checked) > settings.MAX_MESSAGE_CHARS:
        sentence = _("The message is longer than %(limit)d characters.") % {"limit": settings.MAX_MESSAGE_CHARS}
        raise ValidationFailed(details={"content": [sentence]})
    return tuple(block | {"text": screen_text("content", block["text"], known_names).text} for block in checked)


def message_pieces(text: str) -> list[str]:
    """A text, one longer than a message may be in several pieces; white space is none."""
    most = settings.MAX_MESSAGE_CHARS
    return [piece for start in range(0, len(text), most) if (piece := text[start : start + most].strip())]


def _checked_block(block: dict[str, Any]) -> dict[str, Any]:
    if block.get("type") not in BLOCK_TYPES:
        raise ValidationFailed(details={"content_blocks": [_("Unknown type of block.")]})
    if block["type"] != TEXT or block.get("media_id"):
        raise MediaNotSafe()
    if not isinstance(block.get("text"), str):
        raise ValidationFailed(details={"content_blocks": [_("A text block needs its text.")]})
    return {"type": TEXT, "text": block["text"]}
