"""The client's address: what a proxy of ours says, never what a client says of itself."""

from __future__ import annotations

import pytest
from django.conf import settings

from foundation.accounts.addresses import client_address

PEER = "192.0.2.1"


@pytest.mark.parametrize(
    ("proxies", "header", "address"),
    [
        (0, "203.0.113.9", PEER),  # nobody in front: the header is the client's own
        (0, "", PEER),
        (1, "198.51.100.7", "198.51.100.7"),
        (1, "203.0.113.9, 198.51.100.7", "198.51.100.7"),  # the client wrote the left one
        (2, "203.0.113.9, 198.51.100.7, 192.0.2.2", "198.51.100.7"),
        (2, "198.51.100.7", PEER),  # fewer than there are proxies: it came another way
        (1, "", PEER),
        (1, "unknown", PEER),
        (1, "198.51.100.7, ", PEER),
        (1, "999.1.1.1", PEER),
        (1, "x" * 10_000, PEER),
        (1, "," * 10_000, PEER),
        (1, "198.51.100.7:4711", "198.51.100.7"),
        (1, "[2001:db8:1:2:3:4:5:6]:4711", "2001:db8:1:2::/64"),
        (1, "2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        (1, "::ffff:198.51.100.7", "198.51.100.7"),
    ],
)
def test_the_address_is_the_one_that_our_outermost_proxy_wrote(
    monkeypatch: pytest.MonkeyPatch, proxies: int, header: str, address: str
) -> None:
    monkeypatch.setattr(settings, "TRUSTED_PROXIES", proxies)
    assert client_address({"REMOTE_ADDR": PEER, "HTTP_X_FORWARDED_FOR": header}) == address


@pytest.mark.parametrize("peer", ["", "a socket file", "fe80::1%eth0"])
def test_a_peer_without_an_address_is_one_of_them_all_or_its_own(peer: str) -> None:
    assert client_address({"REMOTE_ADDR": peer}) in {"", "fe80::/64"}
