"""The joint graphical lasso, to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._base import GraphEstimator

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

    The others are those of `ConsensusGraph`.

    Attributes
    ----------
    precisions_ : array (views, nodes, nodes)
    graphs_ : array (views, nodes, nodes)
        The absolute entries that are edges.
    """

    precisions_: npt.NDArray[np.float64]

    def __init__(
        self,
        lambda1: float = 0.1,
        lambda2: float = 0.02,
        *,
        coupling: str = "fused",
        fused_diagonal: bool = True,
        edges: str = "nonzero",
        tol: float = 1e-8,
        max_iter: int | None = None,
        scale: str = "zscore",
        sample_norm: str = "mean",
        data: str = "signals",
        orient: str = "samples-by-nodes",
        nodes: str = "same",
        drop_nodes: Sequence[str] = (),
        missing: str = "error",
        nan: str = "error",
        allow_counts: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.coupling = coupling
        self.fused_diagonal = fused_diagonal
        self.edges = edges
        self.tol = tol
        self.max_iter = max_iter
        self.scale = scale
        self.sample_norm = sample_norm
        self.data = data
        self.orient = orient
        self.nodes = nodes
        self.drop_nodes = drop_nodes
        self.missing = missing
        self.nan = nan
        self.allow_counts = allow_counts
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, blocks: Any = None) -> JointGraphicalLasso:
        """Learn the precision matrices of the views; ``X`` as for `ConsensusGraph.fit`."""
        views = self._views(X, groups, blocks)
        asked = ["coupling", "lambda1", "lambda2", "tol", "max_iter", "scale", "sample_norm"]
        if self.coupling == "fused":
            asked.append("fused_diagonal")
        options = {name: getattr(self, name) for name in asked}
        result = _engine.joint_graphical_lasso(views._borrowed(), self._reading(views), options, self.edges, self._running())
        self.precisions_ = np.stack(result["precisions"])
        self._learned(result, views, X)
        return self

    def _summary(self) -> list[tuple[str, str]]:
        return [
            ("density", f"{self.density_:.3f} ({self.densities_.min():.3f} to {self.densities_.max():.3f})"),
            ("similarity", "one view" if self.similarity_ is None else f"{self.similarity_:.3f}"),
            ("parameters", f"lambda1 {self.lambda1:.4g}, lambda2 {self.lambda2:.4g}, {self.coupling}"),
            ("warnings", ", ".join(sorted({warning.code for warning in self.warnings_})) or "none"),
            self._certified(),
        ]
