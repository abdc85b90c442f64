"""`ConsensusGraphCV`: density and similarity chosen by held-out data, as an estimator."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._consensus import ConsensusGraph
from ._views import Views

__all__ = ["ConsensusGraphCV"]


class ConsensusGraphCV(ConsensusGraph):
    """`ConsensusGraph` whose density and similarity are chosen by held-out halves of the data: `ConsensusGraph.tune` as an estimator.

    Every view's samples (or blocks) are halved at random, and every cell of a grid of densities and similarities is learned from each
    half. All data are then learned at the cell that is chosen.

    Parameters
    ----------
    density, similarity : pairs of float, optional
        The lowest and the highest of the grid. Without them the usual ends are taken, and cells added beyond where the choice by
        likelihood lies there.
    criterion : {"likelihood", "stability"}
        ``"likelihood"``: the sparsest density with at least the share ``keep`` of the best likelihood of the other halves on each
        view's graph. ``"stability"``: the densest graph whose edges reproduce, with an instability of at most ``threshold``.
    keep, threshold : float
    halvings : int, default 10
        How often the samples are halved.
    blocks : int, labels or None
        What stays together when samples are halved: a number of contiguous blocks for each view, as suits time series; or the
        trial or session of each sample, as for `ConsensusGraph.fit`. Samples on their own otherwise.
    penalty, signed, tol, candidates, edge_costs, scale, spectrum, sample_norm, distance_norm, data, orient, nodes, drop_nodes, missing
    nan, allow_counts, memory, seed, n_jobs, verbose, coupling, subject_share
        As for `ConsensusGraph`.

    Attributes
    ----------
    path_ : dict of array
        One entry per fit of the grid: targets, parameters, ``gain``, ``instability``, ``agreement``, ``prediction``.
    path_choice_, path_best_ : int
        Which was chosen; which has the highest gain (None by stability).
    path_rule_ : str
        By what: by stability if there are too many nodes for the likelihood.
    best_params_ : dict
        The density and similarity that were chosen, as `ConsensusGraph` takes them.
    best_score_ : float
        What they score: the gain in nats per node and sample, or the agreement by stability.
    density_, similarity_ : float
        What the graphs have. All other attributes are those of `ConsensusGraph`.

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=3, edge_probability=0.2, seed=1)
    >>> m = congraph.ConsensusGraphCV(halvings=2).fit(data.views)
    >>> sorted(m.best_params_)
    ['density', 'similarity']
    >>> congraph.f1(m, data.truth) > 0.7
    True
    """

    best_params_: dict[str, float]
    best_score_: float

    # What a path does not vary.
    consensus_density = None
    alpha = None
    beta = None
    gamma = None
    regulariser = "l1"
    solver = "newton"
    z_step = "exact"
    max_iter = None
    check_outside = False
    method = "smooth"
    filter = "auto"
    proportional = "refuse"

    def __init__(
        self,
        density: tuple[float, float] | None = None,
        similarity: tuple[float, float] | None = None,
        *,
        criterion: str = "likelihood",
        keep: float = 0.95,
        threshold: float = 0.05,
        halvings: int = 10,
        blocks: Any = None,
        penalty: Any = "l1",
        signed: bool | str = False,
        tol: float = 1e-8,
        candidates: Any = None,
        edge_costs: Any = None,
        scale: str | None = None,
        spectrum: float | str = 1.0,
        sample_norm: str = "mean",
        distance_norm: str = "max",
        data: str = "signals",
        orient: str = "samples-by-nodes",
        nodes: str = "same",
        drop_nodes: Sequence[str] = (),
        missing: str = "error",
        nan: str = "error",
        allow_counts: bool = False,
        memory: float | None = None,
        seed: int = 1,
        n_jobs: int | None = None,
        verbose: bool = False,
        coupling: str = "consensus",
        subject_share: float | None = None,
    ) -> None:
        self.density = density  # type: ignore[assignment]
        self.similarity = similarity  # type: ignore[assignment]
        self.criterion = criterion
        self.keep = keep
        self.threshold = threshold
        self.halvings = halvings
        self.blocks = blocks
        self.penalty = penalty
        self.signed = signed
        self.tol = tol
        self.candidates = candidates
        self.edge_costs = edge_costs
        self.scale = scale
        self.spectrum = spectrum
        self.sample_norm = sample_norm
        self.distance_norm = distance_norm
        self.data = data
        self.orient = orient
        self.nodes = nodes
        self.drop_nodes = drop_nodes
        self.missing = missing
        self.nan = nan
        self.allow_counts = allow_counts
        self.memory = memory
        self.seed = seed
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.coupling = coupling
        self.subject_share = subject_share

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, blocks: Any = None, subjects: Any = None) -> ConsensusGraphCV:
        """Choose density and similarity, and learn the graphs of the views with them.

        As `ConsensusGraph.fit`; ``blocks`` here stands in for that of the constructor.
        """
        given = self.blocks if blocks is None else blocks
        number = given if isinstance(given, numbers.Integral) and not isinstance(given, bool) else None
        views = self._views(X, groups, given if number is None else None, subjects)
        if number is not None:
            views = _in_blocks(views, int(number), 1 - self._node_axis())
        self._choose(
            views,
            X,
            {
                "density": self.density,
                "similarity": self.similarity,
                "rule": self.criterion,
                "keep": self.keep,
                "halvings": self.halvings,
                "threshold": self.threshold,
            },
        )
        measure = "gain" if self.path_rule_ == "likelihood" else "agreement"
        chosen = {name: float(self.path_[f"{name}_target"][self.path_choice_]) for name in ("density", "similarity")}
        self.best_params_ = chosen
        self.best_score_ = float(self.path_[measure][self.path_choice_])
        return self


def _in_blocks(views: Views, number: int, axis: int) -> Views:
    """The same in so many contiguous blocks each, as equal as can be."""
    if any(labels is not None for labels in views.blocks.values()):
        raise ValueError("blocks are part of `Views` already: leave the number of them out")
    told = views._of(list(views))
    for name, array in views.items():
        n_samples = array.shape[axis]
        if not 2 <= number <= n_samples:
            raise ValueError(f"blocks is {number}; of the {n_samples} samples of view {name!r} it must be from 2 to {n_samples}")
        told.blocks[name] = [f"{block:06d}" for block in (np.arange(n_samples) * number // n_samples).tolist()]
    return told
