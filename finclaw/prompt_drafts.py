"""Drafts versions of the prompt from whole guides, as operators edit them, and compares versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff

from django.utils.translation import gettext as _

from consent.models import PromptGuide, PromptVersion
from consent.prompt_versions import PromptVersionDraft, stored_version, write_prompt_version
from finclaw.brain.prompt.guides import (
    MOST_TOKENS,
    SHIPPED_VERSION,
    SHIPPED_WORDING,
    PromptWording,
    guide_tokens,
    shipped_texts,
    version_wording,
)
from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed, require_found


@dataclass(frozen=True)
class GuideDiff:
    """How a guide of one version reads beside that of another: lines of a unified diff, without its header."""

    guide: PromptGuide
    lines: tuple[str, ...]


def prompt_texts(version: str) -> dict[str, str]:
    """All guides of a version as an operator would write them. Raises ``NotFound``."""
    if version == SHIPPED_VERSION:
        return shipped_texts()
    return {**shipped_texts(), **_stored(version).guides}


def prompt_wording(version: str) -> PromptWording:
    """All guides of a version as a prompt holds them. Raises ``NotFound``, and ``ValueError`` where what is stored is
    unfit by now.
    """
    return SHIPPED_WORDING if version == SHIPPED_VERSION else version_wording(version, _stored(version).guides)


def draft_prompt_version(
    operator: User, texts: Mapping[str, str], *, note: str, based_on: str = SHIPPED_VERSION
) -> PromptVersion:
    """Store a version of these guides; those that read as shipped, or are not given, stay the shipped ones.

    Raises what ``write_prompt_version`` raises, ``NotFound`` for a version to be based on that there is not, and
    ``ValidationFailed`` for guides that are too long together.
    """
    prompt_texts(based_on)
    shipped = shipped_texts()
    given = {name: text.replace("\r\n", "\n").strip() for name, text in texts.items()}
    changed = {name: text for name, text in given.items() if text != shipped.get(name)}
    _require_room(changed)
    return write_prompt_version(operator, PromptVersionDraft(changed, note, based_on, SHIPPED_VERSION))


def compare_prompts(before: Mapping[str, str], after: Mapping[str, str]) -> list[GuideDiff]:
    """The guides that differ, in their order in the prompt."""
    return [
        GuideDiff(guide, _changed_lines(before[guide], after[guide]))
        for guide in PromptGuide
        if before[guide] != after[guide]
    ]


def _changed_lines(before: str, after: str) -> tuple[str, ...]:
    return tuple(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]


def _stored(version: str) -> PromptVersion:
    return require_found(stored_version(version))


def _require_room(changed: Mapping[str, str]) -> None:
    """Raise ``ValidationFailed`` for guides that are too long together. An unfit one is refused later, in words."""
    try:
        tokens = guide_tokens(version_wording("", changed))
    except ValueError:
        return
    if tokens > MOST_TOKENS:
        raise ValidationFailed(
            _("All guides together have %(tokens)s tokens; %(most)s is the most.")
            % {"tokens": tokens, "most": MOST_TOKENS}
        )
