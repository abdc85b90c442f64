"""Groups of rows as views: a grouped data frame, or columns whose values together name a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._errors import one_error
from ._kinds import _grouped_by, _is_frame, _is_pandas, _is_series
from ._tables import _labels

__all__: list[str] = []


def _column(X: Any, name: Any, option: str) -> Any:
    if _is_pandas(X) and name not in X.columns and name in X.index.names:
        raise ValueError(f"{option} is {name!r}, which is a level of the index of X and no column: give `X.reset_index({name!r})`")
    if not _is_frame(X) or name not in X.columns:
        raise ValueError(f"{option} is {name!r}, which is no column of X: name a column of a data frame, or give one label per row")
    return X[name].to_numpy() if _is_pandas(X) else X[name].to_list()


def _groups_of(grouped: Any, blocks: Any) -> tuple[dict[str, Any], Any]:
    """The table of each group, and the blocks of its rows; names of groups in their order."""
    keys = _grouped_by(grouped)
    tables: dict[str, Any] = {}
    units: dict[str, Any] = {}
    of_name: dict[str, Any] = {}
    of_rows = None if blocks is None or isinstance(blocks, (str, Mapping)) else _of_rows(grouped, blocks)
    for key, part in grouped:
        if not _is_frame(part):
            raise TypeError("this is a grouped Series, of one column: group the data frame, or choose columns by a list, `grouped[[\"a\", \"b\"]]`")
        name = "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
        if name in tables:
            raise _alike(name, of_name[name], key, "groups")
        of_name[name] = key
        gone = [column for column in keys if column in part.columns]
        if isinstance(blocks, str):
            units[name] = _column(part, blocks, "blocks")
            gone.append(blocks)
        elif of_rows is not None:
            units[name] = of_rows.loc[part.index].to_numpy()
        tables[name] = part.drop(columns=gone) if _is_pandas(part) else part.drop(gone)
    # polars has groups in another order every time, unless it is asked to maintain it.
    order = tables if getattr(grouped, "maintain_order", True) else sorted(tables)
    return {name: tables[name] for name in order}, blocks if isinstance(blocks, Mapping) else units or None


def _of_rows(grouped: Any, blocks: Any) -> Any:
    """Labels of all rows that were grouped, by their index."""
    frame = getattr(grouped, "obj", None)
    if frame is None or not _is_pandas(frame) or not frame.index.is_unique:
        raise TypeError("blocks are labels of rows, and which row of this grouping is which is not known: name a column of the data frame")
    if _is_series(blocks):
        missing = ~frame.index.isin(blocks.index)
        if missing.any() or not blocks.index.is_unique:
            raise ValueError("blocks is a Series with another index than the data frame that was grouped: give one label per row")
        return blocks
    labels = _labels(blocks, "blocks") or []
    if len(labels) != len(frame):
        raise ValueError(f"blocks has {len(labels)} labels for {len(frame)} rows: give one label per row, in the order of the rows")
    return type(frame.iloc[:, 0])(labels, index=frame.index)


def _joined_names(columns: Sequence[Any], option: str) -> list[str]:
    """The name of each row's view: the values of several columns together."""
    for column in columns:
        _refuse_alike(column, option)
    parts = list(zip(*(_labels(column, option) or [] for column in columns), strict=True))
    keys: dict[str, tuple[str, ...]] = {}
    for part in parts:
        name = "/".join(part)
        if keys.setdefault(name, part) != part:
            raise _alike(name, keys[name], part, option)
    return ["/".join(part) for part in parts]


def _refuse_alike(labels: Any, option: str) -> None:
    """Complains about labels that are not the same, but are written alike: 1 and "1"."""
    values = np.asarray(labels) if labels is not None and hasattr(labels, "dtype") else np.asarray(labels, dtype=object)
    if values.dtype.kind != "O" or values.ndim != 1:
        return
    first: dict[str, Any] = {}
    for value in values.tolist():
        known = first.setdefault(str(value), value)
        if known is not value and isinstance(known, str) != isinstance(value, str):
            raise _alike(str(value), known, value, option)


def _alike(name: str, one: Any, other: Any, option: str) -> Exception:
    return one_error(
        "E06",
        f"{option}: two that are not the same, {one!r} and {other!r}, would both be called `{name}`",
        "rows of the one would be lost, or be taken for rows of the other",
        "give every one a name of its own",
        view=name,
    )
