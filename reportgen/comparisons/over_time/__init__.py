"""The same classifiers at other times: what earlier runs found, and what changed since."""
