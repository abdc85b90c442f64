"""Blocks given by their number, or by how long they last."""

from __future__ import annotations

import datetime
import numbers
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from ._kinds import _is_pandas

__all__: list[str] = []

#: What a duration such as "30s" or "7D" is made of, in seconds.
_SECONDS = {"ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


def _is_length(blocks: Any) -> bool:
    """Whether blocks are given by their number, or by how long they last."""
    if isinstance(blocks, bool):
        return False
    return isinstance(blocks, (numbers.Integral, datetime.timedelta, np.timedelta64)) or isinstance(blocks, str) and _duration(blocks) is not None


def _duration(given: Any) -> float | None:
    """How many seconds a duration lasts; None if it is none."""
    if isinstance(given, datetime.timedelta):
        return given.total_seconds()
    if isinstance(given, np.timedelta64):
        return float(given / np.timedelta64(1, "ns")) * 1e-9
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*", given) if isinstance(given, str) else None
    if found is None or found[2].lower() not in _SECONDS:
        return None
    return float(found[1]) * _SECONDS[found[2].lower()]


def _times(table: Any) -> npt.NDArray[np.float64] | None:
    """When the samples of a pandas frame were taken, in seconds, if its index tells."""
    if not _is_pandas(table) or type(table.index).__name__ in ("RangeIndex", "MultiIndex"):
        return None
    values = np.asarray(table.index)
    if values.dtype.kind == "M":
        return (values - values.min()) / np.timedelta64(1, "s") if len(values) else None
    if values.dtype.kind == "m":
        seconds: npt.NDArray[np.float64] = values / np.timedelta64(1, "s")
        return seconds
    return values.astype(np.float64) if values.dtype.kind in "iuf" else None
