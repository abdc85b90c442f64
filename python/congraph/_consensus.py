"""`ConsensusGraph`: one graph per view and the consensus they share. `SingleGraph`: one view on its own."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _engine
from ._base import GraphEstimator
from ._choices import (
    Coupling,
    DistanceNorm,
    Filter,
    Kind,
    Method,
    Missing,
    Nan,
    NodeRule,
    Orient,
    Proportional,
    Rule,
    SampleNorm,
    Scale,
    Signed,
    Solver,
    ZStep,
)
from ._errors import choose, choose_truth, former, one_error, refuse_truth, warn
from ._graphs import Graphs, _optional, counted
from ._refits import Refits, refits
from ._stability import Stability
from ._sweep import Work, workers
from ._views import Views

__all__ = ["ConsensusGraph", "Projection", "SingleGraph"]


@dataclass(repr=False)
class Projection:
    """The graph of a new view beside the consensus it was projected on.

    ``graph`` holds both; ``kinds`` says of each of its edges whether it is ``shared``, ``added`` (only the view has it), ``lacking``
    (only the consensus has it) or ``unmeasured`` (the consensus has it, and the view lacks one of its nodes: ``missing="mask"``).
    `ConsensusGraph.project` makes it.

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=3, n_signals=200, edge_probability=0.2, seed=1)
    >>> m = congraph.ConsensusGraph(density=0.2).fit(data.views[:2])
    >>> (new,) = m.project(data.views[2:])
    >>> new.name, new.weights.shape
    ('view3', (20, 20))
    """

    name: str
    graph: Graphs
    kinds: list[str]
    uniqueness: float
    density: float
    relative_gap: float
    converged: bool
    warnings: list[tuple[str, str | None, str]]

    def __repr__(self) -> str:
        kinds = ", ".join(f"{self.kinds.count(kind)} {kind}" for kind in ("shared", "added", "lacking"))
        return f"Projection({self.name!r}: {kinds}; uniqueness {self.uniqueness:.3f}, relative gap {self.relative_gap:.1e})"

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The weights of the view, nodes × nodes."""
        matrix: npt.NDArray[np.float64] = self.graph.graphs_[0]
        return matrix

    def edges(self, kind: str) -> list[tuple[str, str]]:
        """The edges of one kind, by the names of their ends.

        Parameters
        ----------
        kind : {"shared", "added", "lacking", "unmeasured"}

        Returns
        -------
        list of (str, str)

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, n_signals=200, edge_probability=0.2, seed=1)
        >>> m = congraph.ConsensusGraph(density=0.2).fit(data.views[:2])
        >>> (new,) = m.project(data.views[2:])
        >>> len(new.edges("shared")) == new.kinds.count("shared")
        True
        """
        names, (one, other) = self.graph.node_names_, self.graph.edge_index_
        return [(names[a], names[b]) for a, b, k in zip(one, other, self.kinds, strict=True) if k == kind]


# Parameters about how data are read and work is done, not about what is asked of a fit.
_OF_READING = frozenset(
    {"kind", "data", "orient", "nodes", "drop_nodes", "missing", "nan", "allow_counts", "n_jobs", "verbose", "vectorize"}
)


#: Parameters that are numbers, if they are given.
_NUMBERS = ("density", "similarity", "consensus_density", "alpha", "beta", "gamma", "subject_share", "spectrum", "tol", "max_iter", "memory", "seed")


class _Learner(GraphEstimator):
    """Fitting by the engine, as `ConsensusGraph` and `SingleGraph` do it."""

    alpha_: float | None
    spectrum_: float
    scale_: str
    distance_divisor_: float | None
    filter_: int | None
    merged_: dict[str, list[str]]
    threshold_: float | None
    aic_: float | None
    tried_: list[dict[str, Any]] | None
    stability_: Stability
    candidates_outside_: int | None
    seconds_: dict[str, float]
    _diagonals: npt.NDArray[np.float64] | None
    _variances: npt.NDArray[np.float64] | None

    @property
    def precisions_(self) -> npt.NDArray[np.float64]:
        """With the likelihood, the precision matrices of the views' signals as they were scaled (``scale_``).

        M^q over the view's mean variance: q is ``filter_``, and M = diag(t) − W has the weights W of ``graphs_`` off its diagonal.
        Rows and columns of nodes that a view lacks are NaN. Where the data lack the mean of all nodes, as after an average reference,
        the matrix is that of signals that have it.
        """
        name = type(self).__name__
        if not hasattr(self, "weights_"):
            raise AttributeError(f"{name} has no precisions_ before it is fitted")
        if self.filter_ is None:
            raise AttributeError("only the likelihood has precision matrices: fit with method='likelihood', or JointGraphicalLasso")
        if self._diagonals is None or self._variances is None:
            raise AttributeError("the folder does not tell precision matrices, as the command line wrote it: fit the data in Python")
        matrices = -self.graphs_
        nodes = np.arange(matrices.shape[1])
        matrices[:, nodes, nodes] = self._diagonals
        for matrix, present in zip(matrices, ~np.isnan(self._diagonals), strict=True):
            matrix[~present] = matrix[:, ~present] = np.nan
            if self.filter_ == 2:
                own = np.ix_(present, present)
                matrix[own] = matrix[own] @ matrix[own]
        found: npt.NDArray[np.float64] = matrices / self._variances[:, None, None]
        return found

    @property
    def covariances_(self) -> npt.NDArray[np.float64]:
        """With the likelihood, the inverses of ``precisions_``: the covariance matrices of the views under their graphs."""
        matrices = self.precisions_
        for matrix in matrices:
            own = np.ix_(*[~np.isnan(np.diag(matrix))] * 2)
            matrix[own] = np.linalg.inv(matrix[own])
        return matrices

    @property
    def precision_(self) -> npt.NDArray[np.float64]:
        """With the likelihood, the precision matrix of a single view."""
        return _of_one(self.precisions_, "precision_", "precisions_")

    @property
    def covariance_(self) -> npt.NDArray[np.float64]:
        """With the likelihood, the covariance matrix of a single view: the inverse of its precision matrix."""
        return _of_one(self.covariances_, "covariance_", "covariances_")

    def _options(self, views: Views | None, single: bool) -> dict[str, Any]:
        """What is asked of a fit, by the names of the constructor's parameters; the engine knows and checks them all."""
        choose("method", self.method, ("smooth", "likelihood"), "; the joint graphical lasso is `JointGraphicalLasso`")
        choose("filter", self.filter, ("auto", 1, 2))
        choose("signed", bool(self.signed) if isinstance(self.signed, np.bool_) else self.signed, (True, False, "auto"))
        if isinstance(self.spectrum, str):
            choose("spectrum", self.spectrum, ("auto",), " or a number from 0.05 to 1")
        choose_truth("check_outside", self.check_outside)
        refuse_truth(**{name: getattr(self, name, None) for name in _NUMBERS})
        asked = inspect.signature(SingleGraph if single else ConsensusGraph).parameters
        options = {name: getattr(self, name) for name in asked if name not in _OF_READING}
        if "coupling" in options:
            options["view_coupling"] = options.pop("coupling")
        names = getattr(self, "subject_names_", None) if views is None else views.subjects
        return {
            **options,
            "single": single,
            "subjects": bool(names),
            "candidates": self._candidates(views),
            "edge_costs": self._edge_costs(views),
            "check_outside": bool(self.check_outside),
        }

    def _learn(self, X: Any, views: Any, blocks: Any, single: bool, subjects: Any = None) -> None:
        told = self._views(X, views, blocks, subjects)
        result = _engine.learn(told._borrowed(), self._reading(told), self._options(told, single), self._running())
        self._keep(result, told, X)

    def _keep(self, result: dict[str, Any], views: Views, X: Any, silent: bool = False) -> None:
        self.alpha_ = result["alpha"]
        self.spectrum_ = result["spectrum"]
        self.scale_ = result["scale"]
        self.filter_ = result["filter"]
        self.merged_ = result["merged"]
        self.threshold_ = result["threshold"]
        self.aic_ = result["aic"]
        self.tried_ = result["tried"]
        told = result.get("diagonals")
        self._diagonals = None if told is None else np.asarray(told, dtype=np.float64)
        self._variances = None if told is None else np.asarray(result["variances"], dtype=np.float64)
        self.distance_divisor_ = result["distance_divisor"]
        self.candidates_outside_ = result["candidates_outside"]
        seconds = ("engine_seconds", "distances_seconds", "solve_seconds")
        self.seconds_ = {name.removesuffix("_seconds"): result[name] for name in seconds if name in result}
        self._learned(result, views, X, silent)

    def _model(self) -> str:
        """What a likelihood is made of, in a line."""
        threshold = "no edge" if self.threshold_ is None else f"threshold {self.threshold_:.4g}"
        criterion = "" if self.aic_ is None else f", AIC {self.aic_:.6g}"
        return f"filter {self.filter_}, {threshold}{criterion}"

    def _candidates(self, views: Views | None) -> str | npt.NDArray[np.int64] | None:
        wanted = self.candidates
        if wanted is None:
            return None
        if isinstance(wanted, str):
            head, _, k = wanted.partition("knn:")
            if head or not k.isdigit() or int(k) == 0:
                raise ValueError(f'candidates is {wanted!r}; it must be "knn:K" for a number K, or pairs of nodes')
            return wanted
        return self._pairs(views, wanted, "candidates")

    def _edge_costs(self, views: Views | None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]] | None:
        if self.edge_costs is None:
            return None
        if not isinstance(self.edge_costs, Mapping):
            raise TypeError(f"edge_costs is a {type(self.edge_costs).__name__}; it must be a dict from pairs of nodes to costs, such as {{(0, 1): 0.5}}")
        costs = dict(self.edge_costs)
        return self._pairs(views, list(costs), "edge_costs"), np.asarray(list(costs.values()), dtype=np.float64)

    def _pairs(self, views: Views | None, pairs: Any, option: str) -> npt.NDArray[np.int64]:
        """Pairs of nodes as numbers; given as numbers, or by name."""
        try:
            pairs = [tuple(pair) for pair in pairs]
        except TypeError:
            pairs = [()]
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError(f'{option} must hold pairs of nodes, such as (0, 1) or ("a", "b")')
        if any(isinstance(node, str) for pair in pairs for node in pair):
            place = {name: k for k, name in enumerate(self._nodes_in_use(views))}
            try:
                pairs = [tuple(place[node] for node in pair) for pair in pairs]
            except KeyError as error:
                raise ValueError(f"{option} name {error.args[0]!r}, which is not a node") from None
        found = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        self._check_pairs(views, found, option)
        return found

    def _check_pairs(self, views: Views | None, pairs: npt.NDArray[np.int64], option: str) -> None:
        """Complains about what is no pair of two nodes, and about pairs that come twice."""
        if not len(pairs):
            return
        n_nodes, ends = self._n_nodes(views), np.sort(pairs, axis=1)
        first = np.zeros(len(pairs), dtype=np.bool_)
        first[np.unique(ends, axis=0, return_index=True)[1]] = True
        for wrong, told in (
            (ends[:, 0] == ends[:, 1], ", of one node with itself: a pair is of two nodes"),
            ((ends[:, 0] < 0) | (ends[:, 1] >= n_nodes), f", which is no pair of two of the {n_nodes} nodes"),
            (~first, " twice"),
        ):
            if wrong.any():
                one, other = pairs[int(wrong.argmax())].tolist()
                raise ValueError(f"{option} hold the pair ({one}, {other}){told}")

    def _n_nodes(self, views: Views | None) -> int:
        """How many nodes there are at most."""
        if views is None or next(iter(views.nodes.values()), None) is not None:
            return len(self._nodes_in_use(views))
        return max(int(array.shape[self._node_axis()]) for array in views.values()) - len(set(self._dropped(views)))

    def _nodes_in_use(self, views: Views | None) -> list[str]:
        """The nodes of the fit in their order: those of the first view, without what is left out.

        Without views, those of the fit that was made.
        """
        if views is None:
            return list(self.node_names_)
        named = [nodes for nodes in views.nodes.values() if nodes is not None]
        first = next(iter(views.nodes.values()))
        if first is None:
            raise ValueError("the nodes have no names: give pairs of numbers")
        dropped = set(self._dropped(views))
        shared = set.intersection(*map(set, named)) if self.nodes == "common" else set().union(*named)
        # With masks, nodes that the first view lacks follow as they come up.
        every = dict.fromkeys(node for nodes in named for node in nodes) if self.missing == "mask" else first
        return [node for node in every if node not in dropped and node in shared]

    def stability(
        self,
        X: Any,
        *,
        views: Any = None,
        blocks: Any = None,
        subjects: Any = None,
        pairs: int = 50,
        units: Literal["blocks", "samples", "views"] | None = None,
        direct: bool = True,
        level: float = 0.05,
        seed: int = 1,
        n_jobs: int | None = None,
        groups: Any = None,
    ) -> Stability:
        """How sure each edge is: halves of the data are fitted as the whole was.

        A frequency is not the probability that an edge is real: what is learned systematically is in every half. The result is kept as
        ``stability_``, for `print` and `report`, until the next fit.

        Parameters
        ----------
        X, views
            The views that were fitted, as they were given to `fit`.
        blocks : int, duration, str, sequence or mapping, optional
            The trial or session of each sample, or how many blocks to make: these are halved; see `fit`.
        subjects : mapping or sequence, optional
            Whose view each is, as for `fit`; by default what the fit was told.
        pairs : int
            How many pairs of halves.
        units : {"blocks", "samples", "views"}, optional
            What stays together; blocks by default, where they are given. With ``"views"`` it is said of other views than these.
        direct : bool
            Whether to ask which nodes depend directly on each other.
        level : float
            The level of that.
        seed : int
            The seed of the halvings.
        n_jobs : int, optional
            How many workers of joblib share the fits; -1 for all cores. They are processes, unless ``joblib.parallel_config`` names
            another backend, such as dask. None is the threads of the estimator's ``n_jobs``, unless such a context asks for workers. The
            result does not depend on it.
        groups
            The former name of ``views``.

        Returns
        -------
        Stability

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, n_signals=200, edge_probability=0.2, seed=1)
        >>> m = congraph.ConsensusGraph(density=0.2).fit(data.views)
        >>> s = m.stability(data.views, blocks=10, pairs=4)
        >>> s.units, len(s.edges["frequency"]) == m.edge_index_.shape[1]
        ('blocks', True)
        """
        self._check_learned()
        if not isinstance(getattr(self, "penalty", "l1"), str):
            raise ValueError("halves cannot be fitted with a penalty written in Python: fit with penalty=\"l1\", \"l2\" or \"squared-l2\"")
        told = self._fitted_views(X, former(views, "views", groups, "groups"), blocks, subjects)
        options = self._options(told, single=self.consensus_weights_ is None)
        # What was found stands in for targets and parameters.
        options.update({name: None for name in ("density", "similarity", "consensus_density", "alpha", "beta") if name in options})
        halving = {"pairs": pairs, "units": units, "direct": direct, "level": level, "seed": seed}
        whole = {
            "graph": self._arrays(),
            "options": options,
            "record": self._record,
            "views": told._borrowed(),
            "reading": self._reading(told),
        }
        shared, parts = workers(n_jobs), []
        if shared is not None:
            jobs = _engine.stability_jobs(whole, halving, self._running())
            parts = shared.run(Work("stability_part", whole, halving), jobs)
        found = _engine.stability(whole, halving, parts, self._running())
        warn(found["warnings"])
        # For `print` and `report`; what a folder told of other halves is of the past.
        self._added = [(name, file) for name, file in self._added if name not in ("stability.json", "edges.tsv", "edges_long.tsv")]
        self.stability_ = Stability._of(self, found)
        return self.stability_

    def refits(
        self,
        X: Any,
        *,
        views: Any = None,
        blocks: Any = None,
        subjects: Any = None,
        resamples: int = 100,
        counts: Any = None,
        units: Literal["blocks", "samples", "views"] | None = None,
        tolerance: float | None = None,
        weights: bool = False,
        seed: int = 1,
    ) -> Refits:
        """Learn from resampled data as from the whole: very many fits, without passing over the samples again for each.

        Parameters
        ----------
        X, views
            The views that were fitted, as they were given to `fit`.
        blocks : str, sequence or mapping, optional
            The trial or session of each sample: these are drawn.
        subjects : mapping or sequence, optional
            Whose view each is, as for `fit`; by default what the fit was told.
        resamples : int
            How many resamples; each draws as many units of each view as it has, with replacement (of views, half without).
        counts : array of int, optional
            Resamples of your own instead: one row for each, with the number of times that each unit counts, those of the first view
            first. Units are blocks in the order of their names, samples, or views.
        units : {"blocks", "samples", "views"}, optional
            What stays together; blocks by default, where they are given, else samples.
        tolerance : float, optional
            The relative gap at which a fit of smooth signals ends; that of the fit by default. 1e-5 is enough for most resamples.
        weights : bool
            Whether to keep the views' weights, too.
        seed : int
            The seed of the resamples.

        Returns
        -------
        Refits

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, n_signals=100, seed=1)
        >>> m = congraph.ConsensusGraph(alpha=0.05, beta=0.02).fit(data.views)
        >>> m.refits(data.views, resamples=20, tolerance=1e-5).consensus.shape[0]
        20
        """
        told = self._fitted_views(X, views, blocks, subjects)
        return refits(
            self, told, resamples=resamples, counts=counts, units=units, tolerance=tolerance, weights=weights, seed=seed
        )

    def _fitted_views(self, X: Any, labels: Any, blocks: Any, subjects: Any) -> Views:
        """The views of the fit once more, with the subjects that it was told, if it was told any."""
        self._check_learned()
        told = self._views(X, labels, blocks, subjects)
        if not self._subjects_of_views or told.subjects:
            return told
        whose = dict(zip(self.view_names_, self._subjects_of_views, strict=True))
        strange = [name for name in told if name not in whose]
        if strange:
            raise ValueError(
                f"the fit was told whose view each is (`subjects`), and of view {strange[0]!r} that is not known: give the views that were fitted, "
                "or `subjects` here as it was given to `fit`"
            )
        told = told._of(list(told))
        told.subjects = {name: whose[name] for name in told}
        return told

    def _data_again(self, X: Any, views: Any, blocks: Any, subjects: Any) -> dict[str, Any]:
        told = self._fitted_views(X, views, blocks, subjects)
        return {"record": self._record, "views": told._borrowed(), "reading": self._reading(told)}

    def _ask_stability(self) -> str | None:
        can = isinstance(getattr(self, "penalty", "l1"), str) and self._kind() == "signals"
        return "m.stability(views)" if can and np.any(self.weights_ != 0) else None


class ConsensusGraph(_Learner):
    """Learn one sparse graph per data set, and the consensus graph they share.

    An edge needs positive association: weights are never negative, and nodes whose signals are opposite (r = -0.99) are not joined. A
    warning (W14) says where strong negative associations are lost that way; ``signed=True`` gives pairs negative edges, too.

    Parameters
    ----------
    method : {"smooth", "likelihood"}
        ``"smooth"`` learns graphs on which the signals are smooth: any number of nodes. ``"likelihood"`` learns graphs that make
        the signals likely, and finds truer ones: up to a few thousand nodes. With it, ``density`` keeps that share of edges (without it
        a threshold between the two heaps of weights does), ``similarity`` finds ``beta``, ``beta`` is the coupling in units of
        1/√samples, ``gamma`` is in units of ``beta``, and Akaike's criterion chooses what is not given. ``alpha``,
        ``consensus_density``, ``spectrum`` and ADMM are not for it; nor is `tune`.
    filter : {"auto", 1, 2}
        With the likelihood, how often the graph's filter made the signals: 1 is a Gaussian field, 2 the paper's filter.
    proportional : {"refuse", "merge"}
        With the likelihood, nodes that are multiples of each other in every view are refused, or learned as one node that is named by
        the first of them (``merged_``).
    density : float, optional
        A target: the share of possible edges that are present, as the mean of the views. What is asked for as a target is reached by
        finding the parameter below that gives it. Without any, the density is at most ten neighbours a node, and the similarity half-way
        from what separately learned views have to 1: a guess, where `tune` and `ConsensusGraphCV` choose.
    similarity : float, optional
        A target: the mean correlation between the views' weights.
    consensus_density : float, optional
        A target: the share of possible edges that the consensus has.
    alpha : float, optional
        A parameter itself, for experts, in place of a density: larger is denser.
    beta : float, optional
        In place of a similarity: larger makes the views more alike.
    gamma : float, optional
        In place of a density of the consensus: larger makes it sparser.
    penalty : str or object, default "l1"
        How a view's departure from the consensus is charged: ``"l1"``, ``"l2"``, ``"squared-l2"``, ``"linf"``,
        ``"huber"``; or an object with ``value(differences)`` and ``prox(differences, step)``, which is solved by ADMM. The
        likelihood takes the first three by name; with another than ``"l1"`` it needs ``beta`` or ``similarity``.
    coupling : {"consensus", "chain", "pairwise"}
        What each view is drawn to: the consensus, its neighbours in the order in which views are given (graphs that change with
        time), or every other view. Of a chain and of pairs the consensus is told: the median of the views.
    subject_share : float, optional
        With ``subjects``, how strongly their graphs are drawn to the consensus: 1 is one consensus for all views, near 0 one for
        each subject; 0.5 by default.
    regulariser : str, default "l1"
        What is asked of the consensus itself, weighed by gamma.
    signed : bool or "auto", default False
        Give every pair of nodes a negative edge beside the positive one: weights below 0 for nodes whose signals are opposite.
        ``"auto"``, with the likelihood, lets Akaike's criterion choose.
    solver : {"newton", "admm"}
    z_step : {"exact", "bcd"}
        With admm, how its second step is solved.
    tol : float, default 1e-8
        The relative gap at which the result counts as converged.
    max_iter : int, optional
    candidates : str or pairs, optional
        Which pairs may be joined: ``"knn:20"``, or pairs of nodes, by number or by name. All pairs otherwise.
    edge_costs : mapping from pairs to float, optional
        Costs added to the distances of pairs; infinite forbids an edge, negative favours it.
    check_outside : bool
        With candidates, count the pairs outside that would have been joined: ``candidates_outside_``.
    scale : {"zscore", "center", "none"}, optional
        How each node is scaled within its view: ``"zscore"`` by default. The likelihood only centres signals that are in one unit.
    spectrum : float or "auto", default 1.0
        How far signals are whitened before distances are taken: the singular values of every view are taken to this power, from
        0.05 to 1, and nodes z-scored again. 1 is the paper; 0.5 often finds truer graphs where signals are much smoother than their
        graph is. ``"auto"`` chooses it by the likelihood of one half of the samples on the graphs of the other.
    sample_norm : {"mean", "sum"}
    distance_norm : {"max", "none"}
    kind : {"signals", "covariance", "gram"}
        What the numbers are.
    orient : {"samples-by-nodes", "nodes-by-samples"}
    nodes : {"same", "common"}
        Which nodes to keep when views have different ones.
    drop_nodes : sequence of str
        Nodes to leave out of all views: by name, or by number from 0 if they have none.
    missing : {"error", "mask"}
        What to do with nodes that a view lacks, or that hold NaN or are constant in it: ``"mask"`` lets it take part with the others.
    nan : {"error", "drop-rows", "pairwise"}
        What to do with NaN and infinite values: refuse them; leave out the samples that hold one; or take the correlation of every
        pair of nodes from the samples that both have, and the nearest matrix that signals can have. A warning (W20) says how far that
        is; `stability` and `tune`, which halve samples, need another choice.
    allow_counts : bool
        Accept values that look like raw counts.
    memory : float, optional
        How much memory a fit by the likelihood may use, in GiB: what needs more is refused. By smoothness, the other method, a fit
        takes what it needs, whatever the limit; only the command line refuses it, too.
    seed : int, default 1
        The seed of the approximate neighbour search.
    n_jobs : int, optional
        How many threads; -1 for all cores. None is 1, unless a ``joblib.parallel_config`` says otherwise. The result does not depend
        on it.
    verbose : bool
        Show progress.
    vectorize : bool, default False
        Whether `transform` gives one row per view, with a column for each pair of nodes (`get_feature_names_out`), instead of
        matrices. ``set_output(transform="pandas")`` does so, too.
    data
        The former name of ``kind``.

    Attributes
    ----------
    consensus_ : array (nodes, nodes)
    graphs_ : array (views, nodes, nodes)
    edge_index_, weights_, consensus_weights_ : array
        The sparse form: the two ends of each edge (2, edges), its weight in each view (edges, views) and in the consensus (edges,).
    node_names_, view_names_ : list of str
    subjects_ : array (subjects, nodes, nodes) or None
        The subjects' own graphs, where ``fit`` was told whose views they are.
    subject_names_ : list of str or None
    present_ : array (views, nodes) or None
        Whether a view has a node, if any lacks one (``missing="mask"``).
    alpha_, beta_, gamma_, spectrum_ : float
        The parameters that were used; a likelihood has no alpha.
    scale_ : str
        How nodes were scaled.
    merged_ : dict
        Nodes that a likelihood learned as one: the one that stands for them, and the others.
    filter_, threshold_, aic_, tried_
        Of a likelihood, otherwise None: how often the filter is applied, the weight above which pairs are edges (None if none is),
        Akaike's criterion, and all models that were compared.
    precisions_, covariances_ : array (views, nodes, nodes)
        Of a likelihood: the precision matrices of the scaled signals, and their inverses; ``precision_`` and ``covariance_`` of a
        single view. `score` judges the graph alone, with a scale and a ridge of its own.
    density_, similarity_, consensus_density_ : float
    densities_, uniqueness_ : array (views,)
        The density of each view; how far each is from the consensus, from 0 to 1.
    relative_gap_, objective_, dual_objective_, converged_, n_iter_
        How close to optimal the result is.
    candidates_outside_ : int or None
        How many pairs outside the candidates would have been joined, if that was to be counted.
    seconds_ : dict
        How long the engine, the distances and the solver took.
    warnings_ : list of CongraphWarning

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=30, n_views=3, seed=1)
    >>> m = congraph.ConsensusGraph(density=0.15, similarity=0.85).fit(data.views)
    >>> m.consensus_.shape, m.graphs_.shape
    ((30, 30), (3, 30, 30))
    >>> m.relative_gap_ < 1e-8
    True
    """

    beta_: float
    gamma_: float
    consensus_density_: float
    uniqueness_: npt.NDArray[np.float64]
    similarity_floor_: float | None
    path_: dict[str, npt.NDArray[np.float64]]
    path_choice_: int
    path_best_: int | None
    path_rule_: str

    def __init__(
        self,
        density: float | None = None,
        similarity: float | None = None,
        consensus_density: float | None = None,
        *,
        alpha: float | None = None,
        beta: float | None = None,
        gamma: float | None = None,
        penalty: Any = "l1",
        regulariser: str = "l1",
        signed: Signed = False,
        solver: Solver = "newton",
        z_step: ZStep = "exact",
        tol: float = 1e-8,
        max_iter: int | None = None,
        candidates: Any = None,
        edge_costs: Any = None,
        check_outside: bool = False,
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
        method: Method = "smooth",
        filter: Filter = "auto",
        coupling: Coupling = "consensus",
        subject_share: float | None = None,
        proportional: Proportional = "refuse",
        vectorize: bool = False,
        data: Any = "deprecated",
    ) -> None:
        self.vectorize = vectorize
        self.data = data
        self.coupling = coupling
        self.subject_share = subject_share
        self.density = density
        self.similarity = similarity
        self.consensus_density = consensus_density
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.penalty = penalty
        self.regulariser = regulariser
        self.signed = signed
        self.solver = solver
        self.z_step = z_step
        self.tol = tol
        self.max_iter = max_iter
        self.candidates = candidates
        self.edge_costs = edge_costs
        self.check_outside = check_outside
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
        self.method = method
        self.filter = filter
        self.proportional = proportional

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        # One table alone is one view, which has no consensus (E09); three dimensions are views, samples and nodes.
        tags.input_tags.two_d_array = False
        return tags

    def fit(
        self, X: Any, y: Any = None, *, views: Any = None, blocks: Any = None, subjects: Any = None, groups: Any = None
    ) -> ConsensusGraph:
        """Learn the graphs of the views.

        Parameters
        ----------
        X : views
            Samples in rows, nodes in columns: a dict from names to arrays or data frames, a list of them, a 3-D array of
            views × samples × nodes, or one long table with ``views``.
        y : ignored
        views : str or sequence, optional
            Of one long table: the column that tells the views apart, or one label per row. A pandas Series is matched to the
            rows of a data frame by its index, and refused if it has no label for a row.
        blocks : int, duration, str, sequence or mapping, optional
            The resampling unit (trial, session) of each sample; used by `tune` and `stability`. A number makes so many contiguous
            blocks of each view, as suits time series; a duration (``"30s"``, ``"7D"``, a timedelta) blocks of that length, where the
            index of the data frames tells the time.
        subjects : mapping or sequence, optional
            Whose view each is, where subjects were measured in several conditions: from the names of the views, or one per view. Of
            one long table with ``views`` the column of the subject, or one label per row: a view is then ``subject/view``. Views of
            one subject share the subject's graph (``subjects_``), and the subjects' graphs share the consensus.
        groups
            The former name of ``views``.

        Returns
        -------
        ConsensusGraph
            Itself, fitted.

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=2, n_signals=200, seed=1)
        >>> congraph.ConsensusGraph(density=0.1).fit(data.views).view_names_
        ['view1', 'view2']
        """
        self._learn(X, former(views, "views", groups, "groups"), blocks, single=False, subjects=subjects)
        return self

    def _keep(self, result: dict[str, Any], views: Views, X: Any, silent: bool = False) -> None:
        self.beta_ = result["beta"]
        self.gamma_ = result["gamma"]
        self.consensus_density_ = result["consensus_density"]
        self.uniqueness_ = result["uniqueness"]
        self.similarity_floor_ = result.get("floor")
        for name in ("path_", "path_choice_", "path_best_", "path_rule_"):
            if hasattr(self, name):
                delattr(self, name)
        super()._keep(result, views, X, silent)

    def tune(
        self,
        X: Any,
        *,
        views: Any = None,
        blocks: Any = None,
        subjects: Any = None,
        density: float | tuple[float, float] | None = None,
        similarity: float | tuple[float, float] | None = None,
        rule: Rule = "likelihood",
        keep: float = 0.95,
        halvings: int = 10,
        threshold: float = 0.05,
        n_jobs: int | None = None,
        groups: Any = None,
    ) -> ConsensusGraph:
        """Learn a grid of densities and similarities, and keep the fit that suits other samples best.

        Every view's samples (or blocks) are halved at random ``halvings`` times, and every fit is made of each half. The grid is in
        ``path_`` afterwards, one entry per fit, and ``path_choice_`` says which one was kept. The targets and parameters of the
        constructor are not used.

        Parameters
        ----------
        X, views, blocks, subjects
            As for `fit`.
        density, similarity : float or pair of float, optional
            The lowest and the highest of the grid, or the only one. Without them cells are added beyond the usual ends where the
            choice by likelihood lies there.
        rule : {"likelihood", "stability"}
            ``"likelihood"``: each view's graph from one half is judged by the likelihood of its other half. Of the fits with at least
            the share ``keep`` of the best gain the sparsest density is kept, and there the highest gain. ``"stability"``: the densest
            graph whose edges reproduce in the halves, with an instability of at most ``threshold``. That forbids dense graphs.
            With more than 1000 nodes the choice is by stability (W18).
        keep, threshold : float
        halvings : int
        n_jobs : int, optional
            How many workers of joblib share the fits to halves; as for `stability`.
        groups
            The former name of ``views``.

        Returns
        -------
        ConsensusGraph
            Itself, fitted at the choice.

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, edge_probability=0.2, seed=1)
        >>> m = congraph.ConsensusGraph().tune(data.views, density=0.2, halvings=2)
        >>> sorted(set(m.path_["density_target"].tolist()))
        [0.2]
        """
        choice = {
            "density": _ends(density, "density"),
            "similarity": _ends(similarity, "similarity"),
            "rule": rule,
            "keep": keep,
            "halvings": halvings,
            "threshold": threshold,
        }
        return self._choose(self._views(X, former(views, "views", groups, "groups"), blocks, subjects), X, choice, n_jobs)

    def _choose(self, views: Views, X: Any, choice: dict[str, Any], n_jobs: int | None = None) -> ConsensusGraph:
        options = self._options(views, single=False)
        options.update(density=None, similarity=None, consensus_density=None, alpha=None, beta=None)
        choice = {**choice, "seed": self.seed}
        task = {"views": views._borrowed(), "reading": self._reading(views), "options": options, "choice": choice}
        shared = workers(n_jobs)
        cells: bytes | None = None
        halved: list[bytes] = []
        # Cells beyond the grid are known when all halvings of those before are.
        while shared is not None and (found := _engine.tune_round(task, cells, halved, self._running())) is not None:
            cells, n_cells = found
            halved = shared.run(Work("tune_part", task, cells), [2 * n_cells] * choice["halvings"])
        result = _engine.tune(task, cells, halved, self._running())
        self._keep(result, views, X)
        self.path_ = result["path"]
        self.path_choice_ = result["chosen"]
        self.path_best_ = result["best"]
        self.path_rule_ = result["rule"]
        return self

    def compare_methods(
        self, X: Any, methods: Sequence[str] = ("smooth", "likelihood"), *, views: Any = None, blocks: Any = None, groups: Any = None
    ) -> list[dict[str, Any]]:
        """Which method explains the data best: learned from one half of every view's samples (or blocks), judged by the other.

        Parameters
        ----------
        X, views, blocks
            As for `fit`.
        methods : sequence of {"smooth", "likelihood", "jgl-fused", "jgl-group"}
        groups
            The former name of ``views``.

        Returns
        -------
        list of dict
            One entry per method, the best first: its ``gain`` (the mean log-likelihood of a node's value in nats, above that of
            independent nodes) and the ``gain_error`` of that over the views: a method that gains no more explains nothing. How far it is ``behind`` the best and the ``standard_error`` of that, the ``gain`` of each of the
            ``views``, the ``density`` of its graphs, and what it was learned with. Nothing of this estimator is fitted.

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, n_signals=200, edge_probability=0.2, seed=1)
        >>> found = congraph.ConsensusGraph().compare_methods(data.views)
        >>> [one["method"] for one in found]
        ['likelihood', 'smooth']
        """
        told = self._views(X, former(views, "views", groups, "groups"), blocks)
        options = self._options(told, single=False)
        options.update(method="smooth", filter="auto", proportional="refuse", density=None, similarity=None, consensus_density=None, alpha=None, beta=None)
        methods = list(methods)
        if len(set(methods)) < len(methods):
            raise ValueError(f"methods={methods!r} names one of them twice; each is compared once")
        found, warned = _engine.compare_methods(told._borrowed(), self._reading(told), options, methods, self._running())
        warn(warned)
        return found

    def project(
        self, X: Any, *, views: Any = None, alpha: float | None = None, beta: float | None = None, groups: Any = None
    ) -> list[Projection]:
        """The graphs of new views with the consensus held as it is: which of its edges they lack, and which they add.

        Parameters
        ----------
        X, views
            New views over the nodes of the fit, as for `fit`.
        alpha, beta : float, optional
            Other parameters than those of the fit.
        groups
            The former name of ``views``.

        Returns
        -------
        list of Projection
            One for each view.

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, n_signals=200, edge_probability=0.2, seed=1)
        >>> m = congraph.ConsensusGraph(density=0.2).fit(data.views[:2])
        >>> (new,) = m.project(data.views[2:])
        >>> new.name, new.converged
        ('view3', True)
        """
        self._check_learned()
        if self.method == "likelihood" and alpha is not None:
            raise ValueError("a likelihood has no alpha; beta sets how strongly a new view is pulled to the consensus")
        if not isinstance(self.penalty, str):
            raise ValueError("a penalty written in Python cannot be projected with: fit with penalty=\"l1\", \"l2\" or \"squared-l2\"")
        told = self._new_views(X, former(views, "views", groups, "groups"))
        # What was found stands in for targets and parameters.
        found_instead = dict.fromkeys(("density", "similarity", "consensus_density", "alpha", "beta"))
        fitted = {
            "options": {**self._options(None, single=False), **found_instead, "spectrum": self.spectrum_},
            "alpha": self.alpha_ if alpha is None else alpha,
            "beta": self.beta_ if beta is None else beta,
            "distance_divisor": self.distance_divisor_,
            "record": self._record,
        }
        found = _engine.project(self._arrays(), fitted, told._borrowed(), self._reading(told), self._running())
        return [_projection(one, self.positions_, json.loads(self._record)) for one in found]

    def transform(self, X: Any, *, views: Any = None, groups: Any = None) -> Any:
        """The graphs of new views with the consensus held as it is.

        Parameters
        ----------
        X, views
            New views over the nodes of the fit, as for `fit`.
        groups
            The former name of ``views``.

        Returns
        -------
        array (views, nodes, nodes)
            Or, with ``vectorize=True`` or after ``set_output(transform="pandas")``, one row per view and one column per pair of nodes.

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, seed=1)
        >>> m = congraph.ConsensusGraph(density=0.1).fit(data.views)
        >>> m.transform(data.views).shape, m.set_params(vectorize=True).transform(data.views).shape
        ((3, 20, 20), (3, 190))
        """
        found = self.project(X, views=former(views, "views", groups, "groups"))
        return self._as_output(np.stack([one.weights for one in found]), [one.name for one in found])

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Learn the graphs of the views, and return them.

        Parameters
        ----------
        X, y, **fit_params
            As for `fit`.

        Returns
        -------
        array (views, nodes, nodes)
            Or rows, as `transform` gives them.

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, seed=1)
        >>> congraph.ConsensusGraph(density=0.1).fit_transform(data.views).shape
        (3, 20, 20)
        """
        return self._as_output(self.fit(X, y, **fit_params).graphs_, self.view_names_)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """The names of the columns that `transform` gives: ``a--b`` for each pair of nodes, in the order of `numpy.triu_indices`.

        Parameters
        ----------
        input_features : sequence of str, optional
            The names of the nodes, which must be those of the fit.

        Returns
        -------
        array of str

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=10, n_views=2, edge_probability=0.3, seed=1)
        >>> congraph.ConsensusGraph(density=0.3).fit(data.views).get_feature_names_out()[:2].tolist()
        ['n01--n02', 'n01--n03']
        """
        self._check_learned()
        names = list(self.node_names_)
        if input_features is not None and [str(name) for name in input_features] != names:
            raise ValueError("input_features is not equal to feature_names_in_")
        one, other = np.triu_indices(len(names), 1)
        return np.asarray([f"{names[a]}--{names[b]}" for a, b in zip(one.tolist(), other.tolist(), strict=True)], dtype=object)

    def set_output(self, *, transform: str | None = None) -> ConsensusGraph:
        """What `transform` gives: ``"default"`` arrays, or a data frame with a row per view and a column per pair.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None
            None leaves it as it is.

        Returns
        -------
        ConsensusGraph
            Itself.

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, seed=1)
        >>> m = congraph.ConsensusGraph(density=0.1).set_output(transform="pandas").fit(data.views)
        >>> m.transform(data.views).shape
        (3, 190)
        """
        if transform not in (None, "default", "pandas", "polars"):
            raise ValueError(f'transform is {transform!r}; it must be "default", "pandas" or "polars"')
        if transform is not None:
            self._sklearn_output_config = {**getattr(self, "_sklearn_output_config", {}), "transform": transform}
        return self

    def _as_output(self, matrices: npt.NDArray[np.float64], views: Sequence[str]) -> Any:
        """As `set_output` and scikit-learn's own configuration ask for it."""
        container = getattr(self, "_sklearn_output_config", {}).get("transform")
        if container is None and "sklearn" in sys.modules:
            container = sys.modules["sklearn"].get_config().get("transform_output")
        if not self.vectorize and container in (None, "default"):
            return matrices
        one, other = np.triu_indices(matrices.shape[1], 1)
        rows = matrices[:, one, other]
        if container == "pandas":
            return _optional("pandas", "graph").DataFrame(rows, index=list(views), columns=self.get_feature_names_out())
        if container == "polars":
            return _optional("polars", "graph").DataFrame(rows, schema=self.get_feature_names_out().tolist())
        return rows

    def score(self, X: Any, y: Any = None, *, views: Any = None, groups: Any = None) -> float:
        """How much likelier new views are on the consensus than if their nodes were independent; larger is better.

        The mean over the views of the log-likelihood of a node's value in nats, for Gaussian signals whose precision matrix is the
        consensus' Laplacian, with a scale and a ridge that suit the view best, above that of independent nodes. It is 0 for a
        graph without edges. (Total variation, which favours empty graphs, cannot choose a density; this can.) A view that lacks
        nodes (``missing="mask"``) is judged on the consensus among those that it has.

        It compares densities, similarities and penalties of one method. It is **no way to choose a method**, or a filter: whatever
        method learned a graph, it is judged by a field whose precision is the Laplacian, which is not what ``method="likelihood"`` with
        filter 2 supposes, and truer graphs of that may score lower than less true ones of another. `compare_methods` judges every method by
        its own model.

        Parameters
        ----------
        X, views
            New views, as for `fit`.
        y : ignored
        groups
            The former name of ``views``.

        Returns
        -------
        float

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, edge_probability=0.2, seed=1)
        >>> congraph.ConsensusGraph(density=0.2).fit(data.views[:2]).score(data.views[2:]) > 0.05
        True
        """
        return self._likelihood(X, former(views, "views", groups, "groups"), None)

    def _summary(self) -> list[tuple[str, str]]:
        order = np.argsort(self.uniqueness_, kind="stable")
        least, most = (f"{self.uniqueness_[view]:.2f} ({self.view_names_[view]})" for view in order[[0, -1]].tolist())
        penalty = self.penalty if isinstance(self.penalty, str) else type(self.penalty).__name__
        n_edges = int((self._weights(None) != 0).sum())
        similarity = "" if self.similarity_ is None else f", similarity {self.similarity_:.3f}"
        if similarity and self.similarity_floor_ is not None:
            similarity += f" ({self.similarity_floor_:.3f} when learned separately)"
        # A folder of projected views tells what their fit was, and no gamma: the consensus is given.
        record = json.loads(self._record)
        gamma = "" if self.gamma_ is None else f", gamma {self.gamma_:.4g}"
        is_projected = "fit" in record and self.gamma_ is None
        projected: list[tuple[str, str]] = [("projected", f"on the consensus of {record['fit']}")] if is_projected else []
        if self.filter_ is not None:
            parameters = f"beta {self.beta_:.4g}{gamma}, {self._model()}"
        else:
            parameters = f"alpha {self.alpha_:.4g}, beta {self.beta_:.4g}{gamma}, penalty {penalty}"
        return [
            *projected,
            ("consensus", f"{counted(n_edges, 'edge')}, density {self.consensus_density_:.3f}"),
            ("views", f"density {self.density_:.3f} ({self.densities_.min():.3f} to {self.densities_.max():.3f}){similarity}"),
            ("uniqueness", f"from {least} to {most}"),
            ("parameters", parameters),
            self._certified(),
        ]


def _of_one(matrices: npt.NDArray[np.float64], name: str, several: str) -> npt.NDArray[np.float64]:
    if len(matrices) != 1:
        raise AttributeError(f"there are {len(matrices)} views, and {name} is of one: see {several}")
    matrix: npt.NDArray[np.float64] = matrices[0]
    return matrix


def _ends(given: Any, name: str) -> tuple[float, float] | None:
    """The two ends of a grid; one number is both."""
    if given is None:
        return None
    try:
        low, high = given if isinstance(given, (tuple, list, np.ndarray)) else (given, given)
        if isinstance(low, (str, bool, np.bool_)) or isinstance(high, (str, bool, np.bool_)):
            raise TypeError
        return float(low), float(high)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {given!r}; it must be a number, or a pair of them such as (0.1, 0.3)") from None


#: What a projection has in common with the fit whose consensus it keeps.
_OF_FIT = (
    *("schema", "n_nodes", "method", "filter", "penalty", "solver", "alpha", "beta", "scale", "spectrum", "signed", "sample_norm"),
    *("distance_norm", "distance_divisor", "tolerance", "candidates", "edge_costs"),
)


def _projection(found: dict[str, Any], positions: dict[str, Any] | None, record: dict[str, Any]) -> Projection:
    graph = Graphs(**{name: found[name] for name in ("nodes", "views", "edge_index", "weights", "consensus", "present")}, positions=positions)
    own = {name: found[name] for name in ("objective", "dual_objective", "relative_gap", "converged", "iterations")}
    density = {"target": None, "views": found["density"], "consensus": found["consensus_density"]}
    told = {**{name: record[name] for name in _OF_FIT if name in record}, **own, "n_views": 1, "density": density, "warnings": []}
    graph._record, graph._warned = json.dumps(told), list(found["warnings"])
    return Projection(
        name=found["views"][0],
        graph=graph,
        kinds=found["kinds"],
        uniqueness=float(found["uniqueness"][0]),
        density=found["density"],
        relative_gap=found["relative_gap"],
        converged=found["converged"],
        warnings=found["warnings"],
    )


class SingleGraph(_Learner):
    """Learn the graph of one data set, or of several each on its own: without coupling, and without a consensus (svGL).

    As there, an edge needs positive association, unless ``signed=True``.

    Parameters
    ----------
    density, alpha, signed, solver, tol, max_iter, candidates, edge_costs, check_outside, scale, spectrum, sample_norm, distance_norm
    kind, orient, nodes, drop_nodes, missing, nan, allow_counts, memory, seed, n_jobs, verbose, method, filter, proportional, data
        Those of `ConsensusGraph` that do not concern what views share.

    Attributes
    ----------
    graph_ : array (nodes, nodes)
        The weights of the (first) graph.

    Examples
    --------
    >>> import congraph
    >>> X = congraph.simulate(n_nodes=30, n_views=1, seed=1).views["view1"]
    >>> congraph.SingleGraph(density=0.1).fit(X).graph_.shape
    (30, 30)
    """

    def __init__(
        self,
        density: float | None = None,
        *,
        alpha: float | None = None,
        signed: Signed = False,
        solver: Solver = "newton",
        tol: float = 1e-8,
        max_iter: int | None = None,
        candidates: Any = None,
        edge_costs: Any = None,
        check_outside: bool = False,
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
        method: Method = "smooth",
        filter: Filter = "auto",
        proportional: Proportional = "refuse",
        data: Any = "deprecated",
    ) -> None:
        self.data = data
        self.density = density
        self.alpha = alpha
        self.signed = signed
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.candidates = candidates
        self.edge_costs = edge_costs
        self.check_outside = check_outside
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
        self.method = method
        self.filter = filter
        self.proportional = proportional

    def fit(self, X: Any, y: Any = None, *, views: Any = None, blocks: Any = None, groups: Any = None) -> SingleGraph:
        """Learn the graph of every view on its own.

        Parameters
        ----------
        X, views, blocks
            As for `ConsensusGraph.fit`; or one array of samples × nodes.
        y : ignored
        groups
            The former name of ``views``.

        Returns
        -------
        SingleGraph
            Itself, fitted.

        Examples
        --------
        >>> import congraph
        >>> X = congraph.simulate(n_nodes=30, n_views=1, seed=1).views["view1"]
        >>> congraph.SingleGraph(density=0.1).fit(X).converged_
        True
        """
        self._learn(X, former(views, "views", groups, "groups"), blocks, single=True)
        return self

    @property
    def graph_(self) -> npt.NDArray[np.float64]:
        """The weights of the (first) graph, nodes × nodes."""
        if not hasattr(self, "weights_"):
            raise AttributeError("SingleGraph has no graph_ before it is fitted")
        return self._dense(self.weights_[:, 0])

    def score(self, X: Any, y: Any = None) -> float:
        """How much likelier new data are on the graph than if their nodes were independent; see `ConsensusGraph.score`.

        Parameters
        ----------
        X : array (samples, nodes) or views
        y : ignored

        Returns
        -------
        float

        Examples
        --------
        >>> import congraph
        >>> X = congraph.simulate(n_nodes=20, n_views=1, edge_probability=0.2, seed=1).views["view1"]
        >>> congraph.SingleGraph(density=0.2).fit(X[:250]).score(X[250:]) > 0.05
        True
        """
        self._check_learned()
        if len(self.view_names_) != 1:
            what, why = "there are several graphs, and data to score on one", "which graph is meant is not known"
            raise one_error("E09", what, why, "fit one view", None)
        return self._likelihood(X, None, 0)

    def _summary(self) -> list[tuple[str, str]]:
        n_edges = (self.weights_ != 0).sum(axis=0)
        return [
            ("edges", ", ".join(map(str, n_edges[:6].tolist())) + (", ..." if len(n_edges) > 6 else "")),
            ("density", f"{self.density_:.3f}"),
            ("parameters", f"alpha {self.alpha_:.4g}" if self.filter_ is None else self._model()),
            ("warnings", ", ".join(sorted({warning.code for warning in self.warnings_})) or "none"),
            self._certified(),
        ]
