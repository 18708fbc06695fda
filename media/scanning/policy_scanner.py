"""The scanner that is always there: refuses what may act, hide or unpack to more than it seems, and cleans the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from django.conf import settings

from media.content_types import ContentType
from media.sandbox import Limits, SandboxExceeded, SandboxFailed, SandboxInterrupted, SandboxUnavailable, run_limited
from media.scanning.ports import ScannerInterrupted, ScannerUnavailable
from media.scanning.types import CleanContent, InspectedFile, InspectionLimits, RefusalReason, Refused

_INSPECT: Final = "media.scanning.inspection:inspect"


class PolicyScanner:
    """Inspects the content in a process of its own, see ``media/scanning/inspection.py``."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def scan(self, content: bytes, content_type: ContentType) -> CleanContent:
        """What is kept of the file. Raises ``Refused``, ``ScannerUnavailable`` where no process can be had, and
        ``ScannerInterrupted`` where it did not come to an end.
        """
        within = replace(InspectionLimits(), pixels=settings.MEDIA_MAX_PIXELS, pages=settings.MEDIA_MAX_PAGES)
        arguments = {"media_type": content_type.media_type, "limits": within.as_json()}
        try:
            done = run_limited(_INSPECT, content, arguments, outputs=("content", "thumbnail"), limits=self._limits)
        except SandboxInterrupted:
            raise ScannerInterrupted from None
        except SandboxExceeded:
            raise Refused(RefusalReason.TOO_COSTLY) from None
        except SandboxUnavailable as error:
            raise ScannerUnavailable(str(error)) from None
        except SandboxFailed:
            raise Refused(RefusalReason.BROKEN) from None
        if refused := done.value.get("refused"):
            raise Refused(RefusalReason(refused))
        kept, thumbnail = done.outputs["content"], done.outputs["thumbnail"]
        return CleanContent(InspectedFile(**done.value), kept or None, thumbnail or None)
