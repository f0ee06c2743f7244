"""Long arrays worked on piece by piece: what is made on the way stays small, and in the cache."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")
_Parameters = ParamSpec("_Parameters")

# Fresh memory costs more than arithmetic: so many numbers fit into the cache of a core.
BLOCK_LENGTH = 1 << 17


def map_blocks(function: Callable[[slice], _Result], length: int) -> list[_Result]:
    """Do the work for every block of an array, in order; many blocks share the cores.

    What the blocks give is in their order whatever the number of cores, so sums of it do not
    depend on that.
    """
    blocks = [
        slice(start, min(start + BLOCK_LENGTH, length)) for start in range(0, length, BLOCK_LENGTH)
    ]
    if len(blocks) < 4:  # noqa: PLR2004  # starting threads takes as long as a few blocks
        return [function(block) for block in blocks]
    with ThreadPoolExecutor(pl.thread_pool_size()) as threads:
        return list(threads.map(function, blocks))


def run_in_thread(
    function: Callable[_Parameters, _Result], *args: _Parameters.args, **kwargs: _Parameters.kwargs
) -> Future[_Result]:
    """Begin work in a thread of its own, for which its result waits."""
    thread = ThreadPoolExecutor(1)
    begun = thread.submit(function, *args, **kwargs)
    thread.shutdown(wait=False)
    return begun
