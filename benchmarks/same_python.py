#!/usr/bin/env python3
"""Shows that a change of the code kept what the Python package does, to the bit: `same_bytes.py` does the same for the command line.

    PYTHON benchmarks/same_python.py record before.json              PYTHON is an interpreter in which congraph is installed
    python3 benchmarks/same_python.py compare before.json after.json what differs; exit code 1 if anything does
    python3 benchmarks/same_python.py compare A B --allow words.txt  some words were changed on purpose: lines `old => new`

Every step is a fit, a call or a wrong input. What it gives is kept as text: arrays by their shape, type and hash and the first of
their numbers, warnings and errors word for word with their code, view and node. Times are left out. Some steps need packages that
congraph itself does not; where these are missing that is recorded. The numbers of a penalty written in Python are NumPy's, too: both
recordings should be made with the same NumPy.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import inspect
import json
import os
import pickle
import platform
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

THREADS = 2
SHOWN = 12
HEAD = 6
WIDTH = 110
# Attributes of a fit that are kept; those that a fit does not have are left out.
KEPT = (
    "node_names_ view_names_ edge_index_ weights_ consensus_weights_ present_ alpha_ beta_ gamma_ density_ densities_ similarity_ similarity_floor_ "
    "consensus_density_ uniqueness_ relative_gap_ objective_ dual_objective_ converged_ status_ n_iter_ distance_divisor_ candidates_outside_ "
    "precisions_ path_ path_choice_ n_features_in_ positions_"
).split()
Step = tuple[str, Callable[[], Any]]

# --- what is kept -------------------------------------------------------------------------------------------------------


def kept(value: Any) -> Any:
    """A value as JSON that tells every bit of it."""
    import numpy as np

    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, np.generic):
        return {"type": str(value.dtype), "value": kept(value.item())}
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return f"{value!r} = {value.hex()}"
    if isinstance(value, dict):
        return {str(key): kept(entry) for key, entry in value.items() if "seconds" not in str(key)}
    if isinstance(value, (list, tuple)):
        return [kept(entry) for entry in value]
    return text_of(value)


def array(value: Any) -> dict[str, Any]:
    import numpy as np

    flat = np.ascontiguousarray(value)
    head = [kept(entry) for entry in flat.ravel()[:HEAD].tolist()]
    data = flat.tobytes() if flat.dtype.kind != "O" else json.dumps(flat.tolist(), default=str).encode()
    return {"shape": list(value.shape), "type": str(value.dtype), "first": head, "sha256": hashlib.sha256(data).hexdigest()}


def text_of(value: Any) -> str:
    import congraph

    text = re.sub(r"0x[0-9a-f]+", "0x…", str(value))
    return re.sub(rf"(?<![\d.]){re.escape(congraph.__version__)}(?!\.?\d)", "VERSION", text)


def model_of(model: Any) -> dict[str, Any]:
    """All that a fit found, and what it says of itself."""
    found = {name: kept(getattr(model, name)) for name in KEPT if hasattr(model, name)}
    told = [[warning.code, warning.view, str(warning)] for warning in model.warnings_]
    return {**found, "warnings_": told, "str": text_of(model), "html": hashlib.sha256(model._repr_html_().encode()).hexdigest()}


def projection_of(one: Any) -> dict[str, Any]:
    return {
        "name": one.name,
        "weights": kept(one.weights),
        "index": kept(one.graph.edge_index_),
        "consensus": kept(one.graph.consensus_edges_),
        "present": kept(one.graph.present_),
        "kinds": {kind: one.kinds.count(kind) for kind in sorted(set(one.kinds))},
        "edges": {kind: [list(pair) for pair in one.edges(kind)][:HEAD] for kind in ("shared", "added", "lacking", "unmeasured")},
        "figures": kept([one.uniqueness, one.density, one.relative_gap, one.converged]),
        "warnings": kept(one.warnings),
        "repr": repr(one),
    }


def page_of(model: Any, **more: Any) -> dict[str, Any]:
    """A report, without the version in it."""
    with tempfile.TemporaryDirectory() as folder:
        page = text_of(model.report(Path(folder) / "report.html", **more).read_text(encoding="utf-8"))
    return {"sha256": hashlib.sha256(page.encode()).hexdigest(), "title": re.findall(r"<title>(.*?)</title>", page)}


def communities_of(found: Any) -> dict[str, Any]:
    return {name: kept(value) for name, value in vars(found).items()}


def outcome(step: Callable[[], Any]) -> dict[str, Any]:
    """What a step gives, or how it fails, and what it warns of."""
    found: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always")
        try:
            value = step()
            found["value"] = value if isinstance(value, dict) else kept(value)
        except Exception as error:  # noqa: BLE001
            found["error"] = error_of(error)
    found["warnings"] = [
        {
            "type": one.category.__name__,
            "text": text_of(one.message),
            "code": getattr(one.message, "code", None),
            "view": getattr(one.message, "view", None),
            # Whether it points at who called, and not into the package.
            "here": Path(one.filename).name == Path(__file__).name,
        }
        for one in noticed
        if one.category.__name__ == "CongraphWarning"
    ]
    return found


def error_of(error: Exception) -> dict[str, Any]:
    told = {"type": type(error).__name__, "text": text_of(error)}
    for name in ("code", "view", "node", "errors"):
        if hasattr(error, name):
            told[name] = getattr(error, name)
    return told


def needing(package: str, step: Callable[[Any], Any]) -> Callable[[], Any]:
    """A step with a package that need not be there."""

    def run() -> Any:
        try:
            module = importlib.import_module(package)
        except ImportError:
            return f"{package} is not installed"
        return step(module)

    return run


# --- the steps ----------------------------------------------------------------------------------------------------------


class AbsoluteValues:
    """What the engine calls l1."""

    def value(self, differences: Any) -> float:
        return float(abs(differences).sum())

    def prox(self, differences: Any, step: float) -> Any:
        import numpy as np

        return np.sign(differences) * np.maximum(abs(differences) - step, 0.0)


class HalfSquares:
    def value(self, differences: Any) -> float:
        return float(0.5 * (differences**2).sum())

    def prox(self, differences: Any, step: float) -> Any:
        return differences / (1 + step)


class TooFar(AbsoluteValues):
    """Its prox is of something else."""

    def prox(self, differences: Any, step: float) -> Any:
        return super().prox(differences, 2 * step)


class Worthless(AbsoluteValues):
    def value(self, differences: Any) -> float:
        return float("nan")


class Broken(AbsoluteValues):
    def prox(self, differences: Any, step: float) -> Any:
        raise RuntimeError("not today")


class Shortened(AbsoluteValues):
    def prox(self, differences: Any, step: float) -> Any:
        return differences[:-1]


def steps() -> Iterator[Step]:
    import congraph
    import numpy as np

    data = congraph.simulate(n_nodes=24, n_views=4, n_signals=80, edge_probability=0.2, seed=3)
    many = congraph.simulate(n_nodes=300, n_views=2, n_signals=60, edge_probability=0.03, seed=5)
    late = congraph.simulate(n_nodes=24, n_views=5, n_signals=80, edge_probability=0.2, seed=3).views["view5"]
    names = data.truth.node_names_

    def consensus(**params: Any) -> Any:
        return congraph.ConsensusGraph(n_jobs=THREADS, **params)

    def fit(views: Any = data.views, how: dict[str, Any] | None = None, **params: Any) -> Callable[[], Any]:
        return lambda: model_of(consensus(**params).fit(views, **(how or {})))

    raw: dict[str, Any] = {"alpha": 0.05, "beta": 0.03}
    dials: dict[str, Any] = {"density": 0.2, "similarity": 0.85}
    yield from signatures(congraph)
    yield from simulations(congraph)
    yield "fit usual", fit()
    yield "fit dials", fit(**dials)
    yield "fit parameters", fit(**raw)
    for penalty in ("l1", "l2", "squared-l2"):
        yield f"fit {penalty}", fit(**raw, gamma=0.02, penalty=penalty)
        yield f"fit {penalty} dials", fit(**dials, penalty=penalty)
    yield "fit consensus density", fit(**dials, consensus_density=0.12, penalty="l2")
    yield "fit regulariser none", fit(**raw, gamma=0.02, regulariser="none")
    yield "fit admm", fit(**raw, solver="admm", tol=1e-6)
    yield "fit bcd", fit(**raw, solver="admm", z_step="bcd", tol=1e-4, max_iter=2000)
    yield "fit not converged", fit(**raw, tol=1e-14, max_iter=1)
    for scale, sample_norm, distance_norm in (("center", "mean", "max"), ("none", "sum", "none"), ("zscore", "sum", "none")):
        yield f"fit {scale} {sample_norm} {distance_norm}", fit(**dials, scale=scale, sample_norm=sample_norm, distance_norm=distance_norm)
    yield "fit nearest", fit(**raw, candidates="knn:3", check_outside=True, seed=2)
    yield "fit candidates", fit(**raw, candidates=[(names[k], names[(k + 1) % 24]) for k in range(24)], check_outside=True)
    yield "fit candidates by number", fit(**raw, candidates=[(k, (k + 2) % 24) for k in range(24)])
    costs = {(names[0], names[1]): float("inf"), (names[2], names[5]): -0.2, (names[3], names[4]): 0.3}
    yield "fit costs", fit(**raw, edge_costs=costs)
    yield "fit many", fit(many.views, alpha=0.02, beta=0.02)
    yield "fit many dials", fit(many.views, density=0.03, similarity=0.8)
    yield "fit one thread", lambda: model_of(congraph.ConsensusGraph(**raw, n_jobs=1).fit(data.views))
    yield "fit list", fit([np.array(view) for view in data.views.values()], **raw)
    yield "fit cube", fit(np.stack(list(data.views.values())), **raw)
    yield "fit turned", fit({name: np.ascontiguousarray(view.T) for name, view in data.views.items()}, **raw, orient="nodes-by-samples")
    yield "fit float32", fit({name: view.astype("f4") for name, view in data.views.items()}, **raw)
    yield "fit covariance", fit({name: np.cov(view.T) for name, view in data.views.items()}, **raw, data="covariance")
    gram = congraph.Views(
        {name: (view - view.mean(axis=0)).T @ (view - view.mean(axis=0)) for name, view in data.views.items()}, n_samples={"view1": 80}
    )
    yield "fit gram", fit(gram, **raw, data="gram")
    yield "fit drop nodes", fit(**raw, drop_nodes=[names[0], names[5]])
    yield "fit noise", fit({name: np.random.default_rng(k).normal(size=(40, 12)) for k, name in enumerate("abc")})
    opposite = {name: view * np.where(np.arange(24) % 2, -1.0, 1.0) for name, view in data.views.items()}
    yield "fit opposite", fit(opposite, **raw)
    yield "fit transform", lambda: kept(consensus(**raw).fit_transform(data.views))
    yield "fit penalty of one's own", fit(**raw, penalty=AbsoluteValues(), tol=1e-6)
    yield "fit half squares", fit(alpha=0.05, beta=0.2, penalty=HalfSquares(), tol=1e-6)
    yield from masks(congraph, consensus, fit, raw, dials)
    yield from singles(congraph, data, raw)
    yield from joint(congraph, data)
    yield from after(congraph, consensus, data, late, raw, dials)
    yield from frames(congraph, data, fit, raw)
    yield from wrong(congraph, data, fit, raw)


def signatures(congraph: Any) -> Iterator[Step]:
    """What can be called, and how; what is said of it."""

    def told(value: Any) -> Any:
        if inspect.isclass(value):
            members = {
                name: told(member)
                for name, member in sorted(vars(value).items())
                if not name.startswith("_") and (callable(member) or isinstance(member, (property, classmethod)))
            }
            return {"call": str(inspect.signature(value)), "doc": digest(value.__doc__), "members": members}
        if isinstance(value, property):
            return {"property": digest(value.__doc__)}
        value = getattr(value, "__func__", value)
        return {"call": str(inspect.signature(value)), "doc": digest(value.__doc__)} if callable(value) else type(value).__name__

    def digest(text: str | None) -> str:
        return hashlib.sha256((text or "").encode()).hexdigest()[:16]

    for name in congraph.__all__:
        yield f"signature {name}", lambda name=name: {"told": told(getattr(congraph, name))}
    yield "engine", lambda: sorted(name for name in dir(congraph._engine) if not name.startswith("__"))


def simulations(congraph: Any) -> Iterator[Step]:
    def simulated(**wanted: Any) -> Callable[[], Any]:
        def run() -> Any:
            found = congraph.simulate(**{"n_nodes": 20, "n_views": 3, "n_signals": 30, **wanted})
            truth = found.truth
            return {
                "views": {name: kept(view) for name, view in found.views.items()},
                "truth": [kept(truth.edge_index_), kept(truth.edges_), kept(truth.consensus_edges_)],
                "positions": kept(found.positions),
                "repr": [repr(found.views), repr(truth)],
            }

        return run

    yield "simulate", simulated()
    yield "simulate ba", simulated(graph="ba", growth=3, n_signals=[10, 20, 30])
    yield "simulate rgg", simulated(graph="rgg", mean_degree=6, filter="gaussian", seed=4)
    yield "simulate radius", simulated(graph="rgg", radius=0.4, filter="heat", filter_t=0.2)
    yield "simulate changed", simulated(added=0.2, removed=0.1, changed_views=2, same_views=True, edge_probability=0.3, filter="tikhonov", noise=0.3)
    yield "wrong simulate nodes", simulated(n_nodes=1)
    yield "wrong simulate graph", simulated(graph="ring")
    yield "wrong simulate filter", simulated(filter="none")
    yield "wrong simulate signals", simulated(n_signals=[10, 20])
    yield "wrong simulate noise", simulated(noise=-1.0)
    yield "wrong simulate type", simulated(n_nodes="many")


def masks(congraph: Any, consensus: Any, fit: Any, raw: dict[str, Any], dials: dict[str, Any]) -> Iterator[Step]:
    """Views that lack nodes."""
    import numpy as np

    data = congraph.simulate(n_nodes=15, n_views=3, n_signals=60, edge_probability=0.3, seed=2)
    names = data.truth.node_names_
    first, second, third = (np.array(view) for view in data.views.values())
    has = [name not in ("n03", "n07") for name in names]
    third[4, 5] = np.nan
    third[:, 9] = 1.0
    nodes = {"view1": names, "view2": [name for name, here in zip(names, has, strict=True) if here], "view3": names}
    views = congraph.Views({"view1": first, "view2": second[:, has], "view3": third}, nodes=nodes)
    yield "mask", fit(views, **raw, missing="mask")
    yield "mask dials", fit(views, density=0.25, similarity=0.85, missing="mask")
    yield "mask l2", fit(views, **raw, gamma=0.02, penalty="l2", missing="mask")
    yield "mask admm", fit(views, **raw, solver="admm", tol=1e-6, missing="mask")
    yield "mask nearest", fit(views, **raw, candidates="knn:4", missing="mask")
    yield "mask single", lambda: model_of(congraph.SingleGraph(alpha=0.05, missing="mask", n_jobs=THREADS).fit(views))
    yield "mask common", fit(views, **raw, nodes="common", drop_nodes=["n10"], nan="drop-rows")

    def projected(**params: Any) -> Any:
        model = consensus(density=0.25, similarity=0.85, missing="mask").fit(views)
        return {"found": [projection_of(one) for one in model.set_params(**params).project(views[1:])]}

    yield "mask project", projected
    yield "mask project refused", lambda: projected(missing="error")
    yield "mask communities", lambda: communities_of(consensus(**raw, missing="mask").fit(views).communities(runs=5))
    yield "mask report", lambda: page_of(consensus(**raw, missing="mask").fit(views))
    yield "mask refused", fit(views, **raw)
    yield "mask of one node", fit({"a": first, "b": second, "c": np.where(np.arange(15) > 0, 1.0, third)}, **raw, missing="mask")


def singles(congraph: Any, data: Any, raw: dict[str, Any]) -> Iterator[Step]:
    def single(views: Any, **params: Any) -> Callable[[], Any]:
        def run() -> Any:
            model = congraph.SingleGraph(n_jobs=THREADS, **params).fit(views)
            return {**model_of(model), "graph_": kept(model.graph_)}

        return run

    one = data.views["view1"]
    yield "single", single(one, alpha=0.05)
    yield "single density", single(one, density=0.2)
    yield "single usual", single(data.views)
    yield "single admm", single(one, alpha=0.05, solver="admm", tol=1e-6)
    yield "single nearest", single(one, alpha=0.05, candidates="knn:4")
    yield "single score", lambda: congraph.SingleGraph(density=0.2).fit(one).score(data.views["view2"])
    yield "single consensus", lambda: congraph.SingleGraph(alpha=0.05).fit(one).consensus_
    yield "single several score", lambda: congraph.SingleGraph(alpha=0.05).fit(data.views).score(one)


def joint(congraph: Any, data: Any) -> Iterator[Step]:
    def lasso(**params: Any) -> Callable[[], Any]:
        return lambda: model_of(congraph.JointGraphicalLasso(n_jobs=THREADS, **params).fit(data.views))

    yield "joint", lasso()
    yield "joint group", lasso(coupling="group", lambda1=0.15, lambda2=0.05)
    yield "joint free diagonal", lasso(fused_diagonal=False, scale="center")
    yield "joint negative", lasso(edges="negative", lambda2=0.0, tol=1e-6)
    yield "joint not converged", lasso(max_iter=1)
    yield "joint report", lambda: page_of(congraph.JointGraphicalLasso(n_jobs=THREADS).fit(data.views))
    yield "wrong joint coupling", lasso(coupling="loose")
    yield "wrong joint edges", lasso(edges="some")
    yield "wrong joint lambda", lasso(lambda1=-1.0)
    yield "joint mask", lasso(missing="mask")
    less = congraph.Views(
        dict(data.views), nodes={name: [f"{'x' if name == 'view2' and k == 3 else 'n'}{k}" for k in range(24)] for name in data.views}
    )
    yield "wrong joint mask", lambda: model_of(congraph.JointGraphicalLasso(missing="mask", n_jobs=THREADS).fit(less))
    yield "wrong joint nodes", lambda: model_of(congraph.JointGraphicalLasso(n_jobs=THREADS).fit(less))


def after(congraph: Any, consensus: Any, data: Any, late: Any, raw: dict[str, Any], dials: dict[str, Any]) -> Iterator[Step]:
    """What is done with a fit, and around it."""

    def fitted(**params: Any) -> Any:
        return consensus(**(params or dials)).fit(data.views)

    def projected(fit: dict[str, Any] = dials, **how: Any) -> Callable[[], Any]:
        return lambda: {"found": [projection_of(one) for one in fitted(**fit).project({"late": late}, **how)]}

    yield "project", projected()
    yield "project parameters", projected(alpha=0.1, beta=0.01)
    yield "project several", lambda: {"found": [projection_of(one) for one in fitted().project([late, late[:40]])]}
    yield "project l2", projected({**raw, "gamma": 0.02, "penalty": "l2"})
    yield "project squared-l2", projected({**raw, "penalty": "squared-l2"})
    yield "project candidates", projected({**raw, "candidates": "knn:4", "edge_costs": {(0, 1): 0.1}})
    yield "project penalty of one's own", projected({"alpha": 0.05, "beta": 0.2, "penalty": HalfSquares(), "tol": 1e-6})
    yield "project other features", lambda: fitted().project({"late": late[:, :5]})
    yield "project unfitted", lambda: consensus().project({"late": late})
    yield "transform", lambda: fitted().transform({"late": late})
    yield "score", lambda: fitted().score({"late": late})
    yield "tune", lambda: model_of(consensus().tune(data.views, density=(0.15, 0.25), similarity=(0.8, 0.9), halvings=2))
    yield (
        "tune l2",
        lambda: model_of(consensus(penalty="l2", seed=3).tune(data.views, density=(0.2, 0.2), similarity=(0.85, 0.9), halvings=1, threshold=0.2)),
    )
    blocks = {name: [k // 10 for k in range(80)] for name in data.views}
    yield "tune blocks", lambda: model_of(consensus().tune(dict(data.views), blocks=blocks, density=(0.2, 0.2), similarity=(0.85, 0.9), halvings=2))
    yield "wrong tune reach", lambda: consensus().tune(data.views, density=(0.3, 0.5), similarity=(0.001, 0.002), halvings=1)
    yield "wrong tune range", lambda: consensus().tune(data.views, density=(0.5, 0.3))
    yield "wrong tune halvings", lambda: consensus().tune(data.views, halvings=0)
    yield "communities", lambda: communities_of(fitted().communities(runs=20))
    yield "communities other", lambda: communities_of(fitted().communities(resolution=1.5, runs=5, threshold=0.6, max_rounds=2, seed=4))
    yield "wrong communities runs", lambda: fitted().communities(runs=0)
    yield "wrong communities resolution", lambda: fitted().communities(resolution=0.0)
    yield "evaluate", lambda: evaluation_of(congraph.evaluate(fitted(), data.truth))
    yield (
        "evaluate matrices",
        lambda: evaluation_of(congraph.evaluate(fitted().graphs_, congraph.simulate(n_nodes=24, n_views=4, seed=8).truth.graphs_)),
    )
    yield "wrong evaluate nodes", lambda: congraph.evaluate(fitted(), congraph.simulate(n_nodes=20, n_views=4).truth)
    for measure in ("f1", "precision", "recall", "auprc", "accuracy", "correlation"):
        yield f"measure {measure}", lambda measure=measure: getattr(congraph, measure)(fitted(), data.truth)
    yield "nmi", lambda: congraph.nmi([0, 0, 1, 1, 2], ["b", "b", "a", "c", "c"])
    yield (
        "total variation",
        lambda: {
            "relative": kept(congraph.total_variation(fitted(), data.views)),
            "total": kept(congraph.total_variation(fitted(), data.views, scale="center", relative=False)),
        },
    )
    yield "report", lambda: page_of(fitted())
    places = {node: (k % 5, k // 5) for k, node in enumerate(data.truth.node_names_)}
    yield "report communities", lambda: page_of(fitted(), communities=fitted().communities(runs=5), positions=places)
    yield "report truth", lambda: page_of(data.truth)
    yield "report no place", lambda: page_of(fitted(), positions={"n01": (0, 0)})
    yield "report nowhere", lambda: fitted().report("nowhere/at/all.html")
    yield "graphs", lambda: [kept(fitted().consensus_), kept(fitted().graphs_)]
    yield "positions", lambda: model_of(consensus(**raw).fit(placed(congraph)))
    yield "params", lambda: {name: kept(value) for name, value in consensus(**dials).get_params().items()}
    yield "repr", lambda: [repr(consensus(**dials)), repr(congraph.SingleGraph(alpha=1.0)), repr(congraph.JointGraphicalLasso(0.2))]
    yield "pickle", lambda: model_of(pickle.loads(pickle.dumps(fitted())))
    yield "unfitted", lambda: str(consensus(density=0.1))
    yield "to_frame", needing("pandas", lambda _: [fitted().to_frame().to_csv(), fitted().to_frame(long=True).to_csv()])
    yield "to_networkx", needing("networkx", lambda nx: [nx.node_link_data(fitted().to_networkx(view), edges="links") for view in (None, "view2")])
    yield "to_igraph", needing("igraph", lambda _: [fitted().to_igraph().get_edgelist(), kept(fitted().to_igraph("view1").es["weight"])])
    yield "to_scipy", needing("scipy", lambda _: kept(fitted().to_scipy("view1").toarray()))
    yield "to_connectivity", needing("mne_connectivity", lambda _: kept(fitted().to_connectivity().get_data()))
    yield "clone", needing("sklearn.base", lambda sklearn: {name: kept(value) for name, value in sklearn.clone(fitted()).get_params().items()})
    yield "cross validation", needing("sklearn.model_selection", lambda sklearn: sklearn.cross_val_score(consensus(density=0.2), data.views, cv=2))
    yield "epochs", needing("mne", lambda mne: model_of(consensus(density=0.3).fit(congraph.from_epochs(epochs(mne), tmin=0.0, tmax=0.2))))
    yield (
        "epochs mask",
        needing("mne", lambda mne: model_of(consensus(density=0.3, missing="mask").fit(congraph.from_epochs(epochs(mne), bads="mask")))),
    )
    yield "wrong epochs", needing("mne", lambda mne: congraph.from_epochs(epochs(mne), bads="ignore"))
    yield "anndata", needing("anndata", lambda anndata: cells_of(congraph, anndata, groupby="type"))
    yield "anndata genes", needing("anndata", lambda anndata: cells_of(congraph, anndata, groupby="type", genes="most", groups=["x", "y"], **raw))
    yield "wrong anndata", needing("anndata", lambda anndata: cells_of(congraph, anndata, groupby="kind"))


def placed(congraph: Any) -> Any:
    return congraph.simulate(n_nodes=30, n_views=3, n_signals=60, graph="rgg", mean_degree=6).views


def evaluation_of(found: Any) -> dict[str, Any]:
    return {"names": found.view_names, "views": kept(found.views), "consensus": kept(found.consensus), "mean": kept(found["f1"])}


def epochs(mne: Any) -> dict[str, Any]:
    """Three recordings of ten electrodes, one of which is bad in the second."""
    import numpy as np

    names = ["Fp1", "Fp2", "F3", "F4", "C3", "C4", "P3", "P4", "O1", "O2"]
    found = {}
    for k in range(3):
        rng = np.random.default_rng(k)
        info = mne.create_info(names, 100.0, "eeg", verbose="error")
        info.set_montage("standard_1020", verbose="error")
        mixed = np.einsum("cs,est->ect", rng.normal(size=(10, 6)), rng.normal(size=(12, 6, 50)))
        found[f"sub-{k}"] = mne.EpochsArray(1e-6 * (mixed + 0.5 * rng.normal(size=(12, 10, 50))), info, tmin=-0.1, verbose="error")
    found["sub-1"].info["bads"] = ["C3"]
    return found


def cells_of(congraph: Any, anndata: Any, **how: Any) -> dict[str, Any]:
    import numpy as np
    import pandas

    rng = np.random.default_rng(1)
    values = rng.normal(size=(90, 4)) @ rng.normal(size=(4, 12)) + rng.normal(size=(90, 12))
    obs = pandas.DataFrame({"type": [("x", "y", "z")[k % 3] for k in range(90)]}, index=[f"c{k}" for k in range(90)])
    var = pandas.DataFrame({"most": [k % 4 != 0 for k in range(12)]}, index=[f"g{k}" for k in range(12)])
    given = anndata.AnnData(values, obs=obs, var=var)
    congraph.tl.consensus_graph(given, n_jobs=THREADS, **how)
    told = {
        name: value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind == "O" else kept(value)
        for name, value in given.uns["consensus_graph"].items()
    }
    return {"told": told, "graphs": {name: kept(matrix.toarray()) for name, matrix in sorted(given.varp.items())}}


def frames(congraph: Any, data: Any, fit: Any, raw: dict[str, Any]) -> Iterator[Step]:
    """Tables of other packages."""

    def named(pandas: Any) -> dict[str, Any]:
        return {name: pandas.DataFrame(view, columns=data.truth.node_names_) for name, view in data.views.items()}

    def long(pandas: Any) -> Any:
        parts = [frame.assign(subject=name, trial=[k // 8 for k in range(80)]) for name, frame in named(pandas).items()]
        return pandas.concat(parts, ignore_index=True)

    yield "pandas", needing("pandas", lambda pandas: fit(named(pandas), **raw)())
    yield "pandas long", needing("pandas", lambda pandas: fit(long(pandas), {"groups": "subject", "blocks": "trial"}, **raw)())
    yield (
        "pandas reordered",
        needing(
            "pandas",
            lambda pandas: fit(
                {name: frame[frame.columns[::-1]] if k % 2 else frame for k, (name, frame) in enumerate(named(pandas).items())}, **raw
            )(),
        ),
    )
    yield "pandas text", needing("pandas", lambda pandas: fit({name: frame.assign(sex="f") for name, frame in named(pandas).items()}, **raw)())
    yield (
        "pandas other nodes",
        needing(
            "pandas",
            lambda pandas: fit(
                {name: frame.rename(columns={"n05": "q"}) if name == "view2" else frame for name, frame in named(pandas).items()}, **raw
            )(),
        ),
    )
    yield (
        "pandas alike",
        needing(
            "pandas",
            lambda pandas: fit(
                {name: frame.rename(columns={"n05": "N05 "}) if name == "view2" else frame for name, frame in named(pandas).items()}, **raw
            )(),
        ),
    )
    yield (
        "pandas twice",
        needing("pandas", lambda pandas: fit({name: frame.rename(columns={"n05": "n04"}) for name, frame in named(pandas).items()}, **raw)()),
    )
    yield "pandas no column", needing("pandas", lambda pandas: fit(long(pandas), {"groups": "person"}, **raw)())
    yield (
        "pandas other index",
        needing(
            "pandas", lambda pandas: fit(long(pandas).drop(columns=["subject", "trial"]), {"groups": long(pandas)["subject"].iloc[:300]}, **raw)()
        ),
    )
    yield (
        "polars",
        needing(
            "polars", lambda polars: fit({name: polars.DataFrame(view, schema=data.truth.node_names_) for name, view in data.views.items()}, **raw)()
        ),
    )
    yield "sparse", needing("scipy.sparse", lambda sparse: fit({name: sparse.csr_array(view) for name, view in data.views.items()}, **raw)())


def wrong(congraph: Any, data: Any, fit: Any, raw: dict[str, Any]) -> Iterator[Step]:
    """What is refused, and how."""
    import numpy as np

    def noise(shape: tuple[int, int] = (30, 5)) -> dict[str, Any]:
        rng = np.random.default_rng(0)
        return {name: rng.normal(size=shape) for name in "abc"}

    def broken(**changes: Any) -> dict[str, Any]:
        return {**noise(), **changes}

    holes, infinite, flat = noise()["b"], noise()["b"], noise()["a"]
    holes[3, 2] = np.nan
    infinite[4, 1] = np.inf
    flat[:, 4] = 7.0
    rng = np.random.default_rng(1)
    data_errors: dict[str, tuple[Any, dict[str, Any]]] = {
        "E01": (broken(b=holes), {}),
        "E01 infinite": (broken(a=holes, b=infinite), {}),
        "E02": (broken(b=noise()["b"][:, :4]), {}),
        "E04": (broken(a=flat), {}),
        "E05 samples": (broken(b=noise()["b"][:1]), {}),
        "E05 nodes": (noise((30, 1)), {}),
        "E06": ({1: noise()["a"], "1": noise()["b"]}, {}),
        "E07": (broken(b=np.full((30, 5), "one")), {}),
        "E08": ({"a": rng.normal(size=(5, 30)), "b": rng.normal(size=(5, 40))}, {}),
        "E09": (noise()["a"], {}),
        "E10": (data.views, {"alpha": 0.05, "similarity": 0.001}),
        "E10 density": (data.views, {"density": 0.00001}),
        "E11": (noise(), {"alpha": 0.1, "beta": 0.0}),
        "E11 penalty": (noise(), {**raw, "penalty": "none"}),
        "E12 density": (noise(), {"density": 0.1, "alpha": 0.1}),
        "E12 similarity": (noise(), {"similarity": 0.8, "beta": 0.1}),
        "E12 consensus": (noise(), {"consensus_density": 0.1, "gamma": 0.1, "penalty": "l2"}),
        "E13": ({name: np.corrcoef(view.T) for name, view in noise().items()}, {}),
        "E13 signals": (noise(), {"data": "covariance"}),
        "E15": ({name: np.maximum(0, np.round(3 * view)) for name, view in noise().items()}, {}),
        "rounding noise": ({name: np.outer(rng.normal(size=60), [1.0, 3.0, 7.0, 0.1]) for name in "ab"}, raw),
        "underflow": ({name: 1e-170 * view for name, view in noise().items()}, {**raw, "scale": "none"}),
    }
    for name, (views, params) in data_errors.items():
        yield f"wrong {name}", fit(views, **params)
    yield (
        "fit turned perhaps",
        fit(np.sin(np.arange(3 * 12 * 80).reshape(3, 12, 80) / 9.0 + rng.normal(size=(3, 12, 1))) + 0.05 * rng.normal(size=(3, 12, 80))),
    )
    for params in (
        {"scale": "loud"},
        {"penalty": "l3"},
        {"regulariser": "l3"},
        {"solver": "magic"},
        {"z_step": "half"},
        {"sample_norm": "median"},
        {"distance_norm": "least"},
        {"density": 0.0},
        {"density": 1.5},
        {"similarity": float("nan")},
        {"alpha": -1.0},
        {"alpha": 1e-320},
        {"beta": -1.0},
        {"gamma": float("inf")},
        {"tol": 0.0},
        {"memory": -1.0},
        {"nodes": "some"},
        {"nan": "ignore"},
        {"missing": "guess"},
        {"data": "pictures"},
        {"orient": "sideways"},
        {"drop_nodes": ["nobody"]},
        {"density": "much"},
        {"penalty": 3},
        {"penalty": object()},
        {"max_iter": "many"},
        {"max_iter": -1},
        {"seed": -1},
        {"candidates": "knn:0"},
        {"candidates": "near"},
        {"candidates": [(0, 99)]},
        {"candidates": [("n01", "nobody")]},
        {"candidates": [(1, 1)]},
        {"edge_costs": {(0, 1): float("nan")}},
        {"edge_costs": {("n01", "nobody"): 1.0}},
    ):
        yield f"wrong {text_of(params)}", fit(data.views, **params)
    for jobs in (0, -2, 1.5):
        yield f"wrong n_jobs {jobs}", lambda jobs=jobs: congraph.ConsensusGraph(**raw, n_jobs=jobs).fit(data.views)
    for penalty in (TooFar(), Worthless(), Broken(), Shortened()):
        yield f"wrong penalty {type(penalty).__name__}", fit(**raw, penalty=penalty)
    for name, views in {
        "number": 7,
        "row": np.arange(5.0),
        "nothing": None,
        "text": "text",
        "empty": {},
        "four dimensions": np.zeros((2, 2, 2, 2)),
        "complex": noise()["a"] * 1j,
    }.items():
        yield f"wrong {name}", fit(views)
    yield "wrong labels", fit(noise()["a"], {"groups": ["x"] * 29})
    yield "wrong blocks", fit(noise(), {"blocks": {"a": ["x"] * 3}})
    yield "wrong view of blocks", fit(noise(), {"blocks": {"z": ["x"] * 30}})
    good: dict[str, Any] = {"nodes": ["a", "b", "c"], "views": ["v"], "edge_index": [[0, 1], [1, 2]], "weights": [[1.0], [2.0]]}
    yield "graphs given", lambda: communities_of(congraph.Graphs(**good).communities(runs=2))
    for key, value in (
        ("edge_index", [[0, 1], [1, 3]]),
        ("edge_index", [[0, 1], [1, 1]]),
        ("edge_index", [[0, 1], [1, 0]]),
        ("weights", [[1.0], [-2.0]]),
        ("consensus", [1.0]),
        ("present", [[True, True]]),
    ):
        yield f"wrong graphs {key} {value}", lambda key=key, value=value: congraph.Graphs(**{**good, key: value}).communities(runs=2)


# --- record and compare -------------------------------------------------------------------------------------------------


def record(target: Path) -> None:
    import congraph
    import numpy as np

    begin = time.perf_counter()
    found: dict[str, Any] = {}
    for name, step in steps():
        if name in found:
            sys.exit(f"two steps are called `{name}`")
        found[name] = outcome(step)
    about = {"version": congraph.__version__, "numpy": np.__version__, "python": platform.python_version()}
    target.write_text(json.dumps({"about": about, "steps": found}, indent=1, ensure_ascii=False, default=text_of) + "\n", encoding="utf-8")
    n_errors = sum("error" in one for one in found.values())
    skipped = [name for name, one in found.items() if str(one.get("value", "")).endswith("is not installed")]
    print(
        f"{target}: {len(found)} steps in {time.perf_counter() - begin:.0f} s, {n_errors} of which were refused"
        + (f"; skipped: {', '.join(skipped)}" if skipped else "")
    )


def compare(one: Path, other: Path, allow: Path | None) -> int:
    words = allowed(allow)
    recordings = [json.loads(path.read_text(encoding="utf-8")) for path in (one, other)]
    for what in ("numpy", "python"):
        if recordings[0]["about"][what] != recordings[1]["about"][what]:
            print(f"note: made with {what} {recordings[0]['about'][what]} and {recordings[1]['about'][what]}")
    before, after = (recording["steps"] for recording in recordings)
    used: set[str] = set()
    names = list(dict.fromkeys([*before, *after]))
    n_different = 0
    for name in names:
        pair = before.get(name, "not recorded"), after.get(name, "not recorded")
        differences = list(of_values("", *pair)) and list(of_values("", reworded(pair[0], words, used), pair[1]))
        n_different += bool(differences)
        if not differences:
            print(f"{name}: same")
            continue
        print(f"{name}: different")
        for where, x, y in differences[:SHOWN]:
            print("  {}: {} | {}".format(where.lstrip("."), *around(x, y)))
        if len(differences) > SHOWN:
            print(f"  and {len(differences) - SHOWN} more")
    for old, _ in words:
        if old not in used:
            print(f"allowed, but not needed: {old}")
    print(f"{len(names) - n_different} same, {n_different} different")
    return 1 if n_different else 0


def allowed(path: Path | None) -> list[tuple[str, str]]:
    """Lines `old => new`; `\\n` is a line end, lines that start with `# ` say why."""
    pairs = []
    for line in path.read_text(encoding="utf-8").splitlines() if path else ():
        if not line.strip() or line.startswith("# "):
            continue
        old, arrow, new = line.partition(" => ")
        if not arrow or not old:
            sys.exit(f"{path}: `{line}` is not `old => new`")
        pairs.append((old.replace("\\n", "\n"), new.replace("\\n", "\n")))
    return pairs


def reworded(value: Any, words: list[tuple[str, str]], used: set[str]) -> Any:
    if isinstance(value, dict):
        return {reworded(key, words, used): reworded(entry, words, used) for key, entry in value.items()}
    if isinstance(value, list):
        return [reworded(entry, words, used) for entry in value]
    if isinstance(value, str):
        for old, new in words:
            if old in value:
                used.add(old)
                value = value.replace(old, new)
    return value


def of_values(where: str, before: Any, after: Any) -> Iterator[tuple[str, str, str]]:
    """Path by path what differs."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            yield from of_values(f"{where}.{key}", before.get(key, "absent"), after.get(key, "absent"))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for k, (x, y) in enumerate(zip(before, after, strict=True)):
            yield from of_values(f"{where}[{k}]", x, y)
    elif type(before) is not type(after) or before != after:
        yield where, *(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in (before, after))


def around(before: str, after: str) -> tuple[str, str]:
    """Both from a little before the first mark that differs."""
    before, after = before.replace("\n", "\\n"), after.replace("\n", "\\n")
    if max(len(before), len(after)) <= WIDTH:
        return before, after
    start = max(0, len(os.path.commonprefix([before, after])) - 30)
    return tuple(("…" if start else "") + text[start : start + WIDTH] for text in (before, after))  # type: ignore[return-value]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    told = commands.add_parser("record", help="run all steps and keep what they give")
    told.add_argument("target", type=Path)
    told = commands.add_parser("compare", help="what differs between two recordings")
    told.add_argument("one", type=Path)
    told.add_argument("other", type=Path)
    told.add_argument("--allow", type=Path, metavar="FILE", help="words that were changed on purpose: lines `old => new`")
    options = parser.parse_args()
    if options.command == "record":
        record(options.target)
    else:
        sys.exit(compare(options.one, options.other, options.allow))


if __name__ == "__main__":
    main()
