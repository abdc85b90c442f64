"""`ConsensusGraphCV`: density and similarity chosen by held-out data, as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ._choices import Coupling, DistanceNorm, Kind, Missing, Nan, NodeRule, Orient, Rule, SampleNorm, Scale, Signed
from ._consensus import ConsensusGraph, _ends
from ._errors import CongraphDataError, CongraphWarning, choose, former, tell

__all__ = ["ConsensusGraphCV"]


class ConsensusGraphCV(ConsensusGraph):
    """`ConsensusGraph` whose density and similarity are chosen by held-out halves of the data: `ConsensusGraph.tune` as an estimator.

    Every view's samples (or blocks) are halved at random, and every cell of a grid of densities and similarities is learned from each
    half. All data are then learned at the cell that is chosen.

    Parameters
    ----------
    density : float or pair of float, optional
        The lowest and the highest of the grid, or the only one. Without it the usual ends are taken, and cells added beyond where the choice
        by likelihood lies there.
    similarity : float or pair of float, optional
        The same of the similarities.
    criterion : {"likelihood", "stability"}
        ``"likelihood"``: the sparsest density with at least the share ``keep`` of the best likelihood of the other halves on each
        view's graph. ``"stability"``: the densest graph whose edges reproduce, with an instability of at most ``threshold``.
    keep, threshold : float
    halvings : int, default 10
        How often the samples are halved.
    blocks : int, duration, labels or None
        What stays together when samples are halved: a number of contiguous blocks for each view, as suits time series, or their
        duration; or the trial or session of each sample, as for `ConsensusGraph.fit`. Samples on their own otherwise.
    n_jobs : int, optional
        How many threads; -1 for all cores. None is 1, unless a ``joblib.parallel_config`` says otherwise: then its backend's workers
        share the fits to halves. The result does not depend on it.
    penalty, signed, tol, candidates, edge_costs, scale, spectrum, sample_norm, distance_norm, kind, orient, nodes, drop_nodes, missing
    nan, allow_counts, memory, seed, verbose, coupling, subject_share, vectorize, data
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
        density: float | tuple[float, float] | None = None,
        similarity: float | tuple[float, float] | None = None,
        *,
        criterion: Rule = "likelihood",
        keep: float = 0.95,
        threshold: float = 0.05,
        halvings: int = 10,
        blocks: Any = None,
        penalty: Any = "l1",
        signed: Signed = False,
        tol: float = 1e-8,
        candidates: Any = None,
        edge_costs: Any = None,
        scale: Scale | None = None,
        spectrum: float | Literal["auto"] = 1.0,
        sample_norm: SampleNorm = "mean",
        distance_norm: DistanceNorm = "max",
        kind: Kind = "signals",
        orient: Orient = "samples-by-nodes",
        nodes: NodeRule = "same",
        drop_nodes: Sequence[str] = (),
        missing: Missing = "error",
        nan: Nan = "error",
        allow_counts: bool = False,
        memory: float | None = None,
        seed: int = 1,
        n_jobs: int | None = None,
        verbose: bool = False,
        coupling: Coupling = "consensus",
        subject_share: float | None = None,
        vectorize: bool = False,
        data: Any = "deprecated",
    ) -> None:
        self.vectorize = vectorize
        self.data = data
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
        self.kind = kind
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

    def fit(
        self, X: Any, y: Any = None, *, views: Any = None, blocks: Any = None, subjects: Any = None, groups: Any = None
    ) -> ConsensusGraphCV:
        """Choose density and similarity, and learn the graphs of the views with them.

        Parameters
        ----------
        X, views, blocks, subjects
            As for `ConsensusGraph.fit`; ``blocks`` here stands in for that of the constructor.
        y : ignored
        groups
            The former name of ``views``.

        Returns
        -------
        ConsensusGraphCV
            Itself, fitted.

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, edge_probability=0.2, seed=1)
        >>> congraph.ConsensusGraphCV(halvings=2).fit(data.views).converged_
        True
        """
        choose("criterion", self.criterion, ("likelihood", "stability"))
        given = self.blocks if blocks is None else blocks
        told = self._views(X, former(views, "views", groups, "groups"), given, subjects)
        choice = {
            "density": _ends(self.density, "density"),
            "similarity": _ends(self.similarity, "similarity"),
            "rule": self.criterion,
            "keep": self.keep,
            "halvings": self.halvings,
            "threshold": self.threshold,
        }
        n_nodes = min(array.shape[self._node_axis()] for array in told.values())
        try:
            self._choose(told, X, choice)
        except CongraphDataError as error:
            if n_nodes > _FEW_NODES or error.code not in ("E04", "E10"):
                raise
            self._without_choice(told, X, n_nodes)
            return self
        measure = "gain" if self.path_rule_ == "likelihood" else "agreement"
        chosen = {name: float(self.path_[f"{name}_target"][self.path_choice_]) for name in ("density", "similarity")}
        self.best_params_ = chosen
        self.best_score_ = float(self.path_[measure][self.path_choice_])
        return self

    def _without_choice(self, told: Any, X: Any, n_nodes: int) -> None:
        """Of a handful of nodes there are few graphs, and no grid of densities and similarities: one is learned as `fit` would."""
        asked = self.density, self.similarity
        self.density, self.similarity = None, None
        try:
            self._learn(told, None, None, single=False)
        finally:
            self.density, self.similarity = asked
        self.best_params_ = {"density": self.density_, "similarity": 1.0 if self.similarity_ is None else self.similarity_}
        self.best_score_ = float("nan")
        message = f"{n_nodes} nodes leave nothing to choose between: density and similarity are the usual ones"
        self.warnings_.append(CongraphWarning(message, "W18"))
        tell(self.warnings_[-1:])


#: Of so few nodes there may be nothing to choose.
_FEW_NODES = 5
