"""A thread is started for what lasts, and for nothing else."""

from __future__ import annotations

from threading import Event

from finclaw.brain.records.late_starts import LateStarts


def test_what_is_over_in_time_is_never_called() -> None:
    starts, brief, lasting, called = LateStarts("trial"), Event(), Event(), list[str]()
    was_called = Event()

    def call_lasting() -> None:
        called.append("lasting")
        was_called.set()

    starts.add(brief, lambda: called.append("brief"), 0.01)
    starts.remove(brief)
    starts.add(lasting, call_lasting, 0.02)  # due after the other would have been
    assert was_called.wait(30)
    assert brief.is_set()
    assert called == ["lasting"]


def test_what_is_due_earlier_waits_for_nothing_that_is_due_later() -> None:
    starts, was_called = LateStarts("trial"), Event()
    starts.add(Event(), lambda: None, 3600)
    starts.add(Event(), was_called.set, 0.01)
    assert was_called.wait(30)
