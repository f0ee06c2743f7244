"""Aggregates × measures → Evaluation: values, confidence intervals, comparisons, ratings."""
