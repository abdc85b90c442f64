"""The likelihood (q = 1) beside gglasso's ADMM for several graphs, each on its own problem with the same data.

    cargo build --release -p congraph --example likelihood_speed
    pip install gglasso==0.3.1
    python peers_likelihood.py [target/release/examples/likelihood_speed] [NODES ...]

Six views of 500 signals on random graphs with ten neighbours a node. Ours is the whole problem at b = 2 from a cold start to a
certified relative gap of 1e-8. gglasso has no such bound: its stop is the loosest of a ladder whose objective is within 1e-6
(relatively) of that of a stop of 1e-8, or of 3000 iterations. One thread each, CPU time and wall time: the mean of ours, the least of three runs of theirs. The two problems are not
the same (theirs has signs, a chain or a group coupling, and a charge on every entry): the ratio says what a fit of either
costs, not whose algorithm is better.
"""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")
os.environ.update({name: "1" for name in THREADS})

import numpy as np  # noqa: E402
from peers_jgl import objective  # noqa: E402

STOPS, REFERENCE = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7), 1e-8
LAMBDA1, LAMBDA2 = 0.05, 0.05


def ours(program, nodes, folder):
    """The line of likelihood_speed for q = 1, which writes its covariances."""
    found = subprocess.run([program, str(nodes), "covariances", folder], check=True, capture_output=True, text=True).stdout
    head, line = found.splitlines()[0], found.splitlines()[1]
    names = head.replace(" ms", "_ms").split()
    told = dict(zip(names, line.split(), strict=True))
    return {"seconds": float(told["whole_ms"]) / 1e3, "cpu": float(told["cpu_ms"]) / 1e3, "gap": told["gap"]}


def theirs(covariances, regulariser):
    from gglasso.helper.utils import get_K_identity
    from gglasso.solver.admm_solver import ADMM_MGL

    coupling = {"GGL": "group", "FGL": "fused"}[regulariser]
    start = get_K_identity(len(covariances), covariances.shape[1])

    def run(stop):
        with contextlib.redirect_stdout(io.StringIO()):
            begin, cpu = time.perf_counter(), time.process_time()
            found, _ = ADMM_MGL(covariances, LAMBDA1, LAMBDA2, regulariser, start.copy(), tol=stop, rtol=stop, max_iter=3_000)
            took = {"seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu}
        return value(found["Theta"], coupling), took

    def value(precisions, coupling):
        if coupling == "group":
            return objective(list(covariances), coupling, LAMBDA1, LAMBDA2, list(precisions))
        # Their fused coupling is a chain of the views.
        plain = objective(list(covariances), "group", LAMBDA1, 0.0, list(precisions))
        off = precisions[:, ~np.eye(precisions.shape[1], dtype=bool)]
        return plain + LAMBDA2 * float(np.abs(np.diff(off, axis=0)).sum())

    best, _ = run(REFERENCE)
    for stop in STOPS:
        reached, took = run(stop)
        if abs(reached - best) <= 1e-6 * abs(best):
            runs = [took, *(run(stop)[1] for _ in range(2))]
            return {"stop": stop, **{key: min(one[key] for one in runs) for key in took}}
    raise SystemExit(f"gglasso does not come within 1e-6 of its optimum for {regulariser}")


def main():
    words = sys.argv[1:]
    program = words.pop(0) if words and not words[0].isdigit() else "target/release/examples/likelihood_speed"
    print("nodes  ours s (cpu)      gap      theirs          stop   s (cpu)            theirs/ours (cpu)")
    for nodes in [int(word) for word in words] or [50, 100, 200]:
        with tempfile.TemporaryDirectory() as folder:
            own = ours(program, nodes, folder)
            files = sorted(os.listdir(folder))
            covariances = np.array([np.fromfile(os.path.join(folder, file), dtype="<f8").reshape(nodes, nodes) for file in files])
        for regulariser in ("GGL", "FGL"):
            theirs(covariances[:, :6, :6], regulariser)  # It compiles itself first.
            other = theirs(covariances, regulariser)
            print(
                f"{nodes:5}  {own['seconds']:6.3f} ({own['cpu']:6.3f})  {own['gap']:>8}  gglasso {regulariser}  {other['stop']:8.0e}  "
                f"{other['seconds']:6.3f} ({other['cpu']:6.3f})  {other['cpu'] / own['cpu']:8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
