"""Other names of assets, in any language."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from foundation.accounts.models import Tenant
from foundation.ids import new_id


class AssetAlias(models.Model):
    """Another name of an asset, in any language: ``贵州茅台`` and ``Moutai`` for ``600519.SH``.

    It belongs to one organisation or, without a tenant, to everybody.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    canonical = models.CharField(max_length=60, help_text=_("The ticker or pair, as exchanges write it."))
    alias = models.CharField(max_length=60)

    class Meta:
        ordering = ("canonical", "alias")
        verbose_name = _("name of an asset")
        verbose_name_plural = _("names of assets")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "canonical", "alias"], nulls_distinct=False, name="one_alias_a_tenant"
            )
        ]

    def __str__(self) -> str:
        return f"{self.alias} = {self.canonical}"
