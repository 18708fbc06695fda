"""Caches knowledge bundles in this process, because tones and rules change seldom and are read for every answer."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from time import monotonic

from knowledge.types import KnowledgeBundle, Org

KEEP_SECONDS = 60.0  # limited, because an entry's validity begins and ends without any change of a row
MAX_BUNDLES = 1_024
Key = tuple[Org, str]


@dataclass(frozen=True)
class _CachedBundle:
    bundle: KnowledgeBundle
    since: float


class BundleCache:
    """A least-recently-used cache; bundles of another version, or too old, are dropped."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, _CachedBundle] = OrderedDict()
        self._lock = Lock()

    def get(self, org: Org, version: str, question: str) -> KnowledgeBundle | None:
        """The cached bundle for this question at this version; None without one."""
        with self._lock:
            self._drop_old(org, version)
            kept = self._kept.get((org, question))
            if kept is None:
                return None
            self._kept.move_to_end((org, question))
            return kept.bundle

    def put(self, org: Org, question: str, bundle: KnowledgeBundle) -> None:
        """Keep a bundle under the version it carries."""
        with self._lock:
            self._kept[org, question] = _CachedBundle(bundle, monotonic())
            while len(self._kept) > MAX_BUNDLES:
                self._kept.popitem(last=False)

    def _drop_old(self, org: Org, version: str) -> None:
        """Drop outdated bundles, so that withdrawn or erased text does not stay in memory."""
        oldest = monotonic() - KEEP_SECONDS
        stale = [
            key
            for key, kept in self._kept.items()
            if kept.since < oldest or (key[0].tenant_id == org.tenant_id and kept.bundle.cache_version != version)
        ]
        for key in stale:
            del self._kept[key]
