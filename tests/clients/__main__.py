"""Clients of OpenAI and mem0, unchanged, against a running product: npm's, and LangChain's own tests.

    python -m tests.clients [npm] [langchain]

Both registries are needed: packages are installed into a temporary folder. Without npm its part is skipped, aloud.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.product import Product, running_product
from tests.support.model_server import AsksFor, Exchange, ModelServer, Says

NPM: Final = ("openai@6", "ai@6", "@ai-sdk/openai-compatible@2", "zod@4", "mem0ai@3")
LANGCHAIN: Final = ("langchain-openai>=1.1,<2", "langchain-tests>=1.1,<2")
HERE: Final = Path(__file__).parent
_QUOTED: Final = re.compile(r"'([^']+)'")


@dataclass(frozen=True)
class CallsWhatIsOffered:
    """Calls the first tool that is offered until one has answered, with what the message quotes; else JSON where that
    is asked for, or that bonds fell.
    """

    def perform(self, exchange: Exchange) -> None:
        body = exchange.request.body
        form = (body.get("response_format") or {}).get("type")
        if body.get("tools") and body.get("tool_choice") != "none" and body["messages"][-1]["role"] != "tool":
            function = body["tools"][0]["function"]
            arguments = _arguments(function.get("parameters", {}), str(body["messages"][-1]["content"]))
            AsksFor(((function["name"], json.dumps(arguments, ensure_ascii=False)),)).perform(exchange)
        elif form in ("json_object", "json_schema"):
            Says(('{"setup": "a", "punchline": "b"}',)).perform(exchange)
        else:
            Says(("Bonds ", "fell.")).perform(exchange)


def _arguments(schema: Mapping[str, Any], message: str) -> dict[str, Any]:
    quoted = _QUOTED.search(message)
    text = quoted[1] if quoted else "text"
    return {
        name: 3 if described.get("type") in ("integer", "number") else text
        for name, described in schema.get("properties", {}).items()
    }


def main(parts: list[str]) -> int:
    """Run the parts that are named, or both; the number that failed."""
    runs = {"npm": run_npm, "langchain": run_langchain}
    with ModelServer(CallsWhatIsOffered()) as server:
        model = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "test", "MODEL_LARGE": "big-7b"}
        with running_product(model | {"MODEL_SMALL": ""}) as product, TemporaryDirectory() as folder:
            key = product.client().headers["Authorization"].split()[1]
            return sum(runs[part](Path(folder), product, key) != 0 for part in parts or runs)


def run_npm(folder: Path, product: Product, key: str) -> int:
    """The clients of npm, each verb once."""
    if shutil.which("npm") is None:
        print("SKIPPED: there is no npm here, so the clients of npm were not tried", file=sys.stderr)
        return 0
    shutil.copy(HERE / "program.mjs", folder)
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *NPM], cwd=folder, check=True)
    return _run(folder, product, key, "node", "program.mjs")


def run_langchain(folder: Path, product: Product, key: str) -> int:
    """LangChain's tests of chat models."""
    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *LANGCHAIN], check=True)
    shutil.copy(HERE / "langchain_chat.py", folder)
    scope = ("-o", "asyncio_mode=auto", "-o", "asyncio_default_test_loop_scope=session")
    return _run(
        folder, product, key,
        python, "-m", "pytest", "-q", "-rfs", "--tb=short", "-c", os.devnull, "--rootdir", ".", *scope,
        "-o", "asyncio_default_fixture_loop_scope=session", "langchain_chat.py",
    )  # fmt: skip


def _run(folder: Path, product: Product, key: str, *command: str) -> int:
    named = {"BASE": product.address, "KEY": key, "PERSON": "alice", "MEM0_TELEMETRY": "false"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "PYTEST_"))}
    return subprocess.run(command, cwd=folder, env=kept | named, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
