"""How things are said: numbers, abilities, levels, and how they were tested."""
