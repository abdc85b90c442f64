"""What an object is, told without importing its package; and a sentence that helps where it is no data."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

__all__: list[str] = []

#: What views can be, in one sentence.
_ARE = (
    "views are a dict or a list of arrays of samples × nodes, one 3-D array of views × samples × nodes, or one long table with `views=`"
)


def _refuse_strange(X: Any) -> None:
    """Complains about what is no data, and says what to do with it instead."""
    if X is None:
        raise TypeError(f"X is None: {_ARE}")
    if isinstance(X, (str, bytes, os.PathLike)):
        what = os.fsdecode(X)
        if os.path.isfile(os.path.join(what, "summary.json")):
            raise TypeError(f"X is a path: `congraph.load({what!r})` reads a result folder")
        raise TypeError(
            f"X is a path ({what!r}), and data are arrays: read the file first (`pandas.read_csv`, `numpy.load`, `anndata.read_h5ad`, "
            "`mne.read_epochs`), or use `congraph learn` on the command line"
        )
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
            if _is_epochs(value):
                raise TypeError(f"view {str(name)!r} is MNE data: fit on `congraph.from_epochs(X)`, which keeps names, positions and epochs")
            if _is_anndata(value):
                raise TypeError(
                    f'view {str(name)!r} is an AnnData object: join them with `anndata.concat(X, label="view")` and use '
                    '`congraph.Views.from_anndata(adata, "view")`'
                )
            if value is None:
                raise TypeError(f"view {str(name)!r} is None: {_ARE}")


def _refuse_empty(X: Any) -> None:
    if isinstance(X, (list, tuple, Mapping)) and not _is_frame(X) and len(X) == 0:
        raise ValueError(f"X is empty, so there is nothing to learn from: {_ARE}")
    if isinstance(X, (list, tuple)) and any(one is None for one in X):
        raise TypeError(f"X has None at place {[one is None for one in X].index(True)}: {_ARE}")


def _is_groupby(X: Any) -> bool:
    module = type(X).__module__.partition(".")[0]
    return module in ("pandas", "polars") and "GroupBy" in type(X).__name__


def _grouped_by(grouped: Any) -> list[str]:
    """The names of the columns that a frame was grouped by, as far as they are columns."""
    keys = getattr(grouped, "keys", None)
    if keys is None:
        keys = getattr(grouped, "by", [])
    keys = keys if isinstance(keys, (list, tuple)) else [keys]
    return [key for key in keys if isinstance(key, str)]


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
    return type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "columns")


def _is_frame(X: Any) -> bool:
    return _is_pandas(X) or _is_polars(X)


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def _is_polars_series(series: Any) -> bool:
    return type(series).__module__.partition(".")[0] == "polars"
