"""``python -m bench.load.people_setup COUNT``: make people who allow everything; print a token of each as JSON.

In the database of the settings. By the product's own services, not by its sign-in page, which takes a third of a second
of processor time for each password.
"""

from __future__ import annotations

import json
import sys

from bench.runner import set_up_django


def make_people(count: int) -> list[str]:
    """A token of each."""
    from bench.people import somebody
    from foundation.accounts.services import issue_token

    return [issue_token(somebody(f"talker-{number}")[0])[1] for number in range(count)]


def main() -> None:
    set_up_django()
    print(json.dumps(make_people(int(sys.argv[1]))))


if __name__ == "__main__":
    main()
