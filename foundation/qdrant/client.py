"""The Qdrant client that the settings ask for, and the translation of its failures.

``QDRANT_URL`` names a server. ``QDRANT_PATH`` is the client's local mode instead: a folder that one process at a time
may open, or ``:memory:``. Local mode compares with every point in numpy; it is meant for tests and for trying.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from http import HTTPStatus
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from foundation.qdrant.exceptions import QdrantRefused, QdrantUnavailable

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

IN_MEMORY: Final = ":memory:"
_REFUSED_CREDENTIALS: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_BUSY: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})
_one_at_a_time = RLock()


def is_configured() -> bool:
    """Whether the settings name a Qdrant server or a folder."""
    return bool(settings.QDRANT_URL or settings.QDRANT_PATH)


def is_local() -> bool:
    """Whether this process itself is the store, so that no other process shares it."""
    return not settings.QDRANT_URL


@contextmanager
def qdrant(seconds: float | None = None) -> Iterator[QdrantClient]:
    """The client, whose failures become ``QdrantUnavailable`` and ``QdrantRefused``.

    Each step of a request (``_limiting``) may take ``seconds``, by default ``QDRANT_TIMEOUT_SECONDS``. In local mode
    threads take turns, because the store is not safe to share.
    """
    if not is_configured():
        raise QdrantUnavailable(details={"reason": "unreachable"})
    load_library()
    timeout = settings.QDRANT_TIMEOUT_SECONDS if seconds is None else seconds
    with _one_at_a_time if is_local() else nullcontext(), _translated_failures():
        yield _client(settings.QDRANT_URL, settings.QDRANT_API_KEY, settings.QDRANT_PATH, 0 if is_local() else timeout)


def close_clients() -> None:
    """Close the clients of this process; a folder may then be opened by another."""
    for client in _opened:
        client.close()
    _opened.clear()
    _client.cache_clear()


_opened: list[QdrantClient] = []


@lru_cache(maxsize=8)
def _client(url: str, api_key: str, path: str, seconds: float) -> QdrantClient:
    client = _new_client(url, api_key, path, seconds)
    _opened.append(client)
    return client


def _new_client(url: str, api_key: str, path: str, seconds: float) -> QdrantClient:
    from qdrant_client import QdrantClient

    if path and not url:
        where: dict[str, Any] = {"location": path} if path == IN_MEMORY else {"path": path}
        return QdrantClient(**where, force_disable_check_same_thread=True)
    client = QdrantClient(url=url, api_key=api_key or None, check_compatibility=False)
    client.http.client.add_middleware(_limiting(seconds))
    return client


def _limiting(seconds: float) -> Callable[[Any, Callable[[Any], Any]], Any]:
    """Limit each step of a request to ``seconds``: to connect, each read, each write, the wait for a free connection.

    The client's own time-out knows whole seconds only.
    """
    limits = dict.fromkeys(("connect", "read", "write", "pool"), seconds)

    def limited(request: Any, send: Callable[[Any], Any]) -> Any:
        request.extensions["timeout"] = limits
        return send(request)

    return limited


def load_library() -> None:
    """Import Qdrant's client: two seconds, which an installation without Qdrant never pays.

    Raises ``ImproperlyConfigured`` where it is not installed.
    """
    try:
        import qdrant_client  # noqa: F401
    except ImportError as error:
        raise ImproperlyConfigured("Qdrant needs its client: run `make extras`.") from error


@contextmanager
def _translated_failures() -> Iterator[None]:
    from qdrant_client.http.exceptions import ApiException

    try:
        yield
    except ApiException as error:
        raise _failure(error) from None
    except ValueError:  # what local mode raises for a collection that is not there, and for malformed requests
        raise QdrantRefused(details={"reason": "request_refused", "status": None}) from None
    except RuntimeError:  # local mode: another process has the folder, or the client is closed
        raise QdrantUnavailable(details={"reason": "unreachable"}) from None


def _failure(error: Exception) -> QdrantUnavailable:
    import httpx
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, ResourceExhaustedResponse):
        return QdrantUnavailable(details={"reason": "rate_limited", "retry_after_seconds": error.retry_after_s})
    if isinstance(error, UnexpectedResponse):
        return _of_status(error.status_code or 0)
    source = error.source if isinstance(error, ResponseHandlingException) else None
    silent = isinstance(source, httpx.TimeoutException) and not isinstance(source, httpx.ConnectTimeout)
    return QdrantUnavailable(details={"reason": "timeout" if silent else "unreachable"})


def _of_status(status: int) -> QdrantUnavailable:
    if status in _REFUSED_CREDENTIALS:
        return QdrantUnavailable(details={"reason": "credentials_refused"})
    if status in _BUSY:
        return QdrantUnavailable(details={"reason": "rate_limited"})
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or not status:
        return QdrantUnavailable(details={"reason": "server_error"})
    return QdrantRefused(details={"reason": "request_refused", "status": status})
