"""Sets the program through which the acting user's rows are read; policies hide what its user keeps from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Func, UUIDField

PROGRAM_SETTING: Final = "finclaw.program_id"
WITHHELD_SETTING: Final = "finclaw.withheld_kinds"


@dataclass(frozen=True)
class ActingProgram:
    """The program that a request comes from, and the kinds of memory that it neither sees nor writes.

    To one that ``is_confined``, a connected program or a key that is kept from kinds, addresses are closed, and what
    they tell may be told nowhere else: threads of research are. That holds ``in_full_sight`` too.
    """

    id: UUID | None = None
    withheld: tuple[str, ...] = ()
    is_confined: bool = False

    @property
    def settings(self) -> dict[str, str]:
        """The PostgreSQL settings that policies read: an id, and an array; "" for none."""
        kinds = f"{{{','.join(self.withheld)}}}" if self.withheld else ""
        return {PROGRAM_SETTING: str(self.id or ""), WITHHELD_SETTING: kinds}


NO_PROGRAM: Final = ActingProgram()
_acting: Final[ContextVar[ActingProgram]] = ContextVar("acting_program", default=NO_PROGRAM)


def acting_program() -> ActingProgram:
    """The program that this request comes from; ``NO_PROGRAM`` for a browser, a job or a command."""
    return _acting.get()


def act_through(program: ActingProgram) -> None:
    """Act through this program from the next ``acting_as`` or ``act_for`` on, until the request is over."""
    _acting.set(program)


@contextmanager
def in_full_sight() -> Iterator[None]:
    """Read and write what no program is shown: the user's own records, which must be whole whoever caused them."""
    program = acting_program()
    if not program.withheld:
        yield
        return
    _acting.set(replace(program, withheld=()))
    try:
        is_open = connection.in_atomic_block
        with transaction.atomic() if is_open else nullcontext():  # a rollback to the savepoint restores the setting
            if is_open:
                _set_withheld(acting_program())
            yield
            if is_open:
                _set_withheld(program)
    finally:
        _acting.set(program)


def _set_withheld(program: ActingProgram) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true)", [WITHHELD_SETTING, program.settings[WITHHELD_SETTING]])


class ProgramOfTransaction(Func):
    """The id of the acting program, as the default of a column: NULL where there is none."""

    template = f"nullif(current_setting('{PROGRAM_SETTING}', true), '')::uuid"
    arity = 0

    def __init__(self, **extra: Any) -> None:
        super().__init__(output_field=UUIDField(), **extra)
