"""Verdicts of sanitization stored beside a text, so that a turn which recalls the text need not check it again."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final
from unicodedata import unidata_version

import foundation.guards
import foundation.language
import foundation.lexicon
import foundation.sanitization
from foundation.encoder import embedded_encoder
from foundation.sanitization.services import is_suspicious, sanitize
from foundation.sanitization.types import SanitizationResult

_PACKAGES: Final = (foundation.sanitization, foundation.guards, foundation.language)
_READ: Final = ("*.py", "*.yaml", "*.md")  # the card of the guards' weights holds their hash


def verdict_on(text: str) -> str:
    """The verdict to store with a text that may stand in a prompt unchanged; "" for any other text.

    It is a digest of the text and the rules, 32 hexadecimal digits.
    """
    return _digest(text) if text and sanitize(text).result is SanitizationResult.PASS else ""


def needs_second_look(text: str) -> bool:
    """Whether a text passes the rules and yet sounds like orders to an assistant, so that a model should check it."""
    found = sanitize(text)
    return found.result is not SanitizationResult.BLOCKED and is_suspicious(found.text)


def manipulative_mark(text: str) -> str:
    """The mark to store with a text that a model found manipulative, 32 hexadecimal digits; rules do not matter."""
    return sha256(f"manipulative {text}".encode(errors="surrogatepass")).hexdigest()[:32]


def is_marked(mark: str, text: str) -> bool:
    """Whether a model found this very text manipulative."""
    return bool(mark) and mark == manipulative_mark(text)


def is_current_verdict(verdict: str, text: str) -> bool:
    """Whether a stored verdict was made by the current rules on exactly this text."""
    return bool(verdict) and verdict == _digest(text)


def rules_version() -> str:
    """A digest of what verdicts depend on (16 hexadecimal digits): the rules, the guards, and the encoder, if any.

    Verdicts made under another version do not count.
    """
    encoder = embedded_encoder()
    return _hashed(encoder.model_id if encoder else "")


def _digest(text: str) -> str:
    return sha256(f"{rules_version()} {text}".encode(errors="surrogatepass")).hexdigest()[:32]


@cache
def _hashed(model_id: str) -> str:
    # Normalizing a text (opencc, Unicode data) changes verdicts, so their versions count as rules.
    found = sha256(f"{model_id} {version('opencc')} {unidata_version}".encode())
    found.update(Path(str(foundation.lexicon.__file__)).read_bytes())
    for package in _PACKAGES:
        folder = Path(str(package.__file__)).parent
        for path in sorted(path for pattern in _READ for path in folder.rglob(pattern)):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]
