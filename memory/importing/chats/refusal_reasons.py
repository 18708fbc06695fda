"""The reasons why an export file is refused, each a stable code with a translated sentence.

A refusal is stored as a JSON object: the ``reason``, and where there is one the place: a ``line`` with the ``position``
of a character or the number of an ``entry``, or the ``file`` of an archive with a ``line``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop


class RefusalReason(models.TextChoices):
    """Why a file is refused. A sentence that begins in lower case follows on the place in the file."""

    ARCHIVE_DAMAGED = (
        "archive_damaged",
        gettext_lazy("The archive is damaged: export it again, or take conversations.json out of it."),
    )
    ARCHIVE_ENCRYPTED = (
        "archive_encrypted",
        gettext_lazy("The archive is encrypted, or packed in an unusual way: take conversations.json out of it."),
    )
    NO_CONVERSATIONS_FILE = "no_conversations_file", gettext_lazy("The archive holds no conversations.json.")
    TOO_MANY_FILES = (
        "too_many_files",
        gettext_lazy("The archive holds too many files: take conversations.json out of it."),
    )
    UNPACKS_TOO_LARGE = "unpacks_too_large", gettext_lazy("The archive unpacks to more than is taken in at once.")
    TOO_LARGE = "too_large", gettext_lazy("This file is too large.")
    ARCHIVE_ALTERED = (
        "archive_altered",
        gettext_lazy("The archive is not as it was written: it differs from its manifest."),
    )
    NOT_AN_ARCHIVE = "not_an_archive", gettext_lazy("This is no archive of FinClaw's.")
    FILE_GONE = "file_gone", gettext_lazy("The file is gone: hand it in once more.")
    LEARNING_OFF = "learning_off", gettext_lazy("Learning was switched off before it was through.")

    NO_JSON_ROOT = "no_json_root", gettext_lazy("a list or an object is expected.")
    TRAILING_TEXT = "trailing_text", gettext_lazy("nothing more is expected.")
    NO_COMMA = "no_comma", gettext_lazy("a comma or the end of the list is expected.")
    INVALID_JSON = "invalid_json", gettext_lazy("this is no valid JSON.")
    INVALID_NUMBER = "invalid_number", gettext_lazy("it holds a number that cannot be read.")
    NESTED_TOO_DEEPLY = "nested_too_deeply", gettext_lazy("it is nested too deeply.")
    ITEM_TOO_LONG = "item_too_long", gettext_lazy("it is longer than 16,000,000 characters.")
    ROW_TOO_LONG = "row_too_long", gettext_lazy("it is longer than 1,000,000 bytes.")
    TOO_MANY_VALUES = "too_many_values", gettext_lazy("it holds too many values.")
    NOT_UTF8 = "not_utf8", gettext_lazy("behind it the text is not UTF-8.")
    UNREADABLE = "unreadable", gettext_lazy("it cannot be read.")
    NOT_AN_OBJECT = "not_an_object", gettext_lazy("it is not an object.")
    INVALID_VALUE = "invalid_value", gettext_lazy("a field of it holds what it never holds.")

    WRONG_PROGRAM = "wrong_program", gettext_lazy("this is not as the chosen program writes it.")
    UNKNOWN_PROGRAM = "unknown_program", gettext_lazy("this is no export of a program that can be read.")
    NO_ENTRIES = "no_entries", gettext_lazy("a list of entries is expected.")
    ENTRY_NOT_AN_OBJECT = "entry_not_an_object", gettext_lazy("an entry is not an object.")
    NO_ID = "no_id", gettext_lazy("its id is missing, or no name.")
    NO_UUID = "no_uuid", gettext_lazy('"uuid" is missing, or no name.')
    NO_CONVERSATION_ID = "no_conversation_id", gettext_lazy('"conversation_id" is missing, or no name.')
    NO_TEXT = "no_text", gettext_lazy("its text is missing.")
    NO_MESSAGE_ID = "no_message_id", gettext_lazy("a message's id is missing, or no name.")
    MAPPING_WITHOUT_MESSAGES = (
        "mapping_without_messages",
        gettext_lazy('"mapping" holds no messages by their ids.'),
    )
    MESSAGE_NOT_AN_OBJECT = "message_not_an_object", gettext_lazy('"message" is not an object.')
    PARTS_NOT_A_LIST = "parts_not_a_list", gettext_lazy('"parts" is not a list.')
    CHAT_MESSAGES_NOT_A_LIST = "chat_messages_not_a_list", gettext_lazy('"chat_messages" is not a list.')
    CHAT_MESSAGE_NOT_AN_OBJECT = (
        "chat_message_not_an_object",
        gettext_lazy('a message in "chat_messages" is not an object.'),
    )


_SENTENCE_BY_PLACE: Final = {
    frozenset({"line", "position"}): gettext_noop("Line %(line)s, character %(position)s: %(what)s"),
    frozenset({"line", "entry"}): gettext_noop("Line %(line)s, entry %(entry)s: %(what)s"),
    frozenset({"file", "line"}): gettext_noop("%(file)s, line %(line)s: %(what)s"),
}


def describe_refusal(refusal: Mapping[str, Any]) -> str:
    """A stored refusal as a sentence in the active language: the reason, behind its place in the file if it has one.

    "" for a code or a place that this release does not know, as of a row that another release wrote.
    """
    place = {name: value for name, value in refusal.items() if name != "reason"}
    pattern = _SENTENCE_BY_PLACE.get(frozenset(place))
    if refusal.get("reason") not in RefusalReason.values or (place and not pattern):
        return ""
    sentence = str(RefusalReason(refusal["reason"]).label)
    return _(pattern) % {**place, "what": sentence} if pattern else sentence
