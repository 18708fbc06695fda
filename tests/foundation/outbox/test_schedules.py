"""django-q2's schedules are what the code lists, neither more nor less."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django_q.models import Schedule

from foundation.outbox.schedules import ListedSchedule, install_schedules, listed_schedules

SWEEP = ListedSchedule("sweep", "foundation.outbox.tasks.sweep", minutes=1)


def test_the_products_list_holds_the_sweep_every_minute() -> None:
    assert ("foundation.outbox.tasks.sweep", 1) in [(one.function, one.minutes) for one in listed_schedules()]


@pytest.mark.django_db(databases=["default", "owner"])
def test_the_command_writes_the_list_and_again_changes_nothing() -> None:
    call_command("schedules")
    first = list(Schedule.objects.using("owner").values_list("pk", "name", "func", "minutes", "next_run"))
    call_command("schedules")

    assert [row[2] for row in first] == [one.function for one in listed_schedules()]
    assert list(Schedule.objects.using("owner").values_list("pk", "name", "func", "minutes", "next_run")) == first


@pytest.mark.django_db(databases=["default", "owner"])
def test_what_is_no_longer_listed_goes() -> None:
    Schedule.objects.using("owner").create(name="forgotten", func="a.b")
    Schedule.objects.using("owner").create(name=None, func="c.d")

    assert install_schedules([SWEEP]) == (1, 2)
    assert [row.name for row in Schedule.objects.using("owner").all()] == ["sweep"]


@pytest.mark.django_db(databases=["default", "owner"])
def test_another_pace_is_taken_over() -> None:
    install_schedules([SWEEP])

    assert install_schedules([ListedSchedule("sweep", SWEEP.function, minutes=5)]) == (0, 0)
    assert Schedule.objects.using("owner").get().minutes == 5


@pytest.mark.django_db(databases=["default", "owner"])
def test_a_path_that_leads_nowhere_is_refused_before_anything_is_written() -> None:
    with pytest.raises(ImportError):
        install_schedules([SWEEP, ListedSchedule("lost", "foundation.outbox.tasks.no_such", minutes=1)])

    assert not Schedule.objects.using("owner").exists()
