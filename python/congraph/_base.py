"""What all estimators share: they are scikit-learn compatible, whether it is installed or not."""

from __future__ import annotations

import datetime
import html
import inspect
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from ._blocks import _duration, _is_length
from ._errors import CongraphWarning, choose_truth, former, is_given, tell
from ._graphs import LearnedGraphs, counted
from ._progress import running
from ._views import Views, _in_blocks, as_views

__all__ = ["GraphEstimator", "as_path"]


class _Plain:
    """`get_params`, `set_params` and `repr` as scikit-learn has them, for when it is not there."""

    @classmethod
    def _parameters(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Any:
        """Sets parameters of the constructor and returns the estimator."""
        known = self._parameters()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: {known!r}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if not _same(value, defaults[name].default)]
        return f"{type(self).__name__}({', '.join(changed)})"


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy, and durations, as JSON has them."""
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        return f"{_duration(value):.9f}".rstrip("0").rstrip(".") + "s"
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (tuple, set, frozenset)):
        return list(value)
    raise ValueError(f"{value!r} cannot be saved to a folder: use `pickle`, which keeps all parameters")


def as_path(path: Any, name: str) -> Path:
    """A path, or a sentence where it is none."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name} is {path!r}; it must be the path of a folder, such as \"out\"")
    return Path(path)


def _same(one: Any, other: Any) -> bool:
    return one is other or (isinstance(one, (int, float, str)) and one == other)


_Base: Any = _Plain
try:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError

    _Base = BaseEstimator
except ImportError:

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """Used before it was fitted."""


class GraphEstimator(_Base, LearnedGraphs):  # type: ignore[misc]
    """What all estimators share; not to be used by itself."""

    n_features_in_: int
    relative_gap_: float
    objective_: float
    dual_objective_: float
    converged_: bool
    status_: str
    n_iter_: int
    density_: float
    densities_: npt.NDArray[np.float64]
    similarity_: float | None
    warnings_: list[CongraphWarning]
    positions_: dict[str, Any] | None
    _record: str
    _files: list[str]
    _n_samples: list[int | None]
    _carried: list[tuple[str, str]]
    _added: list[tuple[str, bytes]]
    _axes: str
    _from_python: bool
    _are_numbered: bool

    # scikit-learn's words for what is accepted.
    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.target_tags.required = False
        return tags

    def _reading(self, views: Views) -> dict[str, Any]:
        """How tables become views."""
        choose_truth("allow_counts", self.allow_counts)
        return {
            "data": self._kind(),
            "orient": self.orient,
            "nodes": self.nodes,
            "drop_nodes": self._dropped(views),
            "nan": self.nan,
            "missing": self.missing,
            "allow_counts": bool(self.allow_counts),
            "allow_constant": self.scale not in (None, "zscore"),
            "electrodes": views._electrodes,
        }

    def _dropped(self, views: Views) -> list[str]:
        """The nodes to leave out, by name; nodes without names are numbered from 0, as everywhere in Python."""
        wanted = self.drop_nodes
        if wanted is None:
            return []
        if isinstance(wanted, (str, int, np.integer)):
            wanted = [wanted]
        unnamed = all(nodes is None for nodes in views.nodes.values())
        return [str(int(node)) if unnamed and isinstance(node, (int, np.integer)) else str(node) for node in wanted]

    def _kind(self) -> str:
        """What the numbers are, by the parameter `kind` or by its former name."""
        kind: str = self.data if is_given(self.data) else self.kind
        return kind

    def _tell_former_names(self) -> None:
        former(self.kind, "kind", self.data, "data")

    def _running(self) -> dict[str, Any]:
        return running(self.n_jobs, self.verbose)

    def _views(self, X: Any, labels: Any, blocks: Any, subjects: Any = None) -> Views:
        self._tell_former_names()
        self._refuse_long(labels)
        # How many blocks, or how long they last, is told apart from labels: nodes may be in rows.
        is_length = _is_length(blocks)
        views = as_views(X, views=labels, blocks=None if is_length else blocks, subjects=subjects)
        views = views if self._node_axis() == 1 else views._with_nodes_in_rows()
        views._check_nodes(self._node_axis())
        return _in_blocks(views, blocks, 1 - self._node_axis()) if is_length else views

    def _refuse_long(self, labels: Any) -> None:
        """Complains about a long table that is said to have its nodes in rows."""
        if labels is not None and self._node_axis() == 0:
            raise ValueError(
                "views tells the rows of one long table apart, and a long table has samples in rows: leave out orient=\"nodes-by-samples\", and give "
                "the table with one row per sample (transpose it first if it is the other way round)"
            )

    def _node_axis(self) -> int:
        return 0 if self._kind() == "signals" and self.orient == "nodes-by-samples" else 1

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False, report: bool = False) -> Path:
        """Write the fit to a result folder, as ``congraph learn`` does on the command line; `congraph.load` reads it.

        Parameters
        ----------
        path : str or path
            The folder. It appears whole or not at all.
        overwrite : bool, default False
            Replace the results in a folder that is not empty; other files in it stay.
        report : bool, default False
            Also write ``report.html`` into it.

        Returns
        -------
        pathlib.Path
            The folder.

        Examples
        --------
        >>> import tempfile, congraph
        >>> data = congraph.simulate(n_nodes=20, n_views=2, seed=1)
        >>> folder = congraph.ConsensusGraph(density=0.1).fit(data.views).save(tempfile.mkdtemp() + "/out")
        >>> sorted(file.name for file in folder.iterdir())[:4]
        ['edges.tsv', 'edges_long.tsv', 'matrices.npz', 'nodes.tsv']
        """
        self._check_learned()
        target = as_path(path, "path")
        record, warned = self._told()
        # Of some nodes it may not be known where they are.
        places = self.positions_ or {}
        is_placed = any(node in places for node in self.node_names_)
        carried = dict(self._carried)
        pairs = self._pairs_told() if not carried else {}
        saved = {
            "path": os.fspath(target),
            "force": bool(overwrite),
            "report": self._page() if report else None,
            "record": record,
            "warnings": warned,
            "positions": [[float(x) for x in places[node]] if node in places else None for node in self.node_names_] if is_placed else None,
            "axes": getattr(self, "_axes", ""),
            "files": list(self._files),
            "n_samples": list(self._n_samples),
            "precisions": list(vars(self)["precisions_"]) if "precisions_" in vars(self) else None,
            "python": self._as_json(),
            "carried": list(self._carried),
            "added": list(self._added),
            "stability": self._stability_told(),
            "candidates": pairs.get("candidates"),
            "edge_costs": pairs.get("edge_costs"),
        }
        _engine.save(self._arrays(), saved)
        return target

    def _stability_told(self) -> dict[str, Any] | None:
        """How sure edges are, where that was asked here; what came with a folder is in ``_added``."""
        found = getattr(self, "stability_", None)
        if found is None or any(name == "stability.json" for name, _ in self._added):
            return None
        edges, views = found._columns(self)
        return {"record": json.dumps(found.record), "edges": edges, "views": views}

    def _pairs_told(self) -> dict[str, list[list[str]]]:
        """Candidates and costs as rows of the folder's tables."""
        found: dict[str, list[list[str]]] = {}
        names = self.node_names_
        wanted = getattr(self, "candidates", None)
        if wanted is not None and not isinstance(wanted, str):
            found["candidates"] = [[names[a], names[b]] for a, b in np.sort(self._pairs(None, wanted, "candidates"), axis=1).tolist()]
        costs = getattr(self, "edge_costs", None)
        if costs:
            pairs = np.sort(self._pairs(None, list(costs), "edge_costs"), axis=1).tolist()
            values = [float(cost) for cost in costs.values()]
            found["edge_costs"] = [[names[a], names[b], repr(cost)] for (a, b), cost in zip(pairs, values, strict=True)]
        return found

    def _as_json(self) -> str:
        """Class and parameters, for `congraph.load`; nothing of what came from the command line."""
        if dict(self._carried).get("run.json") and not getattr(self, "_from_python", True):
            return ""
        params = self.get_params(deep=False)
        penalty = params.get("penalty", "l1")
        if not isinstance(penalty, str):
            raise ValueError("a penalty written in Python cannot be saved to a folder: use `pickle`, which keeps the object")
        if params.get("edge_costs"):
            params["edge_costs"] = [[list(pair), None if np.isinf(cost) else float(cost)] for pair, cost in params["edge_costs"].items()]
        candidates = params.get("candidates")
        if candidates is not None and not isinstance(candidates, str):
            params["candidates"] = [list(pair) for pair in candidates]
        found: dict[str, Any] = {}
        for name in ("path_choice_", "path_best_", "path_rule_", "best_params_", "best_score_"):
            if hasattr(self, name):
                found[name] = getattr(self, name)
        if getattr(self, "_diagonals", None) is not None:
            # Not in JSON: NaN, for the nodes that a view lacks.
            found["_diagonals"] = [[None if np.isnan(t) else t for t in view] for view in self._diagonals.tolist()]
            found["_variances"] = self._variances.tolist()
        if hasattr(self, "path_"):
            found["path_"] = {name: np.asarray(values).tolist() for name, values in self.path_.items()}
        lists = sorted(name for name, value in params.items() if isinstance(value, list) and name not in ("candidates", "edge_costs"))
        told: dict[str, Any] = {"schema": "congraph.python/1", "class": type(self).__name__, "params": params, "found": found}
        if lists:
            # JSON does not tell lists from tuples.
            told["lists"] = lists
        return json.dumps(told, indent=2, default=_plain) + "\n"

    def _learned(self, result: dict[str, Any], views: Views, X: Any, silent: bool = False) -> None:
        """Keeps what the engine found, and tells what it warned of."""
        self._set_graphs(result)
        self.n_features_in_ = len(self.node_names_)
        columns = getattr(X, "columns", None)
        if columns is not None and all(isinstance(column, str) for column in columns):
            self.feature_names_in_ = np.asarray(self.node_names_, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.relative_gap_ = result["relative_gap"]
        self.objective_ = result["objective"]
        self.dual_objective_ = result["dual_objective"]
        self.converged_ = result["converged"]
        self.status_ = result["status"]
        self.n_iter_ = result["iterations"]
        self.density_ = result["density"]
        self.densities_ = result["densities"]
        self.similarity_ = result["similarity"]
        self.positions_ = views.positions
        self._record = result["record"]
        # Of another fit than this one.
        for name in ("stability_", "communities_", "comparison_"):
            if hasattr(self, name):
                delattr(self, name)
        near = [] if silent else self._near()
        self.warnings_ = [CongraphWarning(message, code, view) for code, view, message in [*result["warnings"], *near]]
        self._are_numbered = views._are_numbered
        self._axes = ""
        self._from_python = True
        self._files = [""] * len(self.view_names_)
        sample_axis = 1 - self._node_axis()
        counts = {name: array.shape[sample_axis] if self._kind() == "signals" else views.n_samples[name] for name, array in views.items()}
        self._n_samples = [counts.get(name) for name in self.view_names_]
        self._carried = []
        self._added = []
        if not silent:
            tell(self.warnings_)

    def _near(self) -> list[tuple[str, str | None, str]]:
        """What is said if edges follow the distances of their ends, where these are known."""
        places = self.positions_
        if places is None or any(node not in places for node in self.node_names_):
            return []
        found = _engine.follows_distance(self._arrays(), [[float(x) for x in places[node]] for node in self.node_names_])
        return [] if found is None else [found]

    def _told(self) -> tuple[str, list[tuple[str, str | None, str]]]:
        return self._record, [(warning.code, warning.view, warning.args[0]) for warning in self.warnings_]

    def _check_learned(self) -> None:
        if not hasattr(self, "weights_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
            )

    def _likelihood(self, X: Any, labels: Any, view: int | None) -> float:
        """The mean gain in log-likelihood of new views on one of the graphs."""
        self._check_learned()
        views = self._new_views(X, labels)
        reading = self._reading(views)
        if self.missing == "mask" and self._node_axis() == 1 and self._kind() == "signals":
            views = views._with_all(self.node_names_)
        gains = _engine.log_likelihood(self._arrays(), view, views._borrowed(), reading, self._running())
        return float(gains.mean())

    def _new_views(self, X: Any, labels: Any = None) -> Views:
        """New views; without names their nodes are those of the fit, by number."""
        self._tell_former_names()
        self._refuse_long(labels)
        views = as_views(X, views=labels)
        views = views._of(list(views)) if self._node_axis() == 1 else views._with_nodes_in_rows()
        for name, array in views.items():
            n = array.shape[self._node_axis()]
            if views.nodes[name] is None and n != len(self.node_names_):
                raise ValueError(f"X has {n} features, but {type(self).__name__} is expecting {len(self.node_names_)} features as input")
            if views.nodes[name] is None:
                views.nodes[name] = list(self.node_names_)
        return views

    def _summary(self) -> list[tuple[str, str]]:
        """A few lines about the fit: what, and what about it."""
        raise NotImplementedError

    def _lines(self) -> list[tuple[str, str]]:
        """The summary, and before it, if it is so, that there is nothing in it."""
        codes = {warning.code for warning in self.warnings_}
        *first, certified = self._summary()
        lines = [*first, *self._sure(), certified]
        if "W13" in codes:
            return [("CAUTION", "nothing in these data goes beyond chance (W13)"), *lines]
        imposed = next((warning for warning in self.warnings_ if warning.code == "W15"), None)
        if imposed is not None:
            # Whether there is structure may not be known.
            what = "nothing" if imposed.args[0].startswith("nothing") else "structure, but none"
            return [("CAUTION", f"{what} that the views share: the agreement is imposed (W15)"), *lines]
        return lines

    def _sure(self) -> list[tuple[str, str]]:
        """How many edges are supported, or that it has not been asked."""
        found, ask = getattr(self, "stability_", None), self._ask_stability()
        if found is not None:
            return [("sure", found.support or "which edges are supported was not asked, or cannot be told from these data")]
        return [] if ask is None else [("sure", f"how sure each edge is has not been asked: {ask}")]

    def _title(self) -> str:
        return f"{type(self).__name__} of {counted(len(self.view_names_), 'view')} × {counted(len(self.node_names_), 'node')}"

    def __str__(self) -> str:
        if not hasattr(self, "weights_"):
            return repr(self)
        return "\n".join([self._title(), *(f"  {name:<12}{text}" for name, text in self._lines())])

    def _repr_html_(self) -> str:
        if not hasattr(self, "weights_"):
            return f"<pre>{html.escape(repr(self))}</pre>"
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(text)}</td></tr>"
            for name, text in self._lines()
        )
        return f"<table><caption style='text-align:left'><b>{html.escape(self._title())}</b></caption>{rows}</table>"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}

    def _certified(self) -> tuple[str, str]:
        # Of projected views there is a number for each.
        times = "" if self.n_iter_ is None else f" after {counted(self.n_iter_, 'iteration')}"
        return "certified", f"relative gap {self.relative_gap_:.1e}, {self.status_}{times}"
