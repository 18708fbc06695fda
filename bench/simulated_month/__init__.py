"""A simulated month of ordinary use, whose every indicator of memory quality is known, and seven planted faults."""
