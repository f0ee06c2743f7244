"""How the values went from run to run, and what changed since the last one."""
