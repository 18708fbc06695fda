"""Guards trained on labelled text: whether a text asks to act, or gives the assistant orders from a place that may not.

``assess`` reads a text with a linear classifier of its words, under a millisecond for 2,000 characters. Where that is
not sure and the embedded sentence encoder serves, a second one reads the encoder's token states of what is suspicious.
"""

from foundation.guards.assessment import assess
from foundation.guards.types import Assessment, GuardName

__all__ = ["Assessment", "GuardName", "assess"]
