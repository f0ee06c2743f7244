"""How far off numeric predictions are."""
