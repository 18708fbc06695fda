"""Validates the metadata of a program, from its registration or its own document: names, redirects and grants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework import serializers

from consent.sensitive.services import screen_text
from finclaw.api.serializers import BoundedList
from finclaw.oauth.redirects import REDIRECT_CHARS, is_acceptable
from foundation.accounts.models import PROGRAM_NAME_CHARS

MOST_REDIRECTS: Final = 10
GRANTS: Final = ("authorization_code", "refresh_token")


class MetadataRefused(Exception):
    """Metadata that cannot be taken; ``error`` is RFC 7591's code, ``sentence`` says why."""

    def __init__(self, error: str, sentence: str) -> None:
        self.error, self.sentence = error, sentence
        super().__init__(error)


@dataclass(frozen=True)
class ProgramMetadata:
    """The name of a program, and the addresses that it may have its user sent back to."""

    name: str
    redirect_uris: list[str]


class MetadataInput(serializers.Serializer[Any]):
    """The fields that are read; RFC 7591 has all others ignored."""

    client_name = serializers.CharField(max_length=PROGRAM_NAME_CHARS, required=False, default="", allow_blank=True)
    redirect_uris = BoundedList(
        child=serializers.CharField(max_length=REDIRECT_CHARS), max_length=MOST_REDIRECTS, allow_empty=False
    )
    grant_types = BoundedList(child=serializers.CharField(max_length=60), max_length=10, required=False)


def read_metadata(given: Any) -> ProgramMetadata:
    """The metadata of a program. Raises ``MetadataRefused``, or ``SensitiveInput`` for a sensitive name."""
    form = MetadataInput(data=given)
    if not form.is_valid():
        field = next(iter(form.errors))
        error = "invalid_redirect_uri" if field == "redirect_uris" else "invalid_client_metadata"
        raise MetadataRefused(error, _("%(field)s cannot be accepted.") % {"field": field})
    values = form.validated_data
    name = " ".join(values["client_name"].split())
    if not name.isprintable():
        raise MetadataRefused("invalid_client_metadata", _("client_name has characters that cannot be shown."))
    if "authorization_code" not in values.get("grant_types", GRANTS):
        raise MetadataRefused("invalid_client_metadata", _("Only authorization_code and refresh_token are served."))
    if not all(map(is_acceptable, values["redirect_uris"])):
        refusal = _("A redirect has to be https, or http to 127.0.0.1, [::1] or localhost.")
        raise MetadataRefused("invalid_redirect_uri", refusal)
    return ProgramMetadata(screen_text("program_name", name).text, values["redirect_uris"])
