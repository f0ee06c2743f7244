"""One run of one spec: locked, skipped if nothing changed, built, recorded and told of."""
