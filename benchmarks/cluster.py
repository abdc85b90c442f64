"""One fit shared out among processes of MPI: work, memory and bytes sent of each, as shares of one process.

    cargo build --release -p congraph-mpi --features mpi
    python3 benchmarks/cluster.py [NODES] [VIEWS] [SAMPLES]          20000 4 200 unless given

Nodes lie on a square, signals are waves across it and noise. Every process has one thread; CPU seconds are those of work, without
waiting. What was sent is compared with the formulas of docs/cluster.md. Needs NumPy and mpirun.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

PROGRAM = Path(__file__).resolve().parent.parent / "target/release/congraph-mpi"
TOLD = re.compile(
    r"process (\d+) of \d+: sent (\d+) bytes to all and (\d+) to some, in (\d+) and (\d+) exchanges; ([\d.]+) CPU s of work, ([\d.]+) s of waiting; "
    r"at most (\d+) kB"
)
ROUNDS = 3


def write_views(folder: Path, nodes: int, views: int, samples: int) -> list[str]:
    rng = np.random.default_rng(1)
    points = rng.random((nodes, 2))
    files = []
    for view in range(views):
        waves = rng.uniform(-60, 60, (samples, 2)) @ points.T + rng.uniform(0, 6.3, (samples, 1))
        values = np.sin(waves) + rng.normal(0, 0.5, (samples, nodes))
        np.save(folder / f"v{view}.npy", values)
        files.append(str(folder / f"v{view}.npy"))
    return files


def run(processes: int, files: list[str], out: Path) -> list[tuple[float, ...]]:
    """What every process tells of itself."""
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    call = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(processes), str(PROGRAM), "learn", *files]
    call += ["--alpha", "0.002", "--beta", "0.003", "--threads", "1", "--force", "-o", str(out)]
    done = subprocess.run(call, env={**os.environ, **allowed, "CONGRAPH_TRAFFIC": "1"}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return [tuple(float(x) for x in found) for found in sorted(TOLD.findall(done.stderr), key=lambda found: int(found[0]))]


def main() -> None:
    nodes, views, samples = ([int(word) for word in sys.argv[1:]] + [20_000, 4, 200][len(sys.argv) - 1 :])[:3]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_views(folder, nodes, views, samples)
        results: dict[int, list] = {1: [], 2: [], 4: []}
        # In turn, so that a machine that slows down does so for all.
        for _ in range(ROUNDS):
            for processes, found in results.items():
                found.append(run(processes, files, folder / "out"))
        same = {(folder / "out" / "edges_long.tsv").read_bytes()}
        assert len(same) == 1
    print(f"{nodes} nodes × {views} views × {samples} samples; least of {ROUNDS} rounds of the mean (and the largest) over processes\n")
    print("| processes | CPU s of work, each | of one | memory, each | of one | sent to all, each | sent to some, each | exchanges |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    one = None
    for processes, found in results.items():
        cpu = min(np.mean([row[5] for row in rows]) for rows in found)
        most = min(max(row[5] for row in rows) for rows in found)
        memory = min(max(row[7] for row in rows) for rows in found) / 1e3
        sent = [np.mean([row[k] for row in found[0]]) for k in (1, 2, 3, 4)]
        one = one or (cpu, memory)
        print(
            f"| {processes} | {cpu:.2f} ({most:.2f}) | {cpu / one[0]:.2f} ({most / one[0]:.2f}) | {memory:.0f} MB | {memory / one[1]:.2f} "
            f"| {sent[0] / 1e6:.1f} MB | {sent[1] / 1e6:.1f} MB | {sent[2]:.0f} + {sent[3]:.0f} |"
        )


if __name__ == "__main__":
    main()
