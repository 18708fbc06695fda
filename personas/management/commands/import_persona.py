"""``manage.py import_persona DIR``: import persona documents from files."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from foundation.accounts.models import Tenant, User
from foundation.exceptions import FinClawError
from personas.services.documents import import_documents


class Command(BaseCommand):
    help = "Store SOUL.md, IDENTITY.md and USER.md of a folder as persona documents."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--tenant", default="", help="the organisation that SOUL.md and IDENTITY.md are for (default: all)"
        )
        parser.add_argument(
            "--user", default="", help="the user name that USER.md is for; without it USER.md is not read"
        )

    def handle(self, *args: Any, folder: Path, tenant: str, user: str, **options: Any) -> None:
        if not folder.is_dir():
            raise CommandError("There is no such folder.")
        organisation = Tenant.objects.filter(name=tenant).first()
        person = User.objects.filter(username=user).first()
        if (tenant and organisation is None) or (user and person is None):
            raise CommandError("There is no such organisation or user.")
        try:
            read = import_documents(folder, tenant=organisation, user=person)
        except FinClawError as refused:
            raise CommandError(f"{refused.message} {refused.details or ''}".strip()) from refused
        except (OSError, UnicodeDecodeError) as problem:
            raise CommandError(f"A file cannot be read: {type(problem).__name__}.") from problem
        if not read:
            raise CommandError("The folder holds no SOUL.md, IDENTITY.md or USER.md to read.")
        self.stdout.write(f"Stored {', '.join(read)}.")
