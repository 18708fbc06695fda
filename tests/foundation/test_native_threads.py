"""A long call in a native thread holds up no greenlet; without gevent the caller's own thread makes it."""

from __future__ import annotations

import subprocess
import sys
from threading import get_ident

import pytest

from foundation.native_threads import NativeThread

# What the call waits for comes from a greenlet: in the thread of the greenlets it would never come.
_UNDER_GEVENT = """
from gevent import monkey
monkey.patch_all()
import os, gevent
from foundation.native_threads import NativeThread
thread, (reads, writes) = NativeThread(), os.pipe()
gevent.spawn(os.write, writes, b"x")
assert thread.call(os.read, reads, 1) == b"x"
try:
    thread.call(os.read, reads, 1, seconds=0.01)
except TimeoutError:
    print("too late")
os.write(writes, b"y")
try:
    thread.call(int, "no number")
except ValueError:
    print("raised")
"""


def test_without_greenlets_the_caller_waits_for_its_own_call() -> None:
    assert NativeThread().call(get_ident, seconds=0.0) == get_ident()
    with pytest.raises(ValueError, match="no number"):
        NativeThread().call(int, "no number")


def test_greenlets_go_on_while_it_lasts() -> None:
    run = subprocess.run([sys.executable, "-c", _UNDER_GEVENT], capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout.split("\n") == ["too late", "raised", ""], run.stderr
