"""What a connected program may do at each address, by the scope that its user granted it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext as _
from rest_framework.request import Request

from foundation.accounts.exceptions import PermissionDenied, ProgramScopeMissing
from foundation.accounts.programs import ProgramToken
from foundation.accounts.scopes import CONVERSE, FORGET, READ, WRITE

ANY: Final = ""
"""The scope of what any connected program may do: know and give back its own token."""

SCOPES: Final[Mapping[str, Mapping[str, str]]] = {
    "api:token": {"GET": ANY, "DELETE": ANY},
    "api:me": {"GET": READ},
    "api:media": {"GET": READ, "POST": CONVERSE},
    "api:media_file": {"GET": READ, "DELETE": FORGET},
    "api:media_reading": {"POST": CONVERSE},
    "api:media_content": {"GET": READ},
    "api:media_thumbnail": {"GET": READ},
    "api:context_block": {"GET": READ, "POST": READ},
    "api:memories": {"GET": READ, "POST": WRITE, "DELETE": FORGET},
    "api:memory": {"GET": READ, "PATCH": WRITE, "DELETE": FORGET},
    "api:memory_search": {"POST": READ},
    "api:history": {"GET": READ},
    "api:confirm": {"POST": WRITE},
    "api:reject": {"POST": WRITE},
    "api:undo": {"POST": WRITE},
    "api:settle": {"POST": WRITE},
    "api:take_back": {"POST": WRITE},
    "api:feedback": {"POST": WRITE},
    "api:job": {"GET": WRITE},
    "api:events": {"GET": READ},
    "api:event": {"GET": READ, "PATCH": WRITE, "DELETE": FORGET},
    "api:event_search": {"POST": READ},
    "api:entity_profile": {"GET": READ, "PATCH": WRITE, "DELETE": FORGET},
    "api:entity_profile_revisions": {"GET": READ},
    "api:entity_profile_rollback": {"POST": WRITE},
    "api:entity_profile_search": {"POST": READ},
    "api:message_search": {"POST": READ},
    "api:message_learned": {"GET": READ},
    "api:receipt": {"GET": READ},
    "api:erasure": {"GET": FORGET},
    "api:sessions": {"GET": READ, "POST": CONVERSE},
    "api:session": {"GET": READ, "PATCH": CONVERSE, "DELETE": FORGET},
    "api:messages": {"GET": READ, "POST": CONVERSE},
    "api:message_retry": {"POST": CONVERSE},
    "api:end": {"POST": WRITE},
    "api:archive": {"POST": CONVERSE},
    "api:reopen": {"POST": CONVERSE},
    "openai:chat_completions": {"POST": CONVERSE},
    "openai:responses": {"POST": CONVERSE},
    "openai:response": {"GET": READ},
    "openai:input_items": {"GET": READ},
    "openai:embeddings": {"POST": CONVERSE},
    "openai:models": {"GET": CONVERSE},
    "openai:model": {"GET": CONVERSE},
    "openai:receipt": {"GET": READ},
}
"""By the name of a view and the method; what is not here is closed to programs."""


OPEN_TO_KEPT_KEYS: Final = frozenset(
    {
        "mem0:add", "mem0:batch", "mem0:delete_all", "mem0:entities", "mem0:entity", "mem0:entity_of_now",
        "mem0:event", "mem0:feedback", "mem0:history", "mem0:list", "mem0:memory", "mem0:ping", "mem0:search",
        "mem0:server_history", "mem0:server_memories", "mem0:server_memory", "mem0:server_search",
    }
)  # fmt: skip
"""What is open besides the above to a key that is kept from kinds of memory: mem0's verbs, without its exports."""


def has_scope(request: Request, scope: str) -> bool:
    """Whether whoever asks may do what a scope names: a program that was allowed it, or anybody else."""
    return not isinstance(request.auth, ProgramToken) or scope in request.auth.scopes


def require_scope(request: Request, token: ProgramToken) -> None:
    """Let a program do what its token allows at this address. Raises ``ProgramScopeMissing``, and
    ``PermissionDenied`` for what no program may do.
    """
    needed = SCOPES.get(view_name(request), {}).get(_method(request))
    if needed is None:
        raise PermissionDenied(_("This address is closed to connected programs."))
    if needed != ANY and needed not in token.scopes:
        raise ProgramScopeMissing(needed)


def require_open_to_kept_keys(request: Request) -> None:
    """Let a key that is kept from kinds of memory read and write memory. Raises ``PermissionDenied`` for anything else:
    elsewhere, as in a copy of all data, what it is kept from would be told.
    """
    name = view_name(request)
    if name not in OPEN_TO_KEPT_KEYS and _method(request) not in SCOPES.get(name, {}):
        raise PermissionDenied(_("This address is closed to keys that are kept from kinds of memory."))


def view_name(request: Request) -> str:
    """The name of the view that a request reaches, with its namespace; "" where it reaches none."""
    match = request._request.resolver_match
    return match.view_name if match else ""


def _method(request: Request) -> str:
    return "GET" if request.method == "HEAD" else request.method or ""
