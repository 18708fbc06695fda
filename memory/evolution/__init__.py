"""How a turn of conversation becomes memory items: analysis and resolution are pure."""
