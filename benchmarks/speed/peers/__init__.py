"""The same numbers by other tools, each a function that takes a folder of data."""
