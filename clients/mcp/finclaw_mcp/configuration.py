"""Reads from the environment where FinClaw is, and where this server listens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from finclaw_client import ConfigurationError
from finclaw_client.requests import DEFAULT_URL, clean_token, server_url

LOOPBACK_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORT: Final = 8010


@dataclass(frozen=True)
class Configuration:
    """The address of FinClaw, the token for stdio, and the address under which assistants reach ``/mcp``."""

    api_url: str = DEFAULT_URL
    token: str = ""
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    public_url: str = ""

    @property
    def resource_url(self) -> str:
        """The address of ``/mcp`` as assistants know it: what tokens are issued for."""
        return (self.public_url or f"http://{self.host}:{self.port}").rstrip("/") + "/mcp"

    @property
    def issuer_url(self) -> str:
        """The authorization server: FinClaw itself, as browsers reach it."""
        return (self.public_url or self.api_url).rstrip("/")

    @property
    def allowed_hosts(self) -> list[str]:
        """The host names by which this server may be called: a guard against DNS rebinding by other sites."""
        names = [name for host in LOOPBACK_HOSTS for name in (host, f"{host}:*")]
        public = urlsplit(self.public_url).netloc
        return [*names, public] if public else names

    @property
    def allowed_origins(self) -> list[str]:
        """The sites whose pages may call it."""
        origins = [f"http://{host}:*" for host in LOOPBACK_HOSTS]
        return [*origins, self.public_url.rstrip("/")] if self.public_url else origins


def read_configuration(environment: Mapping[str, str]) -> Configuration:
    """The configuration in ``FINCLAW_URL``, ``FINCLAW_TOKEN``, ``MCP_HOST``, ``MCP_PORT`` and ``MCP_PUBLIC_URL``.

    Raises ``ConfigurationError``.
    """
    stated = {
        "token": clean_token(environment.get("FINCLAW_TOKEN", "")),
        "host": environment.get("MCP_HOST", ""),
    }
    given = {name: value for name, value in stated.items() if value}
    for name, setting in (("api_url", "FINCLAW_URL"), ("public_url", "MCP_PUBLIC_URL")):
        if address := environment.get(setting):
            given[name] = server_url(address, setting)
    return Configuration(**given, port=_port(environment.get("MCP_PORT", "") or str(DEFAULT_PORT)))


def _port(written: str) -> int:
    if not written.isascii() or not written.isdigit() or not 0 < int(written) < 65_536:
        raise ConfigurationError(f"MCP_PORT is {written!r}; write a number from 1 to 65535.")
    return int(written)
