from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from consent.models import AuditEvent
from finclaw.console import second_factor
from foundation.accounts.models import User
from foundation.accounts.services import revoke_access
from foundation.database.acting_user import acting_as


class Command(BaseCommand):
    """Show or reset an operator's second factor, after they lost app and backup codes. The audit log notes a reset."""

    help = (
        "Show whether an operator has set up two-factor authentication, or remove it with --reset, so that they "
        "set it up again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument(
            "--reset", action="store_true", help="remove the second factor, and sign the operator out everywhere"
        )

    def handle(self, *args: Any, username: str, reset: bool, **options: Any) -> None:
        user = User.objects.filter(username=username, is_staff=True).first()
        if user is None:
            raise CommandError(f"There is no operator by the name {username}.")
        if not reset:
            self.stdout.write("has a second factor" if second_factor.has_devices(user) else "has no second factor")
            return
        with transaction.atomic():
            removed = second_factor.remove_devices(user)
            revoke_access(user)
            with acting_as(user.pk):
                AuditEvent.objects.create(user_id=user.pk, action=second_factor.RESET, counts={"devices": removed})
        self.stdout.write(f"Removed. {username} sets up a new one at the next sign-in to the operators' pages.")
