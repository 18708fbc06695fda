"""Proof that no regular expression of ours runs away on hostile text.

``python -m tests.patterns`` records every pattern that our code compiles, pumps each of them with strings derived from
its own parse tree, and writes ``register.txt``, the patterns that were proven. The suite pumps what is not in it.
"""
