"""What was read of files: their passages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from uuid import UUID

from consent.permit import Permit
from media.models import MediaPassage


def passages_of(permit: Permit, files: Collection[UUID]) -> dict[UUID, list[MediaPassage]]:
    """The passages of the user's files, by file, each file's in their order."""
    found: dict[UUID, list[MediaPassage]] = defaultdict(list)
    for passage in MediaPassage.objects.filter(user_id=permit.user_id, media_id__in=files):
        found[passage.media_id].append(passage)
    return found
