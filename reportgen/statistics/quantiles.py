"""Quantiles of the normal distribution."""

from __future__ import annotations


def normal_quantile(level: float) -> float:
    """Return z, which a normal value stays within (−z to z) with the probability `level`."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))
