"""The receipt of an answer, to the program that it was given to."""

from __future__ import annotations

from finclaw.api.authentication import TokenAuthentication
from finclaw.api.receipts import ReceiptView


class AnswerReceiptView(ReceiptView):
    """What ``X-FinClaw-Receipt`` names: which memories were found, taken or left out for an answer, and why."""

    authentication_classes = (TokenAuthentication,)
    schema = None  # as under /api
