"""How well graphs were found. Graphs are fitted estimators, `Graphs`, or symmetric matrices of weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._graphs import Graphs, LearnedGraphs, _optional
from ._progress import running
from ._views import as_views

__all__ = ["Evaluation", "accuracy", "auprc", "correlation", "evaluate", "f1", "nmi", "precision", "recall", "total_variation"]

_MEASURES = ("f1", "precision", "recall", "auprc", "accuracy", "nmi", "correlation")
_SIGNED = ("signed_f1", "signed_precision", "signed_recall", "signed_auprc")


@dataclass
class Evaluation:
    """The scores of learned graphs: of each view, and of the consensus if both sides have one.

    An edge is any weight other than 0. If a weight of either side is negative, there are also `signed_f1`, `signed_precision`,
    `signed_recall` and `signed_auprc`, for which an edge of the wrong sign is a false positive and a missed edge.
    """

    view_names: list[str]
    views: dict[str, npt.NDArray[np.float64]]
    consensus: dict[str, float] | None

    def __getitem__(self, measure: str) -> float:
        """The mean of a measure over the views."""
        return float(self.views[measure].mean())

    def to_frame(self) -> Any:
        """One row per view, then the consensus."""
        pandas = _optional("pandas", "graph")
        frame = pandas.DataFrame(self.views, index=self.view_names)
        if self.consensus is not None:
            frame.loc["consensus"] = self.consensus
        return frame


def evaluate(learned: Any, truth: Any) -> Evaluation:
    """Scores learned graphs against true ones; nodes and views are matched by name."""
    found = _engine.evaluate(_graphs(learned)._arrays(), _graphs(truth)._arrays())
    n = len(found["views"])
    measures = _MEASURES + tuple(measure for measure in _SIGNED if measure in found)
    consensus = {measure: float(found[measure][n]) for measure in measures} if found["has_consensus"] else None
    return Evaluation(found["views"], {measure: found[measure][:n] for measure in measures}, consensus)


def _score(learned: Any, truth: Any, measure: str, signs: bool) -> float:
    found = evaluate(learned, truth)
    # Without a negative weight on either side, no sign can be wrong.
    name = f"signed_{measure}" if signs and f"signed_{measure}" in found.views else measure
    return found[name]


def _graphs(given: Any) -> LearnedGraphs:
    return given if isinstance(given, LearnedGraphs) else Graphs.from_matrices(given)


def f1(learned: Any, truth: Any, *, signs: bool = False) -> float:
    """The harmonic mean of precision and recall of the edges, the mean over the views.

    With `signs`, an edge of the wrong sign is a false positive and a missed edge.

    >>> f1([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    0.5
    >>> f1([[0, 1], [1, 0]], [[0, -1], [-1, 0]], signs=True)
    0.0
    """
    return _score(learned, truth, "f1", signs)


def precision(learned: Any, truth: Any, *, signs: bool = False) -> float:
    """The share of the learned edges that are true (with `signs`, of the right sign), the mean over the views."""
    return _score(learned, truth, "precision", signs)


def recall(learned: Any, truth: Any, *, signs: bool = False) -> float:
    """The share of the true edges that were learned (with `signs`, of the right sign), the mean over the views."""
    return _score(learned, truth, "recall", signs)


def auprc(learned: Any, truth: Any, *, signs: bool = False) -> float:
    """The area under the precision–recall curve of the weights without their signs, the mean over the views.

    With `signs`, an edge of the wrong sign is a false one.
    """
    return _score(learned, truth, "auprc", signs)


def accuracy(learned: Any, truth: Any) -> float:
    """The share of the pairs that both call an edge, or both not, the mean over the views."""
    return evaluate(learned, truth)["accuracy"]


def correlation(learned: Any, truth: Any) -> float:
    """The correlation of the learned and the true weights, the mean over the views."""
    return evaluate(learned, truth)["correlation"]


def nmi(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """The normalised mutual information of two labelings, such as communities.

    >>> nmi([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    return _engine.nmi(_labels(one), _labels(other))


def _labels(labels: npt.ArrayLike) -> npt.NDArray[np.int64]:
    return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)


def total_variation(graphs: Any, X: Any, *, groups: Any = None, scale: str = "zscore", relative: bool = True) -> npt.NDArray[np.float64]:
    """How much data vary along the edges of each view's graph, and of the consensus if there is one.

    Relative: the mean distance along an edge over that of all pairs; smaller is smoother. It cannot choose a density, since
    the sparser graph has the shorter edges. Along an edge of negative weight it is the distance from the other's opposite.
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
    found = _engine.total_variation(_graphs(graphs)._arrays(), as_views(X, groups=groups)._borrowed(), reading, scales, running())
    return found["relative" if relative else "total"]
