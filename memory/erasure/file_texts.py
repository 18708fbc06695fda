"""Erases the text of files with the files: their passages, and the entries by which search finds them."""

from __future__ import annotations

from uuid import UUID

from consent.erasure.plan import ErasurePart
from consent.erasure.types import Targets
from consent.permit import Permit
from media.models import MediaFile, MediaPassage, MediaUse
from memory.erasure.labels import ENTRY, TURN
from memory.models import ConversationEvent

_FILE, _PASSAGE = MediaFile._meta.label, MediaPassage._meta.label


class FileTextErasure(ErasurePart):
    """Adds the passages of the files that an erasure takes, and the entries of those files, too, that stay in messages
    from which nothing may be learned. It follows the part that names the files.
    """

    def extend(self, permit: Permit) -> Targets:
        targets = self.plan.targets
        going = set(targets.delete.get(_FILE, ()))
        passages = self._passages_of(going)
        unfound = self._passages_of(self._unlearned_files() - going)
        return targets | Targets(delete={_PASSAGE: passages, ENTRY: passages | unfound})

    def _unlearned_files(self) -> set[UUID]:
        """The files of the messages that go or are unlearned, unless another message may be learned from."""
        targets, user_id = self.plan.targets, self.plan.user_id
        named = (targets.delete, targets.redact, targets.unlearn)
        losing = {key for keys in named for key in keys.get(TURN, ())}
        uses = MediaUse.objects.filter(user_id=user_id)
        files = set(uses.filter(message_id__in=losing).values_list("media_id", flat=True)) if losing else set[UUID]()
        if not files:
            return files
        others = uses.filter(media_id__in=files).exclude(message_id__in=losing)
        learnable = ConversationEvent.objects.filter(user_id=user_id, learnable=True).values("pk")
        return files - set(others.filter(message_id__in=learnable).values_list("media_id", flat=True))

    def _passages_of(self, files: set[UUID]) -> set[UUID]:
        if not files:
            return set()
        return set(MediaPassage.objects.filter(media_id__in=files).values_list("pk", flat=True))
