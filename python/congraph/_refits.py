"""Very many fits of resampled data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _engine

if TYPE_CHECKING:
    from ._consensus import _Learner
    from ._views import Views

__all__ = ["Refits"]


@dataclass(repr=False)
class Refits:
    """The graphs of resampled data.

    Parameters
    ----------
    edge_index : array of shape (2, edges)
        Which nodes an edge joins, among all edges that any resample has.
    consensus : array of shape (resamples, edges)
        The weight of each edge in each resample's consensus.
    weights : array of shape (resamples, edges, views) or None
        Those of the views, if asked for.
    source, target : array of shape (edges,)
        The names of the nodes.
    n_units : list of int
        How many units each view has; where views are the units, how many views there are.

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=3, n_signals=100, seed=1)
    >>> m = congraph.ConsensusGraph(alpha=0.05, beta=0.02).fit(data.views)
    >>> found = m.refits(data.views, resamples=5)
    >>> len(found), found.n_units
    (5, [100, 100, 100])
    """

    edge_index: npt.NDArray[np.int64]
    consensus: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64] | None
    source: npt.NDArray[Any]
    target: npt.NDArray[Any]
    n_units: list[int]

    @property
    def frequency(self) -> npt.NDArray[np.float64]:
        """The share of resamples whose consensus has each edge: not the probability that it is real."""
        return np.asarray((self.consensus != 0.0).mean(axis=0))

    def __len__(self) -> int:
        return len(self.consensus)

    def __repr__(self) -> str:
        return f"Refits({len(self)} resamples, {self.consensus.shape[1]} edges)"


def refits(
    model: _Learner,
    told: Views,
    *,
    resamples: int,
    counts: Any,
    units: str | None,
    tolerance: float | None,
    weights: bool,
    seed: int,
) -> Refits:
    """The refits of a fitted model to the views that it was fitted to; see `ConsensusGraph.refits`."""
    if not isinstance(getattr(model, "penalty", "l1"), str):
        raise ValueError("resamples cannot be fitted with a penalty written in Python: fit with penalty=\"l1\", \"l2\" or \"squared-l2\"")
    if counts is None and resamples < 1:
        raise ValueError(f"resamples is {resamples}; it must be positive")
    options = model._options(told, single=model.consensus_weights_ is None)
    # What was found stands in for targets and parameters.
    options.update({name: None for name in ("density", "similarity", "consensus_density", "alpha", "beta") if name in options})
    if counts is not None:
        counts = np.ascontiguousarray(np.atleast_2d(np.asarray(counts)), dtype=np.int64)
    asked = {
        "resamples": resamples,
        "counts": counts,
        "units": units,
        "tolerance": tolerance,
        "weights": weights,
        "seed": seed,
    }
    found = _engine.refits(
        model._arrays(), options, model._record, told._borrowed(), model._reading(told), asked, model._running()
    )
    names = np.asarray(model.node_names_, dtype=object)
    one, other = found["edge_index"]
    return Refits(
        edge_index=found["edge_index"],
        consensus=found["consensus"],
        weights=found["weights"],
        source=names[one],
        target=names[other],
        n_units=found["n_units"],
    )
