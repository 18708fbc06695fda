"""Rewrites a sentence so that it is understood on any later day: its times, places and persons named. Pure."""
