"""Very many fits of resampled data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _engine

if TYPE_CHECKING:
    from ._consensus import _Learner

__all__ = ["Refits"]


@dataclass(repr=False)
class Refits:
    """The graphs of resampled data.

    ``consensus`` is (resamples, edges): the weight of each edge in each resample's consensus. ``edge_index`` (2, edges) says which nodes an
    edge joins, among all that any resample has, and ``source`` and ``target`` name them. ``weights`` is (resamples, edges, views), if asked
    for. ``n_units`` says how many units each view has; where views are the units, how many views there are.
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
    X: Any,
    groups: Any,
    blocks: Any,
    *,
    resamples: int,
    counts: Any,
    units: str | None,
    tolerance: float | None,
    weights: bool,
    seed: int,
) -> Refits:
    """The refits of a fitted model; see `ConsensusGraph.refits`."""
    model._check_learned()
    if not isinstance(getattr(model, "penalty", "l1"), str):
        raise ValueError("resamples cannot be fitted with a penalty written in Python: fit with penalty=\"l1\", \"l2\" or \"squared-l2\"")
    views = model._views(X, groups, blocks)
    options = model._options(views, single=model.consensus_edges_ is None)
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
        model._arrays(), options, model._record, views._borrowed(), model._reading(views), asked, model._running()
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
