"""PostgreSQL on three nodes as ``deploy/`` sets it up, and what people notice of each fault."""
