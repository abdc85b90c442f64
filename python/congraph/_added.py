"""What was asked of the graphs in a result folder after they were learned: how sure edges are, communities, who differs."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._graphs import Communities, Comparison, LearnedGraphs, _table
from ._stability import Stability

__all__: list[str] = []

#: Columns of edges.tsv and edges_long.tsv that tell the edge itself.
_OF_EDGES = {"source", "target", "consensus", "n_views", "n_measured", "mean_weight"}
_OF_VIEWS = {"view", "source", "target", "weight"}
#: The tables of a comparison, and those of their columns that are names.
_TABLES = {"edges": "edges", "components": "components", "nodes": "nodes", "measures": "global", "pairs": "pairs"}
_NAMES = {"source", "target", "node", "measure", "one", "two"}


def added(graphs: LearnedGraphs, result: dict[str, Any]) -> dict[str, Any]:
    """The attributes that the folder has more than its fit."""
    files: dict[str, bytes] = dict(result["added"])
    found: dict[str, Any] = {}
    if result["stability"] is not None:
        found["stability_"] = _stability(graphs, result["stability"], files)
    if "communities.json" in files and "communities.tsv" in files:
        found["communities_"] = _communities(graphs, files)
    if result["comparison"] is not None:
        found["comparison_"] = _comparison(result["comparison"], files)
    return found


def _columns(text: bytes) -> dict[str, list[str]]:
    """The cells of a table by the names of its columns."""
    header, *rows = csv.reader(io.StringIO(text.decode("utf-8"), newline=""), delimiter="\t")
    return {name: [row[k] for row in rows] for k, name in enumerate(header)}


def _floats(cells: list[str]) -> npt.NDArray[np.float64]:
    return np.array([float(cell) if cell else np.nan for cell in cells], dtype=np.float64)


def _stability(graphs: LearnedGraphs, told: dict[str, Any], files: dict[str, bytes]) -> Stability:
    nodes = {name: k for k, name in enumerate(graphs.node_names_)}
    places = {pair: k for k, pair in enumerate(zip(*graphs.edge_index_.tolist(), strict=True))}

    def at(table: dict[str, list[str]]) -> npt.NDArray[np.int64]:
        ends = zip(table["source"], table["target"], strict=True)
        return np.array([places[min(nodes[a], nodes[b]), max(nodes[a], nodes[b])] for a, b in ends], dtype=np.int64)

    table = _columns(files["edges.tsv"])
    edge, n_edges, n_views = at(table), graphs.edge_index_.shape[1], len(graphs.view_names_)
    edges: dict[str, Any] = {}
    for name in (name for name in table if name not in _OF_EDGES):
        edges[name] = np.full(n_edges, np.nan)
        edges[name][edge] = _floats(table[name])
    table = _columns(files["edges_long.tsv"])
    views = {name: k for k, name in enumerate(graphs.view_names_)}
    edge, view = at(table), np.array([views[name] for name in table["view"]], dtype=np.int64)
    of_views: dict[str, Any] = {}
    for name in (name for name in table if name not in _OF_VIEWS):
        values = np.full((n_edges, n_views), np.nan)
        values[edge, view] = _floats(table[name])
        of_views[name] = values.ravel()
    return Stability._of(graphs, {**told, "edges": edges, "views": of_views})


def _communities(graphs: LearnedGraphs, files: dict[str, bytes]) -> Communities:
    facts, table = json.loads(files["communities.json"]), _columns(files["communities.tsv"])
    row = {name: k for k, name in enumerate(table["node"])}
    order = [row[name] for name in graphs.node_names_]
    # Where a view is called like one of these columns, the columns are still the first.
    cells = list(table.items())[1:]
    labels = [np.array([int(column[k]) if column[k] else -1 for k in order], dtype=np.int64) for _, column in cells]
    # Without a consensus its column is there, and empty.
    consensus, group, views = labels[0] if facts.get("consensus") else None, labels[1], np.stack(labels[2:])
    together = np.full((len(order), len(order)), np.nan)
    if "coclassification.npz" in files:
        with np.load(io.BytesIO(files["coclassification.npz"])) as stored:
            together = stored["coclassification"]
    partitions = [group, *views] if consensus is None else [consensus, group, *views]
    return Communities(
        node_names=list(graphs.node_names_),
        view_names=list(graphs.view_names_),
        views=views,
        view_modularity=np.array([facts["views"][name]["modularity"] for name in graphs.view_names_]),
        consensus=consensus,
        consensus_modularity=facts["consensus"]["modularity"] if consensus is not None else None,
        group=group,
        agreed=facts["group"]["agreed"],
        nmi=np.array([[_nmi(one, other) for other in partitions] for one in partitions]),
        coclassification=together,
    )


def _nmi(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> float:
    both = (one >= 0) & (other >= 0)
    return _engine.nmi(one[both], other[both])


def _comparison(findings: str, files: dict[str, bytes]) -> Comparison:
    record = json.loads(files["compare.json"])
    tables = {name: _table(_typed(files.get(f"compare_{file}.tsv"))) for name, file in _TABLES.items()}
    return Comparison(
        **tables,
        groups=[group["name"] for group in record["groups"]],
        statistic=record["statistic"],
        permutations=record["permutations"],
        exact=record["exact"],
        n_pairs=record["n_pairs"],
        null=None,
        threshold=record["threshold"],
        equalised_to=record["equalised_to"],
        level=record.get("level", 0.05),
        _findings=findings,
    )


def _typed(text: bytes | None) -> dict[str, Any]:
    """Names as they are, counts as whole numbers, all else as numbers."""
    if text is None:
        return {}
    found: dict[str, Any] = {}
    for name, cells in _columns(text).items():
        if name in _NAMES:
            found[name] = cells
        elif name in ("id", "component") or name.startswith(("n_", "present_")):
            found[name] = np.array([int(cell) if cell else 0 for cell in cells], dtype=np.int64)
        else:
            found[name] = _floats(cells)
    return found
