"""Cognitive events: absolute sentences about what happened, written in the background from what users said."""
