"""The receipt of an answer, to the program that it was given to."""

from __future__ import annotations

from finclaw.api.receipts import ReceiptView
from finclaw.openai_api.base import BearerAuthentication


class AnswerReceiptView(ReceiptView):
    """What ``X-FinClaw-Receipt`` names: which memories were found, taken or left out for an answer, and why."""

    authentication_classes = (BearerAuthentication,)
    schema = None  # as under /api
