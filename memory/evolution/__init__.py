"""How a turn of conversation becomes memory items (seed B §2.3): analysis and resolution are pure."""
