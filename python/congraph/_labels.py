"""One value for each view: labels of groups, subjects, covariates, as `compare` takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__: list[str] = []


def of_views(given: Any, views: Sequence[str], what: str) -> list[Any]:
    """One value for each view, from a mapping, a series indexed by views, or values in the order of the views.

    A series whose index is none of views, such as one that is but numbered, is taken in the order of the views.
    """
    if given is None or isinstance(given, (str, bytes)) or np.ndim(given) == 0 and not isinstance(given, Mapping):
        raise TypeError(f"{what} is {given!r}; give one for each view: a dict from views, a Series indexed by views, or a list in their order")
    if isinstance(given, Mapping):
        return _by_name([(str(key), value) for key, value in given.items()], views, what, "")
    if hasattr(given, "to_numpy") and hasattr(given, "index") and hasattr(given.index, "is_unique"):
        keys = [str(key) for key in given.index]
        some = any(view in keys for view in views)
        # Rows that are but numbered are not named, though views may be called like numbers.
        is_numbered = type(given.index).__name__ == "RangeIndex" and given.index[:1].tolist() == [0] and set(keys) != set(views)
        if some and not is_numbered:
            hint = f". Its index names some of the views, so values are not taken in their order: name all of them, or give `{what}.to_numpy()`"
            return _by_name(list(zip(keys, given.to_list(), strict=True)), views, what, hint)
    values = list(given)
    if len(values) != len(views):
        there = "1 view" if len(views) == 1 else f"{len(views)} views"
        raise ValueError(f"{what} has {len(values)} values, and there are {there}: give one for each")
    return values


def _by_name(pairs: list[tuple[str, Any]], views: Sequence[str], what: str, hint: str) -> list[Any]:
    """The value of each view, where every one is named once and nothing else is."""
    named: dict[str, Any] = {}
    for key, value in pairs:
        if key in named:
            raise ValueError(f"{what} has {key!r} more than once: give one value for each view")
        named[key] = value
    known = set(views)
    absent = [view for view in views if view not in named]
    strange = [key for key in named if key not in known]
    if absent or strange:
        named_by = f"has no {absent[0]!r}" if absent else f"has {strange[0]!r}, which is no view"
        lacking = "1 view is" if len(absent) == 1 else f"{len(absent)} views are"
        others = "1 of its names is no view" if len(strange) == 1 else f"{len(strange)} of its names are no views"
        raise ValueError(f"{what} {named_by}: {lacking} not in it, and {others}{hint}")
    return [named[view] for view in views]


def numbers_or_words(values: list[Any]) -> list[float] | list[str]:
    """A covariate: numbers if all of its values are, else words; NaN or empty where it is missing."""
    try:
        return [float("nan") if value is None else float(value) for value in values]
    except (TypeError, ValueError):
        return ["" if value is None or value != value else str(value) for value in values]
