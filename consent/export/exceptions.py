"""Defines why the writing of an archive is broken off: it must be written anew, or nobody wants it any more."""

from __future__ import annotations

from foundation.exceptions import FinClawError


class SnapshotOutdated(FinClawError):
    """Something was erased while the archive was being written: it must be written anew."""

    code = "snapshot_outdated"
    default_message = "Something was erased while your data was being collected. It is collected again."


class ExportCancelled(Exception):
    """The user cancelled the export while its archive was being written."""
