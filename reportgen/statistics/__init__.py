"""How sure one can be: intervals and tests on plain numbers, each named for its author."""
