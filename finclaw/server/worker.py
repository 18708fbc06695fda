"""The gunicorn worker of the pages and the API: one greenlet for each connection, and a deadline for every wait.

Thousands of connections cost little more than their memory, so requests that wait for a model, and slow clients, block
nobody. A request's body is complete before Django sees the request, so a slow one holds no database connection and no
transaction. Gunicorn's main process still ends a worker whose interpreter hangs.
"""

from __future__ import annotations

import io
import resource
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext, suppress
from functools import partial
from time import monotonic
from typing import Any, Final

from gevent import sleep
from gevent.lock import BoundedSemaphore
from gevent.pool import Pool
from gevent.server import StreamServer
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.workers.ggevent import GeventWorker

from finclaw.server.admission import AdmittedApplication, Application, release_slot
from finclaw.server.client_connections import PAUSE_SECONDS, AwaitedPart, BodyTooLong, ClientConnection, Deadlines
from finclaw.server.compute_queue import ComputeQueue
from finclaw.server.encrypted_body import EncryptedBody
from foundation.long_lived_heap import freeze_heap

LARGE_BODY_BYTES: Final = 65_536
LARGE_BODIES: Final = 64
"""How many bodies of at least ``LARGE_BODY_BYTES`` a process holds at a time; the others wait, within their deadline.
This bounds the memory of the process."""
UPLOADS: Final = 4
"""How many files a process takes in at a time: this bounds what they take on its disk."""
CHUNKING_BYTES: Final = 65_536
"""How many bytes of chunk framing a body may have: ten times what chunks of a kilobyte take."""
DISCARDED_BYTES: Final = 64_000_000
DISCARDING_SECONDS: Final = 10.0
"""How much of a refused request's body is read and discarded, and for how long, so that its client reads the answer."""
FAREWELL_SECONDS: Final = 2.0
"""How long a stopping process keeps idle connections open to refuse their requests. If it closed them at once, a client
that was just sending a request would not know whether it was carried out.
"""
STOP_CHECK_SECONDS: Final = 0.1


class DeadlineWorker(GeventWorker):  # type: ignore[misc]
    """Gunicorn's gevent worker, where no client can hold a connection longer than the settings allow."""

    deadlines: Deadlines
    max_body_bytes: int
    upload_seconds: float
    upload_paths: Mapping[str, int]  # the bytes of a file at each
    under_way = 0
    is_closing = False

    def init_process(self) -> None:
        """Raise the limit of open files: each connection is one."""
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        super().init_process()

    def load_wsgi(self) -> None:
        """Load the application and with it the settings, which must not be read before gevent has patched."""
        super().load_wsgi()
        from django.conf import settings

        from finclaw.server.warm_up import warm_up

        self.deadlines = Deadlines(
            idle=settings.WEB_IDLE_SECONDS,
            header=settings.WEB_HEADER_SECONDS,
            body=settings.WEB_BODY_SECONDS,
            answer=settings.WEB_ANSWER_SECONDS,
        )
        self.max_body_bytes = settings.MAX_BODY_BYTES
        self.upload_paths = settings.UPLOAD_PATHS
        self.upload_seconds = settings.WEB_IMPORT_SECONDS
        self._uploads = BoundedSemaphore(UPLOADS)
        self._large_bodies = BoundedSemaphore(LARGE_BODIES)
        queue = ComputeQueue(
            settings.WEB_COMPUTING,
            longest=settings.WEB_LINE_LENGTH,
            patience=settings.WEB_LINE_SECONDS,
            hold_seconds=settings.WEB_PLACE_SECONDS,
        )
        self.wsgi: Application = AdmittedApplication(self.wsgi, queue, stopping=lambda: not self.alive)
        self.stopping_seconds = settings.WEB_STOPPING_SECONDS
        warm_up()
        freeze_heap()

    def run(self) -> None:
        """Serve until SIGTERM, then finish the requests that have begun.

        While they finish, new connections are still accepted, so that their requests are answered that the server
        is stopping; a refused connection would not say so.
        """
        servers = [self._listen(socket) for socket in self.sockets]
        while self.alive:
            self.notify()
            sleep(1.0)
        began = monotonic()
        while self._is_busy(servers, monotonic() - began) and monotonic() - began < self.stopping_seconds:
            self.notify()
            sleep(STOP_CHECK_SECONDS)
        self.is_closing = True
        for server in servers:
            server.stop(timeout=1)

    def _listen(self, socket: Any) -> StreamServer:
        socket.setblocking(1)
        server = StreamServer(socket, handle=partial(self.handle, socket), spawn=Pool(self.worker_connections))
        if self.cfg.workers > 1:
            server.max_accept = 1  # leaves the other connections to the other workers
        server.start()
        return server

    def _is_busy(self, servers: Collection[StreamServer], seconds: float) -> bool:
        """Whether requests are under way, or connections are open whose clients may not yet know of the stop."""
        has_connections = any(server.pool.free_count() != server.pool.size for server in servers)
        return bool(self.under_way) or (has_connections and seconds < FAREWELL_SECONDS)

    def timeout_ctx(self) -> AbstractContextManager[None]:
        """No gunicorn time-out over idling and header: the connection has its own deadlines."""
        return nullcontext()

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Serve one connection to its end."""
        connection = ClientConnection(client, self.deadlines, stopping=lambda: self.is_closing, closed=_count_closed)
        super().handle(listener, connection, addr)

    def handle_request(self, listener_name: Any, req: Any, sock: ClientConnection, addr: Any) -> None:
        """Read the body, then call the application."""
        with self._complete_body(req, sock) as is_complete:
            sock.begin_answer()
            self.under_way += 1
            try:
                super().handle_request(listener_name, req, sock, addr)
            finally:
                self.under_way -= 1
                release_slot()
                if not is_complete:
                    sock.discard_input(most_bytes=DISCARDED_BYTES, seconds=DISCARDING_SECONDS)
        sock.await_request()
        if req.unreader.buf.tell():  # the next request is already here: other connections are served first
            sleep(PAUSE_SECONDS)

    def handle_error(self, req: Any, client: ClientConnection, addr: Any, exc: BaseException) -> None:
        """Refuse a malformed request in a way that the client can read."""
        client.begin_answer()
        super().handle_error(req, client, addr, exc)
        if isinstance(exc, ParseException):
            client.discard_input(most_bytes=DISCARDED_BYTES, seconds=DISCARDING_SECONDS)

    @contextmanager
    def _complete_body(self, req: Any, sock: ClientConnection) -> Iterator[bool]:
        """Replace the request's body by its bytes in memory, or by a file where one is accepted; yields whether the
        body was read completely.

        A body over the limit is not read: the application refuses it by its length, and the connection is closed after
        the answer.
        """
        announced = _announced_bytes(req)
        if self._takes_file(req) and (announced is None or announced > LARGE_BODY_BYTES):
            with self._uploaded(req, sock, announced) as is_complete:
                yield is_complete
            return
        if announced is not None and announced > self.max_body_bytes:
            _refuse_body(req)
            yield False
            return
        sock.await_body(self.max_body_bytes + CHUNKING_BYTES)
        with ExitStack() as held:
            yield self._read_body(req, sock, announced, held)

    def _takes_file(self, req: Any) -> bool:
        return req.method == "POST" and req.path in self.upload_paths

    @contextmanager
    def _uploaded(self, req: Any, sock: ClientConnection, announced: int | None) -> Iterator[bool]:
        """Read a body into an encrypted temporary file, which is deleted after the answer."""
        most = self.upload_paths[req.path] + self.max_body_bytes
        if announced is None or announced > most:  # a chunked body has an unknown length
            _refuse_body(req)
            _set_length(req, most + 1)
            yield False
            return
        sock.await_body(announced + CHUNKING_BYTES, seconds=self.upload_seconds)
        if not self._uploads.acquire(timeout=sock.remaining_seconds()):
            raise sock.too_slow("body")
        try:
            with closing(EncryptedBody()) as body:
                _send_continue(req, sock)
                while piece := req.body.read(LARGE_BODY_BYTES):
                    body.feed(piece)
                    sleep(0)
                if body.size < announced:
                    raise NoMoreData
                req.body = body.reader()
                yield True
        finally:
            req.body = io.BytesIO()  # gunicorn reads what is left of a body before the next request
            self._uploads.release()

    def _read_body(self, req: Any, sock: ClientConnection, announced: int | None, held: ExitStack) -> bool:
        if announced != 0:
            _send_continue(req, sock)
        req._expected_100_continue = False
        try:
            body = req.body.read(min(LARGE_BODY_BYTES, self.max_body_bytes + 1))
            if len(body) == LARGE_BODY_BYTES:
                self._hold_large_body(sock, held)
                body += req.body.read(self.max_body_bytes + 1 - LARGE_BODY_BYTES)
        except BodyTooLong:
            _set_length(req, self.max_body_bytes + 1)
            _refuse_body(req)
            return False
        if announced is None:
            _set_length(req, len(body))
        elif len(body) < announced:
            raise NoMoreData
        if len(body) > self.max_body_bytes:
            _refuse_body(req)
            return False
        req.body = io.BytesIO(body)
        return True

    def _hold_large_body(self, sock: ClientConnection, held: ExitStack) -> None:
        if not self._large_bodies.acquire(timeout=sock.remaining_seconds()):
            raise sock.too_slow("body")
        held.callback(self._large_bodies.release)


def _send_continue(req: Any, sock: ClientConnection) -> None:
    """Answer ``Expect: 100-continue``, so that the client sends its body."""
    if req._expected_100_continue:
        sock.begin_answer()
        sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    req._expected_100_continue = False


def _announced_bytes(req: Any) -> int | None:
    """The body's length by its header, 0 without one; None for a chunked body."""
    headers = dict(req.headers)
    return None if "TRANSFER-ENCODING" in headers else int(headers.get("CONTENT-LENGTH", 0))


def _set_length(req: Any, length: int) -> None:
    """Put a length into the header in place of the chunked encoding."""
    req.headers = [(name, value) for name, value in req.headers if name != "TRANSFER-ENCODING"]
    req.headers.append(("CONTENT-LENGTH", str(length)))


def _refuse_body(req: Any) -> None:
    req._expected_100_continue = False
    req.force_close()
    req.body = io.BytesIO()


def _count_closed(waiting: AwaitedPart) -> None:
    from foundation.telemetry.metrics import SLOW_CLIENTS

    SLOW_CLIENTS.labels(waiting_for=waiting).inc()
