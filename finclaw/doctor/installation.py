"""Examines what needs no database: settings, keys, disk; and the journal of erasures."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.checks import INFO, WARNING, run_checks

from consent.erasure.journal import journal_entries, journal_path
from consent.erasure.journal_check import journal_check
from consent.erasure.signing import public_key_id
from finclaw.doctor.findings import DoctorFinding

PLACEHOLDER: Final = "change-me"
"""Begins each value of ``deploy/finclaw.env.example`` that has to be changed."""
LITTLE_FREE_BYTES: Final = 2_000_000_000
LEAST_FREE_BYTES: Final = 256_000_000


def examine_settings() -> Iterator[DoctorFinding]:
    """What Django's checks and ours say, those for an installation that others reach included."""
    found = [message for message in run_checks(include_deployment_checks=settings.HTTPS) if not message.is_silenced()]
    for message in found:
        if message.level > INFO:
            remedy = message.hint or f"Look for {message.id} in the code; .env.example lists the settings."
            yield DoctorFinding("settings", f"{message.id}: {message.msg}", remedy, message.level > WARNING)
    if not found:
        yield DoctorFinding("settings", "all checks hold")
    for name, value in os.environ.items():
        if PLACEHOLDER in value and name in _names_of_settings():
            yield DoctorFinding(
                "settings", f"{name} is the example's", f"Give {name} a value of your own.", is_urgent=True
            )
    if settings.DATABASE_URL and not settings.HTTPS:
        yield DoctorFinding(
            "settings", "HTTPS is false", "Behind TLS set HTTPS=true and TRUSTED_PROXIES: docs/operating.md."
        )


def _names_of_settings() -> set[str]:
    example = settings.BASE_DIR / ".env.example"
    lines = example.read_text(encoding="utf-8").splitlines() if example.exists() else []
    return {line.partition("=")[0] for line in lines if "=" in line and not line.startswith("#")}


def examine_keys() -> Iterator[DoctorFinding]:
    """Whether all processes have the same keys, and certificates can be signed."""
    if settings.DATABASE_URL and not os.environ.get("SECRET_KEY") and not os.environ.get("SECRET_KEY_FILE"):
        yield DoctorFinding(
            "keys",
            "SECRET_KEY is a file of this machine",
            "Set the same SECRET_KEY on all machines, or people are signed out when another one answers.",
        )
    try:
        yield DoctorFinding("keys", f"certificates are signed by key {public_key_id()[:16]}")
    except (ValueError, TypeError, OSError) as error:
        yield DoctorFinding(
            "keys",
            f"certificates cannot be signed: {type(error).__name__}",
            "ERASURE_SIGNING_KEY must be an Ed25519 private key in PEM; no erasure completes before.",
            is_urgent=True,
        )


def examine_disk() -> Iterator[DoctorFinding]:
    """How much room the data folder has."""
    free = shutil.disk_usage(settings.DATA_DIR).free
    what = f"{free // 1_000_000} MB are free for {settings.DATA_DIR}"
    if free >= LITTLE_FREE_BYTES:
        yield DoctorFinding("disk", what)
    else:
        yield DoctorFinding("disk", what, "Make room; with less than 256 MB nothing is saved.", free < LEAST_FREE_BYTES)


def examine_journal() -> Iterator[DoctorFinding]:
    """Whether the journal of erasures can be read and written, stands apart, and is replayed."""
    path = journal_path()
    if settings.DATABASE_URL and not settings.ERASURE_JOURNAL:
        yield DoctorFinding(
            "journal",
            f"erasures are noted in {path}",
            "Set ERASURE_JOURNAL to a file that all machines see and no backup of the database holds.",
        )
    if settings.DATABASE_URL and not settings.BACKUP_DAYS:
        yield DoctorFinding(
            "journal",
            "certificates say nothing of backups",
            "Set BACKUP_DAYS to how long you keep them, no longer than the law's term for an erasure.",
        )
    if not _is_writable(path):
        yield DoctorFinding(
            "journal", f"{path} cannot be written", "Let FinClaw's user write it; no erasure is safe before.", True
        )
    try:
        count = sum(1 for _ in journal_entries())
    except ValueError as error:
        yield DoctorFinding(
            "journal", str(error), "Mend that line from a copy; nothing is served before.", is_urgent=True
        )
        return
    if journal_check.has_unreplayed():
        yield DoctorFinding(
            "journal",
            "the database is older than the journal, as after a restored backup",
            "Run manage.py replay_erasures.",
            is_urgent=True,
        )
    else:
        yield DoctorFinding("journal", f"{count} erasures, all known to the database")


def _is_writable(path: Path) -> bool:
    """Whether the file can be appended to, or made in the nearest folder that is there."""
    there = next(found for found in (path, *path.parents) if found.exists())
    return os.access(there, os.W_OK)
