"""Types of knowledge that other packages receive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db import models
from django.utils.translation import gettext_lazy as _

Capability = Literal["full_text"]


class Platform(models.TextChoices):
    """Where a user talks with the assistant."""

    WEB = "web", _("the web pages")
    API = "api", _("a program, through FinClaw's API")
    OPENAI = "openai", _("a program, through OpenAI's protocol")


class EntryState(models.TextChoices):
    """Whether an entry of knowledge holds at a time, does not yet, or no longer does."""

    IN_FORCE = "in_force", _("in force")
    NOT_YET = "not_yet", _("not yet in force")
    ENDED = "ended", _("ended")


@dataclass(frozen=True)
class Org:
    """An organisation and whom an answer is for: the user's tier (``org_tier``) and role there, and the platform on
    which they talk; without a platform, entries of every platform are for them.
    """

    tenant_id: UUID
    tier: str
    role: str = ""
    platform: str = ""


@dataclass(frozen=True)
class Snippet:
    """One entry found. ``kind`` is rule, tone or fact; ``score`` orders facts, and is 1 for what always holds."""

    id: UUID
    kind: str
    subject: str
    slot: str
    text: str
    source: str
    version: int
    score: float


@dataclass(frozen=True)
class KnowledgeBundle:
    """What a store returns: snippets, rules before tones before facts, facts best first.

    ``cache_version`` changes with every change of the organisation's knowledge; "" if there is nothing to cache.
    """

    snippets: tuple[Snippet, ...] = ()
    stores_used: tuple[str, ...] = ()
    cache_version: str = ""


NOTHING = KnowledgeBundle()
