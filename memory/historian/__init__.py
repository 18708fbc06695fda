"""The historian turns what was said into sentences that stay true read alone, years later (seed D §3)."""
