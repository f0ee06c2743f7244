"""Confidence intervals of every measure, by the method that the measure declares."""
