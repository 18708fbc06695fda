from __future__ import annotations

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from finclaw.errors import json_error
from foundation.exceptions import NotFound


@csrf_exempt
@transaction.non_atomic_requests
def unmatched(request: HttpRequest) -> HttpResponse:
    """Whatever no address of the API matches, by any method, database or not."""
    return json_error(NotFound("There is nothing at this address."), request)
