"""Lists strings that libraries show to operators without translating them into all languages of our pages."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

LIBRARY_STRINGS = (
    # Django's admin
    _("Model name"),
    _("Add link"),
    _("Change or view list link"),
    _("After you’ve created a user, you’ll be able to edit more user options."),
    # django-q2
    _("Name"),
    _("Function"),
    _("Started at"),
    _("Stopped at"),
    _("Attempt count"),
    _("Last task id"),
    _("Task"),
    _("Tasks"),
    _("Cluster"),
    _("Payload"),
)
