"""Imports the former ``end_summaries.json``, a bot's notes at the end of its turns, as events.

A list, oldest first, of ``{"summary": "…", "timestamp": "2026-02-21T14:30:00+08:00"}``, in later files with
``"location": {"type": "group", "name": "…"}``; the oldest files hold bare sentences. Every entry goes through ``end``,
as any turn's does: the historian resolves what is relative in it against its own time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from django.conf import settings
from pydantic import AliasChoices, BaseModel, Field, StringConstraints, ValidationError

from consent.permit import Permit
from consent.sensitive.exceptions import SensitiveInput
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import ValidationFailed
from memory.external_refs import stored_refs
from memory.historian.services import end
from memory.importing.types import RefusedRecord
from memory.importing.validation import BadRecord
from memory.models import CognitiveJob, Session
from memory.services.sessions import start_session
from memory.services.versions import content_hash
from memory.types import EndInput

SESSION_REF = "end_summaries.json"
MAX_PLACE = 120
YEARS = range(1900, 2200)  # as the HTTP interface takes them
_DIGITS = 32
Words = Annotated[str, StringConstraints(strip_whitespace=True)]


class _Place(BaseModel):
    type: Literal["private", "group"]
    name: Words = Field(min_length=1, max_length=MAX_PLACE)


class _Entry(BaseModel):
    """One entry; its other fields are ignored."""

    summary: Words = Field(validation_alias=AliasChoices("summary", "action_summary"), min_length=1)
    new_info: Words = ""
    timestamp: datetime | None = Field(None, validation_alias=AliasChoices("timestamp", "time", "created_at"))
    location: _Place | Words | None = None

    @property
    def place(self) -> str:
        """Where "here" was: the group, or a place that is named as such. Nobody is a place."""
        if isinstance(self.location, _Place):
            return self.location.name if self.location.type == "group" else ""
        return self.location or ""


@dataclass(frozen=True)
class EndSummary:
    """An entry that may be imported; ``where`` is its place in the file, ``stamp`` its own time as given.

    The ``request`` has no id yet.
    """

    where: str
    stamp: str
    request: EndInput


def read(document: Any, user: User, undated: datetime | None = None) -> Iterator[EndSummary | RefusedRecord]:
    """The entries of a parsed document, in order. A time without an offset is one of the user's zone; ``undated`` is
    when an entry without any is said to have been. Raises ``ValidationFailed`` for what is no list.
    """
    if not isinstance(document, list):
        raise ValidationFailed("The file does not hold a list of summaries.")
    for number, raw in enumerate(document, 1):
        where = f"entry {number}"
        try:
            yield _summary(where, raw, ZoneInfo(user.time_zone), undated)
        except ValidationError as error:
            yield RefusedRecord(where, _what_is_wrong(error))
        except BadRecord as error:
            yield RefusedRecord(where, str(error))


class EndSummaryImporter:
    """One import run for one user, under the user's consent."""

    def __init__(self, user: User) -> None:
        """Raises ``BadRecord`` where nothing may be learned of the person, or cognitive memory is off."""
        self._user = user
        with acting_as(user.pk):
            permit = permit_for(user)
            permit.require_decision()
            self._session = _session(permit, user)

    def add(self, summary: EndSummary) -> bool:
        """Hand one entry to the historian, whole or not at all; answers whether it is new.

        One that was handed over before is left as it is. Raises ``BadRecord`` for what must not be kept, or may not
        be learned.
        """
        with acting_as(self._user.pk):
            request = replace(summary.request, request_id=_request_id(self._user, summary))
            known = CognitiveJob.objects.filter(user=self._user, request_id=request.request_id).exists()
            try:
                receipt = end(permit_for(self._user), self._user, self._session, request)
            except SensitiveInput as error:
                raise BadRecord(error.message) from None
        if not receipt.queued:
            raise BadRecord(_WHY_NOT.get(receipt.reason or "", "It was not taken."))
        return not known


_WHY_NOT = {
    "cognitive_disabled": "Cognitive memory is switched off (COGNITIVE_ENABLED).",
    "consent_scope_missing": "The person does not allow learning.",
}


_WRONG = {
    **dict.fromkeys(("summary", "action_summary"), "Its summary is missing, empty or no text."),
    "new_info": "Its new_info is no text.",
    **dict.fromkeys(("timestamp", "time", "created_at"), "Its timestamp is no time like 2026-02-21T14:30:00+08:00."),
    "location": 'Its location is neither a name nor {"type": "group" or "private", "name": "..."}.',
}


def _what_is_wrong(error: ValidationError) -> str:
    """What is wrong with an entry, by field; pydantic's own messages would quote the entry."""
    fields = (str(detail["loc"][0]) if detail["loc"] else "" for detail in error.errors(include_input=False))
    return " ".join(dict.fromkeys(_WRONG.get(field, "It is neither a sentence nor a summary.") for field in fields))


def _summary(where: str, raw: Any, zone: ZoneInfo, undated: datetime | None) -> EndSummary:
    entry = _Entry.model_validate({"summary": raw} if isinstance(raw, str) else raw)
    moment = entry.timestamp or undated
    if moment is None:
        raise BadRecord("It has no timestamp: say when with --undated.")
    _require_storable(entry, moment)
    request = EndInput(
        request_id="",
        action_summary=entry.summary,
        new_info=entry.new_info,
        occurred_at=moment if moment.tzinfo else moment.replace(tzinfo=zone),
        location=entry.place,
        force=True,
    )
    return EndSummary(where, entry.timestamp.isoformat() if entry.timestamp else "", request)


def _require_storable(entry: _Entry, moment: datetime) -> None:
    if moment.year not in YEARS:
        raise BadRecord("Its timestamp is not between the years 1900 and 2200.")
    if max(len(entry.summary), len(entry.new_info)) > settings.MAX_MESSAGE_CHARS:
        raise BadRecord(f"It is longer than {settings.MAX_MESSAGE_CHARS} characters.")
    if "\x00" in entry.summary + entry.new_info + entry.place:
        raise BadRecord("The text holds a NUL character.")
    if len(entry.place) > MAX_PLACE:
        raise BadRecord(f"Its location is longer than {MAX_PLACE} characters.")


def _request_id(user: User, summary: EndSummary) -> str:
    """An id made from the entry's words and time, since old files drop their first entries and a number would change.
    It depends on the person's own key: it outlives the words and must not confirm a guess at them.
    """
    said = "\n".join([summary.stamp, summary.request.action_summary, summary.request.new_info])
    return f"end_summaries.{content_hash(user.pk, said)[:_DIGITS]}"


def _session(permit: Permit, user: User) -> Session:
    there = Session.objects.filter(user=user, external_ref__in=stored_refs(user, [SESSION_REF])).first()
    return there or start_session(permit, user, title="End summaries", external_ref=SESSION_REF)
