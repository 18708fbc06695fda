"""Decides which redirect addresses a program may use: https, or http to the user's own machine."""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult, urlsplit

REDIRECT_CHARS: Final = 500
LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def is_acceptable(uri: str) -> bool:
    """Whether a program may register this address: https, or http to the user's own machine; without a fragment."""
    parts = _split(uri)
    if parts is None or not parts.hostname or "@" in parts.netloc or "#" in uri or "\\" in uri:
        return False
    return parts.scheme == "https" or _is_loopback(parts)


def matches(uri: str, registered: list[str]) -> bool:
    """Whether an address equals a registered one exactly; for a loopback address the port may differ.

    A program that listens on the user's own machine takes whichever port is free (RFC 8252, section 7.3).
    """
    return is_acceptable(uri) and any(uri == known or _differ_in_port(uri, known) for known in registered)


def host_of(uri: str) -> str:
    """The host that a redirect leads to, as it is shown."""
    parts = _split(uri)
    return parts.netloc if parts else ""


def origin_of(uri: str) -> str:
    """Scheme, host and port of an acceptable address, as a browser's policy names them."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}"


def _differ_in_port(uri: str, known: str) -> bool:
    asked, registered = _split(uri), _split(known)
    if asked is None or registered is None or not (_is_loopback(asked) and _is_loopback(registered)):
        return False
    return (asked.hostname, asked.path, asked.query) == (registered.hostname, registered.path, registered.query)


def _is_loopback(parts: SplitResult) -> bool:
    return parts.scheme == "http" and parts.hostname in LOOPBACK


def _split(uri: str) -> SplitResult | None:
    if len(uri) > REDIRECT_CHARS or not uri.isascii() or not uri.isprintable() or " " in uri:
        return None
    try:
        parts = urlsplit(uri)
        _port = parts.port
    except ValueError:
        return None
    return parts
