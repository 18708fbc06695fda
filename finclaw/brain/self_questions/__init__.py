"""Recognises questions about oneself ("What do you remember about me?") and answers them by rule, never by
similarity.
"""
