"""The base views of the API: who acts, under which consent, validated input, idempotent writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Final, cast
from uuid import UUID

from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils.decorators import method_decorator
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from consent.permit import Permit
from consent.services import permit_for
from finclaw.api import idempotency
from finclaw.api.negotiation import SingleFormatNegotiation
from finclaw.api.operations import location_of
from finclaw.api.pagination import CursorPagination
from finclaw.api.serializers import QuerySerializer, StrictSerializer
from finclaw.api.throttling import RequestQuota
from foundation.accounts.models import PROGRAM_NAME_CHARS, User
from foundation.accounts.notices import NOTICE_VERSION, has_acknowledged
from foundation.database.acting_user import act_for, acting_as
from foundation.exceptions import NotFound

UNREAD_NOTICE: Final = "Unacknowledged-Notice"
"""The header of answers to users who have not acknowledged the notice as it reads now: its version."""


class PublicView(APIView):
    """A view without a user: one body format, one error shape, bounded size."""

    content_negotiation_class = SingleFormatNegotiation
    metadata_class = None
    query_input: type[QuerySerializer] = QuerySerializer
    query_inputs: ClassVar[Mapping[str, type[QuerySerializer]]] = {}  # query serializers by method, where they differ
    reads_body: ClassVar[bool] = True  # into memory; a view that takes a file reads it piece by piece
    query: dict[str, Any]  # the validated query string
    has_begun = False  # whether the request was authenticated and its query is valid
    rate_limit: RequestQuota | None = None  # what is left of it after this request

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Reads the body here, before DRF streams it, which enforces ``DATA_UPLOAD_MAX_MEMORY_SIZE``."""
        if self.reads_body:
            _ = request._request.body
        super().initial(request, *args, **kwargs)
        known = self.query_inputs.get(request.method or "", self.query_input)
        self.query = _validate(known(data=request.query_params))
        self.has_begun = True

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Say on every answer what is left of the rate limit, and where what it made is found."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        for name, value in (self.rate_limit.headers() if self.rate_limit else {}).items():
            answer[name] = value
        handler = getattr(self, (request.method or "").lower(), None)
        made = location_of(handler, answer.status_code, getattr(answer, "data", None), self.kwargs)
        if made is not None:
            answer["Location"] = request.build_absolute_uri(made)
        return answer

    def valid(self, serializer: type[StrictSerializer], *, partial: bool = False) -> dict[str, Any]:
        """The validated body. Raises DRF's ``ValidationError``."""
        return _validate(serializer(data=self.request.data, partial=partial))

    def page(
        self,
        queryset: QuerySet[Any],
        serializer: type[BaseSerializer[Any]],
        *,
        ordering: str,
        context: Mapping[str, Any] | None = None,
        shown_as: Callable[[list[Any]], list[Any]] = list,
    ) -> Response:
        """One page of ``queryset``, ordered by ``ordering`` and then by key; ``shown_as`` prepares its rows."""
        paginator = CursorPagination()
        paginator.ordering = (ordering, "-pk" if ordering.startswith("-") else "pk")
        rows = cast(list[Model], paginator.paginate_queryset(queryset, self.request, view=self))
        return paginator.get_paginated_response(serializer(shown_as(rows), many=True, context=dict(context or {})).data)


class ApiView(PublicView):
    """Acts for the signed-in user in the request's transaction, under the permit in force."""

    permit: Permit

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        act_for(self.user.pk)
        self.permit = permit_for(self.user)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Say on every answer which notice the user has yet to acknowledge."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        if self.has_begun and _has_unread_notice(request.user):
            answer[UNREAD_NOTICE] = str(NOTICE_VERSION)
        return answer

    @property
    def user(self) -> User:
        """The signed-in user; anonymous requests were refused before."""
        return cast(User, self.request.user)

    @property
    def program(self) -> str:
        """The name of the token that the request is signed with: which program asks; "" for a browser."""
        return str(getattr(self.request.auth, "name", ""))[:PROGRAM_NAME_CHARS]

    def require_me(self, user_id: str) -> None:
        """Accept ``me`` and the user's own ids; another's is as absent as a made-up one."""
        if user_id not in {"me", self.user.external_id} and user_id.lower() != str(self.user.pk):
            raise NotFound()

    def once(self, status: int, write: Callable[[], object], answer: Callable[[Any], Any]) -> Response:
        """Run ``write`` unless its Idempotency-Key already did; then build the answer from what it made.

        ``write`` returns a row or the key of one, and the answer is given that key; or a dictionary of ids and numbers,
        which it is given. Of anything else nothing is kept. The Idempotency-Key is kept in the request's transaction: a
        failed write leaves none behind.
        """
        if not idempotency.has_key(self.request):
            return Response(answer(_made(_reference_to(write()))), status)
        row, is_first = idempotency.claim(self.user, self.request, status=status, reference={})
        if is_first:
            row.reference = _reference_to(write())
            row.save(update_fields=["reference"])
        return idempotency.mark(Response(answer(_made(row.reference)), row.status), is_replayed=not is_first)


@method_decorator(transaction.non_atomic_requests, name="dispatch")
class NonAtomicView(ApiView):
    """For requests that ask a model: no transaction is held around them, each part opens its own.

    Everything personal happens under ``acting``, where ``permit`` is set.
    """

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        PublicView.initial(self, request, *args, **kwargs)

    @contextmanager
    def acting(self) -> Iterator[Permit]:
        """A transaction acting for the signed-in user, with the permit in force."""
        with acting_as(self.user.pk):
            self.permit = permit_for(self.user)
            yield self.permit


def _has_unread_notice(user: object) -> bool:
    """Whether the user is to read the notice; who is served by an organisation agreed to what that showed them."""
    return isinstance(user, User) and not user.is_managed and not has_acknowledged(user)


def _reference_to(made: object) -> dict[str, Any]:
    """What is kept of a write under its Idempotency-Key: ids and numbers."""
    if isinstance(made, Model | UUID):
        return {"key": str(made.pk if isinstance(made, Model) else made)}
    return made if isinstance(made, dict) else {}


def _made(reference: dict[str, Any]) -> Any:
    """The key that a reference holds, or else all of it."""
    [*values] = reference.values()
    return values[0] if len(values) == 1 and isinstance(values[0], str | int) else reference


def _validate(serializer: StrictSerializer) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)
