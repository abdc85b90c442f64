"""Pictures of learned graphs (matplotlib): heat maps, a graph on a circle or on the scalp, the path of `tune`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._graphs import LearnedGraphs, _optional
from ._kinds import _places

__all__ = ["graph", "heatmaps", "path"]


def heatmaps(learned: LearnedGraphs, views: Sequence[str | int] | None = None, *, order: npt.ArrayLike | None = None) -> Any:
    """The weights of the consensus and of the views as heat maps on one scale.

    Where any is negative, the scale has 0 in its middle.

    Parameters
    ----------
    learned : fitted estimator or Graphs
    views : sequence of str or int, optional
        Which views; all otherwise.
    order : sequence of int, optional
        Rearranges the nodes, such as ``np.argsort(m.communities().consensus)``.

    Returns
    -------
    matplotlib figure

    Examples
    --------
    >>> import congraph
    >>> truth = congraph.simulate(n_nodes=20, n_views=2, seed=1).truth
    >>> [axis.get_title() for axis in congraph.plots.heatmaps(truth).axes[:3]]
    ['consensus', 'view1', 'view2']
    """
    pyplot = _optional("matplotlib.pyplot", "plot")
    shown: list[str | int] = list(range(len(learned.view_names_))) if views is None else list(views)
    titles = [name if isinstance(name, str) else learned.view_names_[name] for name in shown]
    matrices = [learned._dense(learned._weights(view)) for view in shown]
    if learned.consensus_weights_ is not None:
        matrices.insert(0, learned.consensus_)
        titles.insert(0, "consensus")
    n = len(learned.node_names_)
    places = np.arange(n) if order is None else np.asarray(order)
    if not np.array_equal(np.sort(places), np.arange(n)):
        raise ValueError(f"order must have every number from 0 to {n - 1} once: one for each node")
    most = max(float(np.abs(matrix).max()) for matrix in matrices) or 1.0
    signed = any(float(matrix.min()) < 0 for matrix in matrices)
    scale = {"vmin": -most, "cmap": "PuOr"} if signed else {"vmin": 0.0, "cmap": "magma_r"}
    n_columns = min(4, len(matrices))
    n_rows = -(-len(matrices) // n_columns)
    figure, axes = pyplot.subplots(n_rows, n_columns, figsize=(2.6 * n_columns, 2.6 * n_rows), squeeze=False, layout="constrained")
    for axis in axes.flat[len(matrices) :]:
        axis.set_visible(False)
    for axis, matrix, title in zip(axes.flat, matrices, titles, strict=False):
        image = axis.imshow(matrix[np.ix_(places, places)], vmax=most, **scale, interpolation="nearest")
        axis.set_title(title, fontsize=9)
        axis.set_xticks([])
        axis.set_yticks([])
    figure.colorbar(image, ax=axes, label="weight", shrink=0.7)
    return figure


def graph(
    learned: LearnedGraphs,
    view: str | int | None = None,
    *,
    positions: Mapping[str, Sequence[float]] | None = None,
    colors: npt.ArrayLike | None = None,
    labels: bool = True,
    ax: Any = None,
) -> Any:
    """The graph of a view, or the consensus, with nodes where they are, or on a circle.

    Edges of negative weight are dashed and of another colour.

    Parameters
    ----------
    learned : fitted estimator or Graphs
    view : str or int, optional
        Which view; the consensus otherwise.
    positions : mapping from nodes to coordinates, optional
        Three coordinates are taken as electrodes on a head, seen from above.
    colors : sequence of numbers, optional
        One number per node, such as communities.
    labels : bool, default True
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import congraph
    >>> truth = congraph.simulate(n_nodes=20, n_views=2, seed=1).truth
    >>> congraph.plots.graph(truth, "view2").get_title()
    'view2'
    """
    pyplot = _optional("matplotlib.pyplot", "plot")
    weights = learned._weights(view)
    given = _places(positions) if positions is not None else getattr(learned, "positions_", None)
    names = learned.node_names_
    absent = [name for name in names if given is not None and name not in given]
    if positions is not None and absent:
        raise ValueError(f"positions has no {absent[0]!r}: {len(absent)} of {len(names)} nodes have no place")
    placed = given is not None and all(name in given for name in names)
    is_head = placed and given is not None and len(given[names[0]]) == 3
    points = _placed(given, names) if placed and given is not None else _circle(len(names))
    axis = ax if ax is not None else pyplot.subplots(figsize=(5, 5), layout="constrained")[1]
    if is_head:
        _head(axis, float(np.hypot(*points.T).max()))
    most = float(np.abs(weights).max()) if weights.size else 1.0
    for a, b, weight in zip(*learned.edge_index_, weights, strict=True):
        if weight != 0:
            share = abs(float(weight)) / most
            line = {"color": "#33638d"} if weight > 0 else {"color": "#b8430a", "linestyle": (0, (4, 2))}
            axis.plot(*points[[a, b]].T, **line, linewidth=0.3 + 2.5 * share, alpha=0.25 + 0.65 * share, zorder=1)
    shade = np.zeros(len(names)) if colors is None else np.asarray(colors)
    if shade.shape != (len(names),):
        raise ValueError(f"colors must be {len(names)} numbers, one for each node, and has the shape {shade.shape}")
    if shade.dtype.kind not in "biuf":
        raise TypeError(f"colors must be numbers, one for each node, and has {shade.tolist()[0]!r}: number what they stand for, `np.unique(colors, return_inverse=True)[1]`")
    shade = np.where(shade < 19, shade, 19)
    few = shade.max(initial=0) < 10
    colours = {"cmap": "tab10", "vmax": 9} if few else {"cmap": "tab20", "vmax": 19}
    axis.scatter(*points.T, s=30, c=shade, vmin=0, **colours, edgecolors="white", linewidths=0.5, zorder=2)
    if labels:
        for name, point in zip(names, points, strict=True):
            axis.annotate(name, point, xytext=(3, 3), textcoords="offset points", fontsize=6, zorder=3)
    axis.set_title("consensus" if view is None else view if isinstance(view, str) else learned.view_names_[view])
    axis.set_aspect("equal")
    axis.set_axis_off()
    return axis


def path(model: Any, measure: str | None = None, *, ax: Any = None) -> Any:
    """The grid of `ConsensusGraph.tune` or `ConsensusGraphCV`: a measure over densities and similarities, the choice marked.

    By likelihood it is the sparsest density that keeps 95 % of the best ``gain``, with the similarity of the highest gain there. By
    stability the density is the largest whose ``agreement`` is within 0.02 of the best, the similarity that of the best
    ``prediction`` there.

    Parameters
    ----------
    model : ConsensusGraph or ConsensusGraphCV
        After `tune`, or fitted.
    measure : str, optional
        A key of ``path_``: ``gain``, ``agreement``, ``prediction``, ``instability``, ``consensus_density``, ...; by default the one that
        was chosen by.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=3, edge_probability=0.2, seed=1)
    >>> m = congraph.ConsensusGraphCV(halvings=1).fit(data.views)
    >>> congraph.plots.path(m).get_ylabel()
    'similarity'
    """
    pyplot = _optional("matplotlib.pyplot", "plot")
    if not hasattr(model, "path_"):
        raise ValueError("there is no path: call `tune` first")
    cells = model.path_
    measure = measure if measure is not None else "gain" if "gain" in cells else "agreement"
    axis = ax if ax is not None else pyplot.subplots(figsize=(5.5, 4), layout="constrained")[1]
    shown = axis.scatter(cells["density"], cells["similarity"], c=cells[measure], s=90, marker="s", cmap="viridis")
    chosen = model.path_choice_
    axis.scatter(cells["density"][chosen], cells["similarity"][chosen], s=200, facecolors="none", edgecolors="black", label="chosen")
    axis.set_xscale("log")
    densities = np.unique(np.round(cells["density"], 3))
    axis.set_xticks(densities[:: max(1, len(densities) // 6)], minor=False)
    axis.set_xticks([], minor=True)
    axis.xaxis.set_major_formatter("{x:.2g}")
    axis.set_xlabel("density of the views")
    axis.set_ylabel("similarity")
    axis.figure.colorbar(shown, ax=axis, label=measure)
    axis.legend()
    return axis


def _circle(n: int) -> npt.NDArray[np.float64]:
    angles = 2 * np.pi * np.arange(n) / n
    return np.stack([np.sin(angles), np.cos(angles)], axis=1)


def _placed(given: Mapping[str, Sequence[float]], names: list[str]) -> npt.NDArray[np.float64]:
    """Points of a plane as they are; points on a head by their angle from the top, so that ears and nose are on the rim."""
    points = np.asarray([given[name] for name in names], dtype=np.float64)
    if points.shape[1] == 2:
        return points
    flat = np.hypot(points[:, 0], points[:, 1])
    angle = np.arctan2(flat, points[:, 2]) / (np.pi / 2)
    return points[:, :2] * (angle / np.where(flat > 0, flat, 1.0))[:, None]


def _head(axis: Any, radius: float) -> None:
    outline = np.linspace(0, 2 * np.pi, 100)
    rim = max(1.0, radius)
    axis.plot(rim * np.sin(outline), rim * np.cos(outline), color="#999999", linewidth=1, zorder=0)
    axis.plot([-0.1 * rim, 0, 0.1 * rim], [0.995 * rim, 1.12 * rim, 0.995 * rim], color="#999999", linewidth=1, zorder=0)
