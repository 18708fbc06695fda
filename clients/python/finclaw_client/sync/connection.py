# Made of finclaw_client/aio by `make client`.
"""Sends requests to the API, repeats those that failed for a moment, and reads the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from time import sleep
from typing import Final, TypeAlias, TypeVar, cast
from uuid import uuid4

import httpx2

from finclaw_client.errors import ClientError, UnreachableError, error_of, json_of, require_media_type
from finclaw_client.requests import present
from finclaw_client.retries import Retries

JSON: Final = "application/json"
Answer = TypeVar("Answer")
Values: TypeAlias = Mapping[str, object] | None
"""Parameters or a body; what is ``None`` among them is left out."""


class Connection:
    """The API at one address, in the name of one user."""

    def __init__(self, http: httpx2.Client, retries: Retries) -> None:
        self._http, self._retries = http, retries

    @contextmanager
    def response(
        self, method: str, path: str, body: Values = None, *, query: Values = None, key: str | None = None,
        media_type: str = JSON,
    ) -> Iterator[httpx2.Response]:  # fmt: skip
        """The response of this media type to a request below ``/api``, which is repeated as ``Retries`` says. The body
        is read already if it is JSON.

        A write carries ``key``, or a new one. Raises ``ClientError``.
        """
        if httpx2.URL(path).is_absolute_url:  # the token is for the configured server alone
            raise ClientError("A request is made below the configured address, to a path.")
        headers = {} if method == "GET" else {"Idempotency-Key": key or str(uuid4())}
        request = self._http.build_request(method, path, params=present(query), json=present(body), headers=headers)
        response = self._respond(request)
        try:
            require_media_type(response, media_type)
            yield response
        except httpx2.TransportError as error:
            raise UnreachableError.at(request.url, error) from error
        finally:
            response.close()

    def get(self, answer: type[Answer], path: str, query: Values = None) -> Answer:
        """The answer to a GET, of the shape named."""
        with self.response("GET", path, query=query) as response:
            return cast(Answer, json_of(response))

    def send(
        self, answer: type[Answer], method: str, path: str, body: Values = None, *, query: Values = None,
        key: str | None = None,
    ) -> Answer:  # fmt: skip
        """The answer to a write, of the shape named."""
        with self.response(method, path, body, query=query, key=key) as response:
            return cast(Answer, json_of(response))

    def _respond(self, request: httpx2.Request) -> httpx2.Response:
        for attempt in count(1):
            try:
                return self._attempt(request)
            except ClientError as failure:
                wait = self._retries.wait_after(failure, attempt)
                if wait is None:
                    raise
            sleep(wait)
        raise AssertionError("attempts are counted without end")

    def _attempt(self, request: httpx2.Request) -> httpx2.Response:
        try:
            response = self._http.send(request, stream=True)
            if not response.is_success or response.headers.get("content-type", "").startswith(JSON):
                response.read()
        except httpx2.TransportError as error:
            raise UnreachableError.at(request.url, error) from error
        if response.is_success:
            return response
        raise error_of(response)


def poll(read: Callable[[], Answer], is_over: Callable[[Answer], bool], seconds: float) -> Answer:
    """What ``read`` gives once it is over, or as it is after ``seconds``; it is asked less and less often."""
    waited, pause = 0.0, 0.2
    while True:
        answer = read()
        if is_over(answer) or waited >= seconds:
            return answer
        sleep(pause)
        waited, pause = waited + pause, min(1.0, pause * 1.5)


class Resource:
    """A part of the API."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._get, self._send = connection.get, connection.send
