"""The client address of a request, by which rate limits count."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from django.conf import settings

IPV6_PREFIX = 64  # what one customer is given at the least: its addresses are one


def client_address(meta: Mapping[str, Any]) -> str:
    """The client's address in ``request.META``: an IPv4 address, an IPv6 /64 network, "" where none is known.

    With ``TRUSTED_PROXIES`` = n it is the n-th entry of X-Forwarded-For from the right, which is the one that the
    outermost of our own proxies wrote; everything to the left of it was sent by the client. Without proxies, and
    where the header is absent, too short or malformed, it is the peer of the socket.
    """
    forwarded = _forwarded_address(str(meta.get("HTTP_X_FORWARDED_FOR", "")), settings.TRUSTED_PROXIES)
    address = forwarded or _parse_address(str(meta.get("REMOTE_ADDR", "")))
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address or "")


def _forwarded_address(header: str, proxies: int) -> IPv4Address | IPv6Address | None:
    entries = header.split(",")
    return _parse_address(entries[-proxies]) if 0 < proxies <= len(entries) else None


def _parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """``text`` as an address; some proxies add a port, ``192.0.2.1:4711`` or ``[2001:db8::1]:4711``."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
