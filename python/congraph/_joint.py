"""The joint graphical lasso, to compare with."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _engine
from ._base import GraphEstimator
from ._choices import Fusion, Kind, Missing, Nan, NodeRule, Orient, SampleNorm, Scale
from ._errors import CongraphWarning, former, refuse_truth
from ._views import Views

__all__ = ["JointGraphicalLasso"]


class JointGraphicalLasso(GraphEstimator):
    """One sparse precision matrix per view, coupled (Danaher, Wang and Witten 2014); it learns no consensus.

    Parameters
    ----------
    lambda1 : float, default 0.1
        Weighs the sum of absolute entries off the diagonal; larger is sparser.
    lambda2 : float, default 0.02
        Weighs the coupling; larger makes the views more alike.
    coupling : {"fused", "group"}
    fused_diagonal : bool, default True
        Whether the fused coupling has the diagonal in it.
    edges : {"nonzero", "negative"}
        Which entries are edges: all that are not zero, or the negative ones, as in a graph's Laplacian.

    tol, max_iter, scale, sample_norm, kind, orient, nodes, drop_nodes, missing, nan, allow_counts, n_jobs, verbose, data
        As for `ConsensusGraph`.

    Attributes
    ----------
    precisions_, covariances_ : array (views, nodes, nodes)
        The precision matrices, and their inverses; of z-scored signals in units of correlations.
    precision_, covariance_ : array (nodes, nodes)
        The same of a single view.
    graphs_ : array (views, nodes, nodes)
        The absolute entries that are edges.
    path_ : dict of array
        After `tune`: ``lambda1``, ``lambda2``, ``density`` and the criterion of every fit; ``path_choice_`` says which was kept.

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=15, n_views=2, edge_probability=0.2, seed=1)
    >>> m = congraph.JointGraphicalLasso(0.2, 0.02).fit(data.views)
    >>> m.precisions_.shape, m.score(data.views) > 0
    ((2, 15, 15), True)
    """

    precisions_: npt.NDArray[np.float64]
    path_: dict[str, npt.NDArray[np.float64]]
    path_choice_: int

    def __init__(
        self,
        lambda1: float = 0.1,
        lambda2: float = 0.02,
        *,
        coupling: Fusion = "fused",
        fused_diagonal: bool = True,
        edges: Literal["nonzero", "negative"] = "nonzero",
        tol: float = 1e-8,
        max_iter: int | None = None,
        scale: Scale = "zscore",
        sample_norm: SampleNorm = "mean",
        kind: Kind = "signals",
        orient: Orient = "samples-by-nodes",
        nodes: NodeRule = "same",
        drop_nodes: Sequence[str] = (),
        missing: Missing = "error",
        nan: Nan = "error",
        allow_counts: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
        data: Any = "deprecated",
    ) -> None:
        self.data = data
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.coupling = coupling
        self.fused_diagonal = fused_diagonal
        self.edges = edges
        self.tol = tol
        self.max_iter = max_iter
        self.scale = scale
        self.sample_norm = sample_norm
        self.kind = kind
        self.orient = orient
        self.nodes = nodes
        self.drop_nodes = drop_nodes
        self.missing = missing
        self.nan = nan
        self.allow_counts = allow_counts
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, views: Any = None, blocks: Any = None, groups: Any = None) -> JointGraphicalLasso:
        """Learn the precision matrices of the views.

        Parameters
        ----------
        X, views, blocks
            As for `ConsensusGraph.fit`.
        y : ignored
        groups
            The former name of ``views``.

        Returns
        -------
        JointGraphicalLasso
            Itself, fitted.

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=15, n_views=2, edge_probability=0.2, seed=1)
        >>> congraph.JointGraphicalLasso(0.2).fit(data.views).converged_
        True
        """
        self._fit_views(self._views(X, former(views, "views", groups, "groups"), blocks), X)
        return self

    def _fit_views(self, told: Views, X: Any) -> None:
        asked = ["coupling", "lambda1", "lambda2", "tol", "max_iter", "scale", "sample_norm"]
        if self.coupling == "fused":
            asked.append("fused_diagonal")
        refuse_truth(**{name: getattr(self, name) for name in ("lambda1", "lambda2", "tol", "max_iter")})
        options = {name: getattr(self, name) for name in asked}
        result = _engine.joint_graphical_lasso(told._borrowed(), self._reading(told), options, self.edges, self._running())
        self.precisions_ = np.stack(result["precisions"])
        self._learned(result, told, X)

    @property
    def covariances_(self) -> npt.NDArray[np.float64]:
        """The inverses of the precision matrices, views × nodes × nodes."""
        if not hasattr(self, "precisions_"):
            raise AttributeError("JointGraphicalLasso has no covariances_ before it is fitted")
        inverse: npt.NDArray[np.float64] = np.linalg.inv(self.precisions_).astype(np.float64, copy=False)
        return inverse

    @property
    def precision_(self) -> npt.NDArray[np.float64]:
        """The precision matrix of a single view."""
        return self._only("precision_", "precisions_")

    @property
    def covariance_(self) -> npt.NDArray[np.float64]:
        """The covariance matrix of a single view: the inverse of its precision matrix."""
        return self._only("covariance_", "covariances_")

    def _only(self, name: str, several: str) -> npt.NDArray[np.float64]:
        if not hasattr(self, "precisions_"):
            raise AttributeError(f"JointGraphicalLasso has no {name} before it is fitted")
        if len(self.precisions_) != 1:
            raise AttributeError(f"there are {len(self.precisions_)} views, and {name} is of one: see {several}")
        matrix: npt.NDArray[np.float64] = getattr(self, several)[0]
        return matrix

    def score(self, X: Any, y: Any = None, *, views: Any = None) -> float:
        """How much likelier new data are with the precision matrices than if their nodes were independent; larger is better.

        The mean log-likelihood of a node's value in nats, above that of independent nodes of the same variances. A view that was named
        like one of the fit is judged with that one's matrix; another by the mean over all of them, and so is every view of a list or a
        3-D array: these have no names, and which of the fit's they are is not known.

        Parameters
        ----------
        X, views
            New views, as for `fit`.
        y : ignored

        Returns
        -------
        float

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=15, n_views=2, edge_probability=0.2, seed=1)
        >>> congraph.JointGraphicalLasso(0.2).fit(data.views).score(data.views) > 0.05
        True
        """
        self._check_learned()
        gains = []
        told = self._new_views(X, views)
        are_named = not told._are_numbered and not getattr(self, "_are_numbered", False)
        for name, (covariance, _) in self._covariances(told, "a score").items():
            own = [self.view_names_.index(name)] if are_named and name in self.view_names_ else range(len(self.precisions_))
            gains.append(float(np.mean([_gain(covariance, self.precisions_[view]) for view in own])))
        return float(np.mean(gains))

    def ebic(self, X: Any, gamma: float = 0.5, *, views: Any = None) -> float:
        """The extended Bayesian information criterion of the edges (Foygel and Drton 2010), summed over the views; smaller is better.

        Σ p (tr SΘ − ln det Θ) + m ln p + 4 γ m ln n, with the covariances S of p samples, the m entries of a precision matrix that are
        not 0, and Θ the likeliest matrix with these entries: the lasso's own is shrunk, which would favour dense graphs.

        Parameters
        ----------
        X, views
            The views that were fitted.
        gamma : float, default 0.5
            From 0, which is the usual criterion, to 1, for graphs of many nodes.

        Returns
        -------
        float

        Examples
        --------
        >>> import numpy as np, congraph
        >>> chain = np.eye(15) + 0.4 * (np.eye(15, k=1) + np.eye(15, k=-1))
        >>> rng = np.random.default_rng(0)
        >>> views = [rng.multivariate_normal(np.zeros(15), np.linalg.inv(chain), 500) for _ in range(2)]
        >>> sparse, dense = (congraph.JointGraphicalLasso(one).fit(views).ebic(views) for one in (0.1, 0.001))
        >>> sparse < dense
        True
        """
        self._check_learned()
        total = 0.0
        for name, (covariance, n_samples) in self._covariances(self._new_views(X, views), "the criterion").items():
            if name not in self.view_names_:
                raise ValueError(f"view {name!r} is not one of the fit, which has {', '.join(self.view_names_)}")
            precision = self.precisions_[self.view_names_.index(name)]
            n_edges = int(np.count_nonzero(np.triu(precision, 1)))
            deviance = n_samples * _deviance(covariance, precision != 0)
            total += deviance + n_edges * np.log(n_samples) + 4.0 * gamma * n_edges * np.log(len(precision))
        return float(total)

    def tune(
        self,
        X: Any,
        *,
        views: Any = None,
        lambda1: float | Sequence[float] = (0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05),
        lambda2: float | Sequence[float] = (0.1, 0.03, 0.01),
        gamma: float = 0.5,
    ) -> JointGraphicalLasso:
        """Fit every pair of parameters, and keep the fit of the least extended Bayesian information criterion.

        Parameters
        ----------
        X, views
            As for `fit`.
        lambda1, lambda2 : float or sequence of float
            What to try.
        gamma : float, default 0.5
            That of `ebic`.

        Returns
        -------
        JointGraphicalLasso
            Itself, with the parameters that were chosen.

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=15, n_views=2, edge_probability=0.2, seed=1)
        >>> m = congraph.JointGraphicalLasso().tune(data.views, lambda1=[0.3, 0.1], lambda2=[0.02])
        >>> m.lambda1 in (0.3, 0.1), len(m.path_["ebic"])
        (True, 2)
        """
        told = self._views(X, views, None)
        cells = [(float(one), float(two)) for one in np.atleast_1d(lambda1) for two in np.atleast_1d(lambda2)]
        if not cells:
            raise ValueError("there is nothing to try: lambda1 and lambda2 must have values")
        found: dict[str, list[float]] = {"lambda1": [], "lambda2": [], "density": [], "ebic": []}
        if self._kind() != "signals":
            raise ValueError("the criterion needs signals, and these are matrices: kind must be 'signals'")
        asked = self.lambda1, self.lambda2
        try:
            for one, two in cells:
                self.lambda1, self.lambda2 = one, two
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", CongraphWarning)
                    self._fit_views(told, X)
                for name, value in (("lambda1", one), ("lambda2", two), ("density", self.density_), ("ebic", self.ebic(told, gamma))):
                    found[name].append(value)
            choice = int(np.argmin(found["ebic"]))
            self.lambda1, self.lambda2 = cells[choice]
            self._fit_views(told, X)
        except BaseException:
            self.lambda1, self.lambda2 = asked
            raise
        self.path_ = {name: np.asarray(values) for name, values in found.items()}
        self.path_choice_ = choice
        return self

    def _covariances(self, told: Views, what: str) -> dict[str, tuple[npt.NDArray[np.float64], int]]:
        """The covariance matrix of each view as the fit scales it, in the order of its nodes, and the number of samples."""
        if self._kind() != "signals":
            raise ValueError(f"{what} needs signals, and these are matrices: kind must be 'signals'")
        found = {}
        for name, array in told.items():
            own = told.nodes[name] or list(self.node_names_)
            absent = [node for node in self.node_names_ if node not in own]
            if absent:
                raise ValueError(f"view {name!r} has no node {absent[0]!r}; {len(absent)} of {len(self.node_names_)} nodes are missing")
            columns = [own.index(node) for node in self.node_names_]
            signals = (array if self._node_axis() == 1 else array.T)[:, columns]
            if self.nan == "drop-rows":
                signals = signals[np.isfinite(signals).all(axis=1)]
            in_pairs = self.nan == "pairwise" and not np.isfinite(signals).all()
            signals = np.where(np.isfinite(signals), signals, np.nan) if in_pairs else signals
            if self.scale != "none" and len(signals):
                signals = signals - (np.nanmean if in_pairs else np.mean)(signals, axis=0)
            spread = (np.nanstd if in_pairs else np.std)(signals, axis=0) if len(signals) else np.zeros(len(columns))
            if not (np.isfinite(spread) & (spread > 0)).all():
                raise ValueError(f"view {name!r} has a node that is constant, NaN or infinite, and no score")
            if self.scale == "zscore":
                signals = signals / spread
            found[name] = _of_pairs(signals) if in_pairs else (signals.T @ signals / len(signals), len(signals))
        return found

    def _summary(self) -> list[tuple[str, str]]:
        return [
            ("density", f"{self.density_:.3f} ({self.densities_.min():.3f} to {self.densities_.max():.3f})"),
            ("similarity", "one view" if self.similarity_ is None else f"{self.similarity_:.3f}"),
            ("parameters", f"lambda1 {self.lambda1:.4g}, lambda2 {self.lambda2:.4g}, {self.coupling}"),
            ("warnings", ", ".join(sorted({warning.code for warning in self.warnings_})) or "none"),
            self._certified(),
        ]


def _of_pairs(signals: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], int]:
    """The covariance matrix of signals with gaps, as a fit has it, and how many samples a pair has on average.

    The correlation of a pair is from the samples that both have. Where these do not fit together it is the nearest matrix that does
    (Higham 2002).
    """
    has = np.isfinite(signals).astype(np.float64)
    known = np.nan_to_num(signals - np.nanmean(signals, axis=0), nan=0.0)
    counts = has.T @ has
    if (counts < 3).any():
        raise ValueError("two nodes of a view have fewer than 3 samples in common, and no score")
    means = known.T @ has / counts
    variances = (known**2).T @ has / counts - means**2
    norm = np.sqrt((variances * variances.T).clip(0.0))
    found = np.where(norm > 0.0, (known.T @ known / counts - means * means.T) / np.where(norm > 0.0, norm, 1.0), 0.0)
    np.fill_diagonal(found, 1.0)
    correction = np.zeros_like(found)
    for _ in range(200):
        if np.linalg.eigvalsh(found)[0] > -1e-10:
            break
        moved = found - correction
        values, vectors = np.linalg.eigh(moved)
        positive = (vectors * values.clip(0.0)) @ vectors.T
        correction, found = positive - moved, positive.copy()
        np.fill_diagonal(found, 1.0)
    spread = np.nanstd(signals, axis=0)
    return found * np.outer(spread, spread), round(float(counts[np.triu_indices(len(counts), 1)].mean()))


def _gain(covariance: npt.NDArray[np.float64], precision: npt.NDArray[np.float64]) -> float:
    """The mean log-likelihood of a node's value in nats, above that of independent nodes."""
    n = len(covariance)
    likelihood = float(np.linalg.slogdet(precision)[1]) - float((covariance * precision).sum())
    alone = -float(np.log(np.diag(covariance)).sum()) - n
    return 0.5 * (likelihood - alone) / n


def _deviance(covariance: npt.NDArray[np.float64], joined: npt.NDArray[np.bool_]) -> float:
    """tr SΘ − ln det Θ of the likeliest precision matrix Θ that is 0 where nodes are not joined; infinite if there is none.

    By regressing every node on its neighbours in turn (Hastie, Tibshirani and Friedman 2009, algorithm 17.1): the covariance W = Θ⁻¹ is
    that of S on the edges, where tr SΘ = n.
    """
    n = len(covariance)
    fitted = covariance.copy()
    neighbours = [np.flatnonzero(joined[node] & (np.arange(n) != node)) for node in range(n)]
    for _ in range(200):
        change = 0.0
        for node, near in enumerate(neighbours):
            others = np.arange(n) != node
            try:
                slopes = np.linalg.solve(fitted[np.ix_(near, near)], covariance[near, node])
            except np.linalg.LinAlgError:
                return float("inf")
            column = fitted[:, near] @ slopes
            change = max(change, float(np.abs(column[others] - fitted[others, node]).max()))
            fitted[others, node] = fitted[node, others] = column[others]
        if change < 1e-9:
            break
    sign, logarithm = np.linalg.slogdet(fitted)
    return n + float(logarithm) if sign > 0 else float("inf")
