"""Questions about oneself ("What do you remember about me?"): recognised and answered by rule, never by similarity."""
