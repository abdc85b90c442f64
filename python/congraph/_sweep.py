"""Sweeps over joblib: very many fits in batches, wherever the user's backend runs them.

The items of a sweep are numbered, and what comes of one depends on its number alone. Workers send back what they counted, not graphs, and
whatever is added up is a whole number or is added in the order of numbers: the result is that of one process, to the bit.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _engine

__all__ = ["Work", "Workers", "aligned", "workers"]

#: The fewest fits of a task: below that, sending it takes longer than a hundredth of it.
FITS = 25
#: The fewest relabellings of a task: each takes far less than a fit.
RELABELLINGS = 256
#: About how many tasks a worker gets, so that none waits long for the last one.
TASKS = 4


class Work:
    """A function of the engine and its arguments, without the numbers of the items: what is sent to workers, once."""

    def __init__(self, part: str, *arguments: Any) -> None:
        self.part = part
        self.arguments = arguments

    def __call__(self, numbers: Sequence[int]) -> bytes:
        # A worker is one of many: it has one thread.
        arguments = aligned(self.arguments)
        done: bytes = getattr(_engine, self.part)(*arguments, list(numbers), {"n_jobs": 1, "progress": None})
        return done

    def __sizeof__(self) -> int:
        """With its arrays: dask sends what is large once to each worker, instead of with every task."""
        return object.__sizeof__(self) + _n_bytes(self.arguments)


def _n_bytes(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, dict):
        return sum(map(_n_bytes, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_n_bytes, value))
    return len(value) if isinstance(value, (bytes, str)) else 0


def aligned(value: Any) -> Any:
    """With arrays where the engine can read them: dask puts them anywhere in the bytes of a message."""
    if isinstance(value, np.ndarray):
        return np.require(value, requirements="A")
    if isinstance(value, dict):
        return {name: aligned(entry) for name, entry in value.items()}
    return type(value)(map(aligned, value)) if isinstance(value, (list, tuple)) else value


def _part(work: Work, numbers: Sequence[int]) -> bytes:
    return work(numbers)


class Workers:
    """The processes or machines among which a sweep is shared out."""

    def __init__(self, joblib: Any, n_jobs: int | None) -> None:
        self.joblib = joblib
        self.n_jobs = n_jobs

    def run(self, work: Work, sizes: Sequence[int], least: int = FITS) -> list[bytes]:
        """The parts of a sweep whose items have these sizes, at least so much in each."""
        n_workers = max(1, self.joblib.effective_n_jobs(self.n_jobs))
        tasks = batches(sizes, max(least, math.ceil(sum(sizes) / (TASKS * n_workers))))
        one = self.joblib.delayed(_part)
        parts: list[bytes] = self.joblib.Parallel(n_jobs=self.n_jobs, batch_size=1)(one(work, numbers) for numbers in tasks)
        return parts


def batches(sizes: Sequence[int], least: int) -> list[list[int]]:
    """The numbers of items in order, in groups whose sizes add up to at least that; what is left at the end joins the last."""
    groups: list[list[int]] = [[]]
    size = 0
    for number, own in enumerate(sizes):
        if size >= least:
            groups.append([])
            size = 0
        groups[-1].append(number)
        size += own
    if size < least and len(groups) > 1:
        last = groups.pop()
        groups[-1].extend(last)
    return [group for group in groups if group]


def workers(n_jobs: int | None) -> Workers | None:
    """Who shares a sweep: None if it is this process alone.

    A number asks for that many workers of joblib's backend (processes, unless ``joblib.parallel_config`` names another). Without one it
    is this process, unless such a context asks for several workers, or for a backend that is not joblib's own (dask, ray).
    """
    if n_jobs is None:
        # Without joblib there is no context.
        joblib: Any = sys.modules.get("joblib")
        if joblib is None:
            return None
        backend, _ = joblib.parallel.get_active_backend()
        is_own = type(backend).__module__ == "joblib._parallel_backends"
        return Workers(joblib, None) if not is_own or joblib.effective_n_jobs(None) > 1 else None
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__"):
        raise TypeError(f"n_jobs must be a whole number or None, not {n_jobs!r}")
    if n_jobs == 0 or n_jobs < -1:
        raise ValueError(f"n_jobs is {n_jobs}; it must be 1 or more, -1 for all cores, or None")
    if n_jobs == 1:
        return None
    from ._graphs import _optional

    return Workers(_optional("joblib", "sklearn"), int(n_jobs))
