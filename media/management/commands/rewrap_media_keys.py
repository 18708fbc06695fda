"""Encrypts the key of every user's files with the installation's present key."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from media.keys import rewrap
from media.models import MediaKey


class Command(BaseCommand):
    help = "Encrypts every user's key of files with MEDIA_KEY, so that MEDIA_FORMER_KEYS can be emptied."

    def handle(self, *args: Any, **options: Any) -> None:
        """Rewrap them one by one, each in a transaction of its own."""
        with in_role(OPERATOR_ROLE):
            user_ids = list(MediaKey.objects.values_list("pk", flat=True))
        for user_id in user_ids:
            with acting_as(user_id):
                rewrap(MediaKey.objects.get(pk=user_id))
        self.stdout.write(f"{len(user_ids)} keys are encrypted with the present key.")
