"""Aggregates and measures become an evaluation: values, confidence intervals, comparisons, ratings."""
