"""Races congraph against its peers on the same data and threads, and writes the figures to a Markdown file.

Needs `requirements.txt` and the example `fit_raw` built in release; `benchmarks/run` sees to both.
"""

import argparse
import datetime
import importlib.metadata
import json
import math
import os
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile
import time

PACKAGES = ("numpy", "scipy", "cvxpy", "clarabel", "scs", "gglasso", "scikit-learn", "faiss-cpu", "hnswlib", "pynndescent")
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
SECTIONS = ("agreement", "admm", "floor", "many", "exact", "neighbours", "threads", "path", "refits", "command", "interior", "scale", "jgl")
SIZES = {
    "agreement": [30],
    "admm": [100, 400, 1000],
    "floor": [2000, 5000],
    "many": [20_000],
    "exact": [100_000, 1_000_000],
    "neighbours": [100_000],
    "threads": [5000],
    "path": [64],
    "interior": [20, 50, 100],
    "scale": [100_000, 1_000_000],
    "jgl": [100],
}
QUICK = {"agreement": [30], "admm": [60, 100], "floor": [400], "many": [800], "exact": [2000, 4000], "neighbours": [4000], "threads": [400], "path": [64], "interior": [20], "scale": [2000, 4000], "jgl": [20]}
SHAPES = {"agreement": (3, 200), "many": (4, 200), "exact": (3, 32), "neighbours": (3, 32), "scale": (3, 32)}  # views, samples
QUICK_SHAPE = (3, 200)
SHAPE = (6, 500)
ADMM_TARGETS = {100: 50.0, 400: 300.0, 1000: 1500.0}
FLOOR_TARGETS = {(2000, 10): 0.8, (2000, 30): 1.6, (5000, 10): 0.5}  # nodes and degree → share of the floor's CPU seconds
MANY_TARGET = (20_000, 8.0, 0.3)  # nodes, GB, share of the floor's CPU seconds
EXACT_TARGETS = {100_000: (16.6, 1.5), 1_000_000: (3000.0, 8.0)}  # CPU seconds and GB
SEARCHES = [  # peers of the neighbour search and how hard they try
    ("faiss, flat", None),
    ("faiss, IVF", 16),
    ("faiss, IVF", 48),
    ("faiss, IVF", 128),
    ("hnswlib", 100),
    ("pynndescent", None),
]
SEARCH_RECALL = 0.997
THREADS_TARGET = (5000, 1.7)
PATH_TARGET = 1 / 3
NEIGHBOURS = 20
SCALE_TARGETS = {"gigabytes": 20.0, "gap": 1e-6, "exponent": 1.15, "recall": 0.98}
RECALL_NODES = 20_000
JGL_CASES = [  # peer, coupling, views, λ1, λ2
    ("gglasso", "group", 6, 0.1, 0.05),
    ("gglasso", "group", 6, 0.03, 0.02),
    ("gglasso", "fused", 2, 0.1, 0.05),
    ("gglasso", "fused", 2, 0.03, 0.02),
    ("scikit-learn", "fused", 1, 0.1, 0.0),
]
JGL_STOPS = (1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
JGL_ACCURACY = 1e-8  # relative error of the objective at which times are compared
JGL_TOLERANCES = (1e-5, 5e-9)  # congraph is compared at the second, which keeps its error below the accuracy
JGL_CAP = 120.0  # seconds for all runs of a peer with one number of threads
JGL_TARGETS = {"apart": 1e-6, "ratio": 2.0, "nodes": 100, "views": 6}
LARGEST_CHOLESKY = 5000
SIMILARITY = 0.8
SIMILARITY_UP_TO = 1000  # nodes up to which a search for β costs next to nothing
BETA = 0.03
GENERAL_CAP = 120.0  # seconds for a general solver
REPEAT_BELOW = 20.0  # seconds: what takes longer is run once


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=numbers, metavar="N,N", help="numbers of nodes, instead of each section's own")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: shows that everything runs, in under a minute")
    parser.add_argument("--only", type=sections, default=SECTIONS, metavar="S,S", help=f"sections: {', '.join(SECTIONS)}")
    parser.add_argument("--threads", type=int, default=2, help="threads of every contestant (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of what is short; the best counts (default: %(default)s)")
    parser.add_argument("--cap", type=float, default=600.0, help="seconds for one run of the plain ADMM (default: %(default)s)")
    parser.add_argument("--rho", type=float, default=1.0, help="ρ of the plain ADMM (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the data (default: %(default)s)")
    parser.add_argument("--fit", type=pathlib.Path, default=ROOT / "target/release/examples/fit_raw", help="the built example")
    parser.add_argument("--base", type=pathlib.Path, help="an older congraph, which the section `command` compares with")
    parser.add_argument("--append", action="store_true", help="leave what the results hold and put the sections at their end")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "RESULTS.md", help="where the results go")
    return parser.parse_args()


def numbers(text):
    return [int(word) for word in text.split(",")]


def sections(text):
    chosen = tuple(text.split(","))
    if unknown := set(chosen) - set(SECTIONS):
        raise argparse.ArgumentTypeError(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    return chosen


class Failed(Exception):
    """A child process that failed, or took too long."""


class Data:
    """Signals of one size on disk, and the parameters that give them the wanted density."""

    def __init__(self, nodes, views, samples, degree, files, kind):
        self.nodes, self.views, self.samples, self.degree = nodes, views, samples, degree
        self.files, self.kind = files, kind
        self.alpha, self.beta = 0.05, BETA

    def job(self, **more):
        return {"nodes": self.nodes, "samples": self.samples, "files": self.files, "alpha": self.alpha, "beta": self.beta, **more}


class Race:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.sets = {}
        self.begin = time.perf_counter()

    # --- children -------------------------------------------------------------------------------------------------------

    def say(self, text):
        print(f"[{time.perf_counter() - self.begin:6.0f} s] {text}", file=sys.stderr, flush=True)

    def child(self, words, threads=None, seconds=None, **variables):
        count = str(threads or self.options.threads)
        names = ("RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
        inherited = {name: value for name, value in os.environ.items() if name != "CONGRAPH_SOLVER"}
        environment = {**inherited, **dict.fromkeys(names, count), **variables}
        seconds = seconds or self.options.cap + 300.0
        try:
            done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"> {seconds:.0f} s") from late
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            for private in (str(self.folder), str(ROOT), sys.prefix):
                last = last.replace(private, "…")
            raise Failed(f"failed: {last[:200]}")
        return json.loads(done.stdout.strip().splitlines()[-1])

    def peer(self, job, **how):
        return self.child([sys.executable, str(HERE / "peers.py"), json.dumps(job)], **how)

    def fit(self, data, tolerance=1e-9, support="all", **how):
        words = [self.options.fit, data.nodes, data.samples, repr(data.alpha), repr(data.beta), tolerance, support, *data.files]
        return self.child([str(word) for word in words], **how)

    def fit_admm(self, data):
        found = self.fit(data, tolerance=1e-6, CONGRAPH_SOLVER="admm")
        if found.get("solver", "newton") == "newton":
            raise Failed("not offered by this build of `fit_raw`")
        return found

    # --- data and parameters --------------------------------------------------------------------------------------------

    def data(self, section, nodes, degree=10):
        views, samples = SHAPES.get(section, QUICK_SHAPE if self.options.quick else SHAPE)
        kind = "factors" if nodes > LARGEST_CHOLESKY or section == "many" else "smooth"
        kind = "few factors" if section in ("exact", "neighbours", "scale") else kind
        degree = min(degree, round(0.3 * (nodes - 1)))
        key = (nodes, views, samples, degree, kind)
        if key not in self.sets:
            self.say(f"data of {nodes} nodes, {views} views, {samples} samples")
            name = "-".join(map(str, key))
            files = [str(self.folder / f"{name}-{view}.f64") for view in range(views)]
            data = Data(nodes, views, samples, degree, files, kind)
            self.peer(data.job(task="generate", seed=self.options.seed, degree=degree, kind=kind))
            if section not in ("exact", "neighbours", "scale", "jgl"):
                self.tune(data)
            self.sets[key] = data
        return self.sets[key]

    def tune(self, data):
        """α for the wanted mean degree, and where fits are cheap β for the wanted similarity of the views."""

        def at_alpha(alpha):
            data.alpha = alpha
            return self.fit(data, tolerance=1e-6)["mean_degree"]

        def at_beta(beta):
            data.beta = beta
            return self.fit(data, tolerance=1e-6)["similarity"]

        small = data.nodes <= SIMILARITY_UP_TO
        within, tries = (0.05, 14) if small else (0.1, 8) if data.nodes <= LARGEST_CHOLESKY else (0.25, 5)
        data.alpha = search(at_alpha, data.degree, data.alpha, within, tries)
        if small:
            for _ in range(3):
                data.beta = search(at_beta, SIMILARITY, data.beta, 0.01, 10)
                data.alpha = search(at_alpha, data.degree, data.alpha, within, tries)
        self.say(f"α = {data.alpha:.4g}, β = {data.beta:.4g}")

    # --- timing ---------------------------------------------------------------------------------------------------------

    def rounds(self, contestants):
        """Every contestant in turn, several times: name → its best run, or the reason why there is none."""
        best = {}
        for _ in range(self.options.rounds):
            for name, run in contestants.items():
                before = best.get(name)
                if isinstance(before, str) or before and (before["seconds"] > REPEAT_BELOW or before.get("capped")):
                    continue
                try:
                    found = run()
                except Failed as reason:
                    best[name] = before or str(reason)
                    continue
                peak = max(found["peak_mb"], before["peak_mb"] if before else 0)
                if not before or found["seconds"] < before["seconds"]:
                    best[name] = found
                best[name]["peak_mb"] = peak
                self.say(f"  {name}: {found['seconds']:.4g} s")
        return best

    def optimum(self, data):
        """The value to measure gaps from: congraph's certified objective, else a bound that SciPy finds by itself."""
        objective = self.fit(data).get("objective")
        return objective if objective is not None else self.peer(data.job(task="bound"))["bound"]

    def row(self, name, data, best, reference, optimum):
        """One row of a table; `reference` is the run that the ratio column divides by."""
        if isinstance(best, str):
            return [name, data.nodes, data.views, data.samples, "", best, "", "", ""]
        gap = best.get("gap")
        if gap is None and "objective" in best and optimum is not None:
            gap = (best["objective"] - optimum) / abs(optimum)
        over = "> " if best.get("capped") else ""
        return [
            name,
            data.nodes,
            data.views,
            data.samples,
            f"{best['mean_degree']:.1f}" if "mean_degree" in best else "—",
            f"{over}{seconds(best['seconds'])}",
            "—" if gap is None else f"{gap:.1e}",
            f"{best['peak_mb']:,} MB".replace(",", " "),
            f"{over}{times(best['seconds'] / reference['seconds'])}",
        ]

    # --- sections -------------------------------------------------------------------------------------------------------

    def sizes(self, section):
        return self.options.sizes or (QUICK if self.options.quick else SIZES)[section]

    def agreement(self):
        out = [
            "## Do all contestants solve the same problem?",
            "",
            "The gap of each peer's feasible result to the optimum. The plain ADMM must come closer the longer it runs. The lower "
            "bound is found by SciPy's L-BFGS on the dual, from code that shares nothing with congraph.",
            "",
        ]
        for nodes in self.sizes("agreement"):
            data = self.data("agreement", nodes)
            fit = self.fit(data)
            bound = self.peer(data.job(task="bound"))["bound"]
            optimum = fit.get("objective", bound)
            rows = [["congraph, newton", fit["iterations"], f"{fit['gap']:.1e} (its own certificate)"]]
            if "objective" in fit:
                rows.append(["congraph, newton, against the lower bound", "", f"{(fit['objective'] - bound) / abs(bound):.1e}"])
            gaps = []
            for stop in (1e-4, 1e-6, 1e-8, 1e-10):
                found = self.peer(self.admm_job(data, stop))
                gaps.append((found["objective"] - optimum) / abs(optimum))
                rows.append([f"plain ADMM, stop 1e-{round(-math.log10(stop))}", found["iterations"], f"{gaps[-1]:.1e}"])
            for solver in ("CLARABEL", "SCS"):
                try:
                    found = self.peer(data.job(task="cvxpy", solver=solver), seconds=GENERAL_CAP)
                    rows.append([f"CVXPY, {solver}", found["iterations"], f"{(found['objective'] - optimum) / abs(optimum):.1e}"])
                except Failed as reason:
                    rows.append([f"CVXPY, {solver}", "", str(reason)])
            out += self.setting(data, fit) + table(["contestant", "iterations", "relative gap"], rows)
            agrees = -1e-8 < gaps[-1] < 1e-7
            out += [f"The plain ADMM {'approaches the optimum' if agrees else '**does not approach the optimum**'}.", ""]
        return out

    def admm_job(self, data, stop):
        return data.job(task="admm", rho=self.options.rho, stop=stop, cap=self.options.cap)

    def admm(self):
        out = [
            "## Against a plain ADMM",
            "",
            "The whole fit of congraph (signals in memory → certified graphs; the best of five in one process, since NumPy's threads have "
            "been started by then, too) against the *solve alone* of a NumPy "
            f"ADMM written from the paper's appendix B (ρ = {self.options.rho:g}, its distances are given to it). The ratio is seconds over "
            "congraph's Newton. The target is for the stop that is usual for it, a relative change of the objective below 1e-4; the "
            "row with a stop of 1e-10 is nearer to congraph's accuracy and is no part of the target.",
            "",
        ]
        for nodes in self.sizes("admm"):
            data = self.data("admm", nodes)
            best = self.rounds({
                "congraph, newton": lambda data=data: self.fit(data, CONGRAPH_ROUNDS="5"),
                "congraph, admm": lambda data=data: self.fit_admm(data),
                "plain ADMM, stop 1e-4": lambda data=data: self.peer(self.admm_job(data, 1e-4)),
                "plain ADMM, stop 1e-10": lambda data=data: self.peer(self.admm_job(data, 1e-10)),
            })
            fit = best["congraph, newton"]
            out += self.compare(data, best, fit)
            plain = best["plain ADMM, stop 1e-4"]
            if isinstance(fit, str) or isinstance(plain, str):
                out += [f"n = {nodes}: not measured.", ""]
                continue
            ratio = plain["seconds"] / fit["seconds"]
            target = ADMM_TARGETS.get(nodes) if not self.options.quick else None
            over = "at least " if plain.get("capped") else ""
            met = target and ratio >= target and fit["gap"] <= 1e-9
            if plain.get("capped") and not met:
                met = None
            out += verdict(f"n = {nodes}: {over}{times(ratio)}", target and f"≥ {target:.0f}× at a gap ≤ 1e-9", met)
        return out

    def compare(self, data, best, fit, reference=None):
        """The setting and one table of a case."""
        if isinstance(fit, str):
            return [f"n = {data.nodes}: congraph {fit}.", ""]
        peers = any("objective" in run for run in best.values() if not isinstance(run, str))
        optimum = self.optimum(data) if peers else None
        rows = [self.row(name, data, run, reference or fit, optimum) for name, run in best.items()]
        heads = ["contestant", "n", "N", "p", "mean degree", "seconds", "relative gap", "peak memory", "ratio"]
        return self.setting(data, fit) + table(heads, rows)

    def setting(self, data, fit):
        made = "latent factors" if data.kind == "factors" else "smooth signals on a random graph"
        return [
            f"n = {data.nodes}, {made}; α = {data.alpha:.4g}, β = {data.beta:.4g} → mean degree {fit['mean_degree']:.1f}, "
            f"similarity of the views {fit['similarity']:.2f}.",
            "",
        ]

    def floor(self):
        out = [
            "## Against the floor",
            "",
            "The floor is NumPy's `X @ X.T` for all views with the same threads, into one matrix allocated beforehand, best of three "
            "passes; congraph's fit is the best of three in one process, too. The ratio in the table is seconds over the floor; that of "
            "CPU seconds below it does not depend on what else the machine does.",
            "",
        ]
        for nodes in self.sizes("floor"):
            for degree in (10, 30):
                data = self.data("floor", nodes, degree)
                fit, ratio, lines = self.against_floor(data)
                out += lines
                target = None if self.options.quick else FLOOR_TARGETS.get((nodes, degree))
                if ratio:
                    met = target and ratio <= target and fit["gap"] <= 1e-8
                    label = f"n = {nodes}, mean degree {fit['mean_degree']:.0f}: {times(ratio)} in CPU seconds"
                    out += verdict(label, target and f"≤ {target}×", met)
        return out

    def against_floor(self, data):
        best = self.rounds({
            "congraph, newton": lambda: self.fit(data, CONGRAPH_ROUNDS="3"),
            "NumPy X Xᵀ": lambda: self.peer(data.job(task="floor")),
        })
        fit, bottom = best["congraph, newton"], best["NumPy X Xᵀ"]
        if isinstance(fit, str) or isinstance(bottom, str):
            return None, None, [f"n = {data.nodes}: congraph {result(fit)}; NumPy {result(bottom)}.", ""]
        lines = self.compare(data, best, fit, reference=bottom)
        lines += [
            f"Of the fit, {seconds(fit['distances'])} s went into distances and {seconds(fit['solve'])} s into the solver. CPU seconds: "
            f"{seconds(fit['cpu'])} and {seconds(bottom['cpu'])}.",
            "",
        ]
        return fit, fit["cpu"] / bottom["cpu"], lines

    def many(self):
        out = [
            "## Many nodes, all pairs",
            "",
            "Every pair of nodes is a candidate and the certificate covers all of them. The data are latent factors (20 loadings "
            "that the views share up to a perturbation of 0.1, times random factors, plus unit noise), because the Cholesky "
            "factorisation behind the smooth signals would take longer than the race. The ratio is seconds over the floor.",
            "",
        ]
        for nodes in self.sizes("many"):
            data = self.data("many", nodes)
            fit, ratio, lines = self.against_floor(data)
            out += lines
            if ratio:
                peak = fit["peak_mb"] * 2**20 / 1e9
                target = MANY_TARGET[1] if nodes == MANY_TARGET[0] else None
                label = f"n = {nodes}: peak memory {peak:.2f} GB, {times(ratio)} the floor's CPU seconds"
                met = target and peak <= target and ratio <= MANY_TARGET[2]
                out += verdict(label, target and f"≤ {target:g} GB and ≤ {MANY_TARGET[2]}×", met)
        return out

    def exact(self):
        out = [
            "## Very many nodes, all pairs",
            "",
            "Every pair of nodes is a candidate, and the certificate covers all of them. The data are six latent factors, see the README; "
            "β = 0.01, and α = 0.004 at 100 000 nodes follows the squared distance between neighbours, n^(-2/6).",
            "",
        ]
        rows, verdicts = [], []
        for nodes in self.sizes("exact"):
            data = self.data("exact", nodes)
            data.alpha, data.beta = 0.004 * (nodes / 100_000) ** (-2 / 6), 0.01
            fit = self.fit(data, tolerance=1e-8, seconds=4 * 3600.0)
            peak = fit["peak_mb"] * 2**20 / 1e9
            rows.append([nodes, data.views, data.samples, f"{fit['mean_degree']:.1f}", f"{fit['distances']:.1f}", f"{fit['solve']:.1f}",
                         f"{fit['cpu']:.1f}", f"{fit['gap']:.1e}", f"{peak:.2f} GB"])  # fmt: skip
            if nodes in EXACT_TARGETS:
                cpu, memory = EXACT_TARGETS[nodes]
                met = fit["cpu"] <= cpu and peak <= memory and fit["gap"] <= 1e-8
                verdicts += verdict(f"n = {nodes}: {fit['cpu']:.0f} CPU seconds, {peak:.2f} GB", f"≤ {cpu:g} and ≤ {memory:g} GB", met)
        heads = ["n", "N", "p", "mean degree", "first pass, s", "cover and solve, s", "CPU s", "relative gap", "peak memory"]
        return out + table(heads, rows) + verdicts

    def neighbours(self):
        out = [
            "## Nearest neighbours",
            "",
            f"The {NEIGHBOURS} nearest neighbours of every node in one view (six latent factors). congraph's are exact; its time includes "
            "z-scoring and the distances in f64 of all pairs that it found. The peers get z-scored points in f32; their time is that of "
            "building the index and asking it for all points. Recall is that of 1000 nodes.",
            "",
        ]
        for nodes in self.sizes("neighbours"):
            data = self.data("neighbours", nodes)
            words = [self.options.fit.with_name("neighbours_raw"), nodes, data.samples, NEIGHBOURS, data.files[0]]
            contestants = {"congraph, exact": lambda words=words: self.child([str(word) for word in words])}
            for name, effort in SEARCHES:
                job = data.job(task="neighbours", search=name, effort=effort, k=NEIGHBOURS)
                contestants[f"{name} {effort or ''}".strip()] = lambda job=job: self.peer(job)
            best = self.rounds(contestants)
            own = best["congraph, exact"]
            rows = [
                [name, nodes, data.samples, run, "", "", ""]
                if isinstance(run, str)
                else [name, nodes, data.samples, f"{run['recall']:.4f}", seconds(run["seconds"]), f"{run['cpu']:.2f}", times(run["cpu"] / own["cpu"])]
                for name, run in best.items()
            ]
            out += table(["contestant", "n", "p", "recall", "seconds", "CPU s", "CPU ratio"], rows)
            good = [
                run["cpu"]
                for name, run in best.items()
                if name.startswith("faiss, IVF") and not isinstance(run, str) and run["recall"] >= SEARCH_RECALL
            ]
            if good:
                label = f"n = {nodes}: {times(own['cpu'] / min(good))} of the CPU seconds of faiss's IVF at a recall of at least {SEARCH_RECALL}"
                out += verdict(label, "< 1×", own["cpu"] < min(good))
        return out

    def refits(self):
        """Resamples from sums of blocks, and the whole fit, on one thread."""
        words = [str(self.options.fit.with_name("refits_raw"))]
        runs = [self.child(words, threads=1) for _ in range(self.options.rounds)]
        whole, rate = min(run["whole"] for run in runs), max(run["per_core"] for run in runs)
        out = [
            "## Refits",
            "",
            "64 nodes, 20 views, 34 blocks of 16 samples, one thread. A resample draws blocks of every view with replacement and is fitted to a "
            "gap of 1e-5 (`Refits::fit_all`, example `refits_raw`); the whole fit is from the samples, to 1e-8, with its warnings.",
            "",
        ]
        out += verdict(f"{rate:.0f} refits a second and core", "≥ 300", rate >= 300)
        return out + verdict(f"whole fit {1000 * whole:.1f} ms", "≤ 6 ms", whole <= 0.006)

    def command(self):
        """The whole command line on 20 views of 64 nodes, with its report, and an older one if there is one."""
        programs = {"this": ROOT / "target/release/congraph"} | ({"base": self.options.base} if self.options.base else {})
        if not all(program.is_file() for program in programs.values()):
            return ["## The whole command", "", "Not measured: `cargo build --release` first.", ""]
        folder = self.folder / "command"
        make = ["simulate", "--nodes", "64", "--views", "20", "--signals", "544", "--seed", "1", "-o", str(folder / "data")]
        folder.mkdir()
        subprocess.run([programs["this"], *make], capture_output=True, check=True)
        files = sorted(str(file) for file in (folder / "data").glob("view*.csv"))
        used = {name: [] for name in programs}
        for k in range(max(5, self.options.rounds)):
            for name, program in programs.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run([program, "learn", *files, "-o", str(folder / f"{name}{k}")], capture_output=True, check=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                used[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        best = {name: min(times) for name, times in used.items()}
        out = [
            "## The whole command",
            "",
            f"`congraph learn` of 20 views of 64 nodes and 544 samples, usual targets, with its report: {1000 * best['this']:.0f} ms of CPU time.",
            "",
        ]
        if "base" in best:
            ratio = best["this"] / best["base"]
            label = f"{ratio:.2f} of the CPU time of {self.options.base.name} ({1000 * best['base']:.0f} ms)"
            out += verdict(label, "≤ 0.5", ratio <= 0.5)
        return out

    def threads(self):
        out = ["## Threads", "", "The same fit with one and with two threads.", ""]
        for nodes in self.sizes("threads"):
            data = self.data("threads", nodes)
            best = self.rounds({
                f"congraph, newton, {count} thread{'s' * (count > 1)}": lambda count=count: self.fit(data, threads=count)
                for count in (1, 2)
            })
            one, two = best.values()
            if isinstance(one, str) or isinstance(two, str):
                out += [f"n = {nodes}: one thread {result(one)}; two threads {result(two)}.", ""]
                continue
            out += self.compare(data, best, two)
            gain = one["seconds"] / two["seconds"]
            target = THREADS_TARGET[1] if nodes == THREADS_TARGET[0] and not self.options.quick else None
            out += verdict(f"n = {nodes}: {gain:.2f}× faster with two threads", target and f"≥ {target}×", target and gain >= target)
        return out

    def scale(self):
        out = [
            "## Very many nodes, nearest neighbours",
            "",
            f"Each node may be joined to its {NEIGHBOURS} nearest neighbours in any view (found exactly); the "
            "certificate is that of this restricted problem. The data are six latent factors, see the README. α is searched at the "
            "smallest size for a mean degree of about 10; beyond, it follows the squared distance between neighbours, n^(-2/6).",
            "",
        ]
        support, rows, fits = f"knn:{NEIGHBOURS}", [], []
        alpha = None
        for nodes in self.sizes("scale"):
            data = self.data("scale", nodes)
            data.beta = 0.01
            if alpha is None:

                def degree(value, data=data):
                    data.alpha = value
                    return self.fit(data, tolerance=1e-4, support=support)["mean_degree"]

                alpha = search(degree, 10, 0.004, 0.25, 3)
            data.alpha = alpha * (nodes / self.sizes("scale")[0]) ** (-2 / 6)
            fit = self.fit(data, tolerance=1e-6, support=support, seconds=3600.0)
            fits.append((nodes, fit))
            row = (nodes, data.views, data.samples, fit["mean_degree"], fit["distances"], fit["solve"], fit["gap"], fit["peak_mb"])
            rows.append("| {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1e} | {:.2f} GB |".format(*row[:-1], row[-1] * 2**20 / 1e9))
        out += ["| n | N | p | mean degree | neighbours, s | solve, s | relative gap | peak memory |", "|" + " --- |" * 8, *rows, ""]
        worst_gap = max(fit["gap"] for _, fit in fits)
        peak = max(fit["peak_mb"] for _, fit in fits) * 2**20 / 1e9
        out += verdict(f"largest gap {worst_gap:.1e}", f"≤ {SCALE_TARGETS['gap']:g}", worst_gap <= SCALE_TARGETS["gap"])
        out += verdict(f"peak memory {peak:.1f} GB", f"≤ {SCALE_TARGETS['gigabytes']:g} GB", peak <= SCALE_TARGETS["gigabytes"])
        if len(fits) > 1:
            (small, one), (large, two) = fits[0], fits[-1]
            exponent = math.log(two["solve"] / one["solve"]) / math.log(large / small)
            label = f"solve time grows as n^{exponent:.2f} from {small} to {large} nodes"
            out += verdict(label, f"≤ {SCALE_TARGETS['exponent']:g}", exponent <= SCALE_TARGETS["exponent"])
        out += self.recall(support, alpha)
        return out

    def recall(self, support, alpha):
        """Which of the exact solution's edges the restricted one has, on the same costs (not divided by the largest)."""
        nodes = 600 if self.options.quick else RECALL_NODES
        data = self.data("scale", nodes)
        data.alpha, data.beta = alpha, 0.01
        edges = {}
        for name, pairs in [("all", "all"), ("near", support)]:
            file = self.folder / f"edges-{name}"
            self.fit(data, tolerance=1e-8, support=pairs, CONGRAPH_EDGES=str(file), CONGRAPH_RAW_DISTANCES="1")
            edges[name] = set(file.read_text().split())
        found = len(edges["all"] & edges["near"]) / max(1, len(edges["all"]))
        label = f"n = {nodes}: recall of the exact solution's {len(edges['all'])} edges {found:.4f}"
        return verdict(label, f"≥ {SCALE_TARGETS['recall']:g}", found >= SCALE_TARGETS["recall"])

    def path(self):
        """The bench of the library; what it prints is the section."""
        words = ["cargo", "bench", "--quiet", "--locked", "-p", "congraph", "--bench", "path"]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return ["## A path of (α, β)", "", "Not measured: the bench failed.", ""]
        ratio = float(done.stdout.split("ratio")[1].split(",")[0])
        out = [
            "## A path of (α, β)",
            "",
            "A cold fit starts from the signals. A warm fit of the path has its data made ready and starts from the multipliers of its "
            "neighbours. The ratio of the solver alone is of warm fits to cold ones whose data are ready, too.",
            "",
            "```text",
            *done.stdout.strip().splitlines(),
            "```",
            "",
        ]
        return out + verdict(f"a warm fit takes {ratio:.2f} of a cold one", f"≤ {PATH_TARGET:.2f}", ratio <= PATH_TARGET)

    def interior(self):
        out = [
            "## Interior point and other general solvers",
            "",
            f"CVXPY with Clarabel (interior point, its default accuracy) and SCS (first order, 1e-6), each given {GENERAL_CAP:.0f} s for "
            "everything. Seconds are the solver's own, without CVXPY's time to state the problem, which is given below. No target.",
            "",
        ]
        gone = {}
        for nodes in self.sizes("interior"):
            data = self.data("interior", nodes)
            contestants = {"congraph, newton": lambda data=data: self.fit(data)}
            for solver in ("CLARABEL", "SCS"):
                if solver not in gone:
                    contestants[f"CVXPY, {solver}"] = lambda data=data, solver=solver: self.general(data, solver)
            best = self.rounds(contestants)
            for solver in ("CLARABEL", "SCS"):
                name = f"CVXPY, {solver}"
                if solver in gone:
                    best[name] = gone[solver]
                elif isinstance(best[name], str):
                    gone[solver] = f"not tried: {best[name]} at n = {nodes}"
            out += self.compare(data, best, best["congraph, newton"])
            stated = [
                f"{name} {seconds(run['whole'] - run['seconds'])} s" for name, run in best.items() if not isinstance(run, str) and "whole" in run
            ]
            out += [f"To state the problem: {', '.join(stated)}.", ""] if stated else []
        return out

    def jgl(self):
        out = [
            "## Joint graphical lasso",
            "",
            "The baseline against gglasso (its ADMM, defaults but for the stop) and scikit-learn's `graphical_lasso`, from the same "
            "correlation matrices with the same λ1 and λ2. gglasso's fused coupling is a chain over consecutive views, so fused is compared "
            "at two views; neither peer has the diagonal in any penalty. Times are the solve alone for the peers, without imports and "
            "without what gglasso compiles, and the solve with its certificate for congraph. Everybody also runs with one thread: small "
            "matrices gain little from more, and a peer's better time counts. *error*: the objective minus the lower bound that congraph "
            "proves at a tolerance of 1e-12, relative to it. Times are compared among the runs with an error of at most "
            f"{JGL_ACCURACY:g}.",
            "",
        ]
        for nodes in self.sizes("jgl"):
            data = self.data("jgl", nodes)
            files = [f"{file}.covariance" for file in data.files]
            self.jgl_peer(data.job(task="covariances", covariances=files))
            cases = [case for case in JGL_CASES if case[2] <= len(files)]
            ours, theirs = [{} for _ in cases], [{} for _ in cases]
            for _ in range(self.options.rounds):
                self.jgl_round(nodes, files, cases, ours, theirs)
            for case, fits, runs in zip(cases, ours, theirs, strict=True):
                bound = self.jgl_fit(nodes, files, case, 1e-12)["lower_bound"]
                out += jgl_table(nodes, case, fits, runs, bound)
        return out

    def jgl_round(self, nodes, files, cases, ours, theirs):
        """One turn of everybody; what is faster than before is kept."""
        for case, fits in zip(cases, ours, strict=True):
            for threads in sorted({1, self.options.threads}):
                for tolerance in JGL_TOLERANCES:
                    keep_best(fits, (threads, tolerance), self.jgl_fit(nodes, files, case, tolerance, threads))
        for peer in ("gglasso", "scikit-learn"):
            chosen = [k for k, case in enumerate(cases) if case[0] == peer]
            models = [
                {"covariances": files[:views], "coupling": coupling, "lambda1": lambda1, "lambda2": lambda2}
                for _, coupling, views, lambda1, lambda2 in (cases[k] for k in chosen)
            ]
            for threads in sorted({1, self.options.threads}):
                self.say(f"  {peer}, {threads} thread{'s' * (threads > 1)}")
                job = {"task": peer, "nodes": nodes, "models": models, "stops": JGL_STOPS}
                try:
                    found = self.jgl_peer(job, threads=threads, seconds=JGL_CAP)["models"]
                except Failed as reason:
                    # On a busy machine its threads wait for each other without end; its runs with one thread are there.
                    if threads == 1:
                        raise
                    self.say(f"    {reason}")
                    continue
                for k, runs in zip(chosen, found, strict=True):
                    for run in runs:
                        keep_best(theirs[k], (threads, run["stop"]), run)

    def jgl_peer(self, job, **how):
        return self.child([sys.executable, str(HERE / "peers_jgl.py"), json.dumps(job)], **how)

    def jgl_fit(self, nodes, files, case, tolerance, threads=None):
        _, coupling, views, lambda1, lambda2 = case
        words = [self.options.fit.with_name("jgl_raw"), coupling, nodes, repr(lambda1), repr(lambda2), tolerance, *files[:views]]
        return self.child([str(word) for word in words], threads=threads)

    def general(self, data, solver):
        found = self.peer(data.job(task="cvxpy", solver=solver), seconds=GENERAL_CAP)
        if found["status"] not in ("optimal", "optimal_inaccurate"):
            raise Failed(found["status"])
        return {**found, "whole": found["seconds"], "seconds": found["solve"] or found["seconds"]}


def jgl_table(nodes, case, ours, theirs, bound):
    """One case of the joint graphical lasso: its table and what it shows."""
    peer, coupling, views, lambda1, lambda2 = case

    def error(run):
        return (run["objective"] - bound) / abs(bound)

    # As many threads as the peer finished with: on a busy machine its runs with several are stopped.
    most = max(threads for threads, _ in theirs)
    fit = ours[most, JGL_TOLERANCES[-1]]
    rows = [(f"congraph, tolerance {tolerance:g}", threads, run) for (threads, tolerance), run in ours.items()]
    rows += [(f"{peer}, stop {stop:g}", threads, run) for (threads, stop), run in theirs.items()]
    cells = [
        [name, threads, run["iterations"], seconds(run["seconds"]), f"{error(run):.1e}", times(run["seconds"] / fit["seconds"])]
        for name, threads, run in rows
    ]
    out = [f"{coupling}, n = {nodes}, N = {views}, λ1 = {lambda1}, λ2 = {lambda2} → density {fit['density']:.2f}.", ""]
    out += table(["contestant", "threads", "iterations", "seconds", "error", "ratio"], cells)
    if most < max(threads for threads, _ in ours):
        out += [f"With more threads {peer} did not end within {JGL_CAP:.0f} s on this machine, so one thread is compared with one.", ""]
    tightest = theirs[1, JGL_STOPS[-1]]["objective"]
    apart = abs(tightest - fit["objective"]) / abs(tightest)
    out += verdict(f"objectives apart by {apart:.1e}", f"≤ {JGL_TARGETS['apart']:g}", apart <= JGL_TARGETS["apart"])
    accurate = [run["seconds"] for run in theirs.values() if error(run) <= JGL_ACCURACY]
    if not accurate:
        return [*out, f"No run of {peer} has an error of at most {JGL_ACCURACY:g}.", ""]
    ratio = min(accurate) / fit["seconds"]
    is_target = peer == "gglasso" and (nodes, views) == (JGL_TARGETS["nodes"], JGL_TARGETS["views"])
    label = f"{peer} takes {times(ratio)} congraph's time at equal accuracy"
    met = ratio >= JGL_TARGETS["ratio"] and error(fit) <= JGL_ACCURACY
    return out + verdict(label, is_target and f"≥ {JGL_TARGETS['ratio']:g}×", met)


def keep_best(runs, key, run):
    """The fastest of several runs."""
    if key not in runs or run["seconds"] < runs[key]["seconds"]:
        runs[key] = run


def search(measure, target, start, within, tries):
    """x > 0 with measure(x) near the target: steps and then false position on logarithms; the best x that was seen."""
    x, low, high, best = math.log(start), None, None, None
    for _ in range(tries):
        value = max(measure(math.exp(x)), 1e-9)
        miss = math.log(value / target)
        if best is None or abs(miss) < abs(best[0]):
            best = (miss, x)
        if abs(miss) <= math.log1p(within):
            break
        low, high = (low, (x, miss)) if miss > 0 else ((x, miss), high)
        if low and high:
            share = -low[1] / (high[1] - low[1])
            x = low[0] + min(max(share, 0.1), 0.9) * (high[0] - low[0])
        else:
            x -= min(max(1.5 * miss, -2.5), 2.5) + math.copysign(0.05, miss)
    return math.exp(best[1])


def seconds(value):
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def times(ratio):
    return f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.0f}×"


def result(run):
    return run if isinstance(run, str) else f"{seconds(run['seconds'])} s"


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines] + [""]


def verdict(label, target, met):
    if not target:
        return [f"{label} (no target at this size).", ""]
    outcome = {True: "met", False: "not met", None: "not decided, the peer was stopped too early"}[met]
    return [f"{label}; target {target}: **{outcome}**.", ""]


# --- header -------------------------------------------------------------------------------------------------------------


def output_of(*words):
    try:
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def cpu_model():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return output_of("sysctl", "-n", "machdep.cpu.brand_string") or platform.processor() or "unknown"


def header(options, load):
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    commit = output_of("git", "rev-parse", "--short", "HEAD") or "unknown"
    changed = " with local changes" if output_of("git", "status", "--porcelain", "--untracked-files=no") else ""
    words = ["benchmarks/run"]
    words += ["--quick"] * options.quick
    words += ["--only", ",".join(options.only)] * (options.only != SECTIONS)
    words += ["--append"] * options.append
    words += ["--sizes", ",".join(map(str, options.sizes or []))] * bool(options.sizes)
    words += ["--threads", str(options.threads), "--rounds", str(options.rounds)]
    words += ["--cap", f"{options.cap:g}", "--rho", f"{options.rho:g}", "--seed", str(options.seed)]
    return [
        "# Race",
        "",
        f"- Date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        f"- Processor: {cpu_model()}, {os.cpu_count()} cores; {options.threads} threads for every contestant unless said otherwise",
        f"- Load average before the race: {load:.2f}",
        f"- congraph at {commit}{changed}, {output_of('rustc', '--version') or 'rustc unknown'}",
        f"- {platform.python_implementation()} {platform.python_version()}, {packages}",
        f"- Command: `{' '.join(words)}`",
        "",
        "Contestants take turns; what takes less than "
        f"{REPEAT_BELOW:.0f} s runs {options.rounds} times and its best time counts. What the columns mean: `benchmarks/README.md`. "
        f"α is searched so that the mean degree fits, and up to n = {SIMILARITY_UP_TO} β so that the similarity of the views is about "
        f"{SIMILARITY}; beyond that β = {BETA}.",
        "",
    ]


def appended(text, lines, header):
    """The results with new sections at their end, in place of earlier ones of the same name, and when and how they were made."""
    for line in lines:
        if line.startswith("## ") and (at := text.find(f"\n{line}\n")) >= 0:
            end = text.find("\n## ", at + 1)
            text = text[:at] + (text[end:] if end >= 0 else "\n")
    made = [line for line in header if line.startswith("- ")]
    return text.rstrip("\n") + "\n\n" + "\n".join([*lines, "Made apart from the sections above:", "", *made]) + "\n"


def main():
    options = parse()
    if not options.fit.is_file():
        sys.exit("fit_raw is missing: use benchmarks/run, or build it with `cargo build --release -p congraph --example fit_raw`")
    load = os.getloadavg()[0]
    lines = []
    with tempfile.TemporaryDirectory(prefix="congraph-race-") as folder:
        race = Race(options, pathlib.Path(folder))
        for section in SECTIONS:
            if section not in options.only:
                continue
            race.say(section)
            try:
                lines += getattr(race, section)()
            except Failed as reason:
                lines += [f"## {section}", "", f"Not measured: a child process {reason}", ""]
                race.say(f"  {reason}")
        took = time.perf_counter() - race.begin
    if options.append and options.output.is_file():
        text = appended(options.output.read_text(encoding="utf-8"), lines, header(options, load))
    else:
        text = "\n".join(header(options, load) + lines + [f"The whole race took {took / 60:.1f} minutes."]) + "\n"
    part = options.output.with_name(options.output.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(options.output)
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
