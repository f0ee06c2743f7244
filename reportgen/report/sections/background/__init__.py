"""How it was done, and how to do it again."""
