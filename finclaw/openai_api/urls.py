"""Routes the addresses under ``/v1/`` that OpenAI's clients call."""

from __future__ import annotations

from django.urls import path, re_path

from finclaw.api.not_found import unmatched
from finclaw.openai_api.chat_completions import ChatCompletionsView
from finclaw.openai_api.embeddings import EmbeddingsView
from finclaw.openai_api.model_list import ModelsView, ModelView
from finclaw.openai_api.receipts import AnswerReceiptView
from finclaw.openai_api.responses import InputItemsView, ResponsesView, StoredResponseView

app_name = "openai"
urlpatterns = [
    path("chat/completions", ChatCompletionsView.as_view(), name="chat_completions"),
    path("responses", ResponsesView.as_view(), name="responses"),
    path("responses/<str:response_id>", StoredResponseView.as_view(), name="response"),
    path("responses/<str:response_id>/input_items", InputItemsView.as_view(), name="input_items"),
    path("embeddings", EmbeddingsView.as_view(), name="embeddings"),
    path("receipts/<uuid:receipt_id>", AnswerReceiptView.as_view(), name="receipt"),
    path("models", ModelsView.as_view(), name="models"),
    path("models/<path:model_id>", ModelView.as_view(), name="model"),
    re_path(r"", unmatched, name="unmatched"),
]
