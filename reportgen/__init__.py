"""Turns the predictions of classifiers into an evaluation report people can act on."""

__version__ = "0.1.0"
