"""Writes and reads ``manifest.yaml``, which lists an archive's files with a digest for each."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

import yaml
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

MANIFEST = "manifest.yaml"
SCHEMA_VERSION: Final = 2
"""The layout of archives written now; docs/export.md says what each version changed."""
_DEPTH = 3  # a mapping, its list of files, a file
MAX_MANIFEST_BYTES = 64_000_000  # 300,000 files


class ManifestRefused(ValueError):
    """The manifest is not one of ours; the message never repeats what it says."""


class FileEntry(BaseModel):
    """One file of the archive; ``path`` starts below the person's folder."""

    model_config = ConfigDict(extra="forbid")

    path: Annotated[str, Field(min_length=1)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    bytes: NonNegativeInt
    rows: NonNegativeInt


class Manifest(BaseModel):
    """The content of ``manifest.yaml``, of this or an earlier schema version. ``consent_version`` is 0 for a user who
    never decided on consent.
    """

    model_config = ConfigDict(extra="forbid")

    schema_version: Literal[1, 2] = SCHEMA_VERSION
    created_at: datetime
    user_id: UUID
    consent_version: NonNegativeInt
    files: list[FileEntry]

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


def write_manifest(manifest: Manifest) -> bytes:
    """The manifest as YAML."""
    plain = manifest.model_dump(mode="json")
    return yaml.dump(plain, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False).encode()


def read_manifest(text: bytes) -> Manifest:
    """The manifest behind the YAML. Raises ``ManifestRefused``."""
    try:
        _refuse_aliases_and_depth(text)
        return Manifest.model_validate(yaml.load(text, Loader=yaml.CSafeLoader))
    except (yaml.YAMLError, ValidationError, UnicodeDecodeError):
        raise ManifestRefused("it does not read as one") from None


def _refuse_aliases_and_depth(text: bytes) -> None:
    """Refuse aliases, which can expand to any number of bytes, and deep nesting, which costs quadratic parsing time."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > _DEPTH:
            raise ManifestRefused("it holds what a manifest never does")
