"""Blocks given by their number, or by how long they last."""

from __future__ import annotations

import datetime
import numbers
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from ._kinds import _coordinates, _is_pandas, _is_xarray

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
    """When the samples of a table were taken, in seconds, if its index tells.

    Whole numbers do not: they are what is left of the numbers of rows when some were taken out.
    """
    if _is_xarray(table):
        index = _coordinates(table, 0)
    elif _is_pandas(table) and type(table.index).__name__ not in ("RangeIndex", "MultiIndex"):
        index = table.index
    else:
        index = None
    if index is None:
        return None
    if hasattr(index, "to_timestamp"):
        index = index.to_timestamp()
    if getattr(index, "tz", None) is not None:
        index = index.tz_convert(None)
    values = np.asarray(index)
    if values.dtype.kind == "M":
        known = values[~np.isnat(values)]
        return (values - known.min()) / np.timedelta64(1, "s") if len(known) else None
    if values.dtype.kind == "m":
        seconds: npt.NDArray[np.float64] = values / np.timedelta64(1, "s")
        return seconds
    if values.dtype.kind == "O":
        return _of_dates(values.tolist())
    return values.astype(np.float64) if values.dtype.kind == "f" else None


def _of_dates(values: list[Any]) -> npt.NDArray[np.float64] | None:
    """Seconds of dates, or of times of a day; NaN where one is missing, None if they are anything else."""
    known = [value for value in values if isinstance(value, datetime.date) and value == value]
    missing = [value for value in values if value is None or value != value]
    if not known or len(known) + len(missing) < len(values) or len({_is_aware(value) for value in known}) > 1:
        return None

    def seconds(value: Any) -> float:
        if value is None or value != value:
            return float("nan")
        if not isinstance(value, datetime.datetime):
            return float(86400 * value.toordinal())
        start = datetime.datetime(1, 1, 1, tzinfo=datetime.timezone.utc if _is_aware(value) else None)
        return float((value - start).total_seconds()) + 86400.0

    found: npt.NDArray[np.float64] = np.asarray([seconds(value) for value in values], dtype=np.float64)
    found -= np.nanmin(found)
    return found


def _is_aware(value: Any) -> bool:
    return getattr(value, "tzinfo", None) is not None


def _block_of_each(wanted: Any, view: str, n_samples: int, times: npt.NDArray[np.float64] | None) -> npt.NDArray[np.int64]:
    """The number of the block of each sample: so many blocks, as equal as can be, or each of that duration."""
    seconds = _duration(wanted)
    if seconds is None:
        number = int(wanted)
        if not 2 <= number <= n_samples:
            raise ValueError(f"blocks is {number}; of the {n_samples} samples of view {view!r} it must be from 2 to {n_samples}")
        places = np.arange(n_samples) * number // n_samples
        # Contiguous in time, in whatever order the rows are.
        if times is not None and len(times) == n_samples and np.isfinite(times).all():
            in_time = np.empty_like(places)
            in_time[np.argsort(times, kind="stable")] = places
            return in_time
        return places
    if seconds <= 0:
        raise ValueError(f"blocks is {wanted!r}; a block must last longer than that")
    if times is None:
        raise ValueError(
            f"blocks is {wanted!r}, a duration, and view {view!r} has no times: give data frames whose index is a DatetimeIndex, a PeriodIndex, "
            "a TimedeltaIndex, dates or seconds, or the number of blocks. Whole numbers are taken for numbers of rows: if they are seconds, say "
            "so by `X.index = X.index.astype(float)`; text becomes times by `X.index = pandas.to_datetime(X.index)`"
        )
    if not np.isfinite(times).all():
        row = int((~np.isfinite(times)).argmax())
        raise ValueError(f"blocks is {wanted!r}, a duration, and row {row} of view {view!r} has no time in its index: leave the row out")
    # Rounded as on the command line: 0.3 s / 0.1 s is a little less than 3 in floating point.
    found: npt.NDArray[np.int64] = np.floor((times - times.min()) / seconds + 1e-6).astype(np.int64)
    return found
