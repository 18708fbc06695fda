"""What a program can be allowed to do in a user's name."""

from __future__ import annotations

from typing import Final

READ: Final = "memories:read"
WRITE: Final = "memories:write"
FORGET: Final = "memories:forget"
CONVERSE: Final = "converse"
ALL_SCOPES: Final = (READ, WRITE, FORGET, CONVERSE)
