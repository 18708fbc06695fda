"""E-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from consent.sensitive.types import Finding, SensitiveKind

# RFC 5321 §4.5.3.1: at most 64 characters of local part, 63 per label. Only ASCII, since Chinese text may directly
# precede or follow an address without a space.
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9._%+-])(?P<local>[A-Za-z0-9_][A-Za-z0-9._%+-]{0,63}+)@"
    r"(?:[A-Za-z0-9-]{1,63}+\.){1,8}(?P<top>[A-Za-z]{2,24}+)(?![A-Za-z0-9@_-])"
)
_FILE_ENDINGS = frozenset({"png", "jpg", "jpeg", "gif", "svg", "webp", "pdf", "tld"})  # logo@2x.png
_PROGRAMS = frozenset({"git"})  # git@github.com:owner/repository


def find(text: str) -> Iterator[Finding]:
    """E-mail addresses; not those of Git servers (git@…) nor names of images such as logo@2x.png."""
    if "@" not in text:
        return
    for match in _ADDRESS.finditer(text):
        if match["top"].lower() not in _FILE_ENDINGS and match["local"].lower() not in _PROGRAMS:
            yield Finding(SensitiveKind.EMAIL, *match.span())
