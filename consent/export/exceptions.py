"""Defines the error that makes an export job write its archive anew."""

from __future__ import annotations

from foundation.exceptions import FinClawError


class SnapshotOutdated(FinClawError):
    """Something was erased while the archive was being written: it must be written anew."""

    code = "snapshot_outdated"
    default_message = "Something was erased while your data was being collected. It is collected again."
