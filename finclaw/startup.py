"""Runs the steps of a start that come before anything is served."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext

from django.core.management import call_command
from django.core.management.base import CommandError

from consent.erasure.journal_check import journal_check
from consent.erasure.journal_replay import APPLIED, replay_journal
from finclaw import demo
from foundation.database.embedded_server import EmbeddedServer

KEPT_NOWHERE = "(note them: they are shown this once and kept nowhere)"


def update_tables(server: EmbeddedServer | None) -> None:
    """Migrate. Of several starts in the data folder of an embedded ``server`` one does so at a time."""
    with server.locked() if server else nullcontext():
        call_command("migrate", database="owner", verbosity=0)


def replay_erasures(say: Callable[[str], object]) -> None:
    """Hide again what a restored backup brought back; the worker then erases it.

    Raises ``CommandError`` where the journal cannot be read: serving would show erased data.
    """
    if not journal_check.has_unreplayed():
        return
    say("The database is older than the journal of erasures, as after a restored backup. Forgetting again …")
    try:
        outcomes = Counter(outcome for _, outcome in replay_journal())
    except ValueError as error:
        raise CommandError(
            f"{error}: what it asks to forget might be shown. Mend the line, then start again."
        ) from None
    applied = outcomes[APPLIED]
    say(f"Applied again: {applied} erasure{'' if applied == 1 else 's'}. What was forgotten is not shown.")


def ways_to_sign_in(host: str) -> list[str]:
    """The lines a start prints about signing in: demo users with passwords where a local database has no users yet."""
    lines = []
    if demo.forget_kept_passwords():
        lines.append("demo passwords are no longer kept: their file was deleted, the people stay")
    if demo.is_local(host) and (made := demo.make_demo_people()):
        return [*map(str, made), KEPT_NOWHERE]
    if people := demo.demo_people():
        names = ", ".join(person.username for person in people)
        lines.append(f"{names}   (password lost? .venv/bin/python manage.py demo_people --reset)")
    return lines
