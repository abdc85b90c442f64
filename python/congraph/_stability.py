"""How sure the edges of a fit are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._graphs import LearnedGraphs, _optional

__all__ = ["Stability"]

Columns = dict[str, npt.NDArray[Any]]
#: Which edge a row is of; all other columns tell how sure it is.
_TOLD = ("source", "target", "consensus", "view", "weight")


@dataclass(repr=False)
class Stability:
    """How sure each edge of a fit is. Columns that cannot be told are not there, and ``absent`` says why.

    ``edges`` has one entry per edge of any view or of the consensus: ``source``, ``target``, ``consensus``, ``frequency`` (the share of
    halves of the data whose consensus has it), ``frequency_both``, ``replicates`` (the probability that it comes back in new data of
    the same views), ``weight_se``, and whether its nodes depend directly on each other: ``direct_z``, ``q_direct``, ``q_most``,
    ``n_views_at_least``. ``views`` has one entry per edge of a view: ``view``, ``source``, ``target``, ``weight``, ``frequency``,
    ``replicates``, ``weight_se``, ``q_view``, ``difference_z``, ``q_difference``.

    ``bounds`` says how many stable edges are expected to be chance picks of the halving at most, ``curve`` how frequencies were
    calibrated, ``fingerprint`` whether views are recognised from one half of their data in the other. ``support`` says in words how many
    edges are supported (``q_direct`` at most the level); ``None`` if that was not asked or cannot be told. No frequency is the probability
    that an edge is real. `ConsensusGraph.stability` makes it.

    Examples
    --------
    >>> import congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=3, n_signals=200, edge_probability=0.2, seed=1)
    >>> s = congraph.ConsensusGraph(density=0.2).fit(data.views).stability(data.views, pairs=3)
    >>> s.pairs, sorted(s.edges)[:2]
    (3, ['consensus', 'direct_z'])
    """

    edges: Columns
    views: Columns
    bounds: dict[str, Any] | None
    curve: dict[str, Any]
    fingerprint: dict[str, Any] | None
    absent: dict[str, str]
    units: str
    pairs: int
    record: dict[str, Any]
    support: str | None = None
    _findings: str | None = None

    @classmethod
    def _of(cls, graphs: LearnedGraphs, found: dict[str, Any]) -> Stability:
        record = json.loads(found["record"])
        names = np.asarray(graphs.node_names_, dtype=object)
        one, other = graphs.edge_index_
        edges: Columns = {"source": names[one], "target": names[other]}
        if graphs.consensus_weights_ is not None:
            edges["consensus"] = graphs.consensus_weights_
        edges.update(found["edges"])
        view, edge = np.nonzero(graphs.weights_.T)
        views: Columns = {
            "view": np.asarray(graphs.view_names_, dtype=object)[view],
            "source": names[one[edge]],
            "target": names[other[edge]],
            "weight": graphs.weights_[edge, view],
        }
        n_views = len(graphs.view_names_)
        views.update({name: values.reshape(-1, n_views)[edge, view] for name, values in found["views"].items()})
        return cls(
            edges=edges,
            views=views,
            bounds=record["bounds"],
            curve=record["calibration"],
            fingerprint=record["fingerprint"],
            absent=record["absent"],
            units=record["units"],
            pairs=record["pairs"],
            record=record,
            support=found["support"],
            _findings=found["findings"],
        )

    def _columns(self, graphs: LearnedGraphs) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
        """What is known of edges, and of all edges in all views: NaN where a view does not have the edge."""
        edges = [(name, np.ascontiguousarray(values)) for name, values in self.edges.items() if name not in _TOLD]
        view, edge = np.nonzero(graphs.weights_.T)
        views = []
        for name, values in self.views.items():
            if name not in _TOLD:
                whole = np.full(graphs.weights_.shape, np.nan)
                whole[edge, view] = values
                views.append((name, whole.ravel()))
        return edges, views

    def __repr__(self) -> str:
        told = f"Stability({self.units} halved, {self.record['fits']} fits"
        if self.support is not None:
            told += f": {self.support}"
        if self.bounds is not None and "consensus" in self.edges:
            present = self.edges["consensus"] != 0
            frequent = int((self.edges["frequency"][present] >= 0.9 - 1e-9).sum())
            told += f"{':' if self.support is None else ';'} {frequent} of {int(present.sum())} edges of the consensus in at least 90 % of the halves"
        return told + ")"

    def to_frame(self, long: bool = False) -> Any:
        """The edges as a pandas data frame.

        Parameters
        ----------
        long : bool, default False
            Those of the views, one row for each edge of a view.

        Returns
        -------
        pandas.DataFrame

        Examples
        --------
        >>> import congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=3, n_signals=200, edge_probability=0.2, seed=1)
        >>> s = congraph.ConsensusGraph(density=0.2).fit(data.views).stability(data.views, pairs=3)
        >>> s.to_frame(long=True).columns[:4].tolist()
        ['view', 'source', 'target', 'weight']
        """
        return _optional("pandas", "graph").DataFrame(self.views if long else self.edges)
