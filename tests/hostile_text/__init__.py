"""Proof that no function which reads text runs away on what somebody may type.

``python -m tests.hostile_text`` runs every function of ``functions.py`` over every shape of ``shapes.py``; the suite
runs each over a part of them.
"""
