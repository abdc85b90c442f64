"""Whatever users have as views: a dict, a list, a 3-D array, a long table.

Nothing is computed here. Contiguous arrays of float64 are handed on as they are; everything else is converted or refused.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Iterator, Mapping, Sequence, ValuesView
from typing import Any

import numpy as np
import numpy.typing as npt

from ._blocks import _block_of_each, _is_length, _times
from ._errors import one_error
from ._grouped import _column, _groups_of, _joined_names, _refuse_alike
from ._kinds import (
    _ARE,
    _is_frame,
    _is_groupby,
    _is_pandas,
    _is_series,
    _is_sparse,
    _places,
    _refuse_empty,
    _refuse_strange,
    _refuse_xarray,
)
from ._sweep import aligned
from ._tables import Array, _index_names, _labels, _names, _sparse, _table

__all__ = ["Views", "as_views"]


class Views(Mapping[str, Array]):
    """Named data sets over the same nodes: a mapping from names to arrays of samples × nodes, with what is known of them.

    Parameters
    ----------
    arrays : mapping from str to array
        Samples in rows, nodes in columns; or data frames, whose column names are the nodes; or two-dimensional DataArrays of xarray, whose
        coordinates along the nodes are their names. `Views` keep what is known of them, as far as it is not given anew.
    nodes : sequence of str, or mapping from view to sequence of str, optional
        The names of the nodes. Views are matched by name, never by position.
    blocks : mapping from view to sequence, number or duration, optional
        The resampling unit (trial, session, ...) of each sample; or how many blocks to make of each view, or how long: see `ConsensusGraph.fit`.
    n_samples : mapping from view to int, optional
        For Gram and covariance matrices: how many samples they were made from.
    positions : mapping from node to coordinates, or data frame, optional
        Where the nodes are, in two or three coordinates; used by plots and reports. Of a data frame the index names the nodes.

    Notes
    -----
    A view is taken by its name. Taken by numbers or slices, as scikit-learn's cross-validation does, they are `Views` again. The values
    are plain arrays: ``dict(views)`` and ``{**views}`` have neither the names of nodes nor blocks; ``Views(views)`` has them.

    Examples
    --------
    >>> import numpy as np
    >>> import congraph
    >>> rng = np.random.default_rng(0)
    >>> views = congraph.Views({"monday": rng.normal(size=(50, 3)), "tuesday": rng.normal(size=(60, 3))}, nodes=["a", "b", "c"])
    >>> views
    Views(monday: 50 × 3, tuesday: 60 × 3)
    >>> views["tuesday"].shape, views[0]
    ((60, 3), Views(monday: 50 × 3))
    """

    def __init__(
        self,
        arrays: Mapping[Any, Any],
        *,
        nodes: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        blocks: Any = None,
        n_samples: Mapping[str, int] | None = None,
        positions: Any = None,
    ) -> None:
        self._arrays: dict[str, Array] = {}
        self.nodes: dict[str, list[str] | None] = {}
        self.blocks: dict[str, list[str] | None] = {}
        self.n_samples: dict[str, int | None] = {}
        self.subjects: dict[str, str] = {}
        _refuse_xarray(arrays, "arrays")
        if not isinstance(arrays, Mapping):
            raise TypeError(f"Views takes a dict from names to arrays, and this is a {type(arrays).__name__}: `fit` takes lists and 3-D arrays as they are")
        source = arrays if isinstance(arrays, Views) else None
        self.positions = source.positions if source is not None and positions is None else positions
        # Names of rows: those of the nodes where tables have their nodes in rows.
        self._rows: dict[str, list[str] | None] = {}
        # When samples were taken, in seconds, where that is known.
        self._times: dict[str, npt.NDArray[np.float64]] = {}
        self._are_named: bool = nodes is not None or source is not None and source._are_named
        # Whether views were not named but numbered, as those of a list are: then a name says nothing of what a view is.
        self._are_numbered: bool = source is not None and source._are_numbered
        # Genes that were left out of a view because they are seen in too few of its cells.
        self._seldom: dict[str, list[str]] = {}
        # Whether the nodes are electrodes, which warnings may then speak of.
        self._electrodes: bool = source is not None and source._electrodes
        if n_samples is not None and not isinstance(n_samples, Mapping):
            raise TypeError(f"n_samples is {n_samples!r}; it must be a dict from the names of views to how many samples each was made from")
        length = blocks if _is_length(blocks) else None
        _refuse_blocks(None if length is not None else blocks)
        blocks = None if length is not None else _blocks_by_name(blocks, list(arrays))
        for given, option in ((nodes, "nodes"), (blocks, "blocks"), (n_samples, "n_samples")):
            _refuse_strangers(given, arrays, option)
        _refuse_part(blocks, arrays)
        for key, value in arrays.items():
            name = str(key)
            if source is not None:
                self._add(name, source)
            else:
                self._read(name, value)
            if nodes is not None:
                own = nodes.get(name, nodes.get(key)) if isinstance(nodes, Mapping) else nodes
                self.nodes[name] = self.nodes[name] if own is None else _names(own, "nodes")
            if blocks is not None:
                units = blocks.get(name, blocks.get(key))
                self.blocks[name] = _labels(_aligned(units, value, "blocks"), "blocks")
            if n_samples is not None:
                self.n_samples[name] = n_samples.get(name, n_samples.get(key))
        if length is not None:
            self.blocks = dict.fromkeys(self._arrays)
            self.blocks = _in_blocks(self, length).blocks

    def _read(self, name: str, value: Any) -> None:
        """Another view, of whatever its table is."""
        if name in self._arrays:
            raise _twice(name)
        self._arrays[name], self.nodes[name] = _table(value, name)
        self._rows[name] = _index_names(value)
        self.blocks[name] = self.n_samples[name] = None
        taken = _times(value)
        if taken is not None:
            self._times[name] = taken

    @property
    def positions(self) -> dict[str, list[float]] | None:
        """Where the nodes are, as far as that is known."""
        return self._positions

    @positions.setter
    def positions(self, given: Any) -> None:
        self._positions = _places(given)

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, str):
            if name not in self._arrays:
                raise KeyError(f"there is no view {name!r}; there are {', '.join(self._arrays) or 'none'}")
            return self._arrays[name]
        names = list(self._arrays)
        if isinstance(name, slice):
            return self._of(names[name])
        number = operator.index(name)
        if not -len(names) <= number < len(names):
            raise IndexError(f"there is no view {number}; there are {len(names)}, numbered from 0")
        return self._of([names[number]])

    def _of(self, names: Sequence[str]) -> Views:
        """Some of the views, with all that is known of them."""
        some = Views({}, positions=self.positions)
        some._are_named = self._are_named
        some._are_numbered = self._are_numbered
        some._electrodes = self._electrodes
        for name in names:
            some._add(name, self)
        return some

    def _add(self, name: str, source: Views) -> None:
        if name in self._arrays:
            raise _twice(name)
        self._arrays[name] = source._arrays[name]
        self._rows[name] = source._rows[name]
        if name in source._times:
            self._times[name] = source._times[name]
        self.nodes[name], self.blocks[name], self.n_samples[name] = source.nodes[name], source.blocks[name], source.n_samples[name]
        if name in source.subjects:
            self.subjects[name] = source.subjects[name]
        if name in source._seldom:
            self._seldom[name] = source._seldom[name]

    def _with_subjects(self, subjects: Any) -> Views:
        """The same with whose view each is: a mapping from views, or one subject per view."""
        told = self._of(list(self))
        if isinstance(subjects, Mapping):
            _refuse_strangers(subjects, self._arrays, "subjects")
            _refuse_alike(list(subjects.values()), "subjects")
            of_view = {str(view): str(subject) for view, subject in subjects.items()}
        else:
            _refuse_alike(subjects, "subjects")
            labels = _labels(subjects, "subjects") or []
            if len(labels) != len(self):
                raise ValueError(f"subjects has {len(labels)} labels for {len(self)} views")
            of_view = dict(zip(self, labels, strict=True))
        told.subjects = of_view
        return told

    def _with_blocks(self, blocks: Any) -> Views:
        """The same with the resampling unit of each sample."""
        if any(labels is not None for labels in self.blocks.values()):
            raise ValueError("blocks are part of `Views` already: leave them out")
        given = _blocks_by_name(blocks, list(self))
        _refuse_strangers(given, self._arrays, "blocks")
        _refuse_part(given, self._arrays)
        told = self._of(list(self))
        for name, units in (given or {}).items():
            labels = _labels(units, "blocks")
            n_samples = len(self._arrays[str(name)])
            if labels is not None and len(labels) != n_samples:
                raise ValueError(f"blocks has {len(labels)} labels for the {n_samples} samples of view {str(name)!r}")
            told.blocks[str(name)] = labels
        return told

    @classmethod
    def _joined(cls, parts: Sequence[Views]) -> Views:
        """The views of all of them."""
        whole = parts[0]._of(list(parts[0]))
        for part in parts[1:]:
            whole.positions = {**(whole.positions or {}), **(part.positions or {})} or None
            whole._are_named = whole._are_named or part._are_named
            whole._are_numbered = whole._are_numbered or part._are_numbered
            whole._electrodes = whole._electrodes and part._electrodes
            for name in part:
                whole._add(name, part)
        return whole

    def _with_all(self, nodes: Sequence[str]) -> Views:
        """The same with a column of NaN for each of these nodes that a view lacks."""
        told = self._of(list(self))
        for name, own in self.nodes.items():
            absent = [node for node in nodes if own is not None and node not in own]
            if own is not None and absent:
                empty = np.full((len(self._arrays[name]), len(absent)), np.nan)
                told._arrays[name] = np.ascontiguousarray(np.concatenate([self._arrays[name], empty], axis=1))
                told.nodes[name] = [*own, *absent]
        return told

    def _with_nodes_in_rows(self) -> Views:
        """The same, of tables that have their nodes in rows: names of columns are those of samples."""
        if self._are_named:
            return self
        turned = self._of(list(self))
        turned.nodes, turned._times = dict(self._rows), {}
        return turned

    @classmethod
    def from_long(cls, table: Any, views: Any, *, blocks: Any = None, subjects: Any = None) -> Views:
        """Views of one long table.

        Parameters
        ----------
        table : data frame or array
            Samples of all views in rows, nodes in columns.
        views : str or sequence
            The column that tells the views apart, or one label per row.
        blocks : str, int, duration or sequence, optional
            The resampling unit of each sample; see `ConsensusGraph.fit`.
        subjects : str or sequence, optional
            The column of the subject, where subjects were measured in several conditions; ``views`` is the condition then.

        Returns
        -------
        Views

        Examples
        --------
        >>> import pandas as pd
        >>> import congraph
        >>> table = pd.DataFrame({"day": ["mon", "mon", "tue", "tue"], "a": [1.0, 2.0, 3.0, 5.0], "b": [2.0, 1.0, 4.0, 4.5]})
        >>> congraph.Views.from_long(table, views="day")
        Views(mon: 2 × 2, tue: 2 × 2)
        """
        return as_views(table, views=views, blocks=blocks, subjects=subjects)

    @classmethod
    def groupby(cls, grouped: Any, by: Any = None, *, blocks: Any = None) -> Views:
        """Views of a grouped data frame, or of a data frame and what to group it by.

        Parameters
        ----------
        grouped : pandas or polars GroupBy, or data frame
            Each group is a view; the columns that it was grouped by are no nodes.
        by : str or list of str, optional
            Of a data frame: the column, or columns, that tell the views apart.
        blocks : str, int, duration or sequence, optional
            The resampling unit of each sample: its column, how many blocks to make of each view, how long they are, or labels of the rows.

        Returns
        -------
        Views

        Examples
        --------
        >>> import pandas as pd
        >>> import congraph
        >>> table = pd.DataFrame({"day": ["mon", "mon", "tue", "tue"], "a": [1.0, 2.0, 3.0, 5.0], "b": [2.0, 1.0, 4.0, 4.5]})
        >>> congraph.Views.groupby(table.groupby("day"))
        Views(mon: 2 × 2, tue: 2 × 2)
        >>> congraph.Views.groupby(table, by="day")["tue"].tolist()
        [[3.0, 4.0], [5.0, 4.5]]
        """
        if by is not None:
            keys = [by] if isinstance(by, str) else list(by)
            if not _is_frame(grouped):
                raise TypeError(f"`by` names columns of a data frame, and this is a {type(grouped).__name__}")
            columns = [_column(grouped, key, "by") for key in keys]
            table = grouped.drop(columns=keys) if _is_pandas(grouped) else grouped.drop(keys)
            return as_views(table, views=_joined_names(columns, "by"), blocks=blocks)
        if not _is_groupby(grouped):
            raise TypeError(f"this is a {type(grouped).__name__}: give what `data_frame.groupby(...)` returns, or a data frame and `by=`")
        if _is_length(blocks):
            return _in_blocks(cls.groupby(grouped), blocks)
        _refuse_blocks(blocks)
        tables, units = _groups_of(grouped, blocks)
        return cls(tables, blocks=units)

    @classmethod
    def from_epochs(cls, epochs: Any, **options: Any) -> Views:
        """Views of MNE `Epochs`; the same as `congraph.from_epochs`.

        Parameters
        ----------
        epochs : mapping from names to Epochs, list of Epochs, or Epochs
        **options
            Those of `congraph.from_epochs`: ``picks``, ``tmin``, ``tmax``, ``bads``.

        Returns
        -------
        Views

        Examples
        --------
        >>> import mne, numpy as np, congraph
        >>> info = mne.create_info(["Fz", "Cz", "Pz"], 100.0, "eeg")
        >>> signals = np.random.default_rng(0).normal(size=(4, 3, 50)) * 1e-6
        >>> congraph.Views.from_epochs({"sub-01": mne.EpochsArray(signals, info, verbose=False)})
        Views(sub-01: 200 × 3)
        """
        from ._epochs import from_epochs

        return from_epochs(epochs, **options)

    @classmethod
    def from_anndata(cls, adata: Any, groupby: str, **options: Any) -> Views:
        """Views of an AnnData object: one per group of cells, genes as nodes.

        Parameters
        ----------
        adata : AnnData
            Log-normalised values.
        groupby : str
            The column of ``adata.obs`` that tells the views apart.
        **options
            As for `congraph.tl.consensus_graph`: ``groups``, ``genes``, ``layer``, ``use_raw``, ``min_cells``, ``min_cells_per_gene``.

        Returns
        -------
        Views
            Genes that are seen in too few cells of a group are not in its view: fit with ``missing="mask"``.

        Examples
        --------
        >>> import anndata, numpy as np, congraph
        >>> adata = anndata.AnnData(np.random.default_rng(0).exponential(size=(60, 5)))
        >>> adata.obs["kind"] = ["a", "b"] * 30
        >>> congraph.Views.from_anndata(adata, "kind")
        Views(a: 30 × 5, b: 30 × 5)
        """
        from .tl import _views_of

        return _views_of(adata, groupby, **options)

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
                "values": aligned(array),
                "nodes": self.nodes[name],
                "blocks": self.blocks[name],
                "n_samples": self.n_samples[name],
                "subject": self.subjects.get(name),
                "seldom": self._seldom.get(name, []),
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


def _refuse_part(blocks: Any, arrays: Mapping[Any, Any]) -> None:
    """Complains about views without blocks beside others that have them: all samples would be halved on their own."""
    if not blocks:
        return
    known = {str(key) for key, units in blocks.items() if units is not None}
    absent = [str(key) for key in arrays if str(key) not in known]
    if known and absent:
        raise ValueError(f"blocks has nothing of view {absent[0]!r}: give the blocks of every view, or of none")


def as_views(X: Any, *, views: Any = None, blocks: Any = None, nodes: Any = None, subjects: Any = None) -> Views:
    """Views from whatever `X` is; see `ConsensusGraph.fit`."""
    if _is_length(blocks):
        whole = as_views(X, views=views, nodes=nodes, subjects=subjects)
        return _in_blocks(whole, blocks)
    _refuse_blocks(blocks)
    if isinstance(X, Views):
        if views is not None or nodes is not None:
            raise ValueError("`views` and `nodes` are part of `Views` already: leave them out")
        told = X if subjects is None else X._with_subjects(subjects)
        return told if blocks is None else told._with_blocks(blocks)
    _refuse_strange(X)
    if isinstance(views, Mapping):
        raise TypeError(
            "views is a dict; it must be a column of X, or one label for each of its rows: a dict of views is X itself, `fit(views)`"
        )
    if views is not None and subjects is not None and not isinstance(subjects, Mapping):
        return _of_subjects(X, views, blocks, nodes, subjects)
    if subjects is not None:
        return as_views(X, views=views, blocks=blocks, nodes=nodes)._with_subjects(subjects)
    if _is_sparse(X):
        raise _sparse("X")
    if views is not None:
        return _long(X, views, blocks, nodes)
    X = _collected(X)
    _refuse_empty(X)
    if isinstance(blocks, str) and _is_frame(X):
        told = _long(X, numbered(1) * len(X), blocks, nodes)
        told._are_numbered = True
        return told
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
    told = Views(dict(zip(names, tables, strict=True)), nodes=nodes, blocks=_blocks_by_name(blocks, names))
    told._are_numbered = True
    return told


def _in_blocks(views: Views, wanted: Any, axis: int = 0) -> Views:
    """The same in contiguous blocks: so many for each view, as equal as can be, or each of that duration."""
    if any(labels is not None for labels in views.blocks.values()):
        raise ValueError("blocks are part of `Views` already: leave them out")
    told = views._of(list(views))
    for name, array in views.items():
        places = _block_of_each(wanted, name, array.shape[axis], views._times.get(name))
        told.blocks[name] = [f"{block:06d}" for block in places.tolist()]
    return told


def _collected(X: Any) -> Any:
    """Generators and the like as a list."""
    return list(X) if isinstance(X, (Iterator, ValuesView)) else X


def numbered(n: int) -> list[str]:
    """``view1``, ``view2``, ..., all with as many digits, so that their order is that of their names."""
    return [f"view{k:0{len(str(n))}d}" for k in range(1, n + 1)]


def _listed(X: Any) -> list[Any]:
    """One table per view: of a list, of a 3-D array, or of one table."""
    if _is_frame(X):
        return [X]
    if isinstance(X, (list, tuple)) and len(X) > 0 and all(_is_frame(x) or np.ndim(x) == 2 for x in X):
        return list(X)
    try:
        array = np.asanyarray(X)
    except ValueError as error:
        shapes = ", ".join(str(np.shape(x)) for x in X[:4]) if isinstance(X, (list, tuple)) and all(hasattr(x, "shape") for x in X) else ""
        raise ValueError(f"X is rows of different lengths{f' (shapes {shapes})' if shapes else ''}, and no table: {_ARE}") from error
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: give real signals, such as amplitudes")
    if array.ndim == 3:
        return list(array)
    if array.ndim == 2:
        return [X]
    if array.ndim == 1 and array.dtype.kind == "O" and len(array) > 0 and all(np.ndim(x) == 2 for x in array):
        return list(array)
    raise ValueError(
        f"Expected 2D array, got {array.ndim}D array instead: {_ARE}. Reshape your data"
    )


def _long(X: Any, views: Any, blocks: Any, nodes: Any) -> Views:
    """One long table for all views, told apart by a column or by one label per row."""
    if isinstance(X, (list, tuple, Mapping)) and not _is_frame(X) and (isinstance(X, Mapping) or any(np.ndim(x) == 2 for x in X)):
        raise ValueError("X is several tables, and `views` tells the rows of one long table apart: leave it out, or join the tables first")
    table, labels, units = X, _aligned(views, X, "views"), _aligned(blocks, X, "blocks")
    dropped: list[str] = []
    if _is_name(views):
        labels = _column(X, views, "views")
        dropped.append(views)
    _refuse_alike(labels, "views")
    if isinstance(blocks, str):
        units = _column(X, blocks, "blocks")
        dropped.append(blocks)
    if dropped:
        table = X.drop(columns=dropped) if _is_pandas(X) else X.drop(dropped)
    array, columns = _table(table, None)
    if nodes is not None:
        columns = _names(nodes, "nodes")
    keys = _labels(labels, "views") or []
    if len(keys) != len(array):
        raise ValueError(f"views has {len(keys)} labels for {len(array)} rows of X: give one label per row, in the order of the rows")
    units = _labels(units, "blocks")
    if units is not None and len(units) != len(array):
        raise ValueError(f"blocks has {len(units)} labels for {len(array)} rows of X: give one label per row, in the order of the rows")
    order: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        order.setdefault(key, []).append(row)
    arrays = {key: array[rows] for key, rows in order.items()}
    of_view = {key: [units[row] for row in rows] for key, rows in order.items()} if units is not None else None
    told = Views(arrays, nodes=columns, blocks=of_view)
    times = _times(X)
    if times is not None:
        told._times = {key: times[rows] for key, rows in order.items()}
    return told


def _of_subjects(X: Any, views: Any, blocks: Any, nodes: Any, subjects: Any) -> Views:
    """One long table of subjects in several conditions: a view is SUBJECT/CONDITION."""
    table, dropped = X, []
    whose, which = _aligned(subjects, X, "subjects"), _aligned(views, X, "views")
    if isinstance(subjects, str):
        whose = _column(X, subjects, "subjects")
        dropped.append(subjects)
    if isinstance(views, str):
        which = _column(X, views, "views")
        dropped.append(views)
    if dropped:
        table = X.drop(columns=dropped) if _is_pandas(X) else X.drop(dropped)
    _refuse_alike(whose, "subjects")
    _refuse_alike(which, "views")
    people, conditions = _labels(whose, "subjects") or [], _labels(which, "views") or []
    if len(people) != len(conditions):
        raise ValueError(f"subjects has {len(people)} labels, and views {len(conditions)}")
    names = _joined_names([people, conditions], "views")
    found = _long(table, names, blocks, nodes)
    found.subjects = dict(zip(names, people, strict=True))
    return found


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


def _is_name(labels: Any) -> bool:
    """Whether it is one name, of a column, and not one label for each row."""
    return labels is not None and np.ndim(labels) == 0


def _refuse_blocks(blocks: Any) -> None:
    """Complains about one number that is no number of blocks; lengths are told apart before."""
    if isinstance(blocks, (bool, np.bool_, numbers.Number)):
        raise TypeError(f'blocks is {blocks!r}; it must be {_BLOCKS}')


#: What blocks can be.
_BLOCKS = 'a whole number of blocks, a duration such as "30s", "2h" or "7D", a column of a data frame, or one label for each sample'


def _blocks_by_name(blocks: Any, names: Sequence[Any]) -> Mapping[str, Sequence[Any]] | None:
    if blocks is None or isinstance(blocks, Mapping):
        return blocks
    if isinstance(blocks, str):
        raise ValueError(f"blocks is {blocks!r}; it must be {_BLOCKS}. Durations are in ms, s, min, h, D or W; a column needs one long table with `views=`")
    if len(blocks) != len(names):
        raise ValueError(f"blocks has {len(blocks)} entries for {len(names)} views")
    return {str(name): units for name, units in zip(names, blocks, strict=True)}


def _nested(blocks: Any) -> bool:
    return len(blocks) > 0 and not isinstance(blocks[0], str) and np.ndim(blocks[0]) == 1
