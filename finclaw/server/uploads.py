"""Refuses files in form data, for all addresses that expect none."""

from __future__ import annotations

from typing import Any, NoReturn

from django.core.files.uploadhandler import FileUploadHandler
from django.http.multipartparser import MultiPartParserError

from foundation.exceptions import FinClawError


class FileRefused(FinClawError, MultiPartParserError):
    """A request contains a file; Django answers it like a body that cannot be parsed."""

    code = "unsupported_media_type"
    default_message = "Files are not taken here. Nothing of it was saved: send text instead."


class RefusingUploadHandler(FileUploadHandler):
    """Stops reading a multipart body at the header of its first file."""

    def new_file(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise ``FileRefused``."""
        raise FileRefused

    def receive_data_chunk(self, raw_data: bytes, start: int) -> NoReturn:
        """Never reached."""
        raise FileRefused

    def file_complete(self, file_size: int) -> NoReturn:
        """Never reached."""
        raise FileRefused
