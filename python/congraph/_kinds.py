"""What an object is, told without importing its package; and a sentence that helps where it is no data."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__: list[str] = []

#: What views can be, in one sentence.
_ARE = (
    "views are a dict or a list of arrays of samples × nodes, one 3-D array of views × samples × nodes, or one long table with `views=`"
)


def _refuse_strange(X: Any) -> None:
    """Complains about what is no data, and says what to do with it instead."""
    if X is None:
        raise TypeError(f"X is None: {_ARE}")
    _refuse_unread(X, "X")
    if isinstance(X, (list, tuple)):
        for place, one in enumerate(X):
            _refuse_unread(one, f"X[{place}]")
    if _is_groupby(X):
        raise TypeError("X is a grouped data frame: use `congraph.Views.groupby(X)`, or the data frame itself with `views=COLUMN`")
    if _is_anndata(X):
        raise TypeError(
            'X is an AnnData object: use `congraph.tl.consensus_graph(adata, groupby="cell_type")`, '
            'or `congraph.Views.from_anndata(adata, "cell_type")` for the views alone'
        )
    if _is_epochs(X) or isinstance(X, (list, tuple)) and any(map(_is_epochs, X)):
        raise TypeError("X is MNE data: `congraph.from_epochs({name: epochs, ...})` makes views of Epochs")
    if isinstance(X, Mapping) and not _is_frame(X):
        for name, value in X.items():
            _refuse_unread(value, f"view {str(name)!r}")
            if _is_epochs(value):
                raise TypeError(f"view {str(name)!r} is MNE data: fit on `congraph.from_epochs(X)`, which keeps names, positions and epochs")
            if _is_anndata(value):
                raise TypeError(
                    f'view {str(name)!r} is an AnnData object: join them with `anndata.concat(X, label="view")` and use '
                    '`congraph.Views.from_anndata(adata, "view")`'
                )
            if value is None:
                raise TypeError(f"view {str(name)!r} is None: {_ARE}")


def _refuse_unread(value: Any, where: str) -> None:
    """Complains about paths, and about frames whose values are not there yet."""
    if type(value).__name__ == "LazyFrame" and _is_polars(value):
        raise TypeError(f"{where} is a LazyFrame, whose values are not there yet: use `.collect()`")
    _refuse_xarray(value, where)
    if not isinstance(value, (str, bytes, os.PathLike)):
        return
    what = os.fsdecode(value)
    if os.path.isfile(os.path.join(what, "summary.json")):
        raise TypeError(f"{where} is a path: `congraph.load({what!r})` reads a result folder")
    raise TypeError(
        f"{where} is a path ({what!r}), and data are arrays: read the file first (`pandas.read_csv`, `numpy.load`, `anndata.read_h5ad`, "
        "`mne.read_epochs`), or use `congraph learn` on the command line"
    )


def _places(given: Any) -> dict[str, list[float]] | None:
    """Where nodes are, by name; of a data frame the index has the names."""
    if given is None:
        return None
    if _is_pandas(given):
        given = dict(zip(given.index, given.to_numpy().tolist(), strict=True))
    if not isinstance(given, Mapping):
        raise TypeError(
            f"positions is a {type(given).__name__}; it must be a dict from the names of nodes to two or three coordinates, "
            "such as `dict(zip(names, coordinates))`"
        )
    found: dict[str, list[float]] = {}
    for node, at in given.items():
        try:
            point = [float(x) for x in at]
        except (TypeError, ValueError):
            point = []
        if len(point) not in (2, 3) or not all(map(math.isfinite, point)):
            raise ValueError(f"positions has {at!r} for node {str(node)!r}; a place is two or three finite numbers")
        found[str(node)] = point
    return found


def _refuse_empty(X: Any) -> None:
    if isinstance(X, (list, tuple, Mapping)) and not _is_frame(X) and len(X) == 0:
        raise ValueError(f"X is empty, so there is nothing to learn from: {_ARE}")
    if isinstance(X, (list, tuple)) and any(one is None for one in X):
        raise TypeError(f"X has None at place {[one is None for one in X].index(True)}: {_ARE}")


def _is_groupby(X: Any) -> bool:
    module = type(X).__module__.partition(".")[0]
    return module in ("pandas", "polars") and any(kind in type(X).__name__ for kind in ("GroupBy", "Resampler"))


def _grouped_by(grouped: Any) -> list[Any]:
    """The names of the columns that a frame was grouped by, as far as they are columns; a name may be a number."""
    keys = getattr(grouped, "keys", None)
    if keys is None:
        keys = getattr(grouped, "by", [])
    keys = keys if isinstance(keys, (list, tuple)) else [keys]
    return [key for key in keys if isinstance(key, (str, numbers.Integral))]


def _is_anndata(X: Any) -> bool:
    return type(X).__name__ in ("AnnData", "AnnDataView") or hasattr(X, "obs") and hasattr(X, "var") and hasattr(X, "obs_names")


def _is_epochs(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] == "mne" and hasattr(X, "info")


def _is_series(X: Any) -> bool:
    """Whether it is a pandas Series: values with an index."""
    return type(X).__module__.partition(".")[0] == "pandas" and hasattr(X, "index") and hasattr(X, "reindex") and not hasattr(X, "columns")


def _is_pandas(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] == "pandas" and hasattr(X, "columns")


def _is_polars(X: Any) -> bool:
    # Asked of the type: a lazy frame would look for its columns.
    return type(X).__module__.partition(".")[0] == "polars" and hasattr(type(X), "columns")


def _is_xarray(X: Any) -> bool:
    """Whether it is a DataArray or a Dataset: something with named dimensions and their coordinates."""
    return hasattr(X, "dims") and hasattr(X, "coords") and not _is_frame(X)


def _coordinates(X: Any, axis: int) -> Any:
    """What a DataArray has along a dimension; None if that is but numbered."""
    dim = list(X.dims)[axis]
    found = np.asarray(X.coords[dim]) if dim in X.coords else None
    return found if found is not None and found.ndim == 1 else None


def _refuse_xarray(X: Any, where: str) -> None:
    """Complains about what xarray has beside arrays of two dimensions."""
    if not _is_xarray(X):
        return
    if not hasattr(X, "ndim"):
        raise TypeError(
            f"{where} is a Dataset, and its variables may be views or nodes: give one variable of samples × nodes (`dataset[\"name\"]`) for each "
            "view, in a dict; or `dataset.to_pandas()`, where the variables are the nodes"
        )
    dims = [str(dim) for dim in X.dims]
    if len(dims) > 2:
        raise TypeError(
            f"{where} is a DataArray of {len(dims)} dimensions ({', '.join(dims)}), and a view has two, samples × nodes: if {dims[0]!r} tells the views "
            f"apart, give `{{str(k): array.isel({{{dims[0]!r}: k}}) for k in range(array.sizes[{dims[0]!r}])}}`, with the samples before the nodes "
            "(`array.transpose(...)`); or each as a table, by `.to_pandas()`"
        )


def _is_frame(X: Any) -> bool:
    return _is_pandas(X) or _is_polars(X)


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def _is_polars_series(series: Any) -> bool:
    return type(series).__module__.partition(".")[0] == "polars"
