"""What users decide about their data: consent, export, erasure."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Unpack

import httpx2

from finclaw_client import models
from finclaw_client.aio.connection import AsyncResource, poll
from finclaw_client.aio.rows import AsyncRows
from finclaw_client.errors import ClientError, NotFoundError
from finclaw_client.private_files import private_file
from finclaw_client.requests import path, path_of

ARCHIVE: Final = "application/zip"
UNDER_WAY: Final = frozenset({"pending", "building"})


class AsyncConsent(AsyncResource):
    """What the user has allowed to be remembered."""

    async def get(self) -> models.ConsentOutput | None:
        """The consent as it is now; ``None`` where the user never decided."""
        try:
            return await self._get(models.ConsentOutput, "users/me/profile-consent")
        except NotFoundError:
            return None

    async def decide(self, **consent: Unpack[models.ConsentInput]) -> models.ConsentOutput:
        """Say what may be remembered. It is the user's to decide: ask them first."""
        return await self._send(models.ConsentOutput, "POST", "users/me/profile-consent", consent)

    async def withdraw(
        self, consent_id: str, **query: Unpack[models.ConsentWithdrawParametersQuery]
    ) -> models.WithdrawalOutput:
        """Withdraw the named scopes; with none named, everything at once."""
        address = path("users", "me", "profile-consent", consent_id)
        return await self._send(models.WithdrawalOutput, "DELETE", address, query=query)


class AsyncExports(AsyncResource):
    """Archives of everything kept about the user."""

    async def create(self) -> models.ExportOutput:
        """Begin to build an archive; returns the one in progress, if there is one."""
        return await self._send(models.ExportOutput, "POST", "users/me/export")

    def list(self, **query: Unpack[models.ExportListParametersQuery]) -> AsyncRows[models.ExportOutput]:
        """The exports, latest first."""
        return AsyncRows(self._connection, "exports", query)

    async def get(self, export_id: str) -> models.ExportOutput:
        """The present state of one export."""
        return await self._get(models.ExportOutput, path("exports", export_id))

    async def download(self, export_id: str, file: Path, *, seconds: float = 600.0) -> int:
        """Write the archive to a file once it is ready, and return its size in bytes.

        Nobody else on the machine may read the file; one of that name is replaced once all of the archive is there.
        Raises ``ClientError`` where it failed, has expired, or is not ready within ``seconds``.
        """
        export = await poll(lambda: self.get(export_id), lambda export: export["state"] not in UNDER_WAY, seconds)
        if export["download_url"] is None:
            raise ClientError(f"The export {export_id} cannot be downloaded: it is {export['state']}.")
        address = path_of(export["download_url"])
        async with self._connection.response("GET", address, media_type=ARCHIVE) as archive:
            return await _save(archive, file)


async def _save(archive: httpx2.Response, file: Path) -> int:
    with private_file(file) as written:
        async for piece in archive.aiter_bytes():
            written.write(piece)
        return written.tell()


class AsyncErasures(AsyncResource):
    """What is forgotten, and the proof of it."""

    async def create(self, **erasure: Unpack[models.ErasureInput]) -> models.DeletionReceiptOutput:
        """Forget something, or everything; invisible at once. ``confirm`` is the user's name."""
        return await self._send(models.DeletionReceiptOutput, "POST", "users/me/erasure", erasure)

    async def preview(self, **query: Unpack[models.ErasurePreviewParametersQuery]) -> models.ErasurePreviewOutput:
        """What the erasure of a memory, an event or a conversation would take; nothing is erased yet."""
        return await self._get(models.ErasurePreviewOutput, "erasures/preview", query)

    def list(self, **query: Unpack[models.ErasureListParametersQuery]) -> AsyncRows[models.ErasureOutput]:
        """The erasures, latest first."""
        return AsyncRows(self._connection, "erasures", query)

    async def get(self, tombstone_id: str) -> models.ErasureOutput:
        """How far one is, and what the final check found."""
        return await self._get(models.ErasureOutput, path("erasures", tombstone_id))

    async def certificate(self, tombstone_id: str) -> models.CertificateOutput:
        """The signed certificate of a completed erasure."""
        return await self._get(models.CertificateOutput, path("erasures", tombstone_id, "certificate"))
