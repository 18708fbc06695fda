"""Errors for wishes that an installation refuses because it has only one mode or stores no preferences."""

from foundation.exceptions import FinClawError


class PersonaModesOff(FinClawError):
    """The installation speaks in one mode: a wish for another is refused, not silently dropped."""

    code = "persona_modes_off"
    default_message = "Ways of speaking cannot be chosen here: your operators switched them off."


class PersonaWriteBackOff(FinClawError):
    """The installation keeps no preferences of this kind, not even confirmed ones."""

    code = "persona_write_back_off"
    default_message = "How you like to be answered is not kept here: your operators switched that off."
