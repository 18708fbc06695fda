"""Settings of gunicorn: its main process loads the application once, and every web process is forked from it.

A web process that dies is replaced at once, and two of them start in the processor time of one.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from finclaw.server.admission import Application

wsgi_app: Final = f"{__name__}:load_application()"
preload_app: Final = True
control_socket_disable: Final = True
"""It would be served by a thread of the main process, and nobody uses it."""


def load_application() -> Application:
    """The WSGI application; whatever it imports finds gevent's locks, sockets and queues."""
    from gevent import monkey

    # Now, not earlier: gunicorn's main process has made what it waits with for signals. Nor does it lose those, and its
    # children, to gevent; the web processes patch the rest for themselves.
    monkey.patch_all(os=False, signal=False)
    from finclaw.wsgi import application

    return application


def on_starting(server: Any) -> None:
    """Load the rest of what a web process needs, before there is any."""
    from finclaw.server.warm_up import load_for_requests

    load_for_requests()
    gc.collect()
    gc.freeze()  # the collector of a forked process would write into every page that it shares
