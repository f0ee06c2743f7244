"""Two classifiers at a time: one joint test of all measures, adjusted over all pairs."""
