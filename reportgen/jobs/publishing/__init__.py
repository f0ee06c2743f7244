"""Publishing of reports as a static site."""
