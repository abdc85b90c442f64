"""What the race runs in child processes: data, the floor, the plain ADMM, CVXPY, and an independent lower bound.

Each task takes one JSON object as its only argument and prints one line of JSON, so that every contestant has a process,
a thread count (from its environment) and a peak memory of its own. `race.py` starts them; by hand:

    python benchmarks/peers.py '{"task": "floor", "nodes": 500, "samples": 200, "files": ["a.f64", "b.f64"]}'
"""

import json
import sys
import time

import numpy as np

# --- data ---------------------------------------------------------------------------------------------------------------


def random_pairs(rng, nodes, count, avoid=frozenset()):
    """`count` different pairs a < b, none of them in `avoid`."""
    found = set()
    while len(found) < count:
        for a, b in rng.integers(0, nodes, (count - len(found) + 8, 2)).tolist():
            pair = (min(a, b), max(a, b))
            if a != b and pair not in avoid:
                found.add(pair)
                if len(found) == count:
                    break
    return found


def smooth_views(rng, nodes, samples, views, degree, noise=0.1, moved=0.1):
    """The paper's simulation: X = L† X0 plus noise on views that each move a tenth of a common graph's edges."""
    import scipy.linalg

    ring = {(min(a, (a + 1) % nodes), max(a, (a + 1) % nodes)) for a in range(nodes)}
    wanted = min(int(nodes * degree / 2), nodes * (nodes - 1) // 4)
    common = ring | random_pairs(rng, nodes, max(0, wanted - len(ring)), ring)
    ordered = sorted(common)
    for _ in range(views):
        dropped = {ordered[k] for k in rng.choice(len(ordered), int(len(ordered) * moved), replace=False)}
        kept = np.array(sorted((common - dropped) | random_pairs(rng, nodes, len(dropped), common)))
        # L + 11ᵀ/n is positive definite when the graph is connected and inverts to L† + 11ᵀ/n; X0 is centred over the
        # nodes, so the second part does nothing. The small diagonal covers a view that lost its connectedness.
        laplacian = np.full((nodes, nodes), 1.0 / nodes)
        laplacian[kept[:, 0], kept[:, 1]] -= 1.0
        laplacian[kept[:, 1], kept[:, 0]] -= 1.0
        degrees = np.bincount(kept.ravel(), minlength=nodes)
        laplacian[np.diag_indices(nodes)] += degrees + 1e-9
        start = rng.standard_normal((nodes, samples))
        start -= start.mean(axis=0)
        factor = scipy.linalg.cho_factor(laplacian, overwrite_a=True, check_finite=False)
        signals = scipy.linalg.cho_solve(factor, start, overwrite_b=True, check_finite=False)
        errors = rng.standard_normal((nodes, samples))
        errors *= noise * np.linalg.norm(signals) / np.linalg.norm(errors)
        yield signals + errors


def factor_views(rng, nodes, samples, views, factors=20, perturbation=0.1, noise=1.0):
    """Latent factors: loadings shared by the views up to a perturbation, times random factors, plus noise."""
    shared = rng.standard_normal((nodes, factors))
    for _ in range(views):
        loadings = shared + perturbation * rng.standard_normal((nodes, factors))
        signals = loadings @ rng.standard_normal((factors, samples))
        yield signals + noise * rng.standard_normal((nodes, samples))


def generate(job):
    rng = np.random.default_rng(job["seed"])
    sizes = (job["nodes"], job["samples"], len(job["files"]))
    if job["kind"] == "few factors":
        made = factor_views(rng, *sizes, factors=6, noise=0.3)
    elif job["kind"] == "factors":
        made = factor_views(rng, *sizes)
    else:
        made = smooth_views(rng, *sizes, job["degree"])
    for file, signals in zip(job["files"], made, strict=True):
        signals.astype("<f8").tofile(file)
    return {}


def read_signals(job):
    shape = (job["nodes"], job["samples"])
    return [np.fromfile(file, dtype="<f8").reshape(shape) for file in job["files"]]


def distances(job):
    """(m, N) squared distances as congraph scales them: z-scored nodes, means over samples, divided by the largest."""
    upper = np.triu_indices(job["nodes"], 1)
    columns = []
    for signals in read_signals(job):
        signals = signals - signals.mean(axis=1, keepdims=True)
        signals /= signals.std(axis=1, keepdims=True)
        gram = signals @ signals.T / job["samples"]
        squares = np.diag(gram)
        columns.append((squares[:, None] + squares[None, :] - 2.0 * gram)[upper])
    stacked = np.maximum(np.stack(columns, axis=1), 0.0)
    return upper, stacked / stacked.max()


def degree_matrix(nodes, upper):
    """S: the (n, m) matrix with `S @ w` the degrees."""
    import scipy.sparse

    m = len(upper[0])
    ends = np.concatenate(upper)
    edges = np.concatenate([np.arange(m), np.arange(m)])
    return scipy.sparse.csr_array((np.ones(2 * m), (ends, edges)), shape=(nodes, m))


# --- the problem --------------------------------------------------------------------------------------------------------


def objective(costs, S, alpha, beta, views, consensus):
    """The ℓ1 model: Σ_i D·w + α(‖Sw‖² + 2‖w‖²) + β Σ_i ‖w^i − w‖₁."""
    smooth = np.vdot(costs, views) + alpha * (np.sum((S @ views) ** 2) + 2.0 * np.vdot(views, views))
    return float(smooth + beta * np.abs(views - consensus[:, None]).sum())


def feasible_objective(costs, S, alpha, beta, views):
    """The objective of the nearest thing to `views` that the constraints allow, with its best consensus."""
    views = np.maximum(views, 0.0)
    views *= S.shape[0] / views.sum(axis=0)
    return objective(costs, S, alpha, beta, views, np.median(views, axis=1))


def mean_degree(nodes, views):
    """Of the edges that weigh anything: general solvers leave small weights where there should be none."""
    return 2.0 * float((views > 1e-4).sum()) / (nodes * views.shape[1])


# --- (b) the paper's ADMM, plainly --------------------------------------------------------------------------------------


def plain_admm(costs, S, alpha, beta, rho, stop, seconds, sweeps=20, iterations=100_000):
    """Appendix B in edge weights (w = −ℓ) and scaled multipliers, ℓ1 model; arrays are (pairs, views).

    Two blocks: (w^i, v^i, w) and (z^i, z). The second is solved by block coordinate descent, warm started.
    """
    m, count = costs.shape
    nodes = S.shape[0]
    transposed = S.T.tocsr()
    # (2αSᵀS + cI)⁻¹ by Woodbury, with SSᵀ = (n − 2)I + 11ᵀ inverted by Sherman–Morrison.
    c = 4.0 * alpha + rho
    k = c / (2.0 * alpha) + nodes - 2.0

    z_views = np.full((m, count), nodes / m)
    z = np.full(m, nodes / m)
    y_views = np.zeros((m, count))
    y_differences = np.zeros((m, count))
    y = np.zeros(m)
    last = np.inf
    begin = time.perf_counter()
    for iteration in range(1, iterations + 1):
        # First block: views, differences, consensus.
        right = rho * (z_views + y_views) - costs
        degrees = S @ right
        degrees = (degrees - degrees.sum(axis=0) / (k + nodes)) / k
        views = (right - transposed @ degrees) / c
        views += (nodes - views.sum(axis=0)) / m
        apart = z_views - z[:, None] - y_differences
        differences = apart - np.clip(apart, -beta / rho, beta / rho)
        consensus = z + y
        # Second block.
        half = 0.5 * (views - y_views + differences + y_differences)
        shift = consensus - y - (differences + y_differences).sum(axis=1)
        for _ in range(sweeps):
            before = z
            z_views = np.maximum(half + 0.5 * z[:, None], 0.0)
            z = np.maximum((z_views.sum(axis=1) + shift) / (count + 1), 0.0)
            if np.linalg.norm(z - before) <= 1e-4 * np.linalg.norm(z):
                break
        # Multipliers.
        y_views += z_views - views
        y_differences += differences - z_views + z[:, None]
        y += z - consensus

        value = objective(costs, S, alpha, beta, z_views, z)
        elapsed = time.perf_counter() - begin
        settled = abs(value - last) < stop * abs(value)
        if settled or elapsed > seconds:
            break
        last = value
    return z_views, iteration, elapsed, settled


def admm(job):
    upper, costs = distances(job)
    S = degree_matrix(job["nodes"], upper)
    settings = {"rho": job["rho"], "stop": job["stop"], "seconds": job["cap"]}
    views, iterations, elapsed, settled = plain_admm(costs, S, job["alpha"], job["beta"], **settings)
    value = feasible_objective(costs, S, job["alpha"], job["beta"], views)
    degree = mean_degree(job["nodes"], views)
    return {"seconds": elapsed, "iterations": iterations, "objective": value, "mean_degree": degree, "capped": not settled}


# --- (c) general solvers ------------------------------------------------------------------------------------------------


def cvxpy(job):
    import cvxpy as cp

    upper, costs = distances(job)
    S = degree_matrix(job["nodes"], upper)
    alpha, beta = job["alpha"], job["beta"]
    m, count = costs.shape
    views = [cp.Variable(m, nonneg=True) for _ in range(count)]
    consensus = cp.Variable(m, nonneg=True)
    terms = [
        costs[:, i] @ w + alpha * (cp.sum_squares(S @ w) + 2 * cp.sum_squares(w)) + beta * cp.norm1(w - consensus)
        for i, w in enumerate(views)
    ]
    problem = cp.Problem(cp.Minimize(sum(terms)), [cp.sum(w) == job["nodes"] for w in views])
    options = {"SCS": {"eps_abs": 1e-6, "eps_rel": 1e-6, "max_iters": 10_000_000}}.get(job["solver"], {})
    begin = time.perf_counter()
    problem.solve(solver=job["solver"], **options)
    elapsed = time.perf_counter() - begin
    found = np.stack([w.value for w in views], axis=1)
    return {
        "seconds": elapsed,
        "solve": problem.solver_stats.solve_time,
        "iterations": problem.solver_stats.num_iters,
        "status": problem.status,
        "objective": feasible_objective(costs, S, alpha, beta, found),
        "mean_degree": mean_degree(job["nodes"], found),
    }


# --- (d) the floor ------------------------------------------------------------------------------------------------------


def upper_product(signals, product, block=10_000):
    """X Xᵀ in one call up to 10 000 nodes; beyond, blocks of its upper triangle (OpenBLAS's symmetric product crashes at 20 000)."""
    if len(signals) <= block:
        np.matmul(signals, signals.T, out=product)
        return
    for i in range(0, len(signals), block):
        for j in range(i, len(signals), block):
            np.matmul(signals[i : i + block], signals[j : j + block].T, out=product[i : i + block, j : j + block])


def floor(job):
    """X Xᵀ of every view into one matrix that is allocated once: the best of three passes."""
    views = read_signals(job)
    product = np.empty((job["nodes"], job["nodes"]))
    passes = []
    for _ in range(3):
        begin = (time.perf_counter(), time.process_time())
        for signals in views:
            upper_product(signals, product)
        passes.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
    return {"seconds": min(wall for wall, _ in passes), "cpu": min(cpu for _, cpu in passes)}


# --- nearest neighbours -------------------------------------------------------------------------------------------------


def neighbours(job):
    """The k nearest neighbours of every node by one peer: building its index and asking it, and the recall of a sample."""
    (signals,) = read_signals({**job, "files": job["files"][:1]})
    signals -= signals.mean(axis=1, keepdims=True)
    signals /= signals.std(axis=1, keepdims=True)
    points = np.ascontiguousarray(signals, dtype=np.float32)
    begin = (time.perf_counter(), time.process_time())
    found = SEARCHES[job["search"]](points, job["k"], job.get("effort"))
    took = (time.perf_counter() - begin[0], time.process_time() - begin[1])
    sample = np.random.default_rng(1).choice(len(points), 1000, replace=False)
    hits = 0
    for node in sample:
        distances = np.square(signals - signals[node]).sum(axis=1)
        distances[node] = np.inf
        hits += len(np.intersect1d(np.argpartition(distances, job["k"])[: job["k"]], found[node]))
    return {"seconds": took[0], "cpu": took[1], "recall": hits / (len(sample) * job["k"])}


def without_itself(found, k):
    """Rows of neighbours, of which the node itself is one, without it."""
    own = found == np.arange(len(found))[:, None]
    own[~own.any(axis=1), -1] = True
    return found[~own].reshape(len(found), k)


def faiss_flat(points, k, _):
    import faiss

    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points)
    return without_itself(index.search(points, k + 1)[1], k)


def faiss_ivf(points, k, probes):
    import faiss

    lists = int(4 * np.sqrt(len(points)))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(points.shape[1]), points.shape[1], lists)
    index.train(points)
    index.add(points)
    index.nprobe = probes
    return without_itself(index.search(points, k + 1)[1], k)


def hnsw(points, k, effort):
    import os

    import hnswlib

    index = hnswlib.Index(space="l2", dim=points.shape[1])
    index.init_index(max_elements=len(points), ef_construction=2 * effort, M=16, random_seed=1)
    index.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    index.add_items(points)
    index.set_ef(effort)
    return without_itself(index.knn_query(points, k + 1)[0].astype(np.int64), k)


def nn_descent(points, k, _):
    import pynndescent

    index = pynndescent.NNDescent(points, n_neighbors=k + 1, random_state=1)
    return without_itself(index.neighbor_graph[0], k)


SEARCHES = {"faiss, flat": faiss_flat, "faiss, IVF": faiss_ivf, "hnswlib": hnsw, "pynndescent": nn_descent}


# --- a lower bound that owes nothing to congraph's code -----------------------------------------------------------------


def edge_minimisers(u, tau):
    """Per row, argmin over W ≥ 0, w ≥ 0 of ½‖W − u‖² + τ Σ_i |W_i − w|."""
    # w is a root of the increasing, piecewise linear Σ_i clip(w − u_i, −τ, τ); its kinks are u_i ± τ.
    kinks = np.sort(np.concatenate([u - tau, u + tau], axis=1), axis=1)
    slopes = np.clip(kinks[:, :, None] - u[:, None, :], -tau, tau).sum(axis=2)
    left = np.clip((slopes <= 0.0).sum(axis=1) - 1, 0, kinks.shape[1] - 2)
    row = np.arange(len(u))
    rise = slopes[row, left + 1] - slopes[row, left]
    step = -slopes[row, left] * (kinks[row, left + 1] - kinks[row, left]) / np.where(rise > 0.0, rise, 1.0)
    shared = np.maximum(kinks[row, left] + step, 0.0)[:, None]
    return np.maximum(u - np.clip(u - shared, -tau, tau), 0.0), shared


def bound(job):
    """Maximises the dual in the degrees' multipliers with SciPy's L-BFGS; any value reached is a lower bound."""
    import scipy.optimize

    (first, second), costs = distances(job)
    nodes, count = job["nodes"], costs.shape[1]
    alpha, beta = job["alpha"], job["beta"]

    def negative_dual(flat):
        multipliers = flat.reshape(nodes, count)
        degrees = 2.0 + (multipliers - multipliers.mean(axis=0)) / (2.0 * alpha)
        reduced = costs + multipliers[first] + multipliers[second]
        rows = np.flatnonzero(reduced.min(axis=1) < 0.0)
        reduced = reduced[rows]
        weights, shared = edge_minimisers(-reduced / (4.0 * alpha), beta / (4.0 * alpha))
        value = alpha * np.sum(degrees**2) - np.vdot(multipliers, degrees)
        value += 2.0 * alpha * np.sum(weights**2) + np.vdot(reduced, weights) + beta * np.abs(weights - shared).sum()
        slope = -degrees
        for i in range(count):
            slope[:, i] += np.bincount(first[rows], weights[:, i], nodes)
            slope[:, i] += np.bincount(second[rows], weights[:, i], nodes)
        return -float(value), -slope.ravel()

    # Without multipliers no pair would be taken: start where each node's tenth nearest one would just be.
    start = np.full((nodes, count), -0.5 * float(np.quantile(costs, min(1.0, 10.0 / nodes))))
    options = {"maxiter": 2000, "maxfun": 4000, "maxcor": 30, "ftol": 1e-15, "gtol": 1e-8}
    found = scipy.optimize.minimize(negative_dual, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    return {"bound": -float(found.fun), "iterations": int(found.nit)}


# --- entry --------------------------------------------------------------------------------------------------------------


def peak_mb():
    """The process's own largest memory: getrusage would also count what started it."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        import resource

        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def main():
    job = json.loads(sys.argv[1])
    tasks = {"generate": generate, "floor": floor, "admm": admm, "cvxpy": cvxpy, "bound": bound, "neighbours": neighbours}
    print(json.dumps({**tasks[job["task"]](job), "peak_mb": peak_mb()}))


if __name__ == "__main__":
    main()
