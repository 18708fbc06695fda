"""What an address of the API answers that does not exist."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from finclaw.errors import json_error
from foundation.exceptions import NotFound


@csrf_exempt
@transaction.non_atomic_requests
def unmatched(request: HttpRequest) -> HttpResponse:
    """The answer to every address of the API that matches nothing, by any method, with or without a database."""
    return json_error(NotFound(_("There is nothing at this address.")), request)
