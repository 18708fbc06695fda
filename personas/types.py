"""Frozen values of the persona that other packages use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from foundation.language import Language
from foundation.sanitization.types import SafeText

Mode = Literal["rational", "idol", "hybrid", "strict"]
ModeSource = Literal["default", "user", "rule"]
DocumentKind = Literal["soul", "identity", "user"]
PreferenceKey = Literal["reply_length", "reply_structure", "reply_tone", "reply_language", "mode"]
WriteBackReason = Literal["explicit", "repeated", "confirmed", "waiting", "session_only", "off"]
WriteBackEvent = WriteBackReason | Literal["dismissed", "taken_back"]
WriteBackGround = Literal[
    "stated_to_last", "said_in_a_row", "confirmed_by_user", "chosen_in_settings",
    "corrects_the_assistant", "contradicts_what_was_told", "too_few_signs", "said_for_a_while",
    "in_a_group", "without_consent", "learning_stopped", "message_teaches_nothing", "write_back_off",
    "dismissed_by_user", "taken_back_by_user",
]  # fmt: skip
"""Why a style wish was kept, asked about, or left where it was said."""
Wishes = tuple[tuple[str, str], ...]
Acknowledgement = Mapping[Language, str]
"""One sentence of the product's in each language."""
MODES: Final[tuple[Mode, ...]] = ("rational", "idol", "hybrid", "strict")


@dataclass(frozen=True)
class PersonaText:
    """One persona document. ``version`` 0 is the text FinClaw ships with; ``body`` is "" where none is."""

    kind: DocumentKind
    body: str = ""
    version: int = 0
    updated_at: datetime | None = None

    @property
    def source(self) -> str:
        """The name of the text in a reply's sources: ``SOUL.md`` as shipped, ``SOUL.md#3`` for version 3."""
        name = f"{self.kind.upper()}.md"
        return f"{name}#{self.version}" if self.version else name


@dataclass(frozen=True)
class PersonaTexts:
    """The texts of the persona documents SOUL, IDENTITY and USER."""

    soul: PersonaText = PersonaText("soul")
    identity: PersonaText = PersonaText("identity")
    user: PersonaText = PersonaText("user")


@dataclass(frozen=True)
class ModeInForce:
    """The persona mode of one user in one conversation as it is now.

    ``ttl_turns`` is how many of the user's turns it still lasts; 0 for the default, which does not end. ``wishes`` are
    keys and values of how to answer in this conversation only. ``notes`` say what was asked for and for how long: in
    the product's wording after a message, or in the user's own words from a page.
    """

    mode: Mode
    mode_source: ModeSource
    since: datetime | None = None
    ttl_turns: int = 0
    notes: str = ""
    wishes: Wishes = ()


@dataclass(frozen=True)
class Preference:
    """A lasting style preference of a user.

    Its page and the API name it by ``id``. A learned one is the memory ``memory_id``. A ``waiting`` one is a
    correction, or contradicts something stated, and is not used before the user confirms it. ``source`` says why it
    may be stored. ``text`` is a sentence in the language of the wish; ``said_in`` are its messages.
    """

    id: UUID
    key: str
    value: str
    confidence: float
    source: WriteBackReason
    text: str
    memory_id: UUID | None
    updated_at: datetime
    said_in: tuple[UUID, ...] = ()

    @property
    def waiting(self) -> bool:
        """Whether the preference awaits the user's confirmation."""
        return self.memory_id is None

    @property
    def reference(self) -> str:
        """The name of a learned preference in a reply's sources."""
        return f"memory:item#{self.memory_id}"


@dataclass(frozen=True)
class RoleTone:
    """The tone for a user's role. ``origin`` is where it comes from; ``lines`` are its sentences.

    ``overruled`` are the keys of preferences that a rule of the organisation overrules.
    """

    lines: tuple[str, ...] = ()
    origin: Literal["knowledge", "preference", "default"] = "default"
    overruled: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ContextMeta:
    """``memory_hits`` counts the learned preferences in the prompt; ``truncated`` says that something was cut."""

    mode: Mode
    memory_hits: int
    truncated: bool


@dataclass(frozen=True)
class PersonaContext:
    """The persona's part of a prompt: layers 2, 3 and 4, in this order, each "" where it is empty.

    Text of a document that its user wrote is escaped and stands in a tag. ``sources`` are the documents and memories
    that the layers contain text from.
    """

    core_prompt: SafeText
    user_pref_prompt: SafeText
    mode_prompt: SafeText
    sources: tuple[str, ...]
    meta: ContextMeta


@dataclass(frozen=True)
class ModeRequest:
    """A wish for another mode. ``mode=None`` asks for the default; ``ttl_turns=None`` for the configured duration."""

    mode: Mode | None
    source: Literal["user", "rule"]
    ttl_turns: int | None = None
    notes: str = ""


@dataclass(frozen=True)
class PreferenceSignal:
    """A sign of a style preference. ``value`` is one of ``personas.wording``'s for its key.

    ``explicit``: said to hold from now on. ``correction``: it objects to how the assistant behaves.
    ``as_now``: "always answer like this"; its value is whatever holds at this moment. ``turns``: said for so many of
    the user's messages alone.
    """

    key: PreferenceKey
    value: str
    explicit: bool = False
    correction: bool = False
    as_now: bool = False
    turns: int | None = None
    language: Language = "en"


@dataclass(frozen=True)
class MessageWishes:
    """The style wishes of a message: a mode asked for or suggested, and signals of preferences.

    ``wishes_only``: it says nothing else. ``language`` is the message's.
    """

    request: ModeRequest | None = None
    signals: tuple[PreferenceSignal, ...] = ()
    wishes_only: bool = False
    language: Language = field(default="en", compare=False)

    @property
    def asked_turns(self) -> int | None:
        """For how many messages a mode was asked for; None where the message does not say."""
        return self.request.ttl_turns if self.request else None


@dataclass(frozen=True)
class StoredMode:
    """A mode as it is stored.

    Turns are the user's messages, counted from 0. ``ruled_turn`` is the turn of the last switch by a rule, and is kept
    after that mode has ended. ``ttl_turns`` is 0 for the default, and after the end of a mode was recorded.
    ``noted_in`` is the message that the notes were taken from, None for notes from a page.
    """

    mode: Mode
    source: ModeSource
    since: datetime
    since_turn: int
    ttl_turns: int = 0
    notes: str = ""
    ruled_turn: int | None = None
    wishes: Wishes = ()
    noted_in: UUID | None = None


@dataclass(frozen=True)
class ModeEnd:
    """The end of a mode that began at ``since``: its turns are over, ``after`` holds, with these ``notes``."""

    before: Mode
    after: Mode
    since: datetime
    notes: str = ""


@dataclass(frozen=True)
class ModeChange:
    """What a message does to the mode. ``stored_mode`` is the mode to be stored, None if nothing changes.

    ``is_reset``: the user asked for the usual manner again. ``has_notes``: the notes of ``stored_mode`` are taken from
    the message. ``ended_mode`` is a mode that had ended before this turn without being recorded, and is replaced by
    ``stored_mode``; ``ending_mode`` is a mode whose last turn is this one.
    """

    before: Mode
    after: ModeInForce
    stored_mode: StoredMode | None = None
    is_reset: bool = False
    has_notes: bool = False
    ended_mode: ModeEnd | None = None
    ending_mode: ModeEnd | None = None

    @property
    def changes_mode(self) -> bool:
        """Whether the mode from now on differs from the one before."""
        return self.before != self.after.mode


@dataclass(frozen=True)
class WriteBackOutcome:
    """The decision about each signal of a message, and the preferences that were stored."""

    decisions: tuple[WriteBackReason, ...] = ()
    preferences: tuple[UUID, ...] = field(default=())
