"""Model fields whose value is computed from another field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

from foundation.text.confusables import skeleton_of

if TYPE_CHECKING:
    _TextField = models.TextField[str, str]
else:
    _TextField = models.TextField

KEPT_BESIDE = "#"  # stands in no user name


class SkeletonField(_TextField):
    """The skeleton of the row's ``username``, computed on every save.

    A name that looked like another before look-alikes were refused keeps its row: its skeleton bears a suffix.
    """

    def pre_save(self, model_instance: Any, add: bool) -> str:
        """Recompute the skeleton where the user name has changed."""
        skeleton, stored = skeleton_of(model_instance.username), getattr(model_instance, self.attname)
        if not stored or stored.partition(KEPT_BESIDE)[0] != skeleton:
            setattr(model_instance, self.attname, skeleton)
        value: str = getattr(model_instance, self.attname)
        return value
