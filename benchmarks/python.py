"""What Python costs, and how long peers take on real EEG: a section of `RESULTS.md`.

Needs `python-requirements.txt` and the package installed from a release wheel; `benchmarks/run-python` sees to both.

- *Overhead*: the wall time of `ConsensusGraph.fit` against the time that the engine took inside the same call.
- *EEG*: congraph, nilearn's `GroupSparseCovariance` and gglasso on the same views of 64 electrodes, 20 subjects: average reference, 4–7 Hz (zero phase), 0–100 ms after the cue,
  z-scored. Each method's parameters are searched for a density of 0.15, outside the clock; the times are those of one fit with its own defaults for stopping, the best of some rounds.
  The methods solve different problems: times, not results, are side by side.
"""

import argparse
import contextlib
import datetime
import importlib.metadata
import io
import os
import pathlib
import platform
import re
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
HEADING = "## From Python"
DENSITY, SIMILARITY = 0.15, 0.8
OVERHEAD_TARGET = 0.05


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--eeg", type=pathlib.Path, help="an .npz of epochs: data_uV (subjects, trials, channels, samples), ch_names, sfreq, tmin")
    parser.add_argument("--threads", type=int, default=2, help="threads of every contestant (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=100, help="fits for the overhead (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="few rounds and four subjects: shows that everything runs")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "RESULTS.md", help="the file whose section is replaced or added")
    return parser.parse_args()


def overhead(congraph, np, args):
    """Rows of: what, milliseconds of the call, of the engine, overhead."""
    data = congraph.simulate(n_nodes=64, n_views=20, n_signals=544, seed=1)
    found = congraph.ConsensusGraph(density=DENSITY, similarity=SIMILARITY, n_jobs=None).fit(data.views)
    cases = {
        "alpha and beta given": {"alpha": found.alpha_, "beta": found.beta_},
        "density and similarity asked for": {"density": DENSITY, "similarity": SIMILARITY},
    }
    rows = []
    for name, params in cases.items():
        calls, engines = [], []
        for _ in range(10 if args.quick else args.rounds):
            model = congraph.ConsensusGraph(**params)
            begin = time.perf_counter()
            model.fit(data.views)
            calls.append(time.perf_counter() - begin)
            engines.append(model.seconds_["engine"])
        call, engine = np.median(calls), np.median(engines)
        share = np.median((np.array(calls) - engines) / engines)
        rows.append((name, f"{1e3 * call:.2f}", f"{1e3 * engine:.2f}", f"{100 * share:.1f} %", "yes" if share <= OVERHEAD_TARGET else "**no**"))
    return rows


def eeg_views(np, path, n_subjects):
    """Samples × electrodes for each subject."""
    from scipy.signal import butter, sosfiltfilt

    file = np.load(path)
    epochs = file["data_uV"][:n_subjects].astype(np.float64)
    rate, first = float(file["sfreq"]), float(file["tmin"])
    epochs -= epochs.mean(axis=2, keepdims=True)
    epochs = sosfiltfilt(butter(4, [4, 7], "bandpass", output="sos", fs=rate), epochs, axis=3)
    start = round(-first * rate)
    window = epochs[:, :, :, start : start + round(0.1 * rate)]
    n, trials, channels, times = window.shape
    views = window.transpose(0, 1, 3, 2).reshape(n, trials * times, channels)
    views = (views - views.mean(axis=1, keepdims=True)) / views.std(axis=1, keepdims=True)
    return [np.ascontiguousarray(view) for view in views]


def off_diagonal_density(np, matrices):
    n = matrices.shape[-1]
    return float((np.abs(matrices[..., *np.triu_indices(n, 1)]) > 1e-8).mean())


def bisect(measure, low, high, steps):
    """The parameter between two at which a density falls to the wanted one."""
    for _ in range(steps):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if measure(middle) > DENSITY else (low, middle)
    return (low * high) ** 0.5


def best(work, rounds, cap=60.0):
    """The best time of some runs (one if it is long), and the last result."""
    times = []
    while not times or (len(times) < rounds and sum(times) < cap):
        begin = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - begin)
    return min(times), result


def eeg(congraph, np, args):
    from gglasso.helper.utils import get_K_identity
    from gglasso.solver.admm_solver import ADMM_MGL
    from nilearn.connectome import GroupSparseCovariance

    views = eeg_views(np, args.eeg, 4 if args.quick else None)
    covariances = np.stack([np.corrcoef(view.T) for view in views])
    rounds, steps = (1, 3) if args.quick else (3, 8)
    rows = []

    def row(name, settings, seconds, density, first):
        rows.append((name, settings, f"{seconds:.3f}", f"{density:.3f}", f"{seconds / first:.1f}×"))

    asked = congraph.ConsensusGraph(density=DENSITY, similarity=SIMILARITY, n_jobs=args.threads)
    searching, model = best(lambda: asked.fit(views), rounds)
    alpha, beta = model.alpha_, model.beta_
    first, fitted = best(lambda: congraph.ConsensusGraph(alpha=alpha, beta=beta, n_jobs=args.threads).fit(views), rounds)
    row("**congraph**, alpha and beta given", f"α = {alpha:.3g}, β = {beta:.3g}, gap ≤ 1e-8", first, fitted.density_, first)
    row("**congraph**, density and similarity asked for", f"{DENSITY}, {SIMILARITY}", searching, model.density_, first)

    def group(lambda1, tol=1e-8):
        lasso = congraph.JointGraphicalLasso(lambda1, lambda1 / 2, coupling="group", tol=tol, n_jobs=args.threads)
        return lasso.fit(views)

    lambda1 = bisect(lambda value: group(value, 1e-4).density_, 0.005, 0.9, steps + 4)
    seconds, lasso = best(lambda: group(lambda1), rounds)
    row("congraph `JointGraphicalLasso`, group", f"λ1 = {lambda1:.3g}, λ2 = λ1/2, gap ≤ 1e-8", seconds, lasso.density_, first)

    def peer(covariances=covariances, lambda1=lambda1):
        n_views, n = covariances.shape[:2]
        with contextlib.redirect_stdout(io.StringIO()):
            return ADMM_MGL(covariances, lambda1, lambda1 / 2, "GGL", get_K_identity(n_views, n), max_iter=10_000)[0]["Theta"]

    # gglasso compiles itself when it is first used.
    peer(covariances[:2, :5, :5], 0.5)

    seconds, found = best(peer, rounds)
    row("gglasso `ADMM_MGL`, GGL", "the same λ, tol 1e-5, rtol 1e-4", seconds, off_diagonal_density(np, found), first)

    def sparse(value, max_iter):
        return GroupSparseCovariance(alpha=value, max_iter=max_iter).fit(views).precisions_.transpose(2, 0, 1)

    value = bisect(lambda value: off_diagonal_density(np, sparse(value, 3)), 0.005, 0.9, steps)
    for max_iter in (10, 100):
        seconds, found = best(lambda: sparse(value, max_iter), rounds if max_iter == 10 else 1)
        row("nilearn `GroupSparseCovariance`", f"alpha = {value:.3g}, tol 1e-3, max_iter {max_iter}", seconds, off_diagonal_density(np, found), first)
    return rows, views


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "| " + " | ".join("---" for _ in columns) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def main():
    args = parse()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(args.threads)
    warnings.simplefilter("ignore")
    import numpy as np

    import congraph

    load = os.getloadavg()[0]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "nilearn", "gglasso"))
    parts = [
        HEADING,
        f"Made by `benchmarks/run-python --eeg FILE` on {datetime.date.today()}: {platform.machine()}, {args.threads} threads, load {load:.1f} before; Python "
        f"{platform.python_version()}, congraph {congraph.__version__}, {versions}. What is compared is said at the top of `benchmarks/python.py`.",
        "### Overhead of the binding\n\n20 views of 64 nodes with 544 signals. Milliseconds, medians; the overhead is the median of (call − engine)/engine over the calls.",
        table(["fit", "call, ms", "engine, ms", "overhead", "≤ 5 %"], overhead(congraph, np, args)),
    ]
    if args.eeg is not None:
        rows, views = eeg(congraph, np, args)
        parts += [
            f"### EEG of {len(views)} subjects\n\n{len(views)} views of {views[0].shape[1]} electrodes with {views[0].shape[0]} samples. Methods solve different problems; parameters are searched for a density of {DENSITY}.",
            table(["method", "settings", "seconds", "density", "against the first"], rows),
        ]
    section = "\n\n".join(parts) + "\n"
    old = args.output.read_text(encoding="utf-8") if args.output.exists() else ""
    kept = re.sub(rf"^{HEADING}\n.*?(?=^## |\Z)", "", old, flags=re.S | re.M).rstrip()
    args.output.write_text(f"{kept}\n\n{section}" if kept else section, encoding="utf-8")
    print(section)


if __name__ == "__main__":
    main()
