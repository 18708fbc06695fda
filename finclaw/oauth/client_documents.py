"""Fetches the metadata documents that programs publish at their ``client_id`` URL, from public hosts alone."""

from __future__ import annotations

from typing import Any, Final

from oauth2_provider.cimd import CIMDError, SafeMetadataFetcher, refresh_if_stale, resolve_cimd_application
from oauth2_provider.models import Application

from finclaw.oauth.program_metadata import MetadataRefused, read_metadata
from foundation.exceptions import FinClawError
from foundation.webhooks.addresses import AddressRefused, resolve

CLIENT_ID_CHARS: Final = 255


class ScreenedFetcher(SafeMetadataFetcher):  # type: ignore[misc]  # the library has no types
    """The library's fetcher, which connects to the very IP address that it has checked. The document then passes the
    same checks as a registration.
    """

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """The document at ``client_id``, and for how many seconds it may be cached. Raises ``CIMDError``."""
        try:
            resolve(client_id)
        except AddressRefused as refusal:
            raise CIMDError(f"the address is refused: {refusal.reason}") from None
        document, seconds = super().fetch(client_id)
        try:
            metadata = read_metadata(document)
        except (MetadataRefused, FinClawError) as refusal:
            raise CIMDError(f"the document is refused: {type(refusal).__name__}") from None
        return {**document, "client_name": metadata.name, "redirect_uris": metadata.redirect_uris}, seconds


def read_document(client_id: str) -> None:
    """Store a new program whose id is the URL of its document; refresh a known one as ``refresh_client_document`` does.

    Called for a signed-in user, and before the transaction: the program's server may be slow.
    """
    if refresh_client_document(client_id) is None and client_id.isprintable() and len(client_id) <= CLIENT_ID_CHARS:
        resolve_cimd_application(client_id, None)


def refresh_client_document(client_id: str) -> Application | None:
    """The program of this id, its document fetched anew where that is out of date; None for one that is not known."""
    known = Application.objects.filter(client_id=client_id).first() if client_id.isprintable() else None
    return None if known is None else refresh_if_stale(known, None)
