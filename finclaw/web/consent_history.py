"""Describes each version of a consent by what it changed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.services import consent_versions
from foundation.accounts.models import User
from foundation.personal_data import ConsentScope

NAMES = {
    ConsentScope.SAVE_TO_PROFILE: gettext_lazy("how you work"),
    ConsentScope.MEMORY_LEARNING: gettext_lazy("learning from our conversations"),
    ConsentScope.SAVE_TO_THREAD: gettext_lazy("your context with your research"),
    ConsentScope.TRAINING_USE: gettext_lazy("your research as possible training examples"),
}


def describe_versions(user: User) -> list[dict[str, Any]]:
    """Every version with its moment and a plain sentence, newest first."""
    versions = list(consent_versions(user))[::-1]
    before: list[Any] = [None, *versions[:-1]]
    pairs = zip(versions, before, strict=True)
    descriptions = [{"changed_at": now.changed_at, "text": _version_sentence(now, earlier)} for now, earlier in pairs]
    return descriptions[::-1]


def _version_sentence(now: Any, earlier: Any) -> str:
    if now.revoked_at is not None:
        return _("You withdrew everything.")
    had, has = _version_scopes(earlier), _version_scopes(now)
    if not has and not had:
        return _("You left everything off.")
    parts = [
        _("Turned on: %(names)s.") % {"names": list_scopes(has - had)} if has - had else "",
        _("Turned off: %(names)s.") % {"names": list_scopes(had - has)} if had - has else "",
    ]
    return " ".join(part for part in parts if part) or _("Nothing changed.")


def _version_scopes(version: Any) -> set[ConsentScope]:
    if version is None or version.revoked_at is not None:
        return set()
    return {scope for scope in ConsentScope if getattr(version, scope.value)}


def list_scopes(scopes: Collection[ConsentScope]) -> str:
    """The scopes by the names users know, in one line."""
    return _(", ").join(str(name) for scope, name in NAMES.items() if scope in scopes)
