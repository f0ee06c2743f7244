"""Prediction files become joined and audited cases."""
