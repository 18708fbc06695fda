"""Erases the text of files with the files: their passages, and the entries by which search finds them."""

from __future__ import annotations

from consent.erasure.plan import ErasurePart
from consent.erasure.types import Targets
from consent.permit import Permit
from media.models import MediaFile, MediaPassage
from memory.erasure.labels import ENTRY

_FILE, _PASSAGE = MediaFile._meta.label, MediaPassage._meta.label


class FileTextErasure(ErasurePart):
    """Adds the passages of the files that an erasure takes. It follows the part that names the files."""

    def extend(self, permit: Permit) -> Targets:
        files = self.plan.targets.delete.get(_FILE, ())
        if not files:
            return self.plan.targets
        passages = list(MediaPassage.objects.filter(media_id__in=files).values_list("pk", flat=True))
        return self.plan.targets | Targets(delete={_PASSAGE: passages, ENTRY: passages})
