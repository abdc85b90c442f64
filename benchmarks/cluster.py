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
    r"process (\d+) of \d+: sent (\d+) bytes to all and (\d+) to some, in (\d+) and (\d+) exchanges: (\d+) in (\d+) sums, (\d+) of signals, "
    r"(\d+) of pairs; ([\d.]+) CPU s of work, ([\d.]+) s of waiting; at most (\d+) kB"
)
FIELDS = ("rank", "to all", "to some", "gathers", "exchanges", "sums", "n sums", "signals", "pairs", "work", "waiting", "memory")
ROUNDS = 5


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


def run(processes: int, files: list[str], out: Path) -> list[dict[str, float]]:
    """What every process tells of itself."""
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    call = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(processes), str(PROGRAM), "learn", *files]
    call += ["--alpha", "0.006", "--beta", "0.006", "--threads", "1", "--force", "-o", str(out)]
    done = subprocess.run(call, env={**os.environ, **allowed, "CONGRAPH_TRAFFIC": "1"}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return [dict(zip(FIELDS, map(float, found))) for found in TOLD.findall(done.stderr)]


def main() -> None:
    nodes, views, samples = ([int(word) for word in sys.argv[1:]] + [20_000, 4, 200][len(sys.argv) - 1 :])[:3]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_views(folder, nodes, views, samples)
        results: dict[int, list[list[dict[str, float]]]] = {1: [], 2: [], 4: []}
        told = set()
        # In turn, so that a machine that slows down does so for all.
        for _ in range(ROUNDS):
            for processes, found in results.items():
                found.append(run(processes, files, folder / "out"))
                told.add((folder / "out" / "edges_long.tsv").read_bytes())
        assert len(told) == 1, "the number of processes shows in the result"
    print(f"{nodes} nodes × {views} views × {samples} samples; least of {ROUNDS} rounds of the mean over processes (memory: of the largest)\n")
    print("| processes | CPU s of work, each | of one | memory, each | of one | sent, each: sums | by the formula | signals | by the formula | pairs |")
    print("| --- " * 10 + "|")
    one: tuple[float, float] | None = None
    for processes, found in results.items():
        work = min(np.mean([row["work"] for row in rows]) for rows in found)
        memory = min(max(row["memory"] for row in rows) for rows in found) / 1e3
        sent = {name: np.mean([row[name] for row in found[0]]) / 1e6 for name in ("sums", "signals", "pairs")}
        others, padded, width = processes - 1, -(-nodes // 256) * 256, -(-samples // (4 * -(-samples // 64))) * 4 * -(-samples // 64)
        sums = found[0][0]["n sums"] * 2 * others / processes * 8 * nodes * views / 1e6
        signals = others / processes * views * padded * (width + 28) / 1e6
        one = one or (work, memory)
        print(
            f"| {processes} | {work:.2f} | {work / one[0]:.2f} | {memory:.0f} MB | {memory / one[1]:.2f} | {sent['sums']:.2f} MB | {sums:.2f} "
            f"| {sent['signals']:.2f} MB | {signals:.2f} | {sent['pairs']:.1f} MB |"
        )


if __name__ == "__main__":
    main()
