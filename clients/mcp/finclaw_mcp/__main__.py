"""``finclaw-mcp``: over stdio for an assistant that starts it itself, or with ``--http`` as a server."""

from __future__ import annotations

import argparse
import os
import sys

from finclaw_client import ConfigurationError

from finclaw_mcp.api import FinClawApi
from finclaw_mcp.configuration import read_configuration
from finclaw_mcp.server import MemoryServer
from finclaw_mcp.streamable_http import serve


def main() -> int:
    """Serve until the program that started it ends; 2 where a setting is missing or wrong."""
    parser = argparse.ArgumentParser(prog="finclaw-mcp", description=__doc__)
    parser.add_argument("--http", action="store_true", help="listen on MCP_HOST and MCP_PORT instead of stdio")
    over_http = parser.parse_args().http
    try:
        configuration = read_configuration(os.environ)
    except ConfigurationError as error:
        return _refuse(str(error))
    if over_http:
        serve(configuration)
    elif not configuration.token:
        return _refuse("FINCLAW_TOKEN is missing; make a token on the page Settings of FinClaw.")
    else:
        MemoryServer(FinClawApi(configuration.api_url), configuration.token).run()
    return 0


def _refuse(why: str) -> int:
    sys.stderr.write(f"finclaw-mcp: {why}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
