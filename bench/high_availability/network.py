"""Network namespaces of Linux as three machines on one network, of which single links can be cut."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

ADDRESSES: Final[Mapping[str, str]] = {f"pg{number}": f"10.77.0.1{number}" for number in (1, 2, 3)}
"""Of the nodes, as the files in ``deploy/postgresql/`` name them."""
HOST_ADDRESS: Final = "10.77.0.1"
_BRIDGE: Final = "finclaw-ha"


@dataclass(frozen=True)
class Network:
    """The network of the nodes; HAProxy and everything before it are at ``HOST_ADDRESS``."""

    def command(self, node: str, program: Sequence[str]) -> list[str]:
        """What runs a program on a node."""
        return ["ip", "netns", "exec", _namespace(node), *program]

    def processes(self, node: str) -> list[int]:
        """The ids of all processes on a node."""
        shown = subprocess.run(
            ["ip", "netns", "pids", _namespace(node)], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        return [int(line) for line in shown.split()]

    def unplug(self, node: str) -> None:
        """Nothing reaches the node any more, as when its power is gone."""
        _run("ip", "link", "set", _cable(node), "down")

    def plug(self, node: str) -> None:
        """Undo ``unplug``."""
        _run("ip", "link", "set", _cable(node), "up")

    def cut(self, node: str, others: Sequence[str]) -> None:
        """Packets between the node and each of the others are lost without a word."""
        self._change_routes("add", node, others)

    def mend(self, node: str, others: Sequence[str]) -> None:
        """Undo ``cut``."""
        self._change_routes("del", node, others)

    def _change_routes(self, verb: str, node: str, others: Sequence[str]) -> None:
        for other in others:
            for here, there in ((node, other), (other, node)):
                _run("ip", "-n", _namespace(here), "route", verb, "blackhole", f"{ADDRESSES[there]}/32")


@contextmanager
def running_network() -> Iterator[Network]:
    """A network with all nodes, as long as this lasts; needs root."""
    with ExitStack() as made:
        _run("ip", "link", "add", _BRIDGE, "type", "bridge")
        made.callback(_run, "ip", "link", "del", _BRIDGE)
        _run("ip", "address", "add", f"{HOST_ADDRESS}/24", "dev", _BRIDGE)
        _run("ip", "link", "set", _BRIDGE, "up")
        for node, address in ADDRESSES.items():
            _run("ip", "netns", "add", _namespace(node))
            made.callback(_run, "ip", "netns", "del", _namespace(node))
            inside = ("netns", _namespace(node))
            _run("ip", "link", "add", _cable(node), "type", "veth", "peer", "name", "eth0", *inside)
            # Here, because the kernel takes away what a namespace held only after its end: the next run would meet it.
            made.callback(_run, "ip", "link", "del", _cable(node))
            _run("ip", "link", "set", _cable(node), "master", _BRIDGE, "up")
            for arguments in (
                ("address", "add", f"{address}/24", "dev", "eth0"),
                ("link", "set", "eth0", "up"),
                ("link", "set", "lo", "up"),
            ):
                _run("ip", "-n", _namespace(node), *arguments)
        yield Network()


def _namespace(node: str) -> str:
    return f"finclaw-{node}"


def _cable(node: str) -> str:
    return f"fc-{node}"


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
