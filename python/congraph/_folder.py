"""Result folders: what the command line writes and Python reads, and the other way round."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _engine
from ._added import added
from ._asked import of_command, path_of, targets
from ._base import GraphEstimator, as_path
from ._consensus import ConsensusGraph, SingleGraph
from ._cv import ConsensusGraphCV
from ._errors import CongraphWarning
from ._joint import JointGraphicalLasso
from ._views import Views

__all__ = ["load"]

_CLASSES: dict[str, type[GraphEstimator]] = {
    one.__name__: one for one in (ConsensusGraph, ConsensusGraphCV, JointGraphicalLasso, SingleGraph)
}
#: Parameters of `ConsensusGraph` that a folder's summary tells under the same name.
_TOLD = ("penalty", "regulariser", "solver", "scale", "sample_norm", "distance_norm", "subject_share")


def load(path: str | os.PathLike[str]) -> GraphEstimator:
    """Read a result folder that `save`, or ``congraph learn``, ``tune`` or ``eeg`` on the command line, wrote.

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    ConsensusGraph, SingleGraph, JointGraphicalLasso or ConsensusGraphCV
        Fitted: the graphs and what is told of them are there, to the bit, and `project`, `communities`, `compare` and `report` go on from
        it; after ``tune`` also ``path_``, ``path_choice_``, ``path_best_`` and ``path_rule_``. (The command line has them in ``tune.tsv``,
        Python in ``python.json``.) Its parameters are those that the fit was asked for, and how its data were read, as far as the folder
        tells them. Who is whose subject is of the data, and not among
        them. What was asked of the graphs later is there as
        well, if it lies in the folder: ``stability_``, ``communities_`` and ``comparison_``, of ``congraph stability``, ``communities``
        and ``compare``. `print` and `report` tell of them, and `save` writes them as they were.

    Examples
    --------
    >>> import tempfile, congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=3, seed=1)
    >>> m = congraph.ConsensusGraph(density=0.1).fit(data.views)
    >>> folder = m.save(tempfile.mkdtemp() + "/out")
    >>> again = congraph.load(folder)
    >>> bool((again.graphs_ == m.graphs_).all()), again
    (True, ConsensusGraph(density=0.1))
    """
    folder = as_path(path, "path")
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {str(folder)!r}; a result folder is what `save` or `congraph learn -o FOLDER` writes")
    result = _engine.load(str(folder))
    record = json.loads(result["record"])
    result["record"] = json.dumps({**record, "warnings": []})
    model = _estimator(result, record)
    unknown = Views({})
    if isinstance(model, JointGraphicalLasso):
        model.precisions_ = np.stack(result["precisions"])
        model._learned(result, unknown, None, silent=True)
    else:
        model._keep(result, unknown, None, silent=True)
    model.warnings_ = [CongraphWarning(message, code, view) for code, view, message in result["warnings"]]
    model._record = json.dumps({**record, "run": None, "node_names": None, "files": None})
    if result["positions"] is not None:
        placed = zip(model.node_names_, result["positions"], strict=True)
        model.positions_ = {node: place for node, place in placed if place is not None}
    model._axes = result["axes"]
    model._from_python = result["python"] is not None
    model._files, model._n_samples, model._carried = result["files"], result["n_samples"], result["carried"]
    model._added = list(result["added"])
    tuned = path_of(dict(result["carried"]), record) if isinstance(model, ConsensusGraph) else {}
    for name, value in {**tuned, **_extra(result), **added(model, result)}.items():
        setattr(model, name, value)
    return model


def _estimator(result: dict[str, Any], record: dict[str, Any]) -> GraphEstimator:
    """With the parameters that Python saved, or that the summary tells."""
    if result["python"] is not None:
        told = json.loads(result["python"])
        if told["class"] not in _CLASSES:
            raise ValueError(f"the folder was saved from a {told['class']}, which is not part of congraph {_engine.__version__}")
        model = _CLASSES[told["class"]]()
        known = model.get_params(deep=False)
        lists = told.get("lists", [])
        params = {name: value if name in lists else _revived(name, value) for name, value in told["params"].items() if name in known}
        model.set_params(**params)
        return model
    tables = dict(result["carried"])
    if result["precisions"] is not None:
        fused = record.get("fused_diagonal")
        return JointGraphicalLasso(
            record["lambda1"],
            record["lambda2"],
            coupling="group" if str(record.get("method", "")).endswith("group") else "fused",
            fused_diagonal=True if fused is None else bool(fused),
            edges=record.get("edge_rule", "nonzero"),
            tol=record.get("tolerance", 1e-8),
            **_known(JointGraphicalLasso, of_command(tables)),
        )
    kind: Any = SingleGraph if result["consensus"] is None else ConsensusGraph
    params = {name: record[name] for name in _TOLD if record.get(name) is not None}
    params["tol"] = record.get("tolerance", 1e-8)
    params["method"] = "likelihood" if record.get("method") == "likelihood" else "smooth"
    params["signed"] = bool(record.get("signed", False))
    params["spectrum"] = record.get("spectrum", 1.0)
    params["filter"] = record.get("filter", "auto")
    if record.get("coupling") in ("chain", "pairwise"):
        params["coupling"] = record["coupling"]
    params |= targets(record, tables)
    params |= _pairs(result, record)
    if result["present"] is not None:
        params["missing"] = "mask"
    params |= of_command(tables)
    return kind(**_known(kind, params))  # type: ignore[no-any-return]


def _known(kind: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Those parameters that an estimator has."""
    return {name: value for name, value in params.items() if name in kind().get_params(deep=False)}


def _pairs(result: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """Candidates and costs of pairs, from the tables of the folder."""
    tables = dict(result["carried"])
    found: dict[str, Any] = {}
    if "candidates.tsv" in tables:
        found["candidates"] = [tuple(row) for row in _rows(tables["candidates.tsv"])]
    elif str(record.get("candidates", "")).startswith("knn:"):
        found["candidates"] = record["candidates"]
        found["seed"] = record.get("candidates_seed", 1)
    if "edge_costs.tsv" in tables:
        found["edge_costs"] = {(one, other): float(cost) for one, other, cost in _rows(tables["edge_costs.tsv"])}
    return found


def _rows(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()[1:]]


def _revived(name: str, value: Any) -> Any:
    """Lists of pairs as they were: JSON has no tuples, and no keys but strings."""
    if name == "edge_costs" and value is not None:
        return {(pair[0], pair[1]): float("inf") if cost is None else cost for pair, cost in value}
    if name == "candidates" and isinstance(value, list):
        return [tuple(pair) for pair in value]
    if isinstance(value, list):
        return tuple(value)
    return value


def _extra(result: dict[str, Any]) -> dict[str, Any]:
    """What a choice among fits adds."""
    if result["python"] is None:
        return {}
    told = json.loads(result["python"]).get("found", {})
    arrays = {name: np.asarray(value) for name, value in told.get("path_", {}).items()}
    found = {name: value for name, value in told.items() if name != "path_"}
    for name in ("_diagonals", "_variances"):
        if name in found:
            found[name] = np.asarray(found[name], dtype=np.float64)
    return {**found, **({"path_": arrays} if arrays else {})}
