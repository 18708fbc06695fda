"""``finclaw``: add, search, context and export from a terminal."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from finclaw_client.errors import ClientError, ConfigurationError
from finclaw_client.sync.client import FinClaw

REFUSED: Final = 1
WRONGLY_CALLED: Final = 2
LEARNING_SECONDS: Final = 10.0


def add(client: FinClaw, given: argparse.Namespace) -> tuple[Any, list[str]]:
    """Learn from a text, or keep it word for word."""
    text = sys.stdin.read() if given.text == "-" else given.text
    if given.verbatim:
        kept = client.memories.add_verbatim(text)
        return kept, [f"{row['memory_id']}  {row['memory']}" for row in kept["results"]]
    job = client.jobs.wait(client.memories.add(text)["job_id"], seconds=given.wait)
    learned = [f"{row['memory_id']}  {row['event']}  {row['memory'] or ''}" for row in job["results"]]
    return job, learned or [_nothing_learned(job["state"])]


def _nothing_learned(state: str) -> str:
    return "Nothing in it was worth remembering." if state == "done" else f"It is read in the background ({state})."


def search(client: FinClaw, given: argparse.Namespace) -> tuple[Any, list[str]]:
    """Find the memories that answer a question."""
    found = client.memories.search(query=given.query, top_k=given.top_k)
    rows = [f"{row['memory_id']}  {row['score']:.2f}  {row['memory']}" for row in found["results"]]
    return found, rows or ["Nothing that is remembered answers it."]


def context(client: FinClaw, given: argparse.Namespace) -> tuple[Any, list[str]]:
    """Print what bears on a question, for a prompt."""
    asked = {"query": given.query} | ({"tokens": given.tokens} if given.tokens else {})
    block = client.context(**asked)
    return block, [block["text"]] if block["text"] else [_why_empty(block["withheld"])]


def _why_empty(withheld: str | None) -> str:
    return f"Memory was not searched: {withheld}." if withheld else "Nothing that is remembered bears on it."


def export(client: FinClaw, given: argparse.Namespace) -> tuple[Any, list[str]]:
    """Download an archive of all that is kept about the user."""
    made = client.exports.create()
    size = client.exports.download(made["export_id"], given.output)
    return {"export_id": made["export_id"], "file": str(given.output), "size": size}, [f"{given.output}  {size} bytes"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 1 where FinClaw refuses or cannot be reached, 2 where the call or a setting is wrong."""
    given = _parser().parse_args(arguments)
    run: Callable[[FinClaw, argparse.Namespace], tuple[Any, list[str]]] = given.run
    try:
        with FinClaw(given.url, given.token, user=given.user) as client:
            answer, lines = run(client, given)
    except ClientError as error:
        return _report(error)
    except OSError as error:
        sys.stderr.write(f"finclaw: {error}\n")
        return REFUSED
    sys.stdout.write("\n".join([json.dumps(answer, ensure_ascii=False, indent=2)] if given.json else lines) + "\n")
    return 0


def _report(error: ClientError) -> int:
    sys.stderr.write(f"finclaw: {error}\n")
    return WRONGLY_CALLED if isinstance(error, ConfigurationError) else REFUSED


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--url", help="the address of FinClaw; else FINCLAW_URL")
    shared.add_argument(
        "--token", help="the user's token; else FINCLAW_TOKEN, which other users of the machine cannot see"
    )
    shared.add_argument("--user", help="with a service token: whom it is for, by your id for that person")
    shared.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    parser = argparse.ArgumentParser(prog="finclaw", description="FinClaw's memory from a terminal.")
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(run: Callable[..., object]) -> argparse.ArgumentParser:
        added = commands.add_parser(run.__name__, parents=[shared], help=run.__doc__, description=run.__doc__)
        added.set_defaults(run=run)
        return added

    adding = command(add)
    adding.add_argument("text", help="what the user said, in their own words; - reads it from standard input")
    adding.add_argument("--verbatim", action="store_true", help="keep it word for word instead of learning from it")
    adding.add_argument("--wait", type=float, default=LEARNING_SECONDS, help="seconds to wait for what is learned")
    searching = command(search)
    searching.add_argument("query", help="a question, in the user's words")
    searching.add_argument("--top-k", type=int, default=8, help="at most so many")
    asking = command(context)
    asking.add_argument("query", help="a question, in the user's words")
    asking.add_argument("--tokens", type=int, help="the most that it may take")
    exporting = command(export)
    exporting.add_argument("--output", type=Path, default=Path("finclaw-export.zip"), help="the file to write")
    return parser


if __name__ == "__main__":
    sys.exit(main())
