"""Finds what a sentence states about its speaker, and decides how that changes what is known. Pure."""
