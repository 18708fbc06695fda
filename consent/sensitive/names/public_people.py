"""People in public life, whose names are everybody's: the ones that the taggers of private names leave alone."""

from __future__ import annotations

from typing import Final

from foundation.lexicon import read_lexicon

PUBLIC_PEOPLE: Final = read_lexicon(__file__, "names").words("public")
"""Their names, in Chinese and in Latin script."""
