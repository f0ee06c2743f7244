"""Conditions the results have to meet: what could not be computed does not meet them."""
