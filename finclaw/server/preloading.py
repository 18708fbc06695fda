"""Gunicorn's settings: what every web process needs is loaded once, by the head that forks them.

A start then costs one import however many processes there are. gevent must have patched before anything is imported.
What does not outlive a fork, the embedder's runtime and the connections to the database, each process loads itself.
"""

from __future__ import annotations

from typing import Any

from gevent import monkey

monkey.patch_all()
preload_app = True


def when_ready(_: Any) -> None:
    """Before the first fork: the head has the application now."""
    from finclaw.server.warm_up import warm_up_head

    warm_up_head()
