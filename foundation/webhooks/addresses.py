"""Which addresses webhooks may be sent to: HTTPS, and no host of a private network.

The host name is resolved anew for every attempt, and the connection goes to the very IP address that was checked. So
the owner of the name cannot point it to an internal machine between the check and the connection.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from foundation.exceptions import FinClawError

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_PORTS: Final = {"https": 443, "http": 80}


class AddressRefused(FinClawError):
    """An address that nothing is sent to. ``reason`` is malformed, not_found, private or insecure."""

    code = "validation_error"

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


@dataclass(frozen=True)
class Destination:
    """Where a request goes: the judged ``ip``, and what it asks there for."""

    ip: str
    port: int
    host: str
    path: str
    is_tls: bool

    @property
    def host_header(self) -> str:
        """The host as HTTP names it, with its port where that is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS["https" if self.is_tls else "http"] else f"{host}:{self.port}"


def resolve(url: str) -> Destination:
    """The destination of an address, judged now. Raises ``AddressRefused``."""
    parts, port = _split(url)
    host = parts.hostname or ""
    found = _addresses_of(host, port)
    if not found:
        raise AddressRefused("not_found")
    if not all(map(is_allowed, found)):  # one inside is enough: nobody names both in good faith
        raise AddressRefused("private")
    is_tls = parts.scheme == "https"
    if not is_tls and not all(map(_is_excepted, found)):
        raise AddressRefused("insecure")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Destination(str(found[0]), port, host, path, is_tls)


def is_allowed(address: IpAddress) -> bool:
    """Whether something may be sent there: it is reachable from the whole internet, or an operator excepted it."""
    if _is_excepted(address):
        return True
    if isinstance(address, ipaddress.IPv6Address):
        wraps = address.ipv4_mapped or address.sixtofour or address.teredo or address in _NAT64
        if wraps or address.is_site_local:  # an IPv4 address in disguise; fec0::/10, which Python calls global
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _is_excepted(address: IpAddress) -> bool:
    networks = map(ipaddress.ip_network, settings.WEBHOOK_ALLOWED_NETWORKS)
    return any(address in network for network in networks)


def _split(url: str) -> tuple[SplitResult, int]:
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        raise AddressRefused("malformed") from None
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if not is_plain or not parts.hostname or parts.username or parts.password or parts.fragment:
        raise AddressRefused("malformed")
    return parts, port


def _addresses_of(host: str, port: int) -> list[IpAddress]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [ipaddress.ip_address(str(place[0]).partition("%")[0]) for *_, place in found]
