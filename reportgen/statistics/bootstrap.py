"""Nonparametric bootstrap of grouped cases by their cell counts (Efron and Tibshirani 1993)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    IntArray = npt.NDArray[np.int64]

# A binomial random number costs as much as about this many single draws.
_MIN_BINOMIAL_CELL = 12
# Numbers held at once; few enough to stay in the processor's cache.
_MAX_BLOCK_SIZE = 50_000


@dataclass(frozen=True, slots=True)
class MultinomialBootstrap:
    """Multinomial resampling of cell counts.

    Counts of large cells are drawn as conditional binomials; the cases of small cells are drawn
    one by one, `cell_of` being the cell of each. `shares` has the proportion of all small cells
    together, then that of each large cell.
    """

    size: int
    n_cells: int
    large_cells: IntArray
    probabilities: npt.NDArray[np.float64]
    small_cell_of_case: IntArray

    @classmethod
    def from_counts(cls, counts: IntArray, weight: float) -> MultinomialBootstrap:
        """Return the bootstrap of these counts; a weight below 1 draws fewer cases."""
        total = int(counts.sum())
        size = max(1, round(weight * total))
        is_large = counts * (size / total) >= _MIN_BINOMIAL_CELL
        large, small = np.flatnonzero(is_large), np.flatnonzero(~is_large)
        shares = np.append(counts[small].sum(), counts[large]) / total
        return cls(size, len(counts), large, shares, np.repeat(small, counts[small]))

    @property
    def width(self) -> int:
        """The number of random numbers per resample."""
        return max(self.n_cells, len(self.small_cell_of_case))

    def block_sizes(self, n_resamples: int) -> Iterator[int]:
        """Divide the resamples into blocks that fit into the processor's cache."""
        block = max(1, _MAX_BLOCK_SIZE // self.width)
        for start in range(0, n_resamples, block):
            yield min(block, n_resamples - start)

    def sample(self, rng: np.random.Generator, n_resamples: int) -> IntArray:
        """Return resampled counts, a row per resample and a column per cell."""
        return np.concatenate(
            [self._sample_block(rng, block) for block in self.block_sizes(n_resamples)]
        )

    def _sample_block(self, rng: np.random.Generator, n_resamples: int) -> IntArray:
        split = rng.multinomial(self.size, self.probabilities, size=n_resamples)
        of_small, of_large = split[:, 0], split[:, 1:]
        if not self.small_cell_of_case.size:
            return of_large
        places = self.small_cell_of_case[
            rng.integers(len(self.small_cell_of_case), size=int(of_small.sum()))
        ]
        places += np.repeat(np.arange(n_resamples) * self.n_cells, of_small)
        counts = np.bincount(places, minlength=n_resamples * self.n_cells).reshape(
            n_resamples, self.n_cells
        )
        counts[:, self.large_cells] = of_large
        return counts
