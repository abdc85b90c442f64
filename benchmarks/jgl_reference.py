"""Writes small reference results of gglasso and scikit-learn for the tests of the joint graphical lasso.

    benchmarks/run --quick --only jgl --output /tmp/race.md        # installs the peers
    target/benchmarks-venv/bin/python benchmarks/jgl_reference.py

The file holds covariances, parameters, the objective of the peer's result and the result itself, so that the Rust tests
(`crates/congraph/tests/graphical_lasso.rs`) compare without Python.
"""

import json
import pathlib

import numpy as np
from peers_jgl import PEERS, covariance_views, objective

PLACE = pathlib.Path(__file__).resolve().parent.parent / "crates/congraph/tests/fixtures/joint_graphical_lasso.json"
CASES = [
    # peer, coupling, nodes, views, samples, λ1, λ2
    ("gglasso", "group", 8, 3, 40, 0.1, 0.05),
    ("gglasso", "group", 7, 5, 30, 0.03, 0.1),
    ("gglasso", "group", 8, 2, 5, 0.2, 0.1),
    ("gglasso", "fused", 8, 2, 40, 0.1, 0.05),
    ("gglasso", "fused", 8, 2, 40, 0.02, 0.2),
    ("gglasso", "fused", 8, 2, 5, 0.2, 0.05),
    ("scikit-learn", "fused", 8, 1, 40, 0.1, 0.0),
    ("scikit-learn", "fused", 10, 1, 6, 0.3, 0.0),
]


def main():
    cases = []
    for seed, (peer, coupling, nodes, views, samples, lambda1, lambda2) in enumerate(CASES):
        covariances = covariance_views(np.random.default_rng(seed), nodes, views, samples)
        found = PEERS[peer](covariances, coupling, lambda1, lambda2, 1e-13)
        cases.append({
            "peer": peer,
            "coupling": coupling,
            "nodes": nodes,
            "lambda1": lambda1,
            "lambda2": lambda2,
            "objective": objective(covariances, coupling, lambda1, lambda2, found["precisions"]),
            "covariances": [matrix.ravel().tolist() for matrix in covariances],
            "precisions": [matrix.ravel().tolist() for matrix in found["precisions"]],
        })
    PLACE.parent.mkdir(exist_ok=True)
    PLACE.write_text(json.dumps(cases) + "\n", encoding="utf-8")
    print(f"wrote {PLACE.name}: {len(cases)} cases")


if __name__ == "__main__":
    main()
