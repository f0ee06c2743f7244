"""Many specs in one call: processes that build one at a time and stay warm for the next."""
