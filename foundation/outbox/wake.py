"""Waking a worker at once, without piling up wake-up calls."""

from __future__ import annotations

from django.utils import timezone
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.tasks import async_task

DRAIN = "foundation.outbox.tasks.drain"


def wake_worker() -> None:
    """Ask for a drain, unless one is asked for and not yet taken: that one will see our row too.

    To be called after commit, else the drain may look before the row is there.
    """
    if not OrmQ.objects.filter(key=Conf.PREFIX, lock__lte=timezone.now()).exists():
        async_task(DRAIN, save=False)
