"""Reads a file in a process of its own: what a parser meets was made by strangers."""

from __future__ import annotations

import contextlib
import logging
import math
import sys
from collections.abc import Mapping
from typing import Any, Final

from media.extraction.readers import read_text
from media.extraction.types import (
    ExtractedText,
    ExtractionFailed,
    ExtractionInterrupted,
    ExtractionLimits,
    Unread,
)
from media.sandbox import (
    Limits,
    SandboxExceeded,
    SandboxFailed,
    SandboxInterrupted,
    SandboxTooSlow,
    SandboxUnavailable,
    run_limited,
)

_TARGET: Final = f"{__name__}:read_in_child"


def extract_apart(
    content: bytes, content_type: str, limits: ExtractionLimits | None = None, *, speech_reader: str = ""
) -> ExtractedText:
    """The text of a file of this media type. Raises ``ExtractionFailed``, ``ExtractionInterrupted``, and
    ``SandboxUnavailable`` where no process can be had.

    Takes the start of a process, a third of a second, and two seconds more for an image, whose models are loaded.
    """
    limits = limits or ExtractionLimits()
    arguments = {
        "content_type": content_type,
        "pages": limits.pages,
        "characters": limits.characters,
        "speech_reader": speech_reader,
    }
    cpu_seconds = math.ceil(limits.cpu_seconds)
    # Models of pictures compute in threads.
    most = Limits(cpu_seconds, limits.seconds, limits.memory_megabytes, output_megabytes=0, may_fork=True)
    try:
        found: dict[str, Any] = run_limited(_TARGET, content, arguments, limits=most).value
    except SandboxInterrupted as error:
        raise ExtractionInterrupted from error
    except SandboxTooSlow as error:
        raise ExtractionFailed(Unread.TOO_SLOW) from error
    except SandboxExceeded as error:
        raise ExtractionFailed(Unread.TOO_LARGE) from error
    except SandboxUnavailable:
        raise
    except SandboxFailed as error:
        raise ExtractionFailed(Unread.DAMAGED) from error
    if "unread" in found:
        raise ExtractionFailed(Unread(found["unread"]))
    return ExtractedText(tuple(found["pages"]), tuple(found["readers"]), found["is_cut"])


def read_in_child(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, Any]) -> dict[str, Any]:
    """What ``extract_apart`` runs in the other process; ``outputs`` are none."""
    limits = ExtractionLimits(arguments["pages"], arguments["characters"])
    logging.disable()
    with contextlib.redirect_stdout(sys.stderr):  # libraries that print do not print into the answer
        try:
            read = read_text(content, arguments["content_type"], limits, arguments["speech_reader"])
        except ExtractionFailed as failure:
            return {"unread": failure.reason.value}
    return {"pages": read.pages, "readers": read.readers, "is_cut": read.is_cut}
