"""Writing reports: staging, atomic replacement, locks."""
