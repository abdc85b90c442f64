"""Graphs as users handle them: matrices, tables, networks of other packages."""

from __future__ import annotations

import importlib
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._errors import CongraphDataError, choose, former, one_error, warn
from ._kinds import _places
from ._labels import numbers_or_words, of_views
from ._progress import running
from ._sweep import RELABELLINGS, Work, aligned, workers

__all__ = ["Communities", "Comparison", "Graphs", "LearnedGraphs"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(repr=False)
class Communities:
    """Communities of learned graphs; 0 is the largest. `Graphs.communities` makes it.

    Attributes
    ----------
    consensus, group : array (nodes,)
        One label per node; the group is what all runs on all views have in common. Without a consensus that is None.
    views : array (views, nodes)
        −1 where a view lacks the node.
    nmi : array
        Compares all partitions: consensus (if there is one), group, and each view, in this order.
    view_modularity, consensus_modularity
        How much stronger nodes are joined within communities than by chance.
    agreed : bool
        Whether the search for the group came to an end.
    coclassification : array (nodes, nodes)
        How often two nodes are in one community.
    node_names, view_names : list of str

    Examples
    --------
    >>> import congraph
    >>> two = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    >>> congraph.Graphs.from_matrices(two).communities(runs=5).views.tolist()
    [[0, 0, 1, 1]]
    """

    node_names: list[str]
    view_names: list[str]
    views: Ints
    view_modularity: Floats
    consensus: Ints | None
    consensus_modularity: float | None
    group: Ints
    agreed: bool
    nmi: Floats
    coclassification: Floats

    def __repr__(self) -> str:
        of = [("the group", self.group)] if self.consensus is None else [("the consensus", self.consensus), ("the group", self.group)]
        told = ", ".join(f"{len(np.unique(labels))} in {what}" for what, labels in of)
        return f"Communities({counted(len(self.node_names), 'node')}, {counted(len(self.view_names), 'view')}: {told})"


@dataclass(repr=False)
class Comparison:
    """Groups of views compared: who differs.

    Groups are in the order of their names, ``a``, ``b`` and so on, and every difference is b − a. ``edges``, ``components``, ``nodes``,
    ``measures`` and (of more than two groups) ``pairs`` are tables with the columns that ``congraph compare`` writes: pandas data
    frames, or dictionaries of arrays without pandas. ``component`` is 0 for edges of none. ``p_fwe`` is the share of relabellings
    in which any edge (component, node, measure) is as extreme; ``exact`` tells whether all of them were looked at, ``null`` holds the
    largest statistic of the edges in each, sorted (None where the comparison was loaded from a folder, which has but its quantiles).
    ``threshold`` is the \\|z\\| above which edges form components, ``level`` the largest ``p_fwe`` that counts as a difference when it is
    printed, ``equalised_to`` how many samples every view was given before the graphs were learned again. `Graphs.compare` makes it.

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=15, n_views=8, n_signals=100, edge_probability=0.2, seed=1)
    >>> found = congraph.ConsensusGraph(density=0.2).fit(data.views).compare(["a", "b"] * 4, permutations=50)
    >>> found.statistic, found.groups
    ('rank', ['a', 'b'])
    """

    edges: Any
    components: Any
    nodes: Any
    measures: Any
    pairs: Any
    groups: list[str]
    statistic: str
    permutations: int
    exact: bool
    n_pairs: int | None
    null: Floats | None
    threshold: float
    equalised_to: int | None
    level: float = 0.05
    # For `report`.
    _findings: str | None = None

    def __repr__(self) -> str:
        told = f"Comparison({' against '.join(self.groups)}: "
        if "p_fwe" in self.edges:
            p = np.asarray(self.edges["p_fwe"], dtype=np.float64)
            told += f"{int((p <= self.level).sum())} of {counted(len(p), 'edge')} with p_fwe ≤ {self.level:g}; "
        return f"{told}{self.statistic}, {counted(self.permutations, 'relabelling')}{', all there are' if self.exact else ''})"


def _table(columns: dict[str, Any]) -> Any:
    """A data frame, or without pandas a dictionary of arrays."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        return {name: np.asarray(values, dtype=object) if isinstance(values, list) else values for name, values in columns.items()}
    return pandas.DataFrame(columns)


def _replace(target: Path, text: str) -> None:
    """Write a file whole, on the disk before it takes the place of another; as open to others as any new file."""
    beside = target.parent / f".congraph-{uuid.uuid4().hex}.html"
    try:
        with open(beside, "x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


class LearnedGraphs:
    """One weighted graph per view and, unless each view stands alone, the consensus they share.

    A weight below 0 joins two nodes whose signals are each other's opposites.
    """

    node_names_: list[str]
    view_names_: list[str]
    edge_index_: Ints
    weights_: Floats
    consensus_weights_: Floats | None
    present_: npt.NDArray[np.bool_] | None
    subject_names_: list[str] | None
    _subjects_of_views: list[str] | None
    _subject_edges: Floats | None

    def _set_graphs(self, result: dict[str, Any]) -> None:
        self.node_names_ = result["nodes"]
        self.view_names_ = result["views"]
        self.edge_index_ = result["edge_index"]
        self.weights_ = result["weights"]
        self.consensus_weights_ = result["consensus"]
        self.present_ = result["present"]
        self.subject_names_ = result["subject_names"]
        self._subjects_of_views = result["subjects_of_views"]
        self._subject_edges = result["subject_weights"]

    def _check_learned(self) -> None:
        """Complains unless there are graphs."""

    def _arrays(self) -> dict[str, Any]:
        """As the engine takes them."""
        self._check_learned()
        graph: dict[str, Any] = aligned({
            "nodes": list(self.node_names_),
            "views": list(self.view_names_),
            "edge_index": np.ascontiguousarray(self.edge_index_, dtype=np.int64),
            "weights": np.ascontiguousarray(self.weights_, dtype=np.float64),
            "consensus": self.consensus_weights_,
            "present": self.present_,
            "subjects_of_views": self._subjects_of_views,
            "subject_weights": self._subject_edges,
        })
        return graph

    def _weights(self, view: str | int | None) -> Floats:
        """The weights of the edges in a view, or in the consensus."""
        self._check_learned()
        if view is None:
            if self.consensus_weights_ is None:
                raise ValueError("there is no consensus: name a view")
            return self.consensus_weights_
        if isinstance(view, str):
            if view not in self.view_names_:
                raise KeyError(f"there is no view {view!r}; there are {', '.join(self.view_names_)}")
            view = self.view_names_.index(view)
        if isinstance(view, (bool, np.bool_)) or not hasattr(view, "__index__"):
            raise TypeError(f"view is {view!r}; it must be the name of a view, or its number from 0")
        if not -len(self.view_names_) <= view < len(self.view_names_):
            raise IndexError(f"there is no view {view}; there are {counted(len(self.view_names_), 'view')}, numbered from 0")
        return self.weights_[:, view]

    def _dense(self, weights: Floats) -> Floats:
        n = len(self.node_names_)
        matrix = np.zeros((n, n))
        one, other = self.edge_index_
        matrix[one, other] = weights
        matrix[other, one] = weights
        return matrix

    @property
    def edges_(self) -> Floats:
        """The former name of ``weights_``."""
        if "weights_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no edges_ before it is fitted")
        return former(None, "weights_", self.weights_, "edges_")  # type: ignore[no-any-return]

    @property
    def consensus_edges_(self) -> Floats | None:
        """The former name of ``consensus_weights_``."""
        if "weights_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no consensus_edges_ before it is fitted")
        weights = self.consensus_weights_
        return None if weights is None else former(None, "consensus_weights_", weights, "consensus_edges_")

    @property
    def consensus_(self) -> Floats:
        """The weights of the consensus, nodes × nodes."""
        if not hasattr(self, "weights_"):
            raise AttributeError(f"{type(self).__name__} has no consensus_ before it is fitted")
        if self.consensus_weights_ is None:
            raise AttributeError(f"{type(self).__name__} has no consensus: every view was learned on its own")
        return self._dense(self.consensus_weights_)

    @property
    def graphs_(self) -> Floats:
        """The weights of every view, views × nodes × nodes."""
        if not hasattr(self, "weights_"):
            raise AttributeError(f"{type(self).__name__} has no graphs_ before it is fitted")
        return np.stack([self._dense(self.weights_[:, view]) for view in range(len(self.view_names_))])

    @property
    def subjects_(self) -> Floats | None:
        """The weights of every subject's own graph, subjects × nodes × nodes; None if the fit knew no subjects."""
        if not hasattr(self, "weights_"):
            raise AttributeError(f"{type(self).__name__} has no subjects_ before it is fitted")
        if self._subject_edges is None:
            return None
        return np.stack([self._dense(self._subject_edges[:, subject]) for subject in range(self._subject_edges.shape[1])])

    def to_frame(self, long: bool = False) -> Any:
        """The edges as a pandas data frame.

        One row per edge with its consensus weight, in how many views it is, its mean weight and its weight in each view; or, if
        ``long``, one row per edge and view with a weight other than 0. Where views lack nodes, ``n_measured`` says in how many the
        edge could be: the mean is over these, and the weight is NaN in the others. A view that is called like one of the
        other columns has ``" (view)"`` after its name.

        Parameters
        ----------
        long : bool, default False

        Returns
        -------
        pandas.DataFrame

        Examples
        --------
        >>> import congraph
        >>> truth = congraph.Graphs.from_matrices([[0, 1, 0], [1, 0, 2], [0, 2, 0]], nodes=["a", "b", "c"])
        >>> truth.to_frame(long=True)
            view source target  weight
        0  view1      a      b     1.0
        1  view1      b      c     2.0
        """
        pandas = _optional("pandas", "graph")
        self._check_learned()
        choose("long", bool(long) if isinstance(long, np.bool_) else long, (False, True))
        names = np.asarray(self.node_names_, dtype=object)
        ends = {"source": names[self.edge_index_[0]], "target": names[self.edge_index_[1]]}
        if long:
            view, edge = np.nonzero(self.weights_.T)
            columns = {"view": np.asarray(self.view_names_, dtype=object)[view], **{key: end[edge] for key, end in ends.items()}}
            return pandas.DataFrame({**columns, "weight": self.weights_[edge, view]})
        columns = dict(ends)
        if self.consensus_weights_ is not None:
            columns["consensus"] = self.consensus_weights_
        columns["n_views"] = (self.weights_ != 0).sum(axis=1)
        means = _engine.edge_means(self._arrays())
        columns["mean_weight"] = means["mean_weight"]
        weights = self.weights_
        if self.present_ is not None:
            columns["n_measured"] = means["n_measured"]
            has = self.present_.T
            weights = np.where(has[self.edge_index_[0]] & has[self.edge_index_[1]], weights, np.nan)
        titles = [f"{name} (view)" if name in columns else name for name in self.view_names_]
        return pandas.concat([pandas.DataFrame(columns), pandas.DataFrame(weights, columns=titles)], axis=1)

    def _present(self, view: str | int | None) -> tuple[Ints, Floats]:
        weights = self._weights(view)
        kept = weights != 0
        return self.edge_index_[:, kept], weights[kept]

    def to_networkx(self, view: str | int | None = None, *, communities: Communities | None = None) -> Any:
        """The graph of a view, or the consensus, as a `networkx.Graph` with the edge attribute ``weight``, which has its sign.

        Nodes have the attribute ``strength`` (the sum of their weights without signs); where positions came with the data also ``x``, ``y``
        and perhaps ``z``, and with ``communities`` (those of this graph) their ``community``.

        Parameters
        ----------
        view : str or int, optional
            Which view; the consensus otherwise.
        communities : Communities, optional

        Returns
        -------
        networkx.Graph

        Examples
        --------
        >>> import congraph
        >>> truth = congraph.Graphs.from_matrices([[0, 1, 0], [1, 0, 2], [0, 2, 0]], nodes=["a", "b", "c"])
        >>> truth.to_networkx("view1").edges(data="weight")
        EdgeDataView([('a', 'b', 1.0), ('b', 'c', 2.0)])
        """
        networkx = _optional("networkx", "graph")
        index, weights = self._present(view)
        graph = networkx.Graph()
        graph.add_nodes_from(self._node_facts(view, communities).items())
        names = self.node_names_
        edges = zip(index[0].tolist(), index[1].tolist(), weights.tolist(), strict=True)
        graph.add_weighted_edges_from((names[a], names[b], weight) for a, b, weight in edges)
        return graph

    def _node_facts(self, view: str | int | None, communities: Communities | None) -> dict[str, dict[str, float | int]]:
        """What is known of each node besides its edges in a graph."""
        index, weights = self._present(view)
        strength = np.bincount(index.ravel(), np.abs(np.concatenate([weights, weights])), len(self.node_names_))
        places = getattr(self, "positions_", None) or {}
        labels = None if communities is None else self._labels(view, communities)
        facts: dict[str, dict[str, float | int]] = {}
        for k, node in enumerate(self.node_names_):
            facts[node] = {"strength": float(strength[k])}
            facts[node] |= {axis: float(value) for axis, value in zip("xyz", places.get(node, ()), strict=False)}
            if labels is not None and labels[k] >= 0:
                facts[node]["community"] = int(labels[k])
        return facts

    def _labels(self, view: str | int | None, communities: Communities) -> Ints:
        """The communities of a view, or of the consensus."""
        if communities.node_names != list(self.node_names_):
            raise ValueError("communities are of other nodes than these graphs")
        if view is None:
            return communities.group if communities.consensus is None else communities.consensus
        row: Ints = communities.views[communities.view_names.index(view) if isinstance(view, str) else view]
        return row

    def to_igraph(self, view: str | int | None = None) -> Any:
        """The graph of a view, or the consensus, as an `igraph.Graph` with names and weights.

        Parameters
        ----------
        view : str or int, optional
            Which view; the consensus otherwise.

        Returns
        -------
        igraph.Graph

        Examples
        --------
        >>> import congraph
        >>> truth = congraph.Graphs.from_matrices([[0, 1, 0], [1, 0, 2], [0, 2, 0]], nodes=["a", "b", "c"])
        >>> truth.to_igraph("view1").es["weight"]
        [1.0, 2.0]
        """
        igraph = _optional("igraph", "graph")
        index, weights = self._present(view)
        graph = igraph.Graph(n=len(self.node_names_), edges=index.T.tolist())
        graph.vs["name"] = list(self.node_names_)
        graph.es["weight"] = weights.tolist()
        return graph

    def to_scipy(self, view: str | int | None = None) -> Any:
        """The weights of a view, or of the consensus, as a symmetric `scipy.sparse.csr_array`.

        Parameters
        ----------
        view : str or int, optional
            Which view; the consensus otherwise.

        Returns
        -------
        scipy.sparse.csr_array

        Examples
        --------
        >>> import congraph
        >>> truth = congraph.Graphs.from_matrices([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
        >>> truth.to_scipy("view1").toarray().tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]]
        """
        sparse = _optional("scipy.sparse", "graph")
        index, weights = self._present(view)
        n = len(self.node_names_)
        both = np.concatenate([index, index[::-1]], axis=1)
        return sparse.csr_array((np.concatenate([weights, weights]), (both[0], both[1])), shape=(n, n))

    def to_connectivity(self, view: str | int | None = None) -> Any:
        """The weights of a view, or of the consensus, as an `mne_connectivity.Connectivity`.

        Parameters
        ----------
        view : str or int, optional
            Which view; the consensus otherwise.

        Returns
        -------
        mne_connectivity.Connectivity

        Examples
        --------
        >>> import congraph
        >>> truth = congraph.Graphs.from_matrices([[0, 1, 0], [1, 0, 2], [0, 2, 0]], nodes=["Fz", "Cz", "Pz"])
        >>> truth.to_connectivity("view1").get_data(output="dense").shape
        (3, 3)
        """
        connectivity = _optional("mne_connectivity", "mne")
        matrix = self._dense(self._weights(view))
        return connectivity.Connectivity(
            matrix.ravel(), n_nodes=len(matrix), names=list(self.node_names_), indices="all", method="congraph"
        )

    def communities(
        self,
        resolution: float = 1.0,
        runs: int = 100,
        threshold: float = 0.5,
        max_rounds: int = 50,
        seed: int = 1,
        signs: str = "positive",
    ) -> Communities:
        """The communities of every view, of the consensus (both by Leiden) and of the group of views (by consensus clustering).

        Negative weights are left out (``signs="positive"``), or put the nodes that they join apart (``"signed"``): modularity is then
        that of the positive weights less that of the negative ones.

        Parameters
        ----------
        resolution : float, default 1.0
            Larger gives more and smaller communities.
        runs : int, default 100
            How often every graph is searched, for the group.
        threshold : float, default 0.5
            How often two nodes must be together to count as joined in the group.
        max_rounds : int, default 50
        seed : int, default 1
        signs : {"positive", "signed"}

        Returns
        -------
        Communities

        Examples
        --------
        >>> import congraph
        >>> two = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
        >>> congraph.Graphs.from_matrices(two).communities(runs=5).group.tolist()
        [0, 0, 1, 1]
        """
        search = {"resolution": resolution, "runs": runs, "threshold": threshold, "max_rounds": max_rounds, "signs": signs, "seed": seed}
        found = _engine.communities(self._arrays(), search, running(-1))
        return Communities(node_names=list(self.node_names_), view_names=list(self.view_names_), **found)

    def compare(
        self,
        labels: Any,
        pair: Any = None,
        covariates: Mapping[str, Any] | None = None,
        *,
        statistic: str | None = None,
        permutations: int = 5000,
        nbs: float | None = None,
        measures: Sequence[str] = ("edges", "components", "strength", "density"),
        level: float = 0.05,
        equalise: str = "off",
        n_samples: Any = None,
        seed: int = 1,
        X: Any = None,
        views: Any = None,
        blocks: Any = None,
        subjects: Any = None,
        n_jobs: int | None = None,
        groups: Any = None,
    ) -> Comparison:
        """Compare groups of views, or two conditions of the same subjects, by permutations of their labels.

        The graphs must come from one fit of all views together: a fit per group, or a density tuned per group, makes differences.

        Parameters
        ----------
        labels
            The group or condition of each view: a mapping from views, a series indexed by them, or values in their order.
        pair
            The subject of each view, if each has one view in both of two conditions.
        covariates
            What else may explain differences between groups, by name: numbers, or words. A data frame indexed by views will do.
        statistic
            What edges are judged by: ``"rank"`` (the default), ``"t"`` (the default of pairs) or ``"presence"``.
        permutations
            How many random relabellings; where there are no more than that, all of them.
        nbs
            Edges whose \\|z\\| is above this form components; by default 3, or less where fewer than half of the relabellings have an edge
            above that.
        measures
            What is compared: ``edges``, ``components``, ``strength``, ``density``, ``uniqueness``, ``modularity``, ``efficiency``.
        level
            What counts as a difference: ``p_fwe`` up to this. It is refused where so few relabellings exist that none could reach it.
        equalise
            ``"off"``: groups whose views have more samples than others are refused, where ``n_samples`` tells. ``"auto"`` draws as many
            samples as the shortest view has for every view, once and blocks whole, learns again with the parameters of the fit, and
            compares these graphs; it needs ``X``.
        n_samples
            How many samples each view has, given as the labels are.
        seed
            The seed of the relabellings, and of the draw that makes samples equal.
        X, views, blocks, subjects
            The views that were fitted, with ``equalise="auto"``; ``subjects`` are by default those that the fit was told.
        n_jobs : int, optional
            How many workers of joblib share the relabellings; -1 for all cores. They are processes, unless ``joblib.parallel_config``
            names another backend, such as dask. None is the threads of this process, unless such a context asks for workers. With
            ``equalise="auto"`` the relabellings stay in this process. The result does not depend on it.
        groups
            The former name of ``views``.

        Returns
        -------
        Comparison

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=15, n_views=8, n_signals=100, edge_probability=0.2, seed=1)
        >>> m = congraph.ConsensusGraph(density=0.2).fit(data.views)
        >>> found = m.compare(["a", "b"] * 4, permutations=50)
        >>> found.groups, bool(found.edges["p_fwe"].min() > 0)
        (['a', 'b'], True)
        """
        self._check_learned()
        if equalise not in ("auto", "off"):
            raise ValueError(f"equalise is {equalise!r}; it must be 'auto' or 'off'")
        if equalise == "auto" and X is None:
            raise ValueError("equalise is 'auto', which learns again from equally many samples: give the views that were fitted as X")
        labels_of_rows = former(views, "views", groups, "groups")
        data = self._data_again(X, labels_of_rows, blocks, subjects) if equalise == "auto" else None

        def label(value: Any) -> str:
            return "" if value is None or value != value else str(value)

        columns = {} if covariates is None else {str(name): of_views(covariates[name], self.view_names_, str(name)) for name in covariates}
        asked = {
            "labels": [label(value) for value in of_views(labels, self.view_names_, "labels")],
            "pair": None if pair is None else [label(value) for value in of_views(pair, self.view_names_, "pair")],
            "covariates": {name: numbers_or_words(values) for name, values in columns.items()},
            "statistic": statistic,
            "permutations": permutations,
            "nbs": nbs,
            "measures": list(measures),
            "level": level,
            "seed": seed,
            "samples": None if n_samples is None else [int(n) for n in of_views(n_samples, self.view_names_, "n_samples")],
        }
        shared, parts = workers(n_jobs), []
        if shared is not None and data is None:
            n_relabellings = _engine.compare_jobs(self._arrays(), asked)
            parts = shared.run(Work("compare_part", self._arrays(), asked), [1] * n_relabellings, RELABELLINGS)
        try:
            found = _engine.compare(self._arrays(), asked, data, parts, running(-1))
        except CongraphDataError as error:
            # What the hint says was done already.
            if data is None or error.code != "E16" or not self._subjects_of_views:
                raise
            told = {name: error.errors[0][name] or "" for name in ("what", "why")}
            hint = "a fit that was told subjects is not learned again here: give every view equally many samples, fit those, and compare the graphs"
            raise one_error("E16", **told, hint=hint) from None
        warn(found.pop("warnings"))
        tables = {name: _table(found.pop(name)) for name in ("edges", "components", "nodes", "measures", "pairs")}
        return Comparison(**tables, level=level, _findings=found.pop("findings"), **found)

    def _data_again(self, X: Any, views: Any, blocks: Any, subjects: Any) -> dict[str, Any]:
        """The data of the fit, and how it was made."""
        raise ValueError("these graphs were not learned here, so they cannot be learned again: equalise must be 'off'")

    def _ask_stability(self) -> str | None:
        """How it is asked how sure edges are; `None` where that cannot be."""
        return None

    def _told(self) -> tuple[str, list[tuple[str, str | None, str]]]:
        """How the graphs were learned, as `summary.json` tells it, and what was warned of."""
        return "{}", []

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        communities: Communities | None = None,
        positions: Mapping[str, Sequence[float]] | None = None,
        comparison: Comparison | None = None,
    ) -> Path:
        """Write one HTML file to look at, print and send: it needs nothing else, and no network.

        Parameters
        ----------
        path
            Where to. A file that is there is replaced, once the new one is whole.
        communities
            Those of the consensus are drawn; by default those that were loaded with a folder.
        positions
            Two or three coordinates for each node; those that came with the data by default.
        comparison
            Who differs: what `compare` found of these graphs; by default what was loaded with a folder. How sure edges are is shown if `stability` was asked since the fit.

        Returns
        -------
        pathlib.Path
            The file.

        Examples
        --------
        >>> import tempfile, pathlib, congraph
        >>> truth = congraph.Graphs.from_matrices([[0, 1, 0], [1, 0, 2], [0, 2, 0]], nodes=["a", "b", "c"])
        >>> path = truth.report(pathlib.Path(tempfile.mkdtemp()) / "report.html")
        >>> path.read_text(encoding="utf-8").lower().startswith("<!doctype html>")
        True
        """
        self._check_learned()
        target = Path(path)
        if not target.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {str(target.parent)!r} to write {target.name!r} to")
        if target.exists() and not target.is_file():
            raise FileExistsError(f"{str(target)!r} is not a file, and a file is written; choose another path")
        _replace(target, self._page(communities, positions, comparison))
        return target

    def _page(
        self,
        communities: Communities | None = None,
        positions: Mapping[str, Sequence[float]] | None = None,
        comparison: Comparison | None = None,
    ) -> str:
        """The report."""
        places = _places(positions) if positions is not None else getattr(self, "positions_", None)
        absent = [node for node in self.node_names_ if places is not None and node not in places]
        if positions is not None and absent:
            raise ValueError(f"positions has no {absent[0]!r}: {len(absent)} of {len(self.node_names_)} nodes have no place")
        known = places is not None and not absent
        communities = communities if communities is not None else getattr(self, "communities_", None)
        comparison = comparison if comparison is not None else getattr(self, "comparison_", None)
        if communities is not None and communities.node_names != list(self.node_names_):
            raise ValueError("communities are of other nodes than these graphs")
        labels = None if communities is None else (communities.group if communities.consensus is None else communities.consensus)
        record, warned = self._told()
        context = {
            "record": record,
            "warnings": warned,
            "positions": [[float(x) for x in places[node]] for node in self.node_names_] if known and places else None,
            "axes": getattr(self, "_axes", "") if positions is None else "",
            "files": list(getattr(self, "_files", [])),
            "n_samples": list(getattr(self, "_n_samples", [])),
            "labels": None if labels is None else labels.tolist(),
            "modularity": None if communities is None else communities.consensus_modularity,
            "stability": getattr(getattr(self, "stability_", None), "_findings", None),
            "ask": self._ask_stability(),
            "comparison": None if comparison is None else comparison._findings,
        }
        page: str = _engine.report(self._arrays(), context)
        return page


class Graphs(LearnedGraphs):
    """Graphs given by their edges, such as the true ones of a simulation.

    Parameters
    ----------
    nodes, views : sequence of str
        Their names.
    edge_index : array (2, edges)
        The two ends of each edge, by number.
    weights : array (edges, views)
    consensus : array (edges,), optional
    present : array (views, nodes), optional
        Whether a view has a node, if any lacks one.
    positions : mapping from nodes to coordinates, optional

    Examples
    --------
    >>> import congraph
    >>> congraph.Graphs(["a", "b", "c"], ["one"], [[0, 1], [1, 2]], [[1.0], [2.0]])
    Graphs(1 view, 3 nodes, 2 edges)
    """

    def __init__(
        self,
        nodes: Sequence[str],
        views: Sequence[str],
        edge_index: npt.ArrayLike,
        weights: npt.ArrayLike,
        consensus: npt.ArrayLike | None = None,
        present: npt.ArrayLike | None = None,
        positions: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self.node_names_ = [str(node) for node in nodes]
        self.view_names_ = [str(view) for view in views]
        for what, names in (("nodes", self.node_names_), ("views", self.view_names_)):
            if len(set(names)) < len(names):
                twice = next(name for place, name in enumerate(names) if name in names[:place])
                raise one_error("E06", f"two {what} are called `{twice}`", "results could not be told apart", f"give all {what} names of their own")
        self.edge_index_ = np.asarray(edge_index, dtype=np.int64).reshape(2, -1)
        if self.edge_index_.size and not 0 <= self.edge_index_.min() <= self.edge_index_.max() < len(self.node_names_):
            raise ValueError(f"edge_index has numbers of nodes that are not there: they are from 0 to {len(self.node_names_) - 1}")
        self.weights_ = np.asarray(weights, dtype=np.float64).reshape(self.edge_index_.shape[1], len(self.view_names_))
        self.consensus_weights_ = None if consensus is None else np.asarray(consensus, dtype=np.float64)
        self.present_ = None if present is None else np.asarray(present, dtype=np.bool_)
        self.positions_ = _places(positions)
        self.subject_names_ = None
        self._subjects_of_views = None
        self._subject_edges = None
        # How they were learned, where that is known.
        self._record = "{}"
        self._warned: list[tuple[str, str | None, str]] = []

    def _told(self) -> tuple[str, list[tuple[str, str | None, str]]]:
        # Those of an earlier version that were pickled know nothing of it.
        return getattr(self, "_record", "{}"), getattr(self, "_warned", [])

    @classmethod
    def from_matrices(
        cls,
        graphs: npt.ArrayLike,
        consensus: npt.ArrayLike | None = None,
        *,
        nodes: Sequence[str] | None = None,
        views: Sequence[str] | None = None,
    ) -> Graphs:
        """From symmetric matrices of weights.

        Parameters
        ----------
        graphs : array (nodes, nodes) or (views, nodes, nodes)
        consensus : array (nodes, nodes), optional
        nodes, views : sequence of str, optional
            Their names; nodes are numbered from 0 without, and views called ``view1``, ``view2``, ...

        Returns
        -------
        Graphs

        Examples
        --------
        >>> import congraph
        >>> congraph.Graphs.from_matrices([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
        Graphs(1 view, 3 nodes, 2 edges)
        """
        try:
            matrices = np.asarray(graphs, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError("weights must be numbers, nodes × nodes or views × nodes × nodes, in rows of one length") from None
        matrices = matrices[None] if matrices.ndim == 2 else matrices
        if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2]:
            raise ValueError(f"weights must be nodes × nodes or views × nodes × nodes, not {matrices.shape}")
        shared = None if consensus is None else np.asarray(consensus, dtype=np.float64)
        every = matrices if shared is None else np.concatenate([matrices, shared[None]])
        n = matrices.shape[1]
        if every.shape[1:] == (n, n) and not np.isfinite(every).all():
            where = np.argwhere(~np.isfinite(every))[0].tolist()
            of = f"view {where[0]}" if where[0] < len(matrices) else "the consensus"
            raise ValueError(f"weights must be finite, and {of} has {every[tuple(where)]} at ({where[1]}, {where[2]}): give 0 where there is no edge")
        if not np.array_equal(every, every.swapaxes(1, 2)):
            raise ValueError("weights must be symmetric")
        for what, names, size in (("nodes", nodes, n), ("views", views, len(matrices))):
            if names is not None and len(names) != size:
                raise ValueError(f"{what} has {len(names)} names for {counted(size, what[:-1])}: give one for each")
        one, other = np.triu_indices(n, 1)
        present = (every[:, one, other] != 0).any(axis=0)
        one, other = one[present], other[present]
        return cls(
            nodes if nodes is not None else [str(k) for k in range(n)],
            views if views is not None else [f"view{k + 1}" for k in range(len(matrices))],
            np.stack([one, other]),
            matrices[:, one, other].T,
            None if shared is None else shared[one, other],
        )

    def __repr__(self) -> str:
        parts = (len(self.view_names_), "view"), (len(self.node_names_), "node"), (self.edge_index_.shape[1], "edge")
        return f"Graphs({', '.join(counted(*part) for part in parts)})"


def _optional(module: str, extra: str) -> Any:
    """A package that is not always there."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0].replace("_", "-")
        raise ImportError(f"this needs {package}, which is not installed: `pip install {package}`, or `congraph[{extra}]`") from error
