"""Defines permissions for the operators' pages of figures, which have no table of their own."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _


class OperatorPage(models.Model):
    """Names a permission for each page of figures; nothing is stored under it."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions: ClassVar = [
            ("view_today", _("Can view Today")),
            ("view_quality", _("Can view memory quality")),
            ("view_historian", _("Can view the historian")),
            ("view_drift", _("Can view how minds changed")),
            ("view_model_costs", _("Can view what language models cost")),
        ]

    def __str__(self) -> str:
        return "Operators' pages"
