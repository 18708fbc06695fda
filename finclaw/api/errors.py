"""The REST framework's exception handler: roll back, and answer in the contract's shape."""

from __future__ import annotations

from typing import Any

from django.db import DEFAULT_DB_ALIAS, transaction
from rest_framework.response import Response
from rest_framework.views import APIView

from finclaw.errors import to_response


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Every error of an API view as ``{"code", "message", "details"}``; unfinished writes are rolled back."""
    if _is_atomic(context["view"]):
        transaction.set_rollback(True)
    answer = to_response(error, context["request"])
    answer.exception = True
    return answer


def _is_atomic(view: APIView) -> bool:
    """Whether the request's transaction belongs to this view."""
    return DEFAULT_DB_ALIAS not in getattr(type(view).dispatch, "_non_atomic_requests", ())
