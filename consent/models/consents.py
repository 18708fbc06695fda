"""The consent record: one current row per person, a version per change."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext
from simple_history.models import HistoricalRecords

from consent.querysets import ProfileConsentQuerySet
from foundation.ids import new_id
from foundation.personal_data import ConsentScope, KeptFor, PersonalData


class ProfileConsent(models.Model):
    """What one user allows. The row is the current version; its history rows are all of them.

    ``version`` keeps counting across all consents of one person, so the version stored on a memory identifies one state
    of consent.
    """

    class Source(models.TextChoices):
        WEB = "web", _("Web page")
        API = "api", _("API")
        COMMAND = "command", _("Command line")
        OPERATOR = "operator", _("An operator, on the person's behalf")
        TENANT = "tenant", _("The organisation whose application serves the person")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="consents")
    version = models.PositiveIntegerField(default=1)
    save_to_thread = models.BooleanField(_("research threads"), default=False)
    save_to_profile = models.BooleanField(_("profile"), default=False)
    training_use_allowed = models.BooleanField(_("training"), default=False)
    memory_learning_allowed = models.BooleanField(_("learning from conversation"), default=False)
    source = models.CharField(max_length=10, choices=Source.choices)
    granted_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    fences: list[str]  # these four are set only on a row read by ``in_force_for``
    erasures: int
    stopped: list[str]
    experiments: list[dict[str, Any]]

    # The history names an operator by id: their account can be erased while the record of what they did stays.
    history = HistoricalRecords(history_user_id_field=models.UUIDField(null=True, blank=True))
    objects = ProfileConsentQuerySet.as_manager()
    personal_data = PersonalData(export="consents/consents.json", kept=KeptFor.PROOF)

    class Meta:
        verbose_name = _("consent")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user"], condition=models.Q(revoked_at=None), name="one_current_consent"),
            models.CheckConstraint(condition=models.Q(version__gte=1), name="consent_version_from_one"),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "-version"], name="latest_consent")]

    def __str__(self) -> str:
        return pgettext("row", "Consent %(id)s version %(number)d") % {"id": self.pk, "number": self.version}

    @classmethod
    def versions_without(cls, scope: ConsentScope) -> models.QuerySet[Any]:
        """The recorded versions in which a scope did not hold, of the acting user; as an operator, of everybody."""
        versions: models.QuerySet[Any] = cls.history.filter(**{scope.value: False})
        return versions

    @property
    def scopes(self) -> frozenset[ConsentScope]:
        """The scopes that hold; none after a revocation."""
        if self.revoked_at is not None:
            return frozenset()
        return frozenset(scope for scope in ConsentScope if getattr(self, scope.value))
