"""The peers of the joint graphical lasso, as `race.py` runs them in child processes: gglasso and scikit-learn.

Like `peers.py`: one JSON object as the only argument, one line of JSON out. gglasso's fused coupling is a chain over
consecutive views, which is that of all pairs for two views only; it leaves the diagonal out of the coupling. scikit-learn's
graphical lasso does not penalise the diagonal either.
"""

import contextlib
import io
import json
import sys
import time

import numpy as np
from peers import peak_mb, read_signals


def covariance_views(rng, nodes, views, samples):
    """Correlations of random signals whose nodes share a few factors."""
    shared = rng.standard_normal((nodes, 3))
    return [correlations(shared @ rng.standard_normal((3, samples)) + rng.standard_normal((nodes, samples))) for _ in range(views)]


def correlations(signals):
    signals = signals - signals.mean(axis=1, keepdims=True)
    signals /= signals.std(axis=1, keepdims=True)
    product = signals @ signals.T / signals.shape[1]
    return (product + product.T) / 2.0


def objective(covariances, coupling, lambda1, lambda2, precisions):
    """Σ_k −log det Θ + tr(SΘ), plus λ1 Σ_{i≠j}|θ_ij| and λ2 times the coupling off the diagonal; infinite if not definite."""
    total = 0.0
    for covariance, precision in zip(covariances, precisions, strict=True):
        if np.linalg.eigvalsh(precision)[0] <= 0.0:
            return float("inf")
        total += np.vdot(covariance, precision) - np.linalg.slogdet(precision)[1]
    stacked = np.array(precisions)
    off = stacked[:, ~np.eye(stacked.shape[1], dtype=bool)]
    if coupling == "group":
        coupled = np.sqrt((off**2).sum(axis=0)).sum()
    else:
        coupled = sum(np.abs(off[k] - off[m]).sum() for k in range(len(off)) for m in range(k))
    return float(total + lambda1 * np.abs(off).sum() + lambda2 * coupled)


def gglasso(covariances, coupling, lambda1, lambda2, stop):
    """gglasso's ADMM with its own defaults but for the stop; it prints, which is no part of the contest."""
    from gglasso.helper.utils import get_K_identity
    from gglasso.solver.admm_solver import ADMM_MGL

    stacked = np.array(covariances)
    start = get_K_identity(len(stacked), stacked.shape[1])
    regulariser = {"group": "GGL", "fused": "FGL"}[coupling]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        begin = time.perf_counter()
        found, _ = ADMM_MGL(stacked, lambda1, lambda2, regulariser, start, tol=stop, rtol=stop, max_iter=100_000)
        elapsed = time.perf_counter() - begin
    iterations = int(said.getvalue().split("after ")[1].split()[0])
    return {"precisions": list(found["Theta"]), "seconds": elapsed, "iterations": iterations}


def sklearn(covariances, _coupling, lambda1, _lambda2, stop):
    """scikit-learn's graphical lasso of each view (coordinate descent)."""
    from sklearn.covariance import graphical_lasso

    begin = time.perf_counter()
    found = [graphical_lasso(s, lambda1, tol=stop, enet_tol=min(stop, 1e-8), max_iter=10_000, return_n_iter=True) for s in covariances]
    elapsed = time.perf_counter() - begin
    # Its last step leaves the two triangles apart by its tolerance.
    precisions = [(matrix + matrix.T) / 2.0 for _, matrix, _ in found]
    return {"precisions": precisions, "seconds": elapsed, "iterations": max(count for _, _, count in found)}


PEERS = {"gglasso": gglasso, "scikit-learn": sklearn}


def contest(job):
    """Every model and stop in one process: gglasso compiles itself for ten seconds, which no clock should see."""
    solve = PEERS[job["task"]]
    models = []
    for case in job["models"]:
        covariances = [np.fromfile(file, dtype="<f8").reshape(job["nodes"], -1) for file in case["covariances"]]
        model = (case["coupling"], case["lambda1"], case["lambda2"])
        solve([matrix[:4, :4] for matrix in covariances], *model, 1e-2)
        runs = []
        for stop in job["stops"]:
            found = solve(covariances, *model, stop)
            found["objective"] = objective(covariances, *model, found.pop("precisions"))
            runs.append({"stop": stop, **found})
        models.append(runs)
    return {"models": models}


def write_covariances(job):
    for file, signals in zip(job["covariances"], read_signals(job), strict=True):
        correlations(signals).astype("<f8").tofile(file)
    return {}


def main():
    job = json.loads(sys.argv[1])
    found = write_covariances(job) if job["task"] == "covariances" else contest(job)
    print(json.dumps({**found, "peak_mb": peak_mb()}))


if __name__ == "__main__":
    main()
