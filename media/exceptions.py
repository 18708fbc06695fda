"""What is refused of files, each with the code that the API answers."""

from __future__ import annotations

from foundation.exceptions import FinClawError


class ContentGone(Exception):
    """The storage has lost the content of a file, or has something else in its place."""


class MediaNotSafe(FinClawError):
    """A message has a part that was not found safe. ``details["media"]`` lists each with its ``security_status``."""

    code = "media_not_safe"
    default_message = "This file has not been found safe, so the message was not accepted."


class MediaNotReadAgain(FinClawError):
    """The file was read, or its reading did not end for want of time, or it was read again before."""

    code = "media_not_read_again"
    default_message = "Only a file whose reading took too long can be read again, and only once."


class MediaTypeRefused(FinClawError):
    """By its content the file is none of the kinds that are taken."""

    code = "unsupported_media_type"
    default_message = "Only pictures, PDF, Word, text and sound are taken. Nothing of it was saved."


class MediaTooLarge(FinClawError):
    """The file, or what the user stores with it, is over a limit."""

    code = "payload_too_large"
    default_message = "This file is larger than is taken. Nothing of it was saved."


class MediaQuotaReached(FinClawError):
    """The user stores as much as they may."""

    code = "media_quota_reached"
    default_message = "Your files take all the room that you have. Forget some first."
