"""Prove that no pattern runs away: ``python -m tests.patterns``, or ``--changed`` for those not in the register."""

from __future__ import annotations

import sys

from tests.patterns.probing import find_runaways
from tests.patterns.recording import record
from tests.patterns.register import entry_of, read_register, write_register


def main() -> int:
    """Pump the patterns and write the register of those that were proven."""
    patterns = record().patterns
    proven = read_register() if "--changed" in sys.argv[1:] else frozenset[str]()
    pumped = [pattern for pattern in patterns if entry_of(pattern) not in proven]
    print(f"{len(patterns)} patterns, {len(pumped)} to be pumped", flush=True)
    runaways = find_runaways(pumped, report=lambda one: print(one, flush=True))
    failed = {one.pattern for one in runaways}
    write_register(pattern for pattern in patterns if pattern not in failed)
    print(f"{len(failed)} run away" if failed else f"None of {len(patterns)} patterns runs away")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
