"""``finclaw-mcp`` over stdio: an address and a token are all it needs."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.conf import settings
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from tests.mcp.conftest import environment, use
from tests.support.cast import allow
from tests.support.web_server import WebServer

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
COMMAND = [sys.executable, "-m", "finclaw_mcp"]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"FINCLAW_TOKEN": ""}, "FINCLAW_TOKEN"),
        ({"FINCLAW_TOKEN": "of two"}, "FINCLAW_TOKEN"),
        ({"FINCLAW_URL": "here"}, "FINCLAW_URL"),
        ({"MCP_PORT": "0"}, "MCP_PORT"),
    ],
)
def test_a_missing_or_wrong_setting_is_named(web: WebServer, wrong: dict[str, str], named: str) -> None:
    started = environment(web, FINCLAW_TOKEN="t") | wrong
    ended = subprocess.run(COMMAND, env=started, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert named in ended.stderr


def test_a_memory_is_kept_and_found(web: WebServer, alice: User) -> None:
    allow(alice)
    server = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env=environment(web, FINCLAW_TOKEN=issue_token(alice)[1])
    )
    kept, found = use(
        Client(server),
        lambda client: client.call_tool("add_memory", {"text": "I follow Nvidia.", "infer": False}),
        lambda client: client.call_tool("search_memories", {"query": "Which company do I follow?"}),
    )
    assert kept.structured_content["results"][0]["event"] == "ADD"
    assert [row["memory"] for row in found.structured_content["results"]] == ["I follow Nvidia."]
