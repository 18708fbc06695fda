"""Settings of uploaded files: how large, how many, where they lie, with which keys, and who checks them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from environs import validate

from finclaw.settings.environment import env

_POSITIVE = validate.Range(min=0, min_inclusive=False)
_MEGABYTE = 1_000_000

MEDIA_MAX_BYTES: int = _MEGABYTE * env.int("MEDIA_MAX_MEGABYTES", default=20, validate=_POSITIVE)  # of one file
MEDIA_MAX_PIXELS: int = env.int("MEDIA_MAX_PIXELS", default=40_000_000, validate=_POSITIVE)  # of a picture
MEDIA_MAX_PAGES: int = env.int("MEDIA_MAX_PAGES", default=300, validate=_POSITIVE)  # of a PDF
MEDIA_QUOTA_BYTES: int = _MEGABYTE * env.int("MEDIA_QUOTA_MEGABYTES", default=1_000, validate=_POSITIVE)  # of a user
MEDIA_QUOTA_FILES: int = env.int("MEDIA_QUOTA_FILES", default=5_000, validate=_POSITIVE)
MEDIA_FORMER_KEYS: list[str] = env.list("MEDIA_FORMER_KEYS", default=[])  # still read, never written with
MEDIA_CLAMAV: str = env.str("MEDIA_CLAMAV", default="")  # host:port or socket of clamd; empty: our own scanner alone
MEDIA_CLAMAV_SECONDS: float = env.float("MEDIA_CLAMAV_SECONDS", default=30.0, validate=_POSITIVE)
# How much of a file is read, and for how long; what lies beyond is left out, and said to be.
MEDIA_READ_PAGES: int = env.int("MEDIA_READ_PAGES", default=200, validate=_POSITIVE)
MEDIA_READ_CHARACTERS: int = env.int("MEDIA_READ_CHARACTERS", default=400_000, validate=_POSITIVE)
MEDIA_READ_SECONDS: float = env.float("MEDIA_READ_SECONDS", default=60.0, validate=_POSITIVE)  # of the processor
# As long as that where its user has a file read again. A worker's task is killed after ten minutes.
MEDIA_READ_AGAIN_SECONDS: float = env.float(
    "MEDIA_READ_AGAIN_SECONDS", default=240.0, validate=validate.Range(min=0, min_inclusive=False, max=240)
)
# The dotted path of a class of your own that reads recordings, see ``media.extraction.ports``; "": they are not read.
MEDIA_SPEECH_READER: str = env.str("MEDIA_SPEECH_READER", default="")
MEDIA_STORAGE: str = env.str("MEDIA_STORAGE", default="folder", validate=validate.OneOf(["folder", "s3"]))


def storages_for(folder: Path) -> dict[str, Any]:
    """Django's STORAGES: files of users lie in ``folder``, or in a bucket of S3's protocol."""
    return {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        "media": _bucket() if MEDIA_STORAGE == "s3" else _folder(folder),
    }


def _folder(folder: Path) -> dict[str, Any]:
    modes = {"file_permissions_mode": 0o600, "directory_permissions_mode": 0o700}
    return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": folder, **modes}}


def _bucket() -> dict[str, Any]:
    options = {
        "bucket_name": env.str("MEDIA_S3_BUCKET"),
        "endpoint_url": env.str("MEDIA_S3_ENDPOINT", default="") or None,  # empty: Amazon's
        "region_name": env.str("MEDIA_S3_REGION", default="") or None,
        "access_key": env.str("MEDIA_S3_ACCESS_KEY", default="") or None,  # empty: as the machine's role says
        "secret_key": env.str("MEDIA_S3_SECRET_KEY", default="") or None,
        "location": env.str("MEDIA_S3_FOLDER", default=""),
        "default_acl": None,
        "file_overwrite": True,
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
