"""Whatever users have as views: a dict, a list, a 3-D array, a long table.

Nothing is computed here. Contiguous arrays of float64 are handed on as they are; everything else is converted or refused.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence, ValuesView
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import one_error

__all__ = ["Views", "as_views"]

Array = npt.NDArray[Any]


class Views(Mapping[str, Array]):
    """Named data sets over the same nodes: a mapping from names to arrays of samples × nodes, with what is known of them.

    Parameters
    ----------
    arrays : mapping from str to array
        Samples in rows, nodes in columns; or data frames, whose column names are the nodes.
    nodes : sequence of str, or mapping from view to sequence of str, optional
        The names of the nodes. Views are matched by name, never by position.
    blocks : mapping from view to sequence, optional
        The resampling unit (trial, session, ...) of each sample.
    n_samples : mapping from view to int, optional
        For Gram and covariance matrices: how many samples they were made from.
    positions : mapping from node to coordinates, optional
        Where the nodes are; used by plots and reports.

    A view is taken by its name. Taken by numbers or slices, as scikit-learn's cross-validation does, they are `Views` again.
    """

    def __init__(
        self,
        arrays: Mapping[Any, Any],
        *,
        nodes: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        blocks: Mapping[str, Sequence[Any]] | None = None,
        n_samples: Mapping[str, int] | None = None,
        positions: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self._arrays: dict[str, Array] = {}
        self.nodes: dict[str, list[str] | None] = {}
        self.blocks: dict[str, list[str] | None] = {}
        self.n_samples: dict[str, int | None] = {}
        self.subjects: dict[str, str] = {}
        self.positions = dict(positions) if positions is not None else None
        # Names of rows: those of the nodes where tables have their nodes in rows.
        self._rows: dict[str, list[str] | None] = {}
        self._are_named = nodes is not None
        # Whether the nodes are electrodes, which warnings may then speak of.
        self._electrodes = False
        for given, option in ((nodes, "nodes"), (blocks, "blocks"), (n_samples, "n_samples")):
            _refuse_strangers(given, arrays, option)
        for key, value in arrays.items():
            name = str(key)
            if name in self._arrays:
                raise _twice(name)
            array, columns = _table(value, name)
            self._arrays[name] = array
            self._rows[name] = _index_names(value)
            if isinstance(nodes, Mapping):
                columns = _names(nodes.get(name, nodes.get(key)), "nodes")
            elif nodes is not None:
                columns = _names(nodes, "nodes")
            self.nodes[name] = columns
            units = (blocks or {}).get(name, (blocks or {}).get(key))
            self.blocks[name] = _labels(_aligned(units, value, "blocks"), "blocks")
            self.n_samples[name] = (n_samples or {}).get(name, (n_samples or {}).get(key))

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, str):
            return self._arrays[name]
        names = list(self._arrays)
        chosen = names[name] if isinstance(name, slice) else [names[operator.index(name)]]
        return self._of(chosen)

    def _of(self, names: Sequence[str]) -> Views:
        """Some of the views, with all that is known of them."""
        some = Views({}, positions=self.positions)
        some._are_named = self._are_named
        some._electrodes = self._electrodes
        for name in names:
            some._add(name, self)
        return some

    def _add(self, name: str, source: Views) -> None:
        if name in self._arrays:
            raise _twice(name)
        self._arrays[name] = source._arrays[name]
        self._rows[name] = source._rows[name]
        self.nodes[name], self.blocks[name], self.n_samples[name] = source.nodes[name], source.blocks[name], source.n_samples[name]

        if name in source.subjects:
            self.subjects[name] = source.subjects[name]

    def _with_subjects(self, subjects: Any) -> Views:
        """The same with whose view each is: a mapping from views, or one subject per view."""
        told = self._of(list(self))
        if isinstance(subjects, Mapping):
            _refuse_strangers(subjects, self._arrays, "subjects")
            of_view = {str(view): str(subject) for view, subject in subjects.items()}
        else:
            labels = _labels(subjects, "subjects") or []
            if len(labels) != len(self):
                raise ValueError(f"subjects has {len(labels)} labels for {len(self)} views")
            of_view = dict(zip(self, labels, strict=True))
        told.subjects = of_view
        return told

    @classmethod
    def _joined(cls, parts: Sequence[Views]) -> Views:
        """The views of all of them."""
        whole = parts[0]._of(list(parts[0]))
        for part in parts[1:]:
            whole.positions = {**(whole.positions or {}), **(part.positions or {})} or None
            whole._are_named = whole._are_named or part._are_named
            whole._electrodes = whole._electrodes and part._electrodes
            for name in part:
                whole._add(name, part)
        return whole

    def _with_nodes_in_rows(self) -> Views:
        """The same, of tables that have their nodes in rows: names of columns are those of samples."""
        if self._are_named:
            return self
        turned = self._of(list(self))
        turned.nodes = dict(self._rows)
        return turned

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}: {array.shape[0]} × {array.shape[1]}" for name, array in list(self.items())[:4])
        return f"Views({shapes}{', ...' if len(self) > 4 else ''})"

    def _check_nodes(self, axis: int) -> None:
        """A graph has two nodes at least; told in scikit-learn's words."""
        for name, array in self._arrays.items():
            if array.shape[axis] < 2:
                raise one_error(
                    "E05",
                    f"view `{name}` has {array.shape[axis]} feature(s) (shape={array.shape}) while a minimum of 2 is required.",
                    "a graph joins two nodes at least",
                    "give one column per node",
                    name,
                )

    def _borrowed(self) -> list[dict[str, Any]]:
        """As the engine takes them."""
        return [
            {
                "name": name,
                "values": array,
                "nodes": self.nodes[name],
                "blocks": self.blocks[name],
                "n_samples": self.n_samples[name],
                "subject": self.subjects.get(name),
            }
            for name, array in self._arrays.items()
        ]


def _twice(name: str) -> Exception:
    what, why = f"two views are called `{name}`", "results could not be told apart"
    return one_error("E06", what, why, "give every view a name of its own", view=name)


def _refuse_strangers(given: Any, arrays: Mapping[Any, Any], option: str) -> None:
    """Complains about keys that are no views: whatever they hold would be lost."""
    if not isinstance(given, Mapping):
        return
    known = {str(key) for key in arrays}
    strangers = [key for key in given if str(key) not in known]
    if strangers:
        there = f"there {'is' if len(known) == 1 else 'are'} {', '.join(sorted(known)[:10])}"
        raise ValueError(f"{option} has {strangers[0]!r}, which is not a view; {there}")


def as_views(X: Any, *, groups: Any = None, blocks: Any = None, nodes: Any = None, subjects: Any = None) -> Views:
    """Views from whatever `X` is; see `ConsensusGraph.fit`."""
    if isinstance(X, Views):
        if groups is not None or blocks is not None or nodes is not None:
            raise ValueError("`groups`, `blocks` and `nodes` are part of `Views` already: leave them out")
        return X if subjects is None else X._with_subjects(subjects)
    if groups is not None and subjects is not None and not isinstance(subjects, Mapping):
        return _of_subjects(X, groups, blocks, nodes, subjects)
    if subjects is not None:
        return as_views(X, groups=groups, blocks=blocks, nodes=nodes)._with_subjects(subjects)
    if groups is not None:
        return _long(X, groups, blocks, nodes)
    if _is_sparse(X):
        raise _sparse("X")
    X = _collected(X)
    if isinstance(X, list) and X and all(isinstance(part, Views) for part in X):
        if blocks is not None or nodes is not None:
            raise ValueError("`blocks` and `nodes` are part of `Views` already: leave them out")
        return Views._joined(X)
    if isinstance(X, Mapping) and not _is_frame(X):
        return Views(X, nodes=nodes, blocks=_blocks_by_name(blocks, list(X)))
    tables = _listed(X)
    names = numbered(len(tables))
    if len(tables) == 1 and blocks is not None and not isinstance(blocks, Mapping) and (_is_series(blocks) or not _nested(blocks)):
        blocks = [blocks]
    return Views(dict(zip(names, tables, strict=True)), nodes=nodes, blocks=_blocks_by_name(blocks, names))


def _collected(X: Any) -> Any:
    """Generators and the like as a list."""
    if isinstance(X, (Iterator, ValuesView)):
        return list(X)
    if type(X).__name__ == "LazyFrame" and type(X).__module__.partition(".")[0] == "polars":
        raise TypeError("X is a LazyFrame, whose values are not there yet: use `.collect()`")
    return X


def numbered(n: int) -> list[str]:
    """``view1``, ``view2``, ..., all with as many digits, so that their order is that of their names."""
    return [f"view{k:0{len(str(n))}d}" for k in range(1, n + 1)]


def _listed(X: Any) -> list[Any]:
    """One table per view: of a list, of a 3-D array, or of one table."""
    if _is_frame(X):
        return [X]
    if isinstance(X, (list, tuple)) and len(X) > 0 and all(_is_frame(x) or np.ndim(x) == 2 for x in X):
        return list(X)
    array = np.asanyarray(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: give real signals, such as amplitudes")
    if array.ndim == 3:
        return list(array)
    if array.ndim == 2:
        return [X]
    if array.ndim == 1 and array.dtype.kind == "O" and len(array) > 0 and all(np.ndim(x) == 2 for x in array):
        return list(array)
    raise ValueError(
        f"Expected 2D array, got {array.ndim}D array instead: views are a dict or a list of arrays of samples × nodes, one 3-D array of "
        "views × samples × nodes, or one long table with `groups=`. Reshape your data"
    )


def _long(X: Any, groups: Any, blocks: Any, nodes: Any) -> Views:
    """One long table for all views, told apart by a column or by one label per row."""
    table, labels, units = X, _aligned(groups, X, "groups"), _aligned(blocks, X, "blocks")
    dropped: list[str] = []
    if isinstance(groups, str):
        labels = _column(X, groups, "groups")
        dropped.append(groups)
    if isinstance(blocks, str):
        units = _column(X, blocks, "blocks")
        dropped.append(blocks)
    if dropped:
        table = X.drop(columns=dropped) if _is_pandas(X) else X.drop(dropped)
    array, columns = _table(table, None)
    if nodes is not None:
        columns = _names(nodes, "nodes")
    keys = _labels(labels, "groups") or []
    if len(keys) != len(array):
        raise ValueError(f"groups has {len(keys)} labels for {len(array)} rows")
    units = _labels(units, "blocks")
    if units is not None and len(units) != len(array):
        raise ValueError(f"blocks has {len(units)} labels for {len(array)} rows")
    order: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        order.setdefault(key, []).append(row)
    arrays = {key: array[rows] for key, rows in order.items()}
    of_view = {key: [units[row] for row in rows] for key, rows in order.items()} if units is not None else None
    return Views(arrays, nodes=columns, blocks=of_view)


def _of_subjects(X: Any, groups: Any, blocks: Any, nodes: Any, subjects: Any) -> Views:
    """One long table of subjects in several conditions: a view is SUBJECT/CONDITION."""
    table, dropped = X, []
    whose, which = _aligned(subjects, X, "subjects"), _aligned(groups, X, "groups")
    if isinstance(subjects, str):
        whose = _column(X, subjects, "subjects")
        dropped.append(subjects)
    if isinstance(groups, str):
        which = _column(X, groups, "groups")
        dropped.append(groups)
    if dropped:
        table = X.drop(columns=dropped) if _is_pandas(X) else X.drop(dropped)
    people, conditions = _labels(whose, "subjects") or [], _labels(which, "groups") or []
    if len(people) != len(conditions):
        raise ValueError(f"subjects has {len(people)} labels, and groups {len(conditions)}")
    names = [f"{person}/{condition}" for person, condition in zip(people, conditions, strict=True)]
    views = _long(table, names, blocks, nodes)
    views.subjects = dict(zip(names, people, strict=True))
    return views


def _aligned(labels: Any, X: Any, option: str) -> Any:
    """Labels that have an index of their own, in the order of X's rows; by position where X has none."""
    if not _is_series(labels) or not _is_pandas(X) or labels.index.equals(X.index):
        return labels
    missing = ~X.index.isin(labels.index)
    if missing.any():
        row = X.index[int(missing.argmax())]
        what = f"{option} is a Series with another index than X: {int(missing.sum())} of {len(X)} rows have no label, the first is {row!r}"
    elif labels.index.is_unique:
        return labels.reindex(X.index)
    else:
        what = f"{option} is a Series with another index than X, and its index repeats: which label belongs to which row is not known"
    raise one_error(
        "E07",
        what,
        "rows are matched by index, as pandas does; by position a row could get the label of another",
        f"give {option} the index of X, or labels in the order of the rows without an index: `{option}={option}.to_numpy()`",
    )


def _column(X: Any, name: str, option: str) -> Any:
    if not _is_frame(X) or name not in X.columns:
        raise ValueError(f"{option} is {name!r}, which is no column of X: name a column of a data frame, or give one label per row")
    return X[name].to_numpy() if _is_pandas(X) else X[name].to_list()


def _blocks_by_name(blocks: Any, names: Sequence[Any]) -> Mapping[str, Sequence[Any]] | None:
    if blocks is None or isinstance(blocks, Mapping):
        return blocks
    if len(blocks) != len(names):
        raise ValueError(f"blocks has {len(blocks)} entries for {len(names)} views")
    return {str(name): units for name, units in zip(names, blocks, strict=True)}


def _nested(blocks: Any) -> bool:
    return len(blocks) > 0 and not isinstance(blocks[0], str) and np.ndim(blocks[0]) == 1


def _names(values: Any, option: str) -> list[str] | None:
    if values is None:
        return None
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{option} must be one label each, not an array of {array.ndim} dimensions")
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
    """The names of a pandas frame's rows; none if they are but numbered."""
    if not _is_pandas(table) or type(table.index).__name__ == "RangeIndex":
        return None
    return [str(row) for row in table.index]


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
                "leave the column out; or, if it tells the views or the trials apart, name it with `groups=` or `blocks=`",
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


def _is_polars_series(series: Any) -> bool:
    return type(series).__module__.partition(".")[0] == "polars"


def _sparse(where: str) -> TypeError:
    return TypeError(f"{where} is sparse; sparse data are not supported: signals are dense, use `.toarray()` if there is room")


def _not_numbers(where: str, what: str, view: str | None) -> Exception:
    return one_error("E07", f"{where} is not numbers: {what}", "signals are numbers", "convert the values to float first", view)
