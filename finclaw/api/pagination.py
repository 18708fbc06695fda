"""Lists are read page by page: how large a page is, and what its answer holds."""

from __future__ import annotations

import re
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from rest_framework import exceptions, pagination
from rest_framework.response import Response

_SIZE = re.compile(r"[1-9][0-9]{0,8}")
PARAMETERS = frozenset({"cursor", "page_size"})


class CursorPagination(pagination.CursorPagination):
    """``{"results": [...], "next": url|null, "previous": url|null}``, newest first unless a view says else."""

    ordering: Any = "-created_at"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

    def get_page_size(self, request: Any) -> int:
        """Raises DRF's ``ValidationError`` for a size that is not a number from 1."""
        given = request.query_params.get(self.page_size_query_param, str(self.page_size))
        if not _SIZE.fullmatch(given):
            sentence = _("Give a number from 1; at most %(limit)d rows are answered.") % {"limit": self.max_page_size}
            raise exceptions.ValidationError({self.page_size_query_param: [sentence]})
        return min(int(given), self.max_page_size)

    def get_paginated_response(self, data: Any) -> Response:
        """As DRF's, with the header ``Link`` to the pages beside it."""
        answer = super().get_paginated_response(data)
        pages = {"next": answer.data["next"], "prev": answer.data["previous"]}
        links = [f'<{address}>; rel="{relation}"' for relation, address in pages.items() if address]
        if links:
            answer["Link"] = ", ".join(links)
        return answer

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> list[Any] | None:
        """As DRF's, with a made-up cursor refused however well it is encoded."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValidationError, ValueError, TypeError):
            raise exceptions.NotFound(self.invalid_cursor_message) from None
