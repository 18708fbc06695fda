"""Makes the language model that the settings and the organisation's monthly ceiling ask for."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from foundation.llm.admission_rules import AdmissionRules, CircuitRules, RateRules
from foundation.llm.metered_model import MeteredModel
from foundation.llm.offline_model import OFFLINE_MODEL_ID, OfflineModel
from foundation.llm.ports import LanguageModel, ModelBackend
from foundation.llm.refusals import note_circuit
from foundation.llm.transaction_guard import GuardedModel
from foundation.llm.types import CallLimits, ModelRole
from foundation.model_usage.ceilings import CeilingStage, ceiling_reader

if TYPE_CHECKING:
    from foundation.llm.openai_compatible import OpenAICompatibleModel


_making_backend: Final = Lock()


def configured_model(tenant_id: UUID | None) -> LanguageModel:
    """The model that a member of this organisation may use now; ``None`` stands for users without an organisation.

    Its calls count for the organisation, whose monthly ceiling decides whether a smaller model or the offline one
    answers. Make one for each turn or job, and not inside a long transaction: each process reads the ceilings from the
    database once a minute.
    """
    if not is_model_configured():
        return MeteredModel(configured_backend(), tenant_id)
    stage = ceiling_reader.stage_of(tenant_id)
    backend = GuardedModel(OfflineModel()) if stage == CeilingStage.OFFLINE else configured_backend()
    return MeteredModel(backend, tenant_id, stage)


def is_model_configured() -> bool:
    """Whether a model server is configured; without one the offline model answers."""
    return bool(settings.OPENAI_BASE_URL)


def model_to_check() -> OpenAICompatibleModel:
    """The configured server without retries or metering, for ``check_model``. Call it only if one is configured."""
    from foundation.llm.openai_compatible import OpenAICompatibleModel

    return OpenAICompatibleModel(
        base_url=settings.OPENAI_BASE_URL,
        api_key=settings.OPENAI_API_KEY,
        limits=replace(_limits(), max_retries=0),
        extra_body=settings.MODEL_EXTRA_BODY,
    )


def model_id_for(role: ModelRole) -> str:
    """The model id of a role; without a small model the large one does both jobs.

    Raises ``ImproperlyConfigured`` when a server is configured and no model is named.
    """
    if not settings.OPENAI_BASE_URL:
        return OFFLINE_MODEL_ID
    large: str = settings.MODEL_LARGE
    model_id = (settings.MODEL_SMALL or large) if role == "small" else large
    if not model_id:
        raise ImproperlyConfigured("OPENAI_BASE_URL is set, so MODEL_LARGE must name a model.")
    return model_id


def configured_model_ids() -> tuple[str, ...]:
    """The models of the configured server, the large one first; none without a server, or where none is named."""
    named = (settings.MODEL_LARGE, settings.MODEL_SMALL) if settings.OPENAI_BASE_URL else ()
    return tuple(dict.fromkeys(filter(None, named)))


def model_calls_tools() -> bool:
    """Whether the settings declare that the large model can call tools. The offline model cannot."""
    return bool(settings.OPENAI_BASE_URL) and settings.MODEL_CALLS_TOOLS


def model_sees_images() -> bool:
    """Whether the settings declare that the large model can see images. The offline model cannot."""
    return bool(settings.OPENAI_BASE_URL) and settings.MODEL_SEES_IMAGES


def _limits() -> CallLimits:
    return CallLimits(
        timeout_seconds=settings.MODEL_TIMEOUT_SECONDS,
        first_token_timeout_seconds=settings.MODEL_FIRST_TOKEN_TIMEOUT_SECONDS,
        max_retries=settings.MODEL_MAX_RETRIES,
        max_output_tokens=settings.MODEL_MAX_OUTPUT_TOKENS,
    )


def configured_backend() -> ModelBackend:
    """The backend behind ``configured_model``, shared by all organisations; made anew only when the settings change."""
    extra_body = json.dumps(settings.MODEL_EXTRA_BODY)
    with _making_backend:  # else two threads at start-up would get two AdmissionControls for one server
        return _backend(settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY, _limits(), extra_body, _admission_rules())


def _admission_rules() -> AdmissionRules:
    """The limits of this process: those of the provider are divided among all processes that call it."""
    processes = settings.MODEL_PROCESSES or settings.WEB_WORKERS + int(str(settings.Q_CLUSTER["workers"]))
    return AdmissionRules(
        CircuitRules(settings.MODEL_CIRCUIT_FAILURES, settings.MODEL_FIRST_TOKEN_TIMEOUT_SECONDS),
        RateRules(
            settings.MODEL_REQUESTS_PER_MINUTE / processes,
            settings.MODEL_TOKENS_PER_MINUTE / processes,
            _limits().first_backoff_seconds,
        ),
        turn_calls=settings.MODEL_TURN_CONCURRENCY,
        background_calls=settings.MODEL_CONCURRENCY,
    )


@lru_cache(maxsize=1)
def _backend(base_url: str, api_key: str, limits: CallLimits, extra_body: str, rules: AdmissionRules) -> ModelBackend:
    if not base_url:
        return GuardedModel(OfflineModel())
    # This import takes half a second, which an offline installation never pays.
    from foundation.llm.admission_control import AdmissionControl
    from foundation.llm.openai_compatible import OpenAICompatibleModel

    model = OpenAICompatibleModel(
        base_url=base_url,
        api_key=api_key,
        limits=limits,
        extra_body=json.loads(extra_body),
        admissions=AdmissionControl(rules, on_circuit=note_circuit),
    )
    return GuardedModel(model)
