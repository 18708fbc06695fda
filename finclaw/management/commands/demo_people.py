from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from finclaw.demo import is_local, make_demo_people, reset_demo_passwords


class Command(BaseCommand):
    """Create demo users in a local installation without users, or give them new passwords."""

    help = "Create the demo users if there are no users yet, and print their passwords, which are shown only once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reset", action="store_true", help="give existing demo users new passwords")

    def handle(self, *args: Any, reset: bool, **options: Any) -> None:
        if not is_local("localhost"):
            raise CommandError("Demo people are for a local start with the embedded database and without HTTPS.")
        sign_ins = reset_demo_passwords() if reset else make_demo_people()
        if not sign_ins:
            raise CommandError(
                "There are no demo people here. Create an account on the pages, and an operator with"
                " manage.py createsuperuser."
                if reset
                else "This installation has users already. New passwords for its demo people: demo_people --reset"
            )
        for sign_in in sign_ins:
            self.stdout.write(str(sign_in))
