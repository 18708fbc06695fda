"""Gunicorn's settings, by which its main process loads once what every web process needs, and then forks them.

A start then costs one import however many processes there are, and they share the memory of what was loaded. gevent
must have patched before anything is imported. Connections to the database each process opens itself.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from gevent import monkey

if "gunicorn" in Path(sys.argv[0]).parts[-2:]:  # not in a program that only looks at this module
    monkey.patch_all()
preload_app = True


def on_starting(_: Any) -> None:
    """Gunicorn's hook before it binds its port, when its main process has loaded the application."""
    from finclaw.server.warm_up import warm_up_head
    from finclaw.standby import wait_until_needed
    from foundation.long_lived_heap import freeze_heap

    warm_up_head()
    freeze_heap()  # else the garbage collector would write to every memory page that the processes share
    wait_until_needed()
