"""Lists people in public life, whose names are not private: the taggers leave them alone."""

from __future__ import annotations

from typing import Final

from foundation.lexicon import read_lexicon

PUBLIC_PEOPLE: Final = read_lexicon(__file__, "names").words("public")
"""Their names, in Chinese and in Latin script."""
