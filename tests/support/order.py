"""The order in which several processes take the tests: long ones first, or the last keeps the others waiting.

Long tests wait for browsers and servers most of the time: of three processes or more, one computes meanwhile.
"""

from __future__ import annotations

from itertools import cycle, groupby

import pytest

LONG = ("browser", "workers", "timeout")  # markers: a test that asks for a time limit of its own needs it


def dealt(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    """The same tests, the long ones at the head of every process's share; of three processes or more, not of the last.

    pytest-xdist cuts what is collected into one share for each process; who is through takes over the end of another's.
    Long tests of one folder stay together, for what they have in common: the server of a package starts once.
    """
    shares: list[list[pytest.Item]] = [[] for _ in range(processes)]
    waiting = shares[:-1] if processes > 2 else shares
    folders = groupby(sorted(filter(_is_long, items), key=_folder), key=_folder)
    for share, (_, tests) in zip(cycle(waiting), folders, strict=False):
        share.extend(tests)
    return _filled_up(shares, [item for item in items if not _is_long(item)])


def _filled_up(shares: list[list[pytest.Item]], quick: list[pytest.Item]) -> list[pytest.Item]:
    """Each share with quick tests after the long ones, up to where xdist cuts."""
    number = sum(map(len, shares)) + len(quick)
    ordered: list[pytest.Item] = []
    for before, share in enumerate(shares):
        size = (number - len(ordered)) // (len(shares) - before)
        missing = max(size - len(share), 0)
        ordered += share + quick[:missing]
        quick = quick[missing:]
    return ordered


def _is_long(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in LONG)


def _folder(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0].rpartition("/")[0]
