"""Data whose graphs are known."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import _engine
from ._graphs import Graphs
from ._views import Views

__all__ = ["Simulation", "simulate"]


@dataclass
class Simulation:
    """Simulated views, the graphs that they come from, and where the nodes are if the model places them. `simulate` makes it.

    Attributes
    ----------
    views : Views
    truth : Graphs
    positions : array (nodes, 2) or None

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=2, n_signals=50, graph="rgg")
    >>> data.positions.shape
    (20, 2)
    """

    views: Views
    truth: Graphs
    positions: npt.NDArray[np.float64] | None


def simulate(
    n_nodes: int = 100,
    n_views: int = 6,
    n_signals: int | Sequence[int] = 500,
    *,
    graph: str = "er",
    edge_probability: float = 0.1,
    growth: int = 5,
    radius: float | None = None,
    mean_degree: float = 10.0,
    shuffled: float = 0.1,
    added: float | None = None,
    removed: float | None = None,
    changed_views: int = 1,
    same_views: bool = False,
    weights: tuple[float, float] | None = None,
    filter: str = "pinv",
    filter_t: float | None = None,
    noise: float = 0.1,
    seed: int = 1,
) -> Simulation:
    """Smooth signals on view graphs that differ from a known consensus graph.

    Parameters
    ----------
    n_nodes, n_views : int
    n_signals : int or one per view
    graph : {"er", "ba", "rgg"}
        Erdős–Rényi (``edge_probability``), Barabási–Albert (``growth``) or random geometric (``radius`` or ``mean_degree``).
    shuffled : float
        The share of the consensus edges that each view moves elsewhere.
    added, removed : float, optional
        Instead: the share of edges that are added and removed, each in ``changed_views`` of the views (the same ones if
        ``same_views``).
    weights : (float, float), optional
        The range that the weight of every edge is drawn from, the same in all views that have it; all are 1 without.
    filter : {"pinv", "gaussian", "heat", "tikhonov"}
        What smooths white signals; ``filter_t`` for the last two.
    noise : float
        The norm of the noise over that of the signals.
    seed : int

    Returns
    -------
    Simulation

    Examples
    --------
    >>> from congraph import simulate
    >>> data = simulate(n_nodes=20, n_views=2, n_signals=50)
    >>> data.views["view1"].shape, data.truth
    ((50, 20), Graphs(2 views, 20 nodes, 26 edges))
    """
    wanted = {
        "graph": graph,
        "n_nodes": n_nodes,
        "n_views": n_views,
        "n_signals": [operator.index(n) for n in (n_signals if isinstance(n_signals, Iterable) else [n_signals])],
        "edge_probability": edge_probability,
        "growth": growth,
        "radius": radius,
        "mean_degree": mean_degree,
        "shuffled": shuffled,
        "added": added,
        "removed": removed,
        "changed_views": changed_views,
        "same_views": same_views,
        "weights": weights,
        "filter": filter,
        "filter_t": filter_t,
        "noise": noise,
        "seed": seed,
    }
    found = _engine.simulate(wanted)
    truth = Graphs(**{name: value for name, value in found["truth"].items() if not name.startswith("subject")})
    positions = found["positions"]
    places = None if positions is None else dict(zip(truth.node_names_, positions.tolist(), strict=True))
    arrays = dict(zip(truth.view_names_, found["tables"], strict=True))
    truth.positions_ = places
    return Simulation(Views(arrays, nodes=truth.node_names_, positions=places), truth, positions)
