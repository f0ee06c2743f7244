"""Cases drawn anew with replacement, as counts: which case was drawn is never known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    IntArray = npt.NDArray[np.int64]

# A binomial number costs as much as about so many cases drawn one by one.
_MIN_BINOMIAL_CELL = 12
# Numbers held at once: few enough to stay in the cache of a processor.
_MAX_BLOCK_SIZE = 50_000


@dataclass(frozen=True, slots=True)
class MultinomialBootstrap:
    """Cells of cases, and how many cases are drawn from them: multinomial counts, exactly.

    Large cells have binomial counts; the cases of small ones are drawn one by one, `cell_of` being
    the cell of each. `shares` has that of all small cells, then of each large one.
    """

    size: int
    cells: int
    large: IntArray
    shares: npt.NDArray[np.float64]
    cell_of: IntArray

    @classmethod
    def of(cls, counts: IntArray, weight: float) -> MultinomialBootstrap:
        """Draw as many cases as there are, times a weight: below 1 where cases were repeated."""
        total = int(counts.sum())
        size = max(1, round(weight * total))
        is_large = counts * (size / total) >= _MIN_BINOMIAL_CELL
        large, small = np.flatnonzero(is_large), np.flatnonzero(~is_large)
        shares = np.append(counts[small].sum(), counts[large]) / total
        return cls(size, len(counts), large, shares, np.repeat(small, counts[small]))

    @property
    def width(self) -> int:
        """How many numbers one draw needs."""
        return max(self.cells, len(self.cell_of))

    def blocks(self, draws: int) -> Iterator[int]:
        """Divide draws into blocks that need little memory."""
        block = max(1, _MAX_BLOCK_SIZE // self.width)
        for start in range(0, draws, block):
            yield min(block, draws - start)

    def drawn(self, random: np.random.Generator, draws: int) -> IntArray:
        """Return new counts by draw and cell."""
        return np.concatenate([self._drawn(random, block) for block in self.blocks(draws)])

    def _drawn(self, random: np.random.Generator, draws: int) -> IntArray:
        split = random.multinomial(self.size, self.shares, size=draws)
        of_small, of_large = split[:, 0], split[:, 1:]
        if not self.cell_of.size:
            return of_large
        places = self.cell_of[random.integers(len(self.cell_of), size=int(of_small.sum()))]
        places += np.repeat(np.arange(draws) * self.cells, of_small)
        counts = np.bincount(places, minlength=draws * self.cells).reshape(draws, self.cells)
        counts[:, self.large] = of_large
        return counts
