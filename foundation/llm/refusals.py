"""Records for operators why a model does not answer: a wrong key, an unknown model, a bad request, or a server down.

Any web or worker process may notice a refusal, and pages of other processes show it. So each is a small file in the
data folder, removed by the next answer of the same model. Its name is a hash of server, key and model: after a change
of these settings the refusal no longer counts. A single request may be refused for its content, such as a text that is
too long, so such a refusal is shown only after three in a row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final

import structlog
from django.conf import settings
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from foundation.llm.exceptions import ModelUnavailable
from foundation.private_files import replace_privately
from foundation.telemetry.metrics import MODEL_CIRCUIT_OPEN, MODEL_CIRCUIT_OPENED

log = structlog.get_logger(__name__)
_REFUSALS: Final = frozenset({"credentials_refused", "request_refused"})
# Whatever is asked: the key does not fit, or there is no such model.
_STATUSES_OF_SETTINGS: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND})
_TOLD_AFTER: Final = 3


@dataclass(frozen=True)
class ModelRefusal:
    """That a model's server refused what was asked of it, or is down; ``status`` is 0 where it sent no HTTP status."""

    model_id: str
    reason: str
    status: int
    in_a_row: int = 1

    @property
    def concerns_every_request(self) -> bool:
        """Whether any request to the model fails, not only one for what it holds: then operators are told."""
        return self.status in _STATUSES_OF_SETTINGS or self.in_a_row >= _TOLD_AFTER

    @property
    def is_outage(self) -> bool:
        """Whether the server is down for now, which passes without an operator where it passes at all."""
        return self.reason not in _REFUSALS

    @property
    def line(self) -> str:
        """What an operator is told, in one line, with the setting to look at."""
        facts = {"model": self.model_id, "status": self.status}
        if self.is_outage:
            words = _("The model server fails for %(model)s (%(cause)s). It is asked again at intervals.")
            return words % {"model": self.model_id, "cause": _outage_causes().get(self.reason, self.reason)}
        if self.reason == "credentials_refused":
            return _("The model server refuses our key for %(model)s (HTTP %(status)s). Check OPENAI_API_KEY.") % facts
        if self.status == HTTPStatus.NOT_FOUND:
            words = _(
                "The model server does not know %(model)s (HTTP %(status)s). Check MODEL_LARGE, MODEL_SMALL and"
                " OPENAI_BASE_URL."
            )
            return words % facts
        words = _(
            "The model server refuses requests to %(model)s (HTTP %(status)s). Run manage.py check_model to see which."
        )
        return words % facts


@contextmanager
def noting_refusals(model_id: str) -> Iterator[None]:
    """Note that the model's server refused the call in the block, or that it refuses no longer."""
    try:
        yield
    except ModelUnavailable as error:
        if error.details.get("reason") in _REFUSALS:
            _note_refusal(model_id, error)
        raise
    with suppress(OSError):  # most often there is none
        _file_of(model_id).unlink()


def note_circuit(model_id: str, error: ModelUnavailable | None) -> None:
    """Note that calls of the model fail at once from now on because of ``error``, or with None that they do no longer.

    The note goes with the next answer, whichever process gets it.
    """
    MODEL_CIRCUIT_OPEN.labels(model=model_id).set(error is not None)
    if error is None:
        log.warning("model_circuit_closed", model=model_id)
        return
    MODEL_CIRCUIT_OPENED.labels(model=model_id, cause=error.reason).inc()
    log.error("model_circuit_opened", model=model_id, cause=error.reason)
    _write_refusal(ModelRefusal(model_id, error.reason, int(error.details.get("status", 0)), _TOLD_AFTER))


def open_refusals(model_ids: Iterable[str]) -> tuple[ModelRefusal, ...]:
    """The refusals that an operator has to mend, of these models of the configured server, not answered since."""
    found = (_read_refusal(_file_of(model_id)) for model_id in model_ids)
    return tuple(refusal for refusal in found if refusal is not None and refusal.concerns_every_request)


def _note_refusal(model_id: str, error: ModelUnavailable) -> None:
    before = _read_refusal(_file_of(model_id))
    in_a_row = 1 if before is None or before.is_outage else min(before.in_a_row + 1, _TOLD_AFTER)
    refusal = ModelRefusal(model_id, error.details["reason"], int(error.details.get("status", 0)), in_a_row)
    if before == refusal:
        return
    is_known = before is not None and before.concerns_every_request and before.status == refusal.status
    if refusal.concerns_every_request and not is_known:
        log.error("model_refused", reason=refusal.reason, status=refusal.status)
    _write_refusal(refusal)


def _write_refusal(refusal: ModelRefusal) -> None:
    try:
        replace_privately(_file_of(refusal.model_id), json.dumps(asdict(refusal)).encode())
    except OSError as failure:  # the call's own failure is what the caller must hear of
        log.warning("refusal_not_noted", error=type(failure).__name__)


def _outage_causes() -> dict[str, str]:
    return {
        "timeout": _("it accepts requests and is silent"),
        "unreachable": _("it cannot be reached"),
        "server_error": _("it answers with errors"),
        "unusable_answer": _("it sends something other than answers, such as a page of a gateway"),
    }


def _read_refusal(file: Path) -> ModelRefusal | None:
    try:
        return ModelRefusal(**json.loads(file.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _file_of(model_id: str) -> Path:
    asked = "\n".join((settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY, model_id))
    name = salted_hmac("foundation.llm.refusals", asked).hexdigest()
    return Path(settings.DATA_DIR) / "model_refusals" / f"{name}.json"
