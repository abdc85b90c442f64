"""What one fit over all pairs would cost on a cluster: time, memory and traffic per process, from constants measured on one machine.

    python3 examples/cluster/predict.py NODES VIEWS SAMPLES [--degree 10] [--processes 16] [--cores 32] [--network 11]

It is arithmetic, not a measurement. The constants are CPU seconds of one core (AVX-512 with VNNI) of `congraph learn` at 20 000 nodes, 4 views and 200
samples, and at 100 000 and 1 000 000 nodes, 3 views and 32 samples; docs/cluster.md says how they were taken. The pairs that f64 has to confirm depend
on the data most of all: there were 10 to 400 for each node. One million nodes, 3 views and 32 samples on one machine took 1.5 times the time that it says,
and 6.2 GB where it says 3.8.
"""

from __future__ import annotations

import argparse

NEIGHBOURS = PASS = 7e-12  # for each pair of nodes, view and sample
CONFIRM = 4e-10  # for each pair that is confirmed, view and sample
NEWTON = 2e-8  # for each edge of the working set, view, and sum or evaluation
SUMS = 130  # sums over all edges in a fit: evaluations, steps of conjugate gradients, Newton steps
PREPARE = 4e-8  # for each value of the signals: read, checked, scaled, turned to bytes; each process does it for the views that it holds


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("nodes", "views", "samples"):
        options.add_argument(name, type=lambda text: int(float(text)))
    options.add_argument("--degree", type=float, default=10, help="the mean degree of the graphs")
    options.add_argument("--confirmed", type=float, default=100, help="pairs confirmed in f64, for each node")
    options.add_argument("--processes", type=int, default=16)
    options.add_argument("--cores", type=int, default=32, help="of each process")
    options.add_argument("--network", type=float, default=11, help="GB a second of each process")
    told = options.parse_args()
    n, views, p, r = told.nodes, told.views, told.samples, told.processes
    pairs, values = n * n / 2, n * views * p
    edges = n * told.degree / 2 * 1.5
    shared = pairs * views * p * (NEIGHBOURS + PASS) + told.confirmed * n * views * p * CONFIRM + edges * views * SUMS * NEWTON
    # Who has most views; the others' are known in bytes.
    held = -(-views // r) * n * p
    sent = SUMS * 2 * (r - 1) / r * 8 * n * views + (r - 1) / r * (values + n * views * 220 + 2e6 * views + edges * (60 + 30 * views))
    alone = (shared + values * PREPARE) / told.cores
    together = shared / (r * told.cores) + held * PREPARE / told.cores + sent / (told.network * 1e9)
    memory = held * 24 + values * 2 + edges * 8 + max(edges * (8 + 40 * views) / r, edges * (16 + 24 * views)) + 12 * 8 * n * views
    print(f"{n:_} nodes x {views} views x {p} samples, {told.cores} cores a process (predicted)")
    print(f"  one process      {alone:10.1f} s   {(values * 26 + edges * (16 + 40 * views) + 96 * n * views) / 1e9:8.1f} GB")
    print(f"  {r:3} processes    {together:10.1f} s   {memory / 1e9:8.1f} GB each   {sent / 1e9:8.2f} GB sent by each")


if __name__ == "__main__":
    main()
