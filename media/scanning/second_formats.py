"""Finds a second format in a file: one that another program would read as something else."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Final
from zipfile import is_zipfile

from media.scanning.types import RefusalReason, Refused

_PDF_WITHIN: Final = 1_024  # where readers look for its beginning
_TAR_MARK: Final = slice(257, 262)
# Long enough that no picture or sound holds them by chance.
_ARCHIVES: Final = re.compile(rb"Rar!\x1a\x07|7z\xbc\xaf\x27\x1c|__HALT_COMPILER\(\);")
_MARKUP: Final = re.compile(rb"<script[\s>/]|<\?php\s|<!doctype\s|<html[\s>]|<svg\s[^>]{0,99}xmlns", re.I)


def require_single_format(content: bytes, *, markup: bool = True, pdf: bool = True) -> None:
    """Raise ``Refused`` for a file that is an archive, a page or a PDF besides. ``markup`` says whether a page may not
    stand in it, ``pdf`` whether it may not be one.
    """
    is_second = (
        is_zipfile(BytesIO(content))
        or content[_TAR_MARK] == b"ustar"
        or _ARCHIVES.search(content)
        or (pdf and b"%PDF-" in content[:_PDF_WITHIN])
        or (markup and _MARKUP.search(content))
    )
    if is_second:
        raise Refused(RefusalReason.TWO_KINDS)
