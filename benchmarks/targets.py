"""Are targets of density and similarity hit on real data, and in how many solves?

    benchmarks/targets.py CONGRAPH NAME [--epochs FILE.npz] [-- what `congraph learn` takes …]

CONGRAPH is the binary. Every density in 0.05, 0.1, 0.15, 0.25, 0.35 is asked for with every similarity in 0.7, 0.8, 0.9 and every penalty in l1, l2, squared-l2.
A target counts as hit within 0.005 (a density also within one edge) after at most 40 solves; a refusal with E10 is counted apart, with the range that can be reached. With --epochs, views are made of FILE: one array
(subjects × trials × channels × times), or one for each subject without the first axis; all trials of a subject one after the other. Needs NumPy.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

DENSITIES, SIMILARITIES = (0.05, 0.1, 0.15, 0.25, 0.35), (0.7, 0.8, 0.9)
PENALTIES = ("l1", "l2", "squared-l2")
WITHIN, SOLVES = 0.005, 40


def views_of(epochs, folder):
    """One .npz with an array per subject."""
    with np.load(epochs) as file:
        arrays = {name: file[name] for name in file.files}
    subjects = {name: array for name, array in arrays.items() if array.ndim == 3}
    for array in arrays.values():
        if array.ndim == 4:
            subjects = {f"subject{k + 1:02}": subject for k, subject in enumerate(array)}
    views = {name: trials.transpose(0, 2, 1).reshape(-1, trials.shape[1]).astype(float) for name, trials in subjects.items()}
    # An electrode that a subject's recording holds as a constant is nobody's.
    kept = np.all([view.std(axis=0) > 0 for view in views.values()], axis=0)
    views = {name: view[:, kept] for name, view in views.items()}
    path = folder / "views.npz"
    np.savez(path, **views)
    return path


def main():
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("congraph")
    parser.add_argument("name")
    parser.add_argument("--epochs")
    options = parser.parse_args(words[:split])
    hits, refused, missed, most = 0, [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        data = words[split + 1 :] + ([str(views_of(options.epochs, folder))] if options.epochs else [])
        for penalty, density, similarity in itertools.product(PENALTIES, DENSITIES, SIMILARITIES):
            asked = ["--penalty", penalty, "--density", str(density), "--similarity", str(similarity)]
            command = [options.congraph, "learn", *data, *asked, "--json", "--quiet", "--force", "--no-report", "-o", str(folder / "out")]
            done = subprocess.run(command, capture_output=True, text=True)
            told = f"{penalty}, density {density}, similarity {similarity}"
            if done.returncode == 4:
                refused.append(f"{told}: {done.stderr.strip().splitlines()[0]}")
                continue
            if done.returncode:
                sys.exit(f"{told}: {done.stderr}")
            summary = json.loads(done.stdout)
            n = summary["n_nodes"]
            off = abs(summary["density"]["views"] - density), abs(summary["similarity"]["value"] - similarity)
            solves = summary.get("solves", 1)
            most = max(most, solves)
            if off[0] <= max(WITHIN, 2 / (n * (n - 1))) and off[1] <= WITHIN and solves <= SOLVES:
                hits += 1
            else:
                missed.append(f"{told}: off by {off[0]:.4f} and {off[1]:.4f} after {solves} solves")
    total = len(PENALTIES) * len(DENSITIES) * len(SIMILARITIES)
    print(f"{options.name}: {hits} of {total} hit, at most {most} solves; {len(refused)} refused as out of reach, {len(missed)} missed")
    for line in refused + missed:
        print(f"  {line}")


if __name__ == "__main__":
    main()
