"""Encrypts the key of every user's files with the installation's present key."""

from __future__ import annotations

from typing import Any

from cryptography.exceptions import InvalidTag
from django.core.management.base import BaseCommand, CommandError

from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from media.keys import rewrap
from media.models import MediaKey


class Command(BaseCommand):
    help = "Encrypts every user's key of files with MEDIA_KEY, so that MEDIA_FORMER_KEYS can be emptied."

    def handle(self, *args: Any, **options: Any) -> None:
        """Rewrap them one by one, each in a transaction of its own. Keys that none of the settings' fits are passed
        over, and told at the end.
        """
        with in_role(OPERATOR_ROLE):
            user_ids = list(MediaKey.objects.values_list("pk", flat=True))
        unreadable = 0
        for user_id in user_ids:
            try:
                with acting_as(user_id):
                    for key in MediaKey.objects.filter(pk=user_id):  # none, where its user was erased meanwhile
                        rewrap(key)
            except InvalidTag:
                unreadable += 1
        self.stdout.write(f"{len(user_ids) - unreadable} keys are encrypted with the present key.")
        if unreadable:
            raise CommandError(
                f"{unreadable} keys fit neither MEDIA_KEY nor MEDIA_FORMER_KEYS: add the key that they were made with."
            )
