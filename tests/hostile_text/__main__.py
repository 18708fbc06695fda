"""``python -m tests.hostile_text``: every text function over every hostile shape; answers how many run away."""

from __future__ import annotations

import os
import sys

import django


def main() -> int:
    """Print a line a function, and each text that it is too slow for."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finclaw.settings")
    django.setup()
    from tests.hostile_text.functions import FUNCTIONS
    from tests.hostile_text.measuring import find_runaways
    from tests.hostile_text.shapes import hostile_texts

    wanted = sys.argv[1:]
    functions = [one for one in FUNCTIONS if not wanted or any(name in one.name for name in wanted)]
    found = 0
    for function in functions:
        runaways = find_runaways(function, whole=True)
        print(f"{function.name}: {len(runaways)} too slow", flush=True)
        for one in runaways:
            print(f"    {one}", flush=True)
        found += bool(runaways)
    shapes = sum(1 for _ in hostile_texts(1))
    print(f"{len(functions)} functions over {shapes} shapes: {found} run away")
    return found


if __name__ == "__main__":
    sys.exit(main())
