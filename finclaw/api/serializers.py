"""Fields and shape rules that several resources share; policy belongs to the services."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError as DjangoValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from finclaw.api.pagination import PARAMETERS
from foundation.accounts.models import validate_time_zone

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
TITLE_CHARS = 120
ID_CHARS = 200
_MOST_NAMED = 20  # of the fields that a request should not have


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    also_known: ClassVar[frozenset[str]] = frozenset()

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = set(data) - set(self.fields) - self.also_known
            if unknown:
                named = sorted(unknown)[:_MOST_NAMED]
                raise serializers.ValidationError({name[:ID_CHARS]: [_("There is no such field.")] for name in named})
        return super().to_internal_value(data)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The fields; those of choices name them where a value is refused."""
        fields: dict[str, serializers.Field[Any, Any, Any, Any]] = super().get_fields()
        for field in fields.values():
            if isinstance(field, serializers.ChoiceField):
                values = ", ".join(str(value) for value in field.choices if value != "")
                field.error_messages["invalid_choice"] = gettext("One of %(values)s.") % {"values": values}
        return fields


class BoundedList(serializers.ListField):
    """A list of at most ``max_length`` elements, counted before any is read: refusing 300,000 one by one takes a
    minute.
    """

    def __init__(self, *, max_length: int, **options: Any) -> None:
        super().__init__(max_length=max_length, **options)

    def to_internal_value(self, data: Any) -> list[Any]:
        if isinstance(data, list) and self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        elements: list[Any] = super().to_internal_value(data)
        return elements


class QuerySerializer(StrictSerializer):
    """The query string of an address, with the paginator's parameters."""

    also_known = PARAMETERS


class MomentField(serializers.DateTimeField):
    """RFC 3339 with an offset, between 1900 and 2200."""

    default_error_messages = {
        "rfc3339": _("Give a time in RFC 3339 with its offset, such as 2026-03-02T09:30:00+08:00."),
        "range": _("Give a time between the years 1900 and 2200."),
    }

    def to_internal_value(self, value: Any) -> datetime:
        if not isinstance(value, str) or not _RFC_3339.fullmatch(value):
            self.fail("rfc3339")
        moment = super().to_internal_value(value.upper())
        if not EARLIEST <= moment <= LATEST:
            self.fail("range")
        return moment


def score_floor() -> serializers.FloatField:
    """The lowest score of a search's results."""
    told = "Leave out what scores less. Scores order the results of one question; what does not bear on it never comes."
    return serializers.FloatField(min_value=0.0, default=0.0, help_text=told)


class TimeZoneField(serializers.CharField):
    """A name of the IANA time zone database."""

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        if name:
            try:
                validate_time_zone(name)
            except DjangoValidationError as error:
                raise serializers.ValidationError(error.messages) from None
        return name


def message_text(**options: Any) -> serializers.CharField:
    """A text field as long as a message may be, kept unchanged."""
    return serializers.CharField(max_length=settings.MAX_MESSAGE_CHARS, trim_whitespace=False, **options)
