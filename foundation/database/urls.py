"""Connection settings: the embedded server by default, any PostgreSQL by URL.

`default` connects as the application's role, `owner` as the role that owns the tables and migrates; `replica`, where
DATABASE_REPLICA_URL is set, as the application's role to a standby.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import Any

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

APP_ROLE = "finclaw_app"
OWNER_ROLE = "finclaw_owner"
DATABASE_NAME = "finclaw"
REPLICA = "replica"
"""The connection that leads to a standby, where there is one."""
# A Unix socket's path may not pass 107 bytes; PostgreSQL appends "/.s.PGSQL.5432".
SOCKET_DIR_MAX_BYTES = 90
# For a connection, in the order of asking: a crowd waits, and so do those who ask while the database starts anew.
POOL_WAIT_SECONDS = 15
POOL_OPEN = 4  # connections at any time: as many as a web process needs while it is not crowded
POOL_TRIES_AGAIN_SECONDS = 0.25  # while the database is away
POOL_GIVES_UP_SECONDS = POOL_WAIT_SECONDS  # as whoever waits by then; each request tries anew
PREPARE_AFTER_USES = 2  # on one connection; a text that never comes again is not worth keeping


def socket_dir(data_dir: Path) -> Path:
    """Where the embedded server of ``data_dir`` listens; under the temp dir when the path grows too long."""
    near = data_dir.resolve() / "postgres-socket"
    if len(str(near).encode()) <= SOCKET_DIR_MAX_BYTES:
        return near
    digest = hashlib.sha256(str(near).encode()).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"finclaw-{digest}"


def parse_url(url: str) -> dict[str, Any]:
    """``postgresql://user:password@host:port/name?option=value``, read by libpq, as Django's connection settings.

    Several hosts may stand separated by commas. Raises ``ValueError`` for anything else.
    """
    parts = _parts(url)
    hosts, name = parts.pop("host", ""), parts.pop("dbname", "")
    if not hosts or not name:
        raise ValueError("A database URL reads postgresql://user:password@host:port/name")
    ports = parts.pop("port", "") or "," * hosts.count(",")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": parts.pop("user", ""),
        "PASSWORD": parts.pop("password", ""),
        "HOST": hosts,
        "PORT": ",".join(port or "5432" for port in ports.split(",")),
        "OPTIONS": parts,
    }


def _parts(url: str) -> dict[str, Any]:
    if not url.startswith(("postgres://", "postgresql://")):
        return {}
    try:
        return conninfo_to_dict(url)
    except ProgrammingError:
        return {}


def embedded(data_dir: Path, role: str) -> dict[str, Any]:
    """Settings for ``role`` on the embedded server of ``data_dir``."""
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": DATABASE_NAME,
        "USER": role,
        "PASSWORD": "",
        "HOST": str(socket_dir(data_dir)),
        "PORT": "5432",
        "OPTIONS": {},
    }


def database_settings(
    *, app_url: str, owner_url: str, replica_url: str, data_dir: Path, pooled: bool, pool_size: int, prepared: bool
) -> dict[str, dict[str, Any]]:
    """Django's DATABASES. Requests are atomic; only web processes pool, since a fork must not share sockets."""
    app = parse_url(app_url) if app_url else embedded(data_dir, APP_ROLE)
    owner = parse_url(owner_url) if owner_url else _same_server(app, OWNER_ROLE, bool(app_url))
    app["ATOMIC_REQUESTS"] = True
    app["OPTIONS"] |= {"connect_timeout": 5, "application_name": "finclaw"}
    # Parameters go apart from the text, which can then be prepared: a turn takes three fifths of the time (measured).
    app["OPTIONS"]["server_side_binding"] = True
    if prepared:
        app["OPTIONS"]["prepare_threshold"] = PREPARE_AFTER_USES
    if pooled:
        app["OPTIONS"]["pool"] = {
            "min_size": min(POOL_OPEN, pool_size),
            "max_size": pool_size,
            "timeout": POOL_WAIT_SECONDS,
            "reconnect_timeout": POOL_GIVES_UP_SECONDS,
        }
    return {"default": app, "owner": owner} | ({REPLICA: _standby(app, replica_url)} if replica_url else {})


def _standby(app: dict[str, Any], url: str) -> dict[str, Any]:
    """As the application's connection, to a standby. Tests have none: theirs is the test database itself."""
    options = {**app["OPTIONS"], **parse_url(url)["OPTIONS"]}
    return {**parse_url(url), "OPTIONS": options, "ATOMIC_REQUESTS": False, "TEST": {"MIRROR": "default"}}


def _same_server(app: dict[str, Any], role: str, external: bool) -> dict[str, Any]:
    # Outside the embedded server the app's own login migrates unless an owner is named.
    return {**app, "OPTIONS": dict(app["OPTIONS"])} | ({} if external else {"USER": role})
