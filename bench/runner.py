"""How a measurement starts and ends: its arguments, the settings, a scratch database, an exit code."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import django

from bench.data import add_data_argument

Default = int | float | tuple[int | float, str]


def parse_arguments(description: str | None, *, data: bool = False, **numbers: Default) -> argparse.Namespace:
    """The arguments of a measurement: with ``data`` the folder of the data sets, and numbers by their defaults.

    ``kill_every=(0.2, "mean seconds between kills")`` becomes ``--kill-every`` with that help.
    """
    parser = argument_parser(description)
    if data:
        add_data_argument(parser)
    add_numbers(parser, **numbers)
    return parser.parse_args()


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser that shows a module's docstring as it is written."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def add_numbers(parser: argparse.ArgumentParser, **numbers: Default) -> None:
    """Add an option for each number, of the type of its default."""
    for name, given in numbers.items():
        default, text = given if isinstance(given, tuple) else (given, None)
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default, help=text)


def set_up_django(environment: Mapping[str, str] | None = None) -> None:
    """Load FinClaw's settings, after setting these environment variables."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finclaw.settings")
    os.environ.update(environment or {})
    django.setup()


@contextmanager
def measured_database(environment: Mapping[str, str] | None = None, *, durable: bool = True) -> Iterator[str]:
    """Set Django up on a fresh, migrated database, dropped at the end; answers its name.

    Erasures in it are written to a journal of their own: a restored installation must not replay them. Without
    ``durable`` commits do not wait for the disk: for what measures no time.
    """
    with TemporaryDirectory(prefix="finclaw-bench-") as folder:
        set_up_django({"ERASURE_JOURNAL": str(Path(folder, "journal.jsonl")), **(environment or {})})
        from foundation.database.scratch import scratch_database

        with scratch_database("bench", durable=durable) as database:
            yield database


def require_none(missed: Iterable[str], complaint: str = "Too slow") -> None:
    """End the program with exit code 1, naming what missed its limit, unless nothing did."""
    if names := "; ".join(missed):
        raise SystemExit(f"{complaint}: {names}.")
