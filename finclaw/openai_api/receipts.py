"""Serves an answer's receipt to the program that the answer was given to."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.receipts import ReceiptOutput, ReceiptView
from finclaw.openai_api.base import OpenAIView


class AnswerReceiptView(OpenAIView, ReceiptView):
    """What ``X-FinClaw-Receipt`` names: which memories were found, taken or left out for an answer, and why."""

    @extend_schema(operation_id="openai_receipt", responses=ReceiptOutput)
    def get(self, request: Request, receipt_id: UUID) -> Response:
        """Why an answer used which memories, by the id in its ``X-FinClaw-Receipt``. As under `/api/receipts`."""
        return super().get(request, receipt_id)
