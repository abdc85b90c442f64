"""Plots for AnnData, as scanpy names them: `congraph.pl.consensus_graph(adata)` after `congraph.tl.consensus_graph`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import plots, tl
from ._graphs import Graphs, _optional

__all__ = ["consensus_graph", "heatmaps", "uniqueness"]


def consensus_graph(adata: Any, group: str | None = None, *, key: str = "consensus_graph", n_genes: int = 40, ax: Any = None) -> Any:
    """The graph of a group of cells, or the consensus, among its best connected genes.

    Parameters
    ----------
    adata : AnnData
        After `congraph.tl.consensus_graph`.
    group : str, optional
        Which group; the consensus otherwise.
    key : str
        What the graphs were added as.
    n_genes : int, default 40
        How many genes to draw: those with the largest sums of weights.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import anndata, congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=2, n_signals=100, edge_probability=0.2, seed=1)
    >>> adata = anndata.concat({name: anndata.AnnData(array) for name, array in data.views.items()}, label="kind", index_unique="-")
    >>> congraph.tl.consensus_graph(adata, groupby="kind", density=0.2)
    >>> congraph.pl.consensus_graph(adata, n_genes=10).get_title()
    'consensus: 10 of 20 genes'
    """
    whole = tl.graphs(adata, key)
    some = _best_connected(whole, group, n_genes)
    axis = plots.graph(some, group, positions=_places(some, group), ax=ax)
    shown, total = len(some.node_names_), len(whole.node_names_)
    axis.set_title(f"{'consensus' if group is None else group}: {shown} of {total} genes" if shown < total else axis.get_title())
    return axis


def heatmaps(adata: Any, *, key: str = "consensus_graph", n_genes: int = 60) -> Any:
    """The weights of the consensus and of every group as heat maps, among the best connected genes, sorted by community.

    Parameters
    ----------
    adata : AnnData
        After `congraph.tl.consensus_graph`.
    key : str
        What the graphs were added as.
    n_genes : int, default 60

    Returns
    -------
    matplotlib figure

    Examples
    --------
    >>> import anndata, congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=2, n_signals=100, edge_probability=0.2, seed=1)
    >>> adata = anndata.concat({name: anndata.AnnData(array) for name, array in data.views.items()}, label="kind", index_unique="-")
    >>> congraph.tl.consensus_graph(adata, groupby="kind", density=0.2)
    >>> len(congraph.pl.heatmaps(adata).axes)
    4
    """
    some = _best_connected(tl.graphs(adata, key), None, n_genes)
    found = some.communities(runs=5).consensus
    return plots.heatmaps(some, order=None if found is None else np.argsort(found, kind="stable"))


def uniqueness(adata: Any, *, key: str = "consensus_graph", ax: Any = None) -> Any:
    """How far the graph of each group of cells is from the consensus, as bars.

    Parameters
    ----------
    adata : AnnData
        After `congraph.tl.consensus_graph`.
    key : str
        What the graphs were added as.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import anndata, congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=2, n_signals=100, edge_probability=0.2, seed=1)
    >>> adata = anndata.concat({name: anndata.AnnData(array) for name, array in data.views.items()}, label="kind", index_unique="-")
    >>> congraph.tl.consensus_graph(adata, groupby="kind", density=0.2)
    >>> congraph.pl.uniqueness(adata).get_xlabel()
    'uniqueness'
    """
    pyplot = _optional("matplotlib.pyplot", "plot")
    tl.graphs(adata, key)
    told = adata.uns[key]
    values = np.asarray(told["uniqueness"], dtype=np.float64)
    order = np.argsort(values)
    axis = ax if ax is not None else pyplot.subplots(figsize=(5, 0.8 + 0.25 * len(values)), layout="constrained")[1]
    axis.barh([str(told["groups"][k]) for k in order], values[order], color="#33638d")
    axis.set_xlabel("uniqueness")
    return axis


def _best_connected(whole: Graphs, group: str | None, n_genes: int) -> Graphs:
    """The graphs among the genes of the largest strengths in one of them."""
    weights = np.abs(whole._weights(group))
    strength = np.bincount(whole.edge_index_.ravel(), np.concatenate([weights, weights]), len(whole.node_names_))
    kept = np.sort(np.argsort(-strength, kind="stable")[: max(2, n_genes)])
    matrices = whole.graphs_[:, kept][:, :, kept]
    some = Graphs.from_matrices(
        matrices,
        whole.consensus_[np.ix_(kept, kept)],
        nodes=[whole.node_names_[k] for k in kept.tolist()],
        views=whole.view_names_,
    )
    some.present_ = None if whole.present_ is None else whole.present_[:, kept]
    return some


def _places(some: Graphs, group: str | None) -> dict[str, list[float]] | None:
    """Joined genes near each other, if networkx is there; otherwise plots have them on a circle."""
    try:
        networkx = _optional("networkx", "graph")
    except ImportError:
        return None
    found: dict[str, npt.NDArray[np.float64]] = networkx.spring_layout(some.to_networkx(group), seed=1, weight=None)
    return {node: [float(x) for x in at] for node, at in found.items()}
