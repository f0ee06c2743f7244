"""The same classifiers on several data sets."""
