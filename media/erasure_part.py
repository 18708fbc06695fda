"""The part of an erasure that files take: those of erased messages go, with everything that the storage has of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from consent.erasure.plan import Counts, ErasurePart
from consent.erasure.types import Targets
from consent.permit import Permit
from foundation.exceptions import require_found
from media import storage
from media.models import MediaFile, MediaUse

FILE: Final = MediaFile._meta.label
USE: Final = MediaUse._meta.label
OBJECTS: Final = "stored files"


def targets_of_file(permit: Permit, media_id: UUID) -> Targets:
    """One of the user's files, and the notes of which messages it is part of. Raises ``NotFound``."""
    file = require_found(MediaFile.objects.filter(pk=media_id, user_id=permit.user_id).first())
    return _targets(permit.user_id, [file.pk])


class MediaErasure(ErasurePart):
    """Erases files with the last message that has them as a part, and looks for them in the storage.

    The roof says by which labels a plan names conversations and messages, which are none of this package's business.
    """

    session_label: ClassVar[str]
    message_label: ClassVar[str]

    def extend(self, permit: Permit) -> Targets:
        if self.plan.is_account or (self.plan.is_whole and not self.plan.takes_messages):
            return self.plan.targets  # an account's tables are emptied, any other scope leaves the files
        return self.plan.targets | self._files_going() | self._uses_going()

    def finish(self) -> Counts:
        """Delete the objects, after the rows: one that is left over is found again by the sweep."""
        return {OBJECTS: storage.remove(self.plan.user_id, self._media_ids())}

    def count_residue(self) -> Counts:
        return {OBJECTS: len(storage.objects_of(self.plan.user_id, self._media_ids()))}

    def _media_ids(self) -> Collection[UUID]:
        """The files whose objects go; asks the storage about an account, whose rows are gone."""
        if self.plan.is_account:
            return storage.media_ids_of(self.plan.user_id)
        return self.plan.targets.delete.get(FILE, ())

    def _uses_going(self) -> Targets:
        return Targets(delete={USE: set(self._uses().values_list("pk", flat=True))})

    def _files_going(self) -> Targets:
        """The files that no message keeps; with everything that was said, all of them."""
        user_id = self.plan.user_id
        if self.plan.takes_messages:
            files = MediaFile.objects.filter(user_id=user_id, created_at__lte=self.plan.before)
            return _targets(user_id, set(files.values_list("pk", flat=True)))
        going = self._uses()
        touched = set(going.values_list("media_id", flat=True))
        others = MediaUse.objects.filter(user_id=user_id, media_id__in=touched).exclude(pk__in=going.values("pk"))
        return _targets(user_id, touched - set(others.values_list("media_id", flat=True)))

    def _uses(self) -> QuerySet[MediaUse]:
        targets = self.plan.targets
        said = {*targets.delete.get(self.message_label, ()), *targets.redact.get(self.message_label, ())}
        sessions = targets.delete.get(self.session_label, ())
        return MediaUse.objects.filter(Q(message_id__in=said) | Q(session_id__in=sessions), user_id=self.plan.user_id)


def _targets(user_id: UUID, media_ids: Collection[UUID]) -> Targets:
    uses = MediaUse.objects.filter(user_id=user_id, media_id__in=media_ids).values_list("pk", flat=True)
    return Targets(delete={FILE: set(media_ids), USE: set(uses)})
