"""How long reportgen takes from file to results, compared with other tools: `make bench`."""
