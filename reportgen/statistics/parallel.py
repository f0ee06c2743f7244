"""Computation on threads: blocks of arrays that stay in the cache, background work, BLAS."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import polars as pl
from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

_Result = TypeVar("_Result")
_Parameters = ParamSpec("_Parameters")

# Allocating memory costs more than arithmetic; this many numbers fit into a core's cache.
BLOCK_LENGTH = 1 << 17


def map_blocks(function: Callable[[slice], _Result], length: int) -> list[_Result]:
    """Apply a function to every block of an array, in parallel, and return the results.

    The results are in the order of the blocks whatever the number of cores, so sums of them are
    reproducible.
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
    """Run a function in a thread of its own; return its future."""
    thread = ThreadPoolExecutor(1)
    # In a copy of the context, which has the measures that the spec defines.
    call = partial(function, *args, **kwargs)
    future: Future[_Result] = thread.submit(lambda context: context.run(call), copy_context())
    thread.shutdown(wait=False)
    return future


def single_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which matrix products use one thread.

    With several threads, sums over many cases would depend in their last digits on the number of
    cores. The matrices are small, so that threads would not make them faster.
    """
    limits: AbstractContextManager[object] = threadpool_limits(1, user_api="blas")
    return limits
