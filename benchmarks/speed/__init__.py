"""How long reportgen takes from file to results, beside tools people know: `make bench`."""
