"""Database URLs and where the embedded server listens."""

from __future__ import annotations

import tempfile
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg_pool.base import AttemptWithBackoff

from foundation.database.urls import (
    POOL_TRIES_AGAIN_SECONDS,
    SOCKET_DIR_MAX_BYTES,
    database_settings,
    parse_url,
    socket_dir,
)


def _settings(
    app_url: str = "", owner_url: str = "", *, pooled: bool = False, prepared: bool = True
) -> dict[str, dict[str, object]]:
    return database_settings(
        app_url=app_url,
        owner_url=owner_url,
        replica_url="",
        data_dir=Path("/srv/finclaw"),
        pooled=pooled,
        pool_size=3,
        prepared=prepared,
    )


def test_every_part_of_a_url_is_read() -> None:
    parsed = parse_url("postgresql://app:s%40cret@db.example:6543/finclaw?sslmode=require&connect_timeout=3")

    assert parsed | {} == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "finclaw",
        "USER": "app",
        "PASSWORD": "s@cret",
        "HOST": "db.example",
        "PORT": "6543",
        "OPTIONS": {"sslmode": "require", "connect_timeout": "3"},
    }


def test_several_hosts_stay_several() -> None:
    parsed = parse_url("postgresql://app@one:5433,two,[::1]:5434/finclaw?target_session_attrs=read-write")

    assert (parsed["HOST"], parsed["PORT"]) == ("one,two,::1", "5433,5432,5434")
    assert parsed["OPTIONS"] == {"target_session_attrs": "read-write"}


@pytest.mark.parametrize("url", ["mysql://a@b/c", "postgresql://host", "postgresql://host/", "host/name", "nonsense"])
def test_what_is_no_database_url_is_refused_with_the_shape_it_should_have(url: str) -> None:
    with pytest.raises(ValueError, match="reads postgresql://user:password@host:port/name"):
        parse_url(url)


NAMES = st.characters(exclude_characters="\0", exclude_categories=["Cs"])  # PostgreSQL takes no others


@given(user=st.text(NAMES, min_size=1, max_size=20), password=st.text(NAMES, max_size=20))
def test_any_user_and_password_survive_quoting(user: str, password: str) -> None:
    parsed = parse_url(f"postgresql://{quote(user, safe='')}:{quote(password, safe='')}@host/name")

    assert (parsed["USER"], parsed["PASSWORD"], parsed["HOST"]) == (user, password, "host")


def test_without_a_url_the_embedded_server_serves_two_roles() -> None:
    settings = _settings()

    assert settings["default"]["USER"] == "finclaw_app"
    assert settings["owner"]["USER"] == "finclaw_owner"
    assert settings["default"]["HOST"] == settings["owner"]["HOST"] == "/srv/finclaw/postgres-socket"


def test_requests_are_atomic_and_only_web_processes_pool() -> None:
    assert _settings()["default"]["ATOMIC_REQUESTS"] is True
    assert "pool" not in str(_settings()["default"]["OPTIONS"])
    assert "'max_size': 3" in str(_settings(pooled=True)["default"]["OPTIONS"])
    assert "pool" not in str(_settings(pooled=True)["owner"]["OPTIONS"])


def test_statements_are_prepared_unless_a_pooler_forbids_it() -> None:
    assert "prepare_threshold" in str(_settings()["default"]["OPTIONS"])
    assert "prepare_threshold" not in str(_settings(prepared=False)["default"]["OPTIONS"])


def test_elsewhere_the_apps_login_migrates_unless_an_owner_is_named() -> None:
    app = "postgresql://app@host/finclaw"

    assert _settings(app)["owner"]["USER"] == "app"
    assert _settings(app, "postgresql://boss@host/finclaw")["owner"]["USER"] == "boss"


def test_sockets_lie_beside_the_data_while_the_path_is_short_enough() -> None:
    assert socket_dir(Path("/srv/finclaw")) == Path("/srv/finclaw/postgres-socket")


@given(depth=st.integers(min_value=SOCKET_DIR_MAX_BYTES, max_value=400))
def test_a_long_path_moves_the_sockets_under_the_temporary_directory(depth: int) -> None:
    long = Path("/srv") / ("d" * (depth % 200 + 1)) / ("e" * SOCKET_DIR_MAX_BYTES)

    moved = socket_dir(long)

    assert moved.parent == Path(tempfile.gettempdir())
    assert len(str(moved).encode()) <= SOCKET_DIR_MAX_BYTES
    assert moved == socket_dir(long)
    assert moved != socket_dir(long / "other")


def test_a_pool_tries_again_evenly_while_the_database_is_away() -> None:
    attempt = AttemptWithBackoff(timeout=3600.0)
    pauses = []
    for now in range(5):
        attempt.update_delay(float(now))
        pauses.append(attempt.delay)
    assert pauses == [pytest.approx(POOL_TRIES_AGAIN_SECONDS, rel=0.11)] * 5
