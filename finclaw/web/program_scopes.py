"""Says in plain words what each scope allows a connected program to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.accounts.scopes import CONVERSE, FORGET, READ, WRITE

SCOPE_SENTENCES: Final[Mapping[str, Promise]] = {
    READ: _("Read and search your memories, events, portraits and chats"),
    WRITE: _("Add memories, correct them and confirm them"),
    FORGET: _("Forget memories, events and chats for good"),
    CONVERSE: _(
        "Talk with FinClaw in your name: the answers draw on what is remembered of you, and what it says is remembered "
        "as said by you"
    ),
}
