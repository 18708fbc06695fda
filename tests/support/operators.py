"""Operators: signed in with both factors, and what they are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import structlog
from django.test import Client
from django_otp import DEVICE_ID_SESSION_KEY
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from structlog.typing import EventDict

from foundation.accounts.models import User
from personas.services import telemetry


@contextmanager
def persona_telemetry() -> Iterator[list[EventDict]]:
    """The events of personas meanwhile. A logger that was used before keeps the configuration it had then."""
    with mock.patch.object(telemetry, "log", structlog.get_logger()), structlog.testing.capture_logs() as lines:
        yield lines


def sign_in_operator(client: Client, user: User) -> Client:
    """Sign an operator in with both factors given."""
    app, _made = TOTPDevice.objects.get_or_create(user=user, confirmed=True, defaults={"name": "app"})
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    session = client.session
    session[DEVICE_ID_SESSION_KEY] = app.persistent_id
    session.save()
    return client


def code_of(user: User) -> str:
    """What the operator's authenticator app shows now."""
    return shown_by(TOTPDevice.objects.get(user=user))


def shown_by(app: TOTPDevice) -> str:
    """What an authenticator app with this secret shows now."""
    return f"{TOTP(app.bin_key, app.step, app.t0, app.digits, app.drift).token():06d}"
