"""Organisations as commands name them."""

from __future__ import annotations

from django.core.management.base import CommandError

from foundation.accounts.models import Tenant


def tenant_named(name: str | None) -> Tenant | None:
    """The organisation of this name; None where none is named. Raises ``CommandError`` for an unknown one."""
    if name is None:
        return None
    tenant = Tenant.objects.filter(name=name).first()
    if tenant is None:
        raise CommandError("No organisation has this name.")
    return tenant
