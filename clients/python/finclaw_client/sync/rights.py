# Made of finclaw_client/aio by `make client`.
"""What users decide about their data: consent, export, erasure."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Unpack

import httpx2

from finclaw_client import models
from finclaw_client.errors import ClientError, NotFoundError
from finclaw_client.private_files import private_file
from finclaw_client.requests import path, path_of
from finclaw_client.sync.connection import Resource, poll
from finclaw_client.sync.rows import Rows

ARCHIVE: Final = "application/zip"
UNDER_WAY: Final = frozenset({"pending", "building"})


class Consent(Resource):
    """What the user has allowed to be remembered."""

    def get(self) -> models.ConsentOutput | None:
        """The consent as it is now; ``None`` where the user never decided."""
        try:
            return self._get(models.ConsentOutput, "users/me/profile-consent")
        except NotFoundError:
            return None

    def decide(self, **consent: Unpack[models.ConsentInput]) -> models.ConsentOutput:
        """Say what may be remembered. It is the user's to decide: ask them first."""
        return self._send(models.ConsentOutput, "POST", "users/me/profile-consent", consent)

    def withdraw(
        self, consent_id: str, **query: Unpack[models.ConsentWithdrawParametersQuery]
    ) -> models.WithdrawalOutput:
        """Withdraw the named scopes; with none named, everything at once."""
        address = path("users", "me", "profile-consent", consent_id)
        return self._send(models.WithdrawalOutput, "DELETE", address, query=query)


class Exports(Resource):
    """Archives of everything kept about the user."""

    def create(self) -> models.ExportOutput:
        """Begin to build an archive; returns the one in progress, if there is one."""
        return self._send(models.ExportOutput, "POST", "users/me/export")

    def list(self, **query: Unpack[models.ExportListParametersQuery]) -> Rows[models.ExportOutput]:
        """The exports, latest first."""
        return Rows(self._connection, "exports", query)

    def get(self, export_id: str) -> models.ExportOutput:
        """The present state of one export."""
        return self._get(models.ExportOutput, path("exports", export_id))

    def download(self, export_id: str, file: Path, *, seconds: float = 600.0) -> int:
        """Write the archive to a file once it is ready, and return its size in bytes.

        Nobody else on the machine may read the file; one of that name is replaced once all of the archive is there.
        Raises ``ClientError`` where it failed, has expired, or is not ready within ``seconds``.
        """
        export = poll(lambda: self.get(export_id), lambda export: export["state"] not in UNDER_WAY, seconds)
        if export["download_url"] is None:
            raise ClientError(f"The export {export_id} cannot be downloaded: it is {export['state']}.")
        address = path_of(export["download_url"])
        with self._connection.response("GET", address, media_type=ARCHIVE) as archive:
            return _save(archive, file)


def _save(archive: httpx2.Response, file: Path) -> int:
    with private_file(file) as written:
        for piece in archive.iter_bytes():
            written.write(piece)
        return written.tell()


class Erasures(Resource):
    """What is forgotten, and the proof of it."""

    def create(self, **erasure: Unpack[models.ErasureInput]) -> models.DeletionReceiptOutput:
        """Forget something, or everything; invisible at once. ``confirm`` is the user's name."""
        return self._send(models.DeletionReceiptOutput, "POST", "users/me/erasure", erasure)

    def preview(self, **query: Unpack[models.ErasurePreviewParametersQuery]) -> models.ErasurePreviewOutput:
        """What the erasure of a memory, an event or a conversation would take; nothing is erased yet."""
        return self._get(models.ErasurePreviewOutput, "erasures/preview", query)

    def list(self, **query: Unpack[models.ErasureListParametersQuery]) -> Rows[models.ErasureOutput]:
        """The erasures, latest first."""
        return Rows(self._connection, "erasures", query)

    def get(self, tombstone_id: str) -> models.ErasureOutput:
        """How far one is, and what the final check found."""
        return self._get(models.ErasureOutput, path("erasures", tombstone_id))

    def certificate(self, tombstone_id: str) -> models.CertificateOutput:
        """The signed certificate of a completed erasure."""
        return self._get(models.CertificateOutput, path("erasures", tombstone_id, "certificate"))
