"""Limits how often a password or other secret may be tried, by client address, by user name, and by both.

- An address may fail ``ADDRESS_FAILURE_LIMIT`` times in a window, whatever names it tries.
- A name is slowed down, never locked: the more often it was tried in vain, from wherever, the longer each address
  waits between two tries of it, up to ``LONGEST_DELAY``. An address that never tried before waits that long once and
  then has its turn, however many others are trying: nobody can lock somebody else out.
- A name is locked for one address after ``SIGN_IN_FAILURE_LIMIT`` failures, until the window ends.

An attempt counts as failed from its beginning until ``Attempt.succeed``, so that a hundred concurrent ones count as a
hundred. A refused attempt is refused before any password is checked, and is not counted. Stored are HMACs under
the server's key, never an address or a name. Call outside of a transaction: a count must outlive a request that is
rolled back, and no row may stay locked while a password is being hashed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from unicodedata import normalize

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac

from foundation.accounts.exceptions import TooManyAttempts
from foundation.accounts.models import AttemptCount

log = structlog.get_logger(__name__)
FREE_FAILURES = 3  # of a name in a window, before anybody waits
LONGEST_DELAY = timedelta(seconds=30)
_LOCK_COUNTS = """
    INSERT INTO accounts_attemptcount AS counted (key, failures, since)
    SELECT key, 0, %(now)s FROM unnest(%(keys)s::text[]) AS key
    ON CONFLICT (key) DO UPDATE SET
        failures = CASE WHEN counted.since <= %(over)s THEN 0 ELSE counted.failures END,
        not_before = CASE WHEN counted.since <= %(over)s THEN NULL ELSE counted.not_before END,
        since = CASE WHEN counted.since <= %(over)s THEN excluded.since ELSE counted.since END
    RETURNING key, failures, since, not_before
"""


class AttemptPurpose(StrEnum):
    """The secret that is tried. Each kind counts apart: who is locked out of signing in may use a recovery code."""

    SIGN_IN = "sign_in"
    RECOVERY = "recovery"
    PASSWORD = "password"  # noqa: S105  asked again of somebody who is signed in
    SIGN_UP = "sign_up"
    DISPLAY_NAME = "display_name"  # its refusal tells a user name; counted by person in place of an address
    LINK = "link"


_TELLS_NAMES = frozenset({AttemptPurpose.SIGN_UP, AttemptPurpose.DISPLAY_NAME})


@dataclass(frozen=True)
class Attempt:
    """An attempt that was let through. It counts as failed until ``succeed`` is called."""

    address: str
    name: str = ""
    pair: str = ""

    def succeed(self) -> None:
        """Take back the counted failure, and delete those of the name: whoever knows the secret owns the account.

        Other failures of the address stay: an own account must not buy tries of others.
        """
        AttemptCount.objects.filter(key=self.address, failures__gt=0).update(failures=F("failures") - 1)
        AttemptCount.objects.filter(key__in=[self.name, self.pair]).delete()


def begin_attempt(purpose: AttemptPurpose, address: str, name: str = "") -> Attempt:
    """Count an attempt and let it begin. Raises ``TooManyAttempts``, which says how long to wait.

    ``address`` is what ``client_address`` answers; ``name`` is whose secret is tried, known here or not.
    """
    now = timezone.now()
    attempt = _keyed_attempt(purpose, address, name)
    keys = [key for key in (attempt.address, attempt.name, attempt.pair) if key]
    with transaction.atomic():
        counts = _lock_counts([attempt.address], now)
        wait = stopped_for = _wait_of_address(counts[attempt.address], purpose, now)
        if name and not stopped_for:  # a row for each name that it thinks of would be an address's to make without end
            counts = _lock_counts([attempt.name, attempt.pair], now)
            wait = _wait_of_name(counts[attempt.name], counts[attempt.pair], now)
        if not wait:
            AttemptCount.objects.filter(key__in=keys).update(failures=F("failures") + 1)
        if name and not stopped_for:
            pair = counts[attempt.pair]
            delay = _delay(counts[attempt.name].failures + 1)
            turn = pair.not_before if wait or not delay else now + delay
            AttemptCount.objects.filter(key=pair.key).update(not_before=turn)
    if wait:
        log.warning("attempt_refused", purpose=purpose.value, seconds=round(wait.total_seconds()))
        raise TooManyAttempts(wait)
    return attempt


def delete_expired_counts() -> int:
    """Scheduled: delete the counts whose window is over; answers how many."""
    return AttemptCount.objects.filter(since__lte=timezone.now() - settings.ATTEMPT_WINDOW).delete()[0]


def _keyed_attempt(purpose: AttemptPurpose, address: str, name: str) -> Attempt:
    by_address = _key(purpose, "address", address)
    if not name:
        return Attempt(by_address)
    folded = normalize("NFKC", name).casefold()
    return Attempt(by_address, _key(purpose, "name", folded), _key(purpose, "pair", f"{address} {folded}"))


def _key(purpose: AttemptPurpose, kind: str, value: str) -> str:
    return salted_hmac(f"finclaw.attempts.{purpose}.{kind}", value, algorithm="sha256").hexdigest()


def _lock_counts(keys: Iterable[str], now: datetime) -> dict[str, AttemptCount]:
    """The counts of these keys, locked, always in the same order; one whose window is over begins again."""
    counts = AttemptCount.objects.raw(
        _LOCK_COUNTS, {"keys": sorted(keys), "now": now, "over": now - settings.ATTEMPT_WINDOW}
    )
    return {count.key: count for count in counts}


def _wait_of_address(count: AttemptCount, purpose: AttemptPurpose, now: datetime) -> timedelta:
    limit = settings.SIGN_UP_LIMIT if purpose in _TELLS_NAMES else settings.ADDRESS_FAILURE_LIMIT
    return _until(_end_of_window(count), now) if count.failures >= limit else timedelta(0)


def _wait_of_name(name: AttemptCount, pair: AttemptCount, now: datetime) -> timedelta:
    if pair.failures >= settings.SIGN_IN_FAILURE_LIMIT:
        return _until(_end_of_window(pair), now)
    if pair.not_before is None and name.failures >= FREE_FAILURES:
        pair.not_before = now + _delay(name.failures)
    return _until(pair.not_before or now, now)


def _delay(failures: int) -> timedelta:
    """1, 2, 4, 8, 16 seconds and then the longest, from the first failure on that is not free."""
    if failures < FREE_FAILURES:
        return timedelta(0)
    return min(timedelta(seconds=2 ** min(failures - FREE_FAILURES, 16)), LONGEST_DELAY)


def _end_of_window(count: AttemptCount) -> datetime:
    end: datetime = count.since + settings.ATTEMPT_WINDOW
    return end


def _until(moment: datetime, now: datetime) -> timedelta:
    return max(moment - now, timedelta(0))
