"""One table as an array of float64 and the names of its columns; labels of rows; and a sentence where it is neither."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import one_error
from ._kinds import _coordinates, _is_frame, _is_pandas, _is_polars_series, _is_sparse, _is_xarray, _refuse_xarray

__all__: list[str] = []

Array = npt.NDArray[Any]


def _names(values: Any, option: str) -> list[str] | None:
    if values is None:
        return None
    array = np.asarray(values)
    if array.ndim != 1:
        what = repr(values) if array.ndim == 0 else f"an array of {array.ndim} dimensions"
        raise ValueError(f"{option} is {what}; it must be a list of {'names, one for each node' if option == 'nodes' else 'labels'}")
    return [str(value) for value in array.tolist()]


def _labels(values: Any, option: str) -> list[str] | None:
    """Names that tell rows apart, and so must be there."""
    if values is not None:
        for row, value in enumerate(np.asarray(values, dtype=object).ravel().tolist()):
            if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
                raise one_error(
                    "E07",
                    f"{option}: the label of row {row} is missing ({value!r})",
                    "rows without a label would become one of their own",
                    "label the row, or leave it out",
                )
    return _names(values, option)


def _index_names(table: Any) -> list[str] | None:
    """The names of a table's rows; none if they are but numbered."""
    if _is_xarray(table):
        return _names(_coordinates(table, 0), "rows") if table.ndim == 2 else None
    if not _is_pandas(table) or type(table.index).__name__ == "RangeIndex":
        return None
    return [str(row) for row in table.index]


def _table(value: Any, view: str | None) -> tuple[Array, list[str] | None]:
    """A C-contiguous array of float64, and the names of its columns if it has any."""
    columns: list[str] | None = None
    where = "the table" if view is None else f"view `{view}`"
    if _is_sparse(value):
        raise _sparse(where)
    if _is_frame(value):
        columns = _frame_names(value)
        _refuse_text(value, view, where)
        value = value.to_numpy(dtype=np.float64, na_value=np.nan) if _is_pandas(value) else value.to_numpy()
    _refuse_xarray(value, where)
    if _is_xarray(value) and value.ndim == 2:
        columns = _names(_coordinates(value, 1), "nodes")
    if isinstance(value, np.ma.MaskedArray):
        value = np.ma.filled(value.astype(np.float64), np.nan)
    array = np.asarray(value)
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead: {where} must be samples × nodes. Reshape your data")
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {where} must be real signals, such as amplitudes")
    if array.dtype.kind in "mMV":
        raise _not_numbers(where, f"values of type {array.dtype}", view)
    try:
        return np.ascontiguousarray(array, dtype=np.float64), columns
    except ValueError as error:
        raise _not_numbers(where, str(error), view) from error


def _frame_names(frame: Any) -> list[str]:
    """The labels of the columns, numbers or not: what a column is called must not depend on the others."""
    if type(frame.columns).__name__ == "MultiIndex":
        names = frame.columns.names
        levels = "" if all(name is None for name in names) else f"{', '.join(map(str, names))}; "
        first = ", ".join(map(repr, map(str, frame.columns[0])))
        raise one_error(
            "E07",
            f"the columns have {len(names)} levels ({levels}the first column is ({first}))",
            "a node has one name, and it is not told whether a level names views or nodes",
            "if a level names the views, give a dict of frames, `{name: X[name] for name in X.columns.levels[0]}`; "
            'if all levels name nodes, join them: `X.columns = ["/".join(map(str, c)) for c in X.columns]`',
        )
    return [str(column) for column in frame.columns]


def _refuse_text(frame: Any, view: str | None, where: str) -> None:
    for place, column in enumerate(frame.columns):
        # By place: two columns may have the same name, which is for the engine to refuse.
        series = frame.iloc[:, place] if _is_pandas(frame) else frame[column]
        kind = _series_kind(series)
        if kind is not None:
            raise one_error(
                "E07",
                f"{where}: column `{column}` is not numbers but {kind}",
                "every column is a node, and its values are its signal",
                "leave the column out; or, if it tells the views or the trials apart, name it with `views=` or `blocks=`",
                view,
                str(column),
            )


def _series_kind(series: Any) -> str | None:
    """What a column is, if it is not numbers."""
    if _is_polars_series(series):
        dtype = series.dtype
        return None if dtype.is_numeric() or str(dtype) in ("Boolean", "Null") else str(dtype)
    dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    if kind in "biuf":
        return None
    if kind == "O" and str(dtype) == "object":
        try:
            series.astype(np.float64)
        except (TypeError, ValueError):
            return "text or other objects"
        return None
    return str(dtype)


def _sparse(where: str) -> TypeError:
    return TypeError(f"{where} is sparse; sparse data are not supported: signals are dense, use `.toarray()` if there is room")


def _not_numbers(where: str, what: str, view: str | None) -> Exception:
    return one_error("E07", f"{where} is not numbers: {what}", "signals are numbers", "convert the values to float first", view)
