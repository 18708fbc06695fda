"""Content blocks, of which a message consists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

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
FALLBACK: Final = "text_fallback"
"""The field with what a file says in words, for a model that cannot see or hear it."""
_WORDS: Final = ("text", FALLBACK)


def checked_blocks(
    blocks: Sequence[dict[str, Any]], known_names: Collection[str] = (), *, with_files: bool = False
) -> tuple[dict[str, Any], ...]:
    """Validate content blocks: keep their known fields only and mask what is sensitive, except ``known_names``.

    A message of a turn may come ``with_files``: whether they are the user's and safe is checked when the turn begins.
    Raises ``ValidationFailed`` for an empty, oversized or unknown block, and ``MediaNotSafe`` for a file in any other
    text, such as that of another service: what is not known safe is refused whole. Raises ``SensitiveInput``.
    """
    if not blocks or len(blocks) > MAX_BLOCKS:
        raise ValidationFailed(
            details={"content_blocks": [_("Give between 1 and %(limit)d blocks.") % {"limit": MAX_BLOCKS}]}
        )
    checked = tuple(_checked_block(block, with_files=with_files) for block in blocks)
    if not any(block.get("text", "").strip() for block in checked):
        raise ValidationFailed(details={"content": [_("The message is empty.")]})
    if sum(len(block.get(words, "")) for block in checked for words in _WORDS) > settings.MAX_MESSAGE_CHARS:
        sentence = _("The message is longer than %(limit)d characters.") % {"limit": settings.MAX_MESSAGE_CHARS}
        raise ValidationFailed(details={"content": [sentence]})
    return tuple(
        block | {words: screen_text("content", block[words], known_names).text for words in _WORDS if words in block}
        for block in checked
    )


def stored_block(block: dict[str, Any]) -> dict[str, Any]:
    """The block as a message keeps it: what a file says in words is kept with the file, not as the user's words."""
    return {name: value for name, value in block.items() if name != FALLBACK}


def message_pieces(text: str) -> list[str]:
    """A text, one longer than a message may be in several pieces; white space is none."""
    most = settings.MAX_MESSAGE_CHARS
    return [piece for start in range(0, len(text), most) if (piece := text[start : start + most].strip())]


def _checked_block(block: dict[str, Any], *, with_files: bool) -> dict[str, Any]:
    if block.get("type") not in BLOCK_TYPES:
        raise ValidationFailed(details={"content_blocks": [_("Unknown type of block.")]})
    if block["type"] != TEXT or block.get("media_id"):
        return _checked_file(block, with_files=with_files)
    if not isinstance(block.get("text"), str):
        raise ValidationFailed(details={"content_blocks": [_("A text block needs its text.")]})
    return {"type": TEXT, "text": block["text"]}


def _checked_file(block: dict[str, Any], *, with_files: bool) -> dict[str, Any]:
    if not with_files:
        raise MediaNotSafe()
    if block["type"] == TEXT or not block.get("media_id"):
        raise ValidationFailed(
            details={"content_blocks": [_("A block of a file needs its media_id, and no type but its own.")]}
        )
    fallback = block.get(FALLBACK)
    kept = {"type": block["type"], "media_id": str(block["media_id"])}
    return kept | ({FALLBACK: fallback} if isinstance(fallback, str) and fallback.strip() else {})
