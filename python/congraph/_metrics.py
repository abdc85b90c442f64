"""How well graphs were found. Graphs are fitted estimators, `Graphs`, or symmetric matrices of weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._choices import Scale
from ._errors import former
from ._graphs import Graphs, LearnedGraphs, _optional, counted
from ._progress import running
from ._views import as_views

__all__ = ["Evaluation", "accuracy", "auprc", "correlation", "evaluate", "f1", "nmi", "precision", "recall", "total_variation"]

_MEASURES = ("f1", "precision", "recall", "auprc", "accuracy", "nmi", "correlation")
_SIGNED = ("signed_f1", "signed_precision", "signed_recall", "signed_auprc")


@dataclass(repr=False)
class Evaluation:
    """The scores of learned graphs: of each view, and of the consensus if both sides have one. `evaluate` makes it.

    An edge is any weight other than 0. If a weight of either side is negative, there are also ``signed_f1``, ``signed_precision``,
    ``signed_recall`` and ``signed_auprc``, for which an edge of the wrong sign is a false positive and a missed edge.

    Attributes
    ----------
    view_names : list of str
    views : dict of array (views,)
        By measure: ``f1``, ``precision``, ``recall``, ``auprc``, ``accuracy``, ``nmi``, ``correlation``.
    consensus : dict of float or None

    Examples
    --------
    >>> import congraph
    >>> truth = congraph.simulate(n_nodes=10, n_views=2, edge_probability=0.3).truth
    >>> found = congraph.evaluate(truth, truth)
    >>> found["f1"], found.consensus["recall"]
    (1.0, 1.0)
    """

    view_names: list[str]
    views: dict[str, npt.NDArray[np.float64]]
    consensus: dict[str, float] | None

    def __repr__(self) -> str:
        consensus = "" if self.consensus is None else f"; consensus: F1 {self.consensus['f1']:.3f}"
        return f"Evaluation({counted(len(self.view_names), 'view')}: mean F1 {self['f1']:.3f}{consensus})"

    def __getitem__(self, measure: str) -> float:
        """The mean of a measure over the views."""
        return float(self.views[measure].mean())

    def to_frame(self) -> Any:
        """One row per view, then the consensus.

        Returns
        -------
        pandas.DataFrame

        Examples
        --------
        >>> import congraph
        >>> truth = congraph.simulate(n_nodes=10, n_views=2, edge_probability=0.3).truth
        >>> congraph.evaluate(truth, truth).to_frame().index.tolist()
        ['view1', 'view2', 'consensus']
        """
        pandas = _optional("pandas", "graph")
        frame = pandas.DataFrame(self.views, index=self.view_names)
        if self.consensus is not None:
            frame.loc["consensus"] = self.consensus
        return frame


def evaluate(learned: Any, truth: Any) -> Evaluation:
    """Scores learned graphs against true ones.

    Parameters
    ----------
    learned : fitted estimator, Graphs or array
    truth : Graphs, fitted estimator or array
        Nodes and views are matched by name; the nodes of an array are those of the learned graphs, in their order. A single true graph
        is that of every view, and of the consensus.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=3, edge_probability=0.2, seed=1)
    >>> m = congraph.ConsensusGraph(density=0.2).fit(data.views)
    >>> congraph.evaluate(m, data.truth)["f1"] > 0.6
    True
    >>> congraph.evaluate(m, data.truth.consensus_).view_names
    ['view1', 'view2', 'view3']
    """
    for name, given in (("learned", learned), ("truth", truth)):
        if given is None or isinstance(given, str):
            raise TypeError(f"{name} is {given!r}; it must be a fitted estimator, Graphs or an array of weights")
    one = _graphs(learned)
    if not isinstance(learned, LearnedGraphs) and not isinstance(truth, LearnedGraphs) and np.shape(learned)[-1:] != np.shape(truth)[-1:]:
        raise ValueError(f"the learned and the true graphs have different numbers of nodes: {np.shape(learned)[-1:][0]} and {np.shape(truth)[-1:][0]}")
    found = _engine.evaluate(one._arrays(), _graphs(truth, one.node_names_)._arrays())
    n = len(found["views"])
    measures = _MEASURES + tuple(measure for measure in _SIGNED if measure in found)
    consensus = {measure: float(found[measure][n]) for measure in measures} if found["has_consensus"] else None
    return Evaluation(found["views"], {measure: found[measure][:n] for measure in measures}, consensus)


def _score(learned: Any, truth: Any, measure: str, signs: bool) -> float:
    found = evaluate(learned, truth)
    # Without a negative weight on either side, no sign can be wrong.
    name = f"signed_{measure}" if signs and f"signed_{measure}" in found.views else measure
    return found[name]


def _graphs(given: Any, nodes: list[str] | None = None) -> LearnedGraphs:
    if isinstance(given, LearnedGraphs):
        return given
    named = nodes if nodes is not None and np.shape(given)[-1:] == (len(nodes),) else None
    return Graphs.from_matrices(given, nodes=named)


def f1(learned: Any, truth: Any, *, signs: bool = False) -> float:
    """The harmonic mean of precision and recall of the edges.

    Parameters
    ----------
    learned, truth
        As for `evaluate`.
    signs : bool, default False
        Whether an edge of the wrong sign is a false positive and a missed edge.

    Returns
    -------
    float
        The mean over the views.

    Examples
    --------
    >>> from congraph import f1
    >>> f1([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    0.5
    >>> f1([[0, 1], [1, 0]], [[0, -1], [-1, 0]], signs=True)
    0.0
    """
    return _score(learned, truth, "f1", signs)


def precision(learned: Any, truth: Any, *, signs: bool = False) -> float:
    """The share of the learned edges that are true.

    Parameters
    ----------
    learned, truth
        As for `evaluate`.
    signs : bool, default False
        Whether an edge of the wrong sign is a false positive and a missed edge.

    Returns
    -------
    float
        The mean over the views.

    Examples
    --------
    >>> from congraph import precision
    >>> precision([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    0.5
    """
    return _score(learned, truth, "precision", signs)


def recall(learned: Any, truth: Any, *, signs: bool = False) -> float:
    """The share of the true edges that were learned.

    Parameters
    ----------
    learned, truth
        As for `evaluate`.
    signs : bool, default False
        Whether an edge of the wrong sign is a false positive and a missed edge.

    Returns
    -------
    float
        The mean over the views.

    Examples
    --------
    >>> from congraph import recall
    >>> recall([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    0.5
    """
    return _score(learned, truth, "recall", signs)


def auprc(learned: Any, truth: Any, *, signs: bool = False) -> float:
    """The area under the precision–recall curve of the weights without their signs.

    Parameters
    ----------
    learned, truth
        As for `evaluate`.
    signs : bool, default False
        Whether an edge of the wrong sign is a false positive and a missed edge.

    Returns
    -------
    float
        The mean over the views.

    Examples
    --------
    >>> from congraph import auprc
    >>> auprc([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    1.0
    """
    return _score(learned, truth, "auprc", signs)


def accuracy(learned: Any, truth: Any) -> float:
    """The share of the pairs that both call an edge, or both not.

    Parameters
    ----------
    learned, truth
        As for `evaluate`.

    Returns
    -------
    float
        The mean over the views.

    Examples
    --------
    >>> from congraph import accuracy
    >>> round(accuracy([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]]), 3)
    0.333
    """
    return evaluate(learned, truth)["accuracy"]


def correlation(learned: Any, truth: Any) -> float:
    """The correlation of the learned and the true weights.

    Parameters
    ----------
    learned, truth
        As for `evaluate`.

    Returns
    -------
    float
        The mean over the views.

    Examples
    --------
    >>> from congraph import correlation
    >>> round(correlation([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [[0, 1, 0], [1, 0, 2], [0, 2, 0]]), 6)
    1.0
    """
    return evaluate(learned, truth)["correlation"]


def nmi(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """The normalised mutual information of two labelings, such as communities.

    Parameters
    ----------
    one, other : sequence
        A label for each item.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from congraph import nmi
    >>> nmi([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    return _engine.nmi(_labels(one), _labels(other))


def _labels(labels: npt.ArrayLike) -> npt.NDArray[np.int64]:
    return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)


def total_variation(
    graphs: Any, X: Any, *, views: Any = None, scale: Scale = "zscore", relative: bool = True, groups: Any = None
) -> npt.NDArray[np.float64]:
    """How much data vary along the edges of each view's graph, and of the consensus if there is one.

    Relative: the mean distance along an edge over that of all pairs; smaller is smoother. It cannot choose a density, since
    the sparser graph has the shorter edges. Along an edge of negative weight it is the distance from the other's opposite.

    Parameters
    ----------
    graphs : fitted estimator, Graphs or array
    X, views
        Data of the same views, as for `ConsensusGraph.fit`.
    scale : {"zscore", "center", "none"}
    relative : bool, default True
    groups
        The former name of ``views``.

    Returns
    -------
    array (views,) or (views + 1,)

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=2, edge_probability=0.2, seed=1)
    >>> bool((congraph.total_variation(data.truth, data.views) < 1).all())
    True
    """
    reading = {
        "data": "signals",
        "orient": "samples-by-nodes",
        "nodes": "same",
        "drop_nodes": [],
        "nan": "error",
        "missing": "error",
        "allow_counts": True,
        "allow_constant": scale != "zscore",
        "electrodes": False,
    }
    scales = {"scale": scale, "sample_norm": "mean", "distance_norm": "none"}
    told = as_views(X, views=former(views, "views", groups, "groups"))
    found = _engine.total_variation(_graphs(graphs)._arrays(), told._borrowed(), reading, scales, running(-1))
    return found["relative" if relative else "total"]
