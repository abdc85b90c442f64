#!/usr/bin/env python3
"""Shows that a change of the code kept what the command line does, to the byte, and what it did to the time it takes.

    benchmarks/same_bytes.py record BINARY FOLDER            runs a fixed set of commands and keeps all they say and write
    benchmarks/same_bytes.py compare FOLDER FOLDER           what differs between two recordings; exit code 1 if anything does
    benchmarks/same_bytes.py compare A B --allow words.txt   some words were changed on purpose: lines `old => new`
    benchmarks/same_bytes.py speed BINARY BINARY             the time of some fits with both, in turn

A recording has a folder for each command with its words, stdout, stderr, exit code and every file that it wrote or changed. Two are
compared without what differs from run to run: times, the version, the run's own number, and hashes of files that hold such, of which
it is checked that they are right. All else must be equal: JSON value by value, archives member by member, the rest to the byte.

Needs Python 3.11 and nothing else. Inputs are made here, by `simulate`, or are fixtures of the repository.
"""

from __future__ import annotations

import argparse
import fcntl
import functools
import gzip
import hashlib
import html
import io
import json
import math
import os
import random
import re
import shlex
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def fixture(tail: str) -> Path:
    """A fixture of one of the crates, wherever the crate's tests are."""
    found = sorted(ROOT.glob(f"crates/*/tests/{tail}"))
    if len(found) != 1:
        sys.exit(f"tests/{tail} is in {len(found)} crates; it should be in one")
    return found[0]


FORMATS = fixture("formats")
MADE_RECORDINGS = fixture("data/eeg/made.edf").parent
TRIALS = fixture("data/eegmmidb.csv")
RECORDINGS = ROOT / "examples/data/eeg"
CELLS = ROOT / "examples/data/pbmc68k/expression.csv.gz"

THREADS = "2"
SECONDS_EACH = 120.0
COMMANDS = ("demo", "check", "learn", "tune", "simulate", "evaluate", "communities", "project", "report", "eeg", "export", "completions")
# Where commands write that are to be refused; should one not be, what it wrote is recorded and removed.
NEVER = "never"
SHELLS = ("bash", "elvish", "fish", "powershell", "zsh")
PENALTIES = ("l1", "l2", "squared-l2")
REGULARISERS = ("l1", "none")
SOLVERS = {"newton": "--solver newton", "admm": "--solver admm --tol 1e-6", "bcd": "--solver admm --z-step bcd --tol 1e-5 --max-iterations 2000"}
EXPORTS = ("graphml", "gexf", "edges", "mat", "npz", "relmat")

# --- the commands -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A command that is run and recorded."""

    name: str
    words: list[str]
    # What is done in the working folder before.
    before: Callable[[Path], object] | None = None
    # Where stdout goes, if it is not recorded.
    stdout: str | None = None
    # A lock that another run seems to hold meanwhile.
    locked: str | None = None


def case(name: str, text: str, **more: Any) -> Case:
    """A command by its words, with `--threads` unless it is about threads or does nothing but print."""
    words = shlex.split(text)
    silent = {"--threads", "--help", "-h", "--version", "-V", "help", "completions"}
    if words and not silent & set(words):
        words += ["--threads", THREADS]
    return Case(name, words, **more)


def some(form: str, n: int = 3) -> str:
    """The files of the first views: `some("sim/view{}.csv")`."""
    return " ".join(form.format(k + 1) for k in range(n))


SIM = some("sim/view{}.csv")
MODEL = "--alpha 0.05 --beta 0.03"
DIALS = "--density 0.2 --similarity 0.85"


def cases() -> Iterator[Case]:
    """All commands in the order in which they are run; later ones read what earlier ones wrote."""
    for group in (
        helps,
        simulations,
        models,
        searches,
        scalings,
        tables,
        formats,
        supports,
        many_nodes,
        joint,
        tunings,
        projections,
        folders,
        checks,
        recordings,
        demos,
        data_errors,
        usage_errors,
        refusals,
    ):
        yield from group()


def helps() -> Iterator[Case]:
    yield case("help", "--help")
    yield case("help-short", "-h")
    yield case("help-nothing", "")
    yield case("version", "--version")
    for command in COMMANDS:
        yield case(f"help-{command}", f"{command} --help")
    yield case("help-learn-short", "learn -h")
    yield case("help-of", "help tune")
    for shell in SHELLS:
        yield case(f"completions-{shell}", f"completions {shell}")


def simulations() -> Iterator[Case]:
    yield case("simulate", "simulate --nodes 20 --views 3 --signals 100 --edge-probability 0.2 --seed 3 -o sim")
    yield case("simulate-late", "simulate --nodes 20 --views 4 --signals 100 --edge-probability 0.2 --seed 3 -o sim4")
    yield case("simulate-mid", "simulate --nodes 48 --views 5 --signals 150 --seed 5 -o mid")
    yield case("simulate-many", "simulate --nodes 300 --views 3 --signals 80 --edge-probability 0.03 --seed 7 -o many")
    yield case("simulate-stranger", "simulate --nodes 48 --views 2 --signals 150 --seed 77 -o stranger")
    yield case("simulate-ba", "simulate --graph ba --growth 3 --nodes 25 --views 2 --signals 30,50 --noise 0.2 -o sim-ba")
    yield case("simulate-rgg-degree", "simulate --graph rgg --mean-degree 6 --nodes 30 --views 3 --signals 60 -o sim-rgg")
    yield case("simulate-rgg-radius", "simulate --graph rgg --radius 0.3 --nodes 30 --views 2 --signals 40 -o sim-radius")
    for name, more in {"gaussian": "", "heat": "", "heat-t": " --filter-t 0.5", "tikhonov": "", "tikhonov-t": " --filter-t 1"}.items():
        smooth = f"--filter {name.removesuffix('-t')}{more}"
        yield case(f"simulate-{name}", f"simulate --nodes 20 --views 2 --signals 40 {smooth} -o sim-{name}")
    yield case("simulate-changed", "simulate --nodes 20 --views 4 --signals 40 --added 0.2 --removed 0.1 --changed-views 2 -o sim-changed")
    yield case(
        "simulate-same-views",
        "simulate --nodes 20 --views 4 --signals 40 --edge-probability 0.3 --removed 0.2 --changed-views 2 --same-views -o sim-same",
    )
    yield case("simulate-shuffled", "simulate --nodes 20 --views 3 --signals 40 --shuffled 0.5 --seed 9 --json -o sim-shuffled")
    yield case("simulate-again", "simulate --nodes 20 --views 2 --signals 40 --quiet --force -o sim-gaussian")


def models() -> Iterator[Case]:
    yield case("learn", f"learn {SIM} {MODEL} -o out", before=derived)
    yield case("learn-usual", f"learn {SIM} -o out-usual")
    yield case("learn-json", f"learn {SIM} {MODEL} --json -o out-json")
    yield case("learn-quiet", f"learn {SIM} {MODEL} --quiet -o out-quiet")
    yield case("learn-verbose", f"learn {SIM} {DIALS} --verbose -o out-verbose")
    yield case("learn-named", f"learn first=sim/view1.csv second=sim/view2.csv {MODEL} -o out-named")
    yield case("learn-glob", f"learn sim/*.csv {MODEL} --no-report -o out-glob")
    yield case("learn-one-thread", f"learn {SIM} {MODEL} --no-report --threads 1 -o out-thread")
    yield case("learn-many-threads", f"learn {SIM} {MODEL} --no-report --threads 3 -o out-threads")
    yield case("learn-other-order", f"learn sim/view3.csv sim/view1.csv sim/view2.csv {MODEL} --no-report -o out-order")
    yield case("learn-mid", "learn mid/*.csv -o out-mid")
    yield case("learn-stranger", "learn mid/*.csv stranger=stranger/view2.csv --density 0.12 --beta 0.03 -o out-stranger")
    yield case("learn-force", f"learn {SIM} --alpha 0.08 --beta 0.02 --force -o out-named")
    for penalty in PENALTIES:
        for regulariser in REGULARISERS:
            for solver, how in SOLVERS.items():
                name = f"{penalty}-{regulariser}-{solver}"
                words = f"--alpha 0.05 --beta 0.05 --gamma 0.04 --penalty {penalty} --regulariser {regulariser} {how} --no-report"
                yield case(f"learn-{name}", f"learn {SIM} {words} -o out-{name}")
    yield case("learn-tight", f"learn {SIM} {MODEL} --tol 1e-12 --no-report -o out-tight")
    yield case("learn-loose", f"learn {SIM} {MODEL} --tol 1e-2 --no-report -o out-loose")
    yield case("learn-stopped", f"learn {SIM} {MODEL} --tol 1e-14 --max-iterations 1 -o out-stopped")
    yield case("learn-stopped-admm", f"learn {SIM} {MODEL} --solver admm --max-iterations 20 -o out-stopped-admm")
    yield case("learn-dense", f"learn {SIM} --alpha 5 --beta 0.01 -o out-dense")
    yield case("learn-sparse", f"learn {SIM} --alpha 0.0005 --beta 0.2 -o out-sparse")
    yield case("learn-alike", f"learn {SIM} --alpha 0.05 --beta 20 -o out-alike")
    yield case("single", "learn sim/view1.csv --single --alpha 0.05 -o single")
    yield case("single-density", "learn sim/view1.csv --single --density 0.2 --json -o single-density")
    yield case("single-usual", f"learn {SIM} --single -o single-usual")
    yield case("single-admm", f"learn {SIM} --single --alpha 0.05 --solver admm --tol 1e-6 --no-report -o single-admm")
    yield case("single-penalty-none", f"learn {SIM} --single --alpha 0.05 --penalty none --no-report -o single-none")


def searches() -> Iterator[Case]:
    """What targets lead to."""
    for penalty in PENALTIES:
        yield case(f"dials-{penalty}", f"learn {SIM} {DIALS} --penalty {penalty} --no-report -o dials-{penalty}")
    for penalty in ("l2", "squared-l2"):
        words = f"{DIALS} --consensus-density 0.12 --penalty {penalty}"
        yield case(f"dials-consensus-{penalty}", f"learn {SIM} {words} -o dials-consensus-{penalty}")
    yield case("dials-consensus-gamma", f"learn {SIM} {DIALS} --penalty l2 --gamma 0.03 --no-report -o dials-gamma")
    yield case("dials-density", f"learn {SIM} --density 0.3 --json --no-report -o dials-density")
    yield case("dials-similarity", f"learn {SIM} --similarity 0.95 --no-report -o dials-similarity")
    yield case("dials-density-beta", f"learn {SIM} --density 0.1 --beta 0.02 --no-report -o dials-beta")
    yield case("dials-alpha-similarity", f"learn {SIM} --alpha 0.05 --similarity 0.9 --no-report -o dials-alpha")
    yield case("dials-admm", f"learn {SIM} {DIALS} --solver admm --tol 1e-5 --no-report -o dials-admm")
    yield case("dials-mid", "learn mid/*.csv --density 0.12 --similarity 0.8 --no-report -o dials-mid")
    for target in ("--similarity 0.05", "--density 0.0001", "--consensus-density 0.9 --penalty l2", "--density 0.05 --similarity 0.3"):
        name = "-".join(re.findall(r"[a-z]+|[0-9.]+", target)[:2])
        yield case(f"unreachable-{name}", f"learn {SIM} {target} -o never")


def scalings() -> Iterator[Case]:
    for scale in ("zscore", "center", "none"):
        for sample_norm in ("mean", "sum"):
            for distance_norm in ("max", "none"):
                name = f"scale-{scale}-{sample_norm}-{distance_norm}"
                words = f"--scale {scale} --sample-norm {sample_norm} --distance-norm {distance_norm}"
                yield case(name, f"learn {SIM} {DIALS} {words} --no-report -o {name}")
    yield case("scale-raw", f"learn {SIM} --alpha 2 --beta 1 --scale center --sample-norm sum --distance-norm none --no-report -o scale-raw")


def tables() -> Iterator[Case]:
    """Views that lack something, or lie otherwise."""
    masked = f"learn {some('mask/view{}.csv')} --missing mask"
    yield case("mask", f"{masked} {MODEL} -o mask-out")
    yield case("mask-usual", f"{masked} --json -o mask-usual")
    yield case("mask-dials", f"{masked} {DIALS} --no-report -o mask-dials")
    yield case("mask-l2", f"{masked} {MODEL} --gamma 0.02 --penalty l2 --no-report -o mask-l2")
    yield case("mask-squared-l2", f"{masked} {MODEL} --penalty squared-l2 --no-report -o mask-squared-l2")
    yield case("mask-admm", f"{masked} {MODEL} --solver admm --tol 1e-6 --no-report -o mask-admm")
    yield case("mask-single", f"{masked} --single --density 0.2 -o mask-single")
    yield case("mask-knn", f"{masked} {MODEL} --candidates knn:4 --check-outside --no-report -o mask-knn")
    yield case("mask-drop-rows", f"{masked} --nan drop-rows --scale none {DIALS} --no-report -o mask-rows")
    yield case("mask-of-none", f"learn {SIM} --missing mask {MODEL} --no-report -o mask-none")
    yield case("nodes-common", f"learn {some('lack/view{}.csv')} --nodes common {MODEL} -o common")
    yield case("drop-nodes", f"learn {SIM} --drop-nodes n03,n07 {MODEL} --no-report -o dropped")
    yield case("nan-drop-rows", f"learn {some('nan/view{}.csv')} --nan drop-rows {MODEL} -o nan-rows")
    yield case("orient", f"learn {some('turned/view{}.csv')} --orient nodes-by-samples {MODEL} --no-report -o turned-out")
    yield case("orient-npy", f"learn {some('turned/view{}.npy')} --orient nodes-by-samples {MODEL} --no-report -o turned-npy")
    yield case("header-no", f"learn {some('plain/view{}.csv')} --header no {MODEL} --no-report -o header-no")
    yield case("header-yes", f"learn {some('numbers/view{}.csv')} --header yes {MODEL} --no-report -o header-yes")
    long = "learn long.csv --view-column subject"
    yield case("long", f"{long} --block-column trial --ignore-columns time {DIALS} -o long-out")
    yield case("long-no-blocks", f"{long} --ignore-columns trial,time {MODEL} --no-report -o long-plain")
    yield case("long-trials", f"learn trials.csv --view-column subject --block-column trial {DIALS} -o trials-out")
    yield case("long-cells", "learn cells.csv.gz --view-column cell_type --density 0.1 --similarity 0.7 --no-report -o cells-out")
    yield case("covariance", f"learn {some('covariance/view{}.csv')} --covariance {MODEL} -o covariance-out")
    yield case("covariance-samples", f"learn {some('covariance/view{}.npy')} --covariance --samples 100 {DIALS} --no-report -o covariance-npy")
    yield case("covariance-raw", f"learn {some('covariance/view{}.csv')} --covariance --scale center --no-report {DIALS} -o covariance-raw")
    yield case("gram", f"learn {some('gram/view{}.npy')} --gram --samples 100,90,80 {MODEL} --no-report -o gram-out")
    yield case("counts", f"learn a.csv counts.csv --allow-counts {MODEL} -o counts-out")
    yield case("noise", "learn noise-a.csv noise-b.csv noise-c.csv -o noise-out")
    yield case("opposite", f"learn {some('opposite/view{}.csv')} {MODEL} -o opposite-out")
    yield case("outlier", f"learn {some('outlier/view{}.csv')} {MODEL} --no-report -o outlier-out")
    yield case("twins", f"learn {some('twins/view{}.csv')} {MODEL} --no-report -o twins-out")
    yield case("two-nodes", f"learn two-a.csv two-b.csv {MODEL} -o two-out")
    yield case("odd-names", f"learn 'odd/a b.csv' 'odd/é.csv' {MODEL} -o odd-out")


def formats() -> Iterator[Case]:
    """Every fixture of a file format, and views of each format."""
    for path in sorted(FORMATS.iterdir()):
        more = {"long.parquet": "--view-column subject --block-column trial"}.get(path.name, "")
        more = more or ("--groupby cell_type" if path.suffix == ".h5ad" else "")
        more = more or ("--orient nodes-by-samples" if path.name.startswith("turned") else "")
        yield case(f"check-{path.name}", f"check formats/{path.name} {more} --json")
    yield case("format-gz", f"learn {some('gz/view{}.csv.gz')} {MODEL} --no-report -o from-gz")
    yield case("format-tsv", f"learn {some('tsv/view{}.tsv')} {MODEL} --no-report -o from-tsv")
    yield case("format-txt", f"learn {some('txt/view{}.txt')} {MODEL} --no-report -o from-txt")
    yield case("format-npy", f"learn {some('npy/view{}.npy')} {MODEL} --no-report -o from-npy")
    yield case("format-npy-cube", f"learn npy/cube.npy {MODEL} --no-report -o from-cube")
    yield case("format-npy-f4", f"learn npy/turned_f4.npy npy/view2.npy {MODEL} --no-report -o from-f4")
    yield case("format-npz", f"learn npz/views.npz {MODEL} --no-report -o from-npz")
    yield case("format-npz-variable", f"learn npz/views.npz --variable one,two {MODEL} --no-report -o from-variable")
    yield case("format-npz-cube", f"learn npz/cube.npz {MODEL} --no-report -o from-npz-cube")
    parquet = " ".join(f"{name}=formats/{name}.parquet" for name in ("f64_snappy", "f32_gzip", "f64_lz4", "f64_zstd"))
    yield case("format-parquet", f"learn {parquet} {MODEL} -o from-parquet")
    yield case("format-parquet-long", f"learn formats/long.parquet --view-column subject --block-column trial {MODEL} -o from-long-parquet")
    yield case("format-parquet-text", "check formats/text.parquet --ignore-columns note,when --json")
    yield case(
        "format-parquet-turned", f"learn formats/turned.parquet t2=formats/turned_text.parquet --orient nodes-by-samples {MODEL} -o from-turned"
    )
    yield case("format-mat", f"learn formats/f64.mat b=formats/f32_compressed.mat {MODEL} --no-report -o from-mat")
    yield case("format-mat-cube", f"learn formats/cube.mat {MODEL} --no-report -o from-mat-cube")
    yield case("format-mat-variable", f"learn formats/several.mat --variable rest,other {MODEL} --no-report -o from-mat-variable")
    yield case("format-mat-73", f"learn formats/version73.mat --variable rest,task {MODEL} --no-report -o from-mat-73")
    yield case("format-h5ad", f"learn formats/dense_f64.h5ad --groupby donor {MODEL} --no-report -o from-h5ad")
    yield case("format-h5ad-layer", "check formats/dense_f64.h5ad --groupby donor --layer counts --json")
    yield case("format-h5ad-raw", f"learn formats/dense_f64.h5ad --groupby donor --layer raw {MODEL} --no-report -o from-raw")
    yield case("format-h5ad-genes", f"learn formats/csr_f32_lzf.h5ad --groupby donor --genes highly_variable {MODEL} --no-report -o from-genes")
    yield case("format-h5ad-gene-file", f"learn formats/dense_f64.h5ad --groupby donor --genes genes.txt {MODEL} --no-report -o from-gene-file")
    yield case("format-h5ad-no-genes", f"learn formats/dense_f64.h5ad --groupby donor --genes nothing {MODEL} -o never")
    yield case("format-h5ad-no-column", f"learn formats/dense_f64.h5ad --groupby nothing {MODEL} -o never")
    yield case("format-mat-no-variable", f"learn formats/f64.mat --variable nothing {MODEL} -o never")


def supports() -> Iterator[Case]:
    """Which pairs may be joined, and what they cost."""
    yield case("knn", f"learn {SIM} {MODEL} --candidates knn:3 -o knn")
    yield case("knn-outside", f"learn {SIM} {MODEL} --candidates knn:2 --check-outside --json --no-report -o knn-outside")
    yield case("knn-admm", f"learn {SIM} {MODEL} --candidates knn:3 --solver admm --tol 1e-6 --no-report -o knn-admm")
    yield case("knn-dials", f"learn {SIM} --density 0.12 --similarity 0.85 --candidates knn:4 --seed 5 --no-report -o knn-dials")
    yield case("knn-single", f"learn {SIM} --single --alpha 0.05 --candidates knn:3 --no-report -o knn-single")
    yield case("candidates", f"learn {SIM} {MODEL} --candidates pairs.tsv --check-outside -o candidates")
    yield case("candidates-own", f"learn {SIM} {MODEL} --candidates out/edges.tsv --check-outside --no-report -o candidates-own")
    yield case("candidates-l2", f"learn {SIM} {MODEL} --gamma 0.02 --penalty l2 --candidates pairs.tsv --no-report -o candidates-l2")
    yield case("costs", f"learn {SIM} {MODEL} --edge-costs costs.csv -o costs")
    yield case("costs-dials", f"learn {SIM} {DIALS} --edge-costs costs.csv --no-report -o costs-dials")
    yield case("costs-admm", f"learn {SIM} {MODEL} --edge-costs costs.csv --solver admm --tol 1e-6 --no-report -o costs-admm")
    yield case("costs-candidates", f"learn {SIM} {MODEL} --edge-costs costs.csv --candidates knn:5 --json --no-report -o costs-candidates")
    yield case(
        "costs-covariance", f"learn {some('covariance/view{}.csv')} --covariance {MODEL} --edge-costs costs.csv --no-report -o costs-covariance"
    )
    for name, words in {
        "candidates-unknown-node": "--candidates stranger.tsv",
        "candidates-no-number": "--candidates knn:none",
        "candidates-no-file": "--candidates nowhere.tsv",
        "costs-no-column": "--edge-costs pairs.tsv",
        "outside-without-candidates": "--check-outside",
    }.items():
        yield case(f"wrong-{name}", f"learn {SIM} {MODEL} {words} -o never")


def many_nodes() -> Iterator[Case]:
    """Enough nodes for the working set, and for the approximate search of neighbours."""
    many = some("many/view{}.csv")
    model = "--alpha 0.02 --beta 0.02"
    yield case("many", f"learn {many} {model} -o many-out")
    yield case("many-usual", f"learn {many} --json --no-report -o many-usual")
    yield case("many-dials", f"learn {many} --density 0.03 --similarity 0.8 --no-report -o many-dials")
    yield case("many-l2", f"learn {many} {model} --gamma 0.01 --penalty l2 --no-report -o many-l2")
    yield case("many-squared-l2", f"learn {many} {model} --penalty squared-l2 --regulariser none --no-report -o many-squared-l2")
    yield case("many-dense", f"learn {many} --alpha 0.3 --beta 0.01 --no-report -o many-dense")
    yield case("many-admm", f"learn {many} {model} --solver admm --tol 1e-4 --no-report -o many-admm")
    yield case("many-knn", f"learn {many} {model} --candidates knn:8 --check-outside --no-report -o many-knn")
    yield case("many-costs", f"learn {many} {model} --edge-costs many-costs.tsv --no-report -o many-costs")
    yield case("many-single", f"learn {many} --single --density 0.03 --no-report -o many-single")
    yield case("many-mask", f"learn {some('many-mask/view{}.csv')} --missing mask {model} --no-report -o many-mask-out")
    yield case("many-little-memory", f"learn {many} {model} --memory 0.004 --no-report -o many-memory")
    yield case("many-one-thread", f"learn {many} {model} --no-report --threads 1 -o many-thread")
    yield case("many-center", f"learn {many} --scale center --density 0.03 --similarity 0.8 --no-report -o many-center")
    yield case("many-tune", f"tune {many} --density 0.02:0.03 --similarity 0.8:0.85 --halvings 1 --no-report -o many-tuned")
    yield case("many-project", "project many-out --view late=many/view2.csv -o many-new")
    yield case("many-communities", "communities many-out --runs 5")
    yield case("crowd", "learn crowd/a.npy crowd/b.npy --candidates knn:4 --alpha 0.05 --beta 0.05 --tol 1e-4 --no-report -o crowd-out")


def joint() -> Iterator[Case]:
    """The joint graphical lasso."""
    for method in ("jgl-fused", "jgl-group"):
        model = f"--method {method} --lambda1 0.12 --lambda2 0.03"
        yield case(method, f"learn {SIM} {model} -o {method}")
        yield case(f"{method}-json", f"learn mid/*.csv {model} --json --no-report -o {method}-mid")
        yield case(f"{method}-single", f"learn {SIM} --method {method} --single --lambda1 0.12 --no-report -o {method}-single")
        yield case(f"{method}-scaled", f"learn {SIM} {model} --scale center --sample-norm sum --no-report -o {method}-scaled")
        yield case(f"{method}-covariance", f"learn {some('covariance/view{}.csv')} --covariance {model} --no-report -o {method}-covariance")
        yield case(f"{method}-stopped", f"learn {SIM} {model} --max-iterations 2 --no-report -o {method}-stopped")
        yield case(f"{method}-strict", f"learn {SIM} {model} --max-iterations 1 --strict -o never")
    fused = "--method jgl-fused --lambda1 0.12 --lambda2 0.03"
    yield case("jgl-free-diagonal", f"learn {SIM} {fused} --free-diagonal --no-report -o jgl-free")
    yield case("jgl-one-view", "learn sim/view1.csv --method jgl-fused --single --lambda1 0.1 -o jgl-one")
    yield case("jgl-tight", f"learn {SIM} {fused} --tol 1e-10 --no-report -o jgl-tight")
    yield case("jgl-many", "learn many/view1.csv many/view2.csv --method jgl-group --lambda1 0.3 --lambda2 0.05 --tol 1e-4 --no-report -o jgl-many")
    for name, words in {
        "option-without-method": f"{MODEL} --lambda1 0.1",
        "free-diagonal-without-method": f"{MODEL} --free-diagonal",
        "no-lambda1": "--method jgl-fused",
        "no-lambda2": "--method jgl-fused --lambda1 0.1",
        "lambda2-and-single": "--method jgl-fused --lambda1 0.1 --lambda2 0.1 --single",
        "alpha": "--method jgl-group --lambda1 0.1 --lambda2 0.1 --alpha 1",
        "penalty": "--method jgl-group --lambda1 0.1 --lambda2 0.1 --penalty l2",
        "candidates": "--method jgl-group --lambda1 0.1 --lambda2 0.1 --candidates knn:3",
        "group-free-diagonal": "--method jgl-group --lambda1 0.1 --lambda2 0.1 --free-diagonal",
        "mask": "--method jgl-group --lambda1 0.1 --lambda2 0.1 --missing mask",
        "negative": "--method jgl-fused --lambda1 -1 --lambda2 0.1",
        "infinite": "--method jgl-fused --lambda1 0.1 --lambda2 inf",
        "unknown-method": "--method jgl --lambda1 0.1 --lambda2 0.1",
    }.items():
        yield case(f"wrong-jgl-{name}", f"learn {SIM} {words} -o never")
    yield case("wrong-jgl-singular", "learn few-a.csv few-b.csv --method jgl-fused --lambda1 0 --lambda2 0 -o never")


def tunings() -> Iterator[Case]:
    grid = "--density 0.15:0.25 --similarity 0.8:0.9 --halvings 2"
    yield case("tune", f"tune {SIM} {grid} -o tuned")
    yield case("tune-truth", f"tune {SIM} {grid} --truth sim/truth --json -o tuned-truth")
    yield case("tune-usual", f"tune {SIM} --halvings 1 --no-report -o tuned-usual")
    yield case("tune-l2", f"tune {SIM} {grid} --penalty l2 --seed 4 --threshold 0.2 --no-report -o tuned-l2")
    yield case("tune-squared-l2", f"tune {SIM} {grid} --penalty squared-l2 --tol 1e-6 --no-report -o tuned-squared-l2")
    yield case("tune-mask", f"tune {some('mask/view{}.csv')} --missing mask {grid} --no-report -o tuned-mask")
    yield case("tune-blocks", f"tune long.csv --view-column subject --block-column trial --ignore-columns time {grid} --no-report -o tuned-blocks")
    yield case(
        "tune-trials",
        "tune trials.csv --view-column subject --block-column trial --density 0.1:0.15 --similarity 0.8:0.9 --halvings 2 -o tuned-trials",
    )
    yield case(
        "tune-no-blocks",
        "tune trials.csv --view-column subject --ignore-columns trial --density 0.1:0.1 --similarity 0.8:0.9 --halvings 2 --no-report -o tuned-rows",
    )
    yield case("tune-one-cell", f"tune {SIM} --density 0.2:0.2 --similarity 0.85:0.85 --halvings 3 --no-report -o tuned-cell")
    yield case("tune-resume", f"tune {SIM} --density 0.2:0.2 --similarity 0.85:0.85 --halvings 1 --no-report --resume -o tuned-resumed")
    yield case("tune-damaged", f"tune {SIM} {grid} --resume -o tuned-damaged", before=written("tuned-damaged.tune-checkpoint.json", "{}"))
    yield case("tune-checkpoint", f"tune {SIM} {grid} -o tuned-damaged")
    yield case("tune-unreachable", f"tune {SIM} --density 0.3:0.5 --similarity 0.001:0.002 --halvings 1 -o never")
    for name, words in {
        "backwards": "--density 0.3:0.2",
        "half": "--density 0.3",
        "no-halvings": "--halvings 0",
        "threshold": "--threshold 0",
        "no-truth": "--halvings 1 --truth nowhere",
        "penalty-none": f"{grid} --penalty none",
        "memory": "--memory 0.00001",
    }.items():
        yield case(f"wrong-tune-{name}", f"tune {SIM} {words} -o never")


def projections() -> Iterator[Case]:
    late = "--view late=sim4/view4.csv"
    yield case("project", f"project out {late} -o new")
    yield case("project-json", f"project out {late} --json -o new-json")
    yield case("project-several", "project out --view sim/view3.csv sim4/view4.csv -o new-several")
    yield case("project-parameters", f"project out {late} --alpha 0.1 --beta 0.01 --tol 1e-6 -o new-parameters")
    yield case("project-beta-0", f"project out {late} --beta 0 -o new-apart")
    yield case("project-common", "project out --view less/late.csv --nodes common -o new-common")
    yield case("project-mask", "project out --view less/late.csv --missing mask -o new-mask")
    yield case("project-mask-several", "project out --view less/late.csv sim4/view4.csv --missing mask --json -o new-mask-several")
    yield case("project-on-mask", "project mask-out --view late=sim4/view4.csv -o new-on-mask")
    yield case("project-l2", f"project dials-consensus-l2 {late} -o new-l2")
    yield case("project-squared-l2", f"project dials-squared-l2 {late} -o new-squared-l2")
    yield case("project-knn", f"project knn {late} -o new-knn")
    yield case("project-candidates", f"project candidates {late} -o new-candidates")
    yield case("project-costs", f"project costs {late} -o new-costs")
    yield case("project-other-support", f"project costs {late} --edge-costs none --candidates knn:4 -o new-other")
    yield case("project-all-pairs", f"project candidates {late} --candidates all --edge-costs costs.csv -o new-all")
    yield case("project-tuned", f"project tuned {late} -o new-tuned")
    yield case("project-scaled", f"project scale-center-sum-none {late} -o new-scaled")
    yield case("project-covariance", "project covariance-out --view covariance/view2.csv --covariance -o new-covariance")
    yield case("project-parquet", "project from-parquet --view formats/f64_plain.parquet -o new-parquet")
    yield case("project-strict", f"project out {late} --tol 1e-300 --strict -o never")
    yield case("wrong-project-single", f"project single {late} -o never")
    yield case("wrong-project-jgl", f"project jgl-fused {late} -o never")
    yield case("wrong-project-no-fit", f"project sim {late} -o never")
    yield case("wrong-project-itself", f"project out {late} --force -o out")
    yield case("wrong-project-nodes", "project out --view less/late.csv -o never")
    yield case("wrong-project-other-nodes", "project out --view a.csv -o never")
    yield case("wrong-project-no-view", "project out -o never")
    yield case("wrong-project-beta", f"project out {late} --beta -1 -o never")
    yield case("wrong-project-constant", "project out --view mask/view3.csv -o never")


def folders() -> Iterator[Case]:
    """What is done with results: evaluate, communities, export, report."""
    for name, words in {
        "truth": "out --truth sim/truth",
        "data": f"out --data {SIM}",
        "both": f"out --truth sim/truth --data {SIM} --json",
        "scaled": f"out --data {SIM} --scale center",
        "single": "single-usual --truth sim/truth",
        "one-view": "single --truth sim/truth --json",
        "mask": f"mask-out --truth sim/truth --data {some('mask/view{}.csv')}",
        "mask-json": "mask-out --truth sim/truth --json",
        "jgl": "jgl-group --truth sim/truth",
        "jgl-json": f"jgl-fused --truth sim/truth --data {SIM} --json",
        "itself": "out --truth out",
        "other-views": "out --truth sim4/truth",
        "other-nodes": "out-mid --truth sim/truth",
        "projected": "new --data late=sim4/view4.csv",
        "nothing": "out",
        "nowhere": "nowhere --truth sim/truth",
        "no-result": ". --truth sim/truth",
        "no-truth": "out --truth nowhere",
    }.items():
        yield case(f"evaluate-{name}", f"evaluate {words}")
    yield case("communities", "communities out")
    yield case("communities-exist", "communities out")
    yield case("communities-again", "communities out --resolution 1.5 --runs 20 --seed 7 --threshold 0.6 --force --json")
    yield case("communities-rounds", "communities out-mid --runs 3 --max-rounds 1 --threshold 0.3")
    yield case("communities-mask", "communities mask-out --runs 20")
    yield case("communities-single", "communities single-usual --runs 20 --json")
    yield case("communities-jgl", "communities jgl-fused --runs 20")
    yield case("communities-no-report", "communities knn-dials --runs 20")
    yield case("communities-projected", "communities new --runs 5")
    for name, words in {
        "runs": "out-usual --runs 0",
        "resolution": "out-usual --resolution 0",
        "threshold": "out-usual --threshold 2",
        "rounds": "out-usual --max-rounds 0",
        "nowhere": "nowhere",
        "truth": "sim",
    }.items():
        yield case(f"wrong-communities-{name}", f"communities {words}")
    for to in EXPORTS:
        yield case(f"export-{to}", f"export out --to {to} -o exported/{to}")
    everything = ",".join(EXPORTS)
    yield case("export", f"export out-usual --to {everything}")
    yield case("export-exists", "export out-usual --to edges")
    yield case("export-force", "export out-usual --to edges --force --json")
    yield case("export-mask", f"export mask-out --to {everything} --json -o exported/mask")
    yield case("export-single", f"export single-usual --to {everything} -o exported/single")
    yield case("export-jgl", f"export jgl-fused --to {everything} -o exported/jgl")
    yield case("export-projected", f"export new-mask --to {everything} -o exported/projected")
    yield case("export-truth", f"export sim/truth --to {everything} -o exported/truth")
    yield case("export-odd-names", f"export odd-out --to {everything} -o exported/odd")
    yield case("export-places", f"export out-placed --to {everything} -o exported/placed", before=placed("out", "out-placed"))
    yield case("wrong-export-format", "export out --to pdf")
    yield case("wrong-export-nowhere", "export nowhere --to mat")
    yield case("wrong-export-nothing", "export out")
    yield case("report", "report out")
    yield case("report-json", "report out --json")
    yield case("report-new", "report knn-dials --json")
    yield case("report-placed", "report out-placed")
    yield case("report-globe", "report out-globe", before=placed("out-usual", "out-globe", "globe"))
    yield case("report-space", "report out-space", before=placed("mask-out", "out-space", "space"))
    yield case("report-jgl", "report jgl-group")
    yield case("report-mask", "report mask-out")
    yield case("report-projected", "report new")
    yield case("report-tuned", "report tuned-truth")
    yield case("report-truth", "report sim/truth")
    yield case("wrong-report-nowhere", "report nowhere")
    yield case("wrong-report-changed", "report changed", before=changed_result)
    yield case("wrong-report-missing", "report lost", before=lost_result)
    yield case("wrong-evaluate-changed", "evaluate changed --truth sim/truth")
    yield case("wrong-export-missing", "export lost --to mat")
    yield case("wrong-project-changed", "project changed --view sim4/view4.csv -o never")
    yield case("older-project", "project older --view late=sim4/view4.csv -o older-new", before=older_result)
    yield case("older-report", "report older")


def checks() -> Iterator[Case]:
    yield case("check", f"check {SIM}")
    yield case("check-json", f"check {SIM} --json")
    yield case("check-mid", "check mid/*.csv")
    yield case("check-mask", f"check {some('mask/view{}.csv')} --missing mask")
    yield case("check-mask-json", f"check {some('mask/view{}.csv')} --missing mask --json")
    yield case("check-long", "check long.csv --view-column subject --block-column trial --ignore-columns time")
    yield case("check-covariance", f"check {some('covariance/view{}.csv')} --covariance --samples 50")
    yield case("check-trials", "check trials.csv --view-column subject --block-column trial --json")
    yield case("check-noise", "check noise-a.csv noise-b.csv noise-c.csv")
    yield case("check-bad", "check a.csv nan-a.csv inf-b.csv")
    yield case("check-bad-json", "check a.csv nan-a.csv inf-b.csv twice.csv --json")
    yield case("check-bad-masks", "check a.csv less-c.csv alone.csv --missing mask")
    yield case("check-nothing", "check")
    yield case("check-one", "check a.csv")


def recordings() -> Iterator[Case]:
    around = "--events T1,T2 --window 0:0.5"
    dials = "--density 0.2 --similarity 0.8"
    yield case("eeg", f"eeg eeg/*.edf --subject-pattern '{{subject}}R*' {around} --band 4:7 --csd {dials} -o eeg-out")
    yield case("eeg-average", f"eeg {edf(3)} {around} --band 8:13 --reference average --save-views eeg-saved {MODEL} --json -o eeg-average")
    yield case("eeg-saved", f"learn {some('eeg-saved/S00{}R03.csv')} --block-column trial {MODEL} -o eeg-again")
    yield case(
        "eeg-saved-tune",
        f"tune {some('eeg-saved/S00{}R03.csv')} --block-column trial --density 0.1:0.15 --similarity 0.9:0.95 --halvings 1 --no-report -o eeg-tuned",
    )
    yield case("eeg-saved-project", "project eeg-average --view late=eeg-saved/S002R03.csv --block-column trial -o eeg-projected")
    yield case("eeg-every", f"eeg {edf(2)} --every 2 --reject 500 --first 5 {dials} -o eeg-every")
    yield case(
        "eeg-baseline",
        f"eeg {edf(3)} --events T1,T2 --window 0:0.4 --baseline -0.2:0 --epoch -0.2:1 --reject 400 {dials} --no-report -o eeg-baseline",
    )
    yield case("eeg-reference", f"eeg {edf(2)} {around} --reference Cz,Fz {dials} --no-report -o eeg-reference")
    yield case(
        "eeg-csd", f"eeg {edf(2)} {around} --csd --csd-lambda 1e-4 --csd-stiffness 3 --band 1:30 --filter-order 2 {dials} --no-report -o eeg-csd"
    )
    yield case("eeg-channels", f"eeg {edf(2)} {around} --channels FC5,FC1,FC2,C3,Cz,C4 --density 0.5 --no-report -o eeg-channels")
    yield case("eeg-bad-mask", f"eeg {edf(3)} {around} --bad S001R03:Cz,Fz --missing mask --density 0.2 -o eeg-mask")
    yield case("eeg-bad-common", f"eeg {edf(2)} {around} --bad S001R03:Cz --nodes common --density 0.2 --similarity 0.9 --no-report -o eeg-common")
    yield case("eeg-montage", f"eeg {edf(2)} --montage cap.tsv {around} --density 0.5 --no-report -o eeg-montage")
    yield case("eeg-single", f"eeg {edf(2)} {around} --single --density 0.2 --no-report -o eeg-single")
    yield case("eeg-bids", f"eeg bids --events go --window -0.1:0.4 --baseline -0.1:0 --nodes common {dials} -o bids-out")
    yield case("eeg-bids-mask", "eeg bids --events go --window -0.1:0.4 --missing mask --density 0.2 --no-report -o bids-mask")
    yield case("eeg-bids-refused", f"eeg bids --events go --window -0.1:0.4 {dials} -o never")
    yield case("eeg-bids-no-sidecars", f"eeg bids --events go --window -0.1:0.4 --no-sidecars {dials} -o never")
    yield case("eeg-study-refused", f"eeg study {around} {dials} -o never")
    yield case("eeg-study-joined", f"eeg study --task rest --session 1 {around} {dials} --no-report -o study-joined")
    yield case("eeg-study-split", f"eeg study --views-by session,task {around} --density 0.2 --no-report -o study-split")
    yield case("eeg-study-task", f"eeg study --task rest,sleep {around} {dials} -o never")
    yield case(
        "eeg-study-drop-empty",
        "eeg study --task rest --session 1 --run 1 --events T1,T2 --window 0:0.5 --reject 300 --drop-empty --single --density 0.2 --no-report -o study-dropped",
    )
    yield case("eeg-study-by-run", f"eeg study --task rest --session 1 --views-by run {around} {dials} --no-report -o study-runs")
    yield case("eeg-bdf", f"eeg bdf/one.bdf bdf/two.bdf {around} --density 0.2 --save-views bdf-saved -o bdf-out")
    yield case("eeg-odd", f"eeg odd.edf {edf(1)} {around} --density 0.2 --no-report -o eeg-odd")
    yield case("eeg-made", "eeg a=made/made.edf b=made/made.bdf --every 0.5 --density 0.3 --no-report -o made-out")
    for name, words in {
        "no-file": f"nowhere.edf {around}",
        "no-match": f"'nowhere*.edf' {around}",
        "no-recordings": f"sim {around}",
        "twice": f"{edf(1)} {edf(1)} {around}",
        "cut-short": f"short.edf {around}",
        "names": f"renamed.edf {around}",
        "events": f"{edf(2)} --events T1,T7 --window 0:0.5",
        "several-events": f"{edf(1)} --window 0:0.5",
        "no-window": f"{edf(1)} --events T1",
        "window-outside": f"{edf(1)} --events T1 --window 20:40",
        "window-short": f"{edf(1)} --events T1 --window 0:0.001",
        "window-backwards": f"{edf(1)} --events T1 --window 0.5:0",
        "nyquist": f"{edf(1)} {around} --band 40:90",
        "band-zero": f"{edf(1)} {around} --band 0:7",
        "all-rejected": f"{edf(1)} {around} --reject 1",
        "few-trials": f"{edf(2)} {around} --first 34",
        "reference": f"{edf(1)} {around} --reference M1,M2",
        "channel": f"{edf(1)} {around} --channels Cz,Q9",
        "csd-positions": f"{edf(1)} {around} --csd --montage few.tsv --channels Cz,FC5,FC1,C3,Fz",
        "csd-three": f"{edf(1)} {around} --csd --montage few.tsv",
        "bad-of-nobody": f"{edf(2)} {around} --bad sub-1:Cz",
        "pattern": f"{edf(2)} {around} --subject-pattern 'S*'",
        "one-subject": f"{edf(1)} {around}",
        "views-by": f"{edf(2)} {around} --views-by hour",
    }.items():
        yield case(f"wrong-eeg-{name}", f"eeg {words} {dials} -o never")


def edf(n: int) -> str:
    return some("eeg/S00{}R03.edf", n)


def demos() -> Iterator[Case]:
    yield case("demo", "demo -o demo")
    yield case("demo-again", "demo --seed 2 --json -o demo")


def data_errors() -> Iterator[Case]:
    """Bad files beside a good one."""
    for name in (
        "nan-a.csv inf-b.csv",
        "less-b.csv",
        "less-b.csv less-c.csv",
        "strangers.csv",
        "unnamed.csv",
        "alike.csv",
        "constant.csv",
        "one-sample.csv",
        "few-left.csv --nan drop-rows",
        "twice.csv",
        "again/a.csv",
        "text.csv",
        "bad-cell.csv",
        "decimal.csv",
        "ragged.csv",
        "names-or-numbers.csv",
        "empty.csv",
        "header-only.csv",
        "latin1.csv",
        "utf16.csv",
        "book.xlsx",
        "no_ending",
        "short.npy",
        "not-numpy.npy",
        "object.npy",
        "short.npz",
        "short.csv.gz",
        "not-gzip.csv.gz",
        "short.parquet",
        "short.mat",
        "short.h5ad",
        "missing.csv again",
        "connectivity.csv",
        "counts.csv",
        "tiny.csv --scale none",
    ):
        yield case(f"bad-{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')}", f"learn a.csv {name} {MODEL} -o never")
    yield case("bad-spaced", f"learn spaced-a.csv spaced-b.csv {MODEL} -o never")
    yield case("bad-one-node", f"learn one-a.csv one-b.csv {MODEL} -o never")
    yield case("bad-one-view", f"learn a.csv {MODEL} -o never")
    yield case("bad-turned", f"learn turned-a.csv turned-b.csv {MODEL} -o never")
    yield case("bad-turned-names", f"learn named-a.csv named-b.csv {MODEL} -o never")
    yield case("bad-turned-perhaps", f"learn {some('wide/view{}.npy', 2)} {MODEL} --no-report -o wide-out")
    yield case("bad-not-square", "learn a.csv --single --covariance --alpha 0.1 -o never")
    yield case("bad-order", "learn order.csv --single --covariance --alpha 0.1 -o never")
    yield case("bad-matrix-nan", "learn matrix-nan.csv --single --covariance --alpha 0.1 -o never")
    yield case("bad-many-errors", f"learn many-errors.csv --view-column x {MODEL} -o never")
    yield case("bad-view-column", f"learn a.csv --view-column fz {MODEL} -o never")
    yield case("bad-ignore-column", f"learn a.csv --ignore-columns time {MODEL} -o never")
    yield case("bad-block-column", f"learn long.csv --view-column subject --block-column session {MODEL} -o never")
    yield case("bad-dead", f"learn dead-a.csv dead-b.csv dead-c.csv {MODEL} -o never")
    yield case("bad-control", f"learn control-a.csv control-b.csv {MODEL} -o never")
    yield case("bad-mask-alone", f"learn a.csv b.csv alone.csv --missing mask {MODEL} -o never")
    yield case("bad-mask-flat", f"learn flat-a.csv flat-b.csv --missing mask {MODEL} -o never")
    yield case("bad-mask-few", f"learn a.csv b.csv flat-c.csv --missing mask {MODEL} -o never")
    yield case("bad-unreadable-folder", f"learn sim {MODEL} -o never")


def usage_errors() -> Iterator[Case]:
    """Words that contradict each other, or mean nothing."""
    for name, words in {
        "density-and-alpha": "--density 0.1 --alpha 0.1",
        "similarity-and-beta": "--similarity 0.8 --beta 0.1",
        "consensus-and-gamma": "--consensus-density 0.1 --gamma 0.1 --penalty l2",
        "no-coupling": "--alpha 0.02 --beta 0",
        "penalty-none": f"{MODEL} --penalty none",
        "unknown-penalty": f"{MODEL} --penalty l3",
        "unknown-regulariser": f"{MODEL} --regulariser l3",
        "unknown-solver": f"{MODEL} --solver magic",
        "unknown-option": f"{MODEL} --no-such-option",
        "single-similarity": "--single --similarity 0.8",
        "single-consensus": "--single --consensus-density 0.1",
        "alpha-negative": "--alpha -1 --beta 0.1",
        "alpha-tiny": "--alpha 1e-320 --beta 0.1",
        "alpha-word": "--alpha many --beta 0.1",
        "alpha-infinite": "--alpha inf --beta 0.1",
        "beta-negative": "--alpha 1 --beta -1",
        "gamma-nan": f"{MODEL} --gamma nan",
        "density-zero": "--density 0",
        "density-above-1": "--density 1.5",
        "tol-nan": f"{MODEL} --tol nan",
        "tol-zero": f"{MODEL} --tol 0",
        "memory-zero": f"{MODEL} --memory 0",
        "memory-small": f"{MODEL} --memory 0.0001",
        "memory-small-admm": f"{MODEL} --solver admm --memory 0.000145",
        "memory-smaller-than-files": f"{MODEL} --memory 0.000001",
        "threads-0": f"{MODEL} --threads 0",
        "threads-many": f"{MODEL} --threads many",
        "quiet-and-verbose": f"{MODEL} --quiet --verbose",
        "gram-and-covariance": f"{MODEL} --gram --covariance",
        "samples-without-matrices": f"{MODEL} --samples 100",
        "drop-nobody": f"{MODEL} --drop-nodes nobody",
        "drop-all-but-one": f"{MODEL} --drop-nodes {','.join(f'n{k:02}' for k in range(2, 21))}",
    }.items():
        yield case(f"wrong-{name}", f"learn {SIM} {words} -o never")
    yield case("wrong-samples", f"learn {some('gram/view{}.npy')} --gram --samples 100,90 {MODEL} -o never")
    yield case("wrong-no-output", f"learn {SIM} {MODEL}")
    yield case("wrong-no-files", f"learn {MODEL} -o never")
    yield case("wrong-command", "lern")
    yield case("strict", f"learn {SIM} {MODEL} --tol 1e-14 --max-iterations 1 --strict -o never")
    yield case("strict-admm", f"learn {SIM} {MODEL} --solver admm --max-iterations 1 --strict -o never")
    yield case("strict-fine", f"learn {SIM} {MODEL} --strict --no-report -o strict")
    for name, words in {
        "one-node": "--nodes 1",
        "radius": "--graph rgg --radius 0.001",
        "moved-and-added": "--shuffled 0.1 --added 0.1",
        "changed-alone": "--changed-views 2",
        "too-many-changed": "--views 2 --removed 0.1 --changed-views 3",
        "noise": "--noise -1",
        "t-of-no-filter": "--filter-t 1",
        "signals": "--views 3 --signals 10,20",
        "probability": "--edge-probability 2",
        "growth": "--graph ba --nodes 5 --growth 9",
        "graph": "--graph ring",
        "radius-and-degree": "--graph rgg --radius 0.1 --mean-degree 3",
    }.items():
        yield case(f"wrong-simulate-{name}", f"simulate {words} -o never")


def refusals() -> Iterator[Case]:
    """What the system or the place of the result does not allow."""
    yield case("refused-not-empty", f"learn {SIM} {MODEL} -o out-usual")
    yield case("refused-not-empty-simulate", "simulate -o sim")
    yield case("refused-not-empty-demo", "demo -o sim")
    yield case("refused-file", f"learn {SIM} {MODEL} -o a.csv")
    yield case("refused-below-file", f"learn {SIM} {MODEL} -o a.csv/out")
    yield case("refused-stdout", f"check {SIM}", stdout="/dev/full")
    yield case("refused-stdout-learn", f"learn {SIM} {MODEL} --no-report -o out-unheard", stdout="/dev/full")
    yield case("refused-busy", f"learn {SIM} {MODEL} -o busy", locked="busy")
    yield case("kept-files", f"learn {SIM} {MODEL} --no-report --force -o out-json", before=written("out-json/notes.txt", "mine\n"))


# --- what the commands read ---------------------------------------------------------------------------------------------

Table = tuple[list[str], list[list[str]]]


def inputs(place: Path) -> None:
    """Everything that does not need a simulation: good and bad tables, fixtures, recordings."""
    shutil.copytree(FORMATS, place / "formats")
    shutil.copytree(RECORDINGS, place / "eeg", ignore=shutil.ignore_patterns("*.md"))
    shutil.copytree(MADE_RECORDINGS, place / "made", ignore=shutil.ignore_patterns("*.md", "*.json"))
    shutil.copy(TRIALS, place / "trials.csv")
    shutil.copy(CELLS, place / "cells.csv.gz")
    studies(place)

    def write(name: str, content: str | bytes) -> None:
        written(name, content)(place)

    head = "Fz,Cz,Pz,Oz"
    write("a.csv", noise(head, 30, 1))
    write("b.csv", noise(head, 30, 2))
    write("again/a.csv", noise(head, 30, 2))
    write("nan-a.csv", noise(head, 30, 2) + "NaN,1,,3.5\n0.5,inf,0.25,1\n0.5,0.5,NA,1\n")
    write("inf-b.csv", noise(head, 30, 3) + "1,2,3,inf\n")
    write("spaced-a.csv", noise("Fz,Cz,Pz 1,Oz", 30, 1))
    write("spaced-b.csv", noise("Fz,Cz,Pz 1,Oz", 30, 2) + "1,1,,3.5\n")
    write("less-b.csv", noise("Fz,Cz,Oz", 30, 2))
    write("less-c.csv", noise("Fz,Cz,T8,Oz", 30, 3))
    write("strangers.csv", noise("x,y,z,w", 30, 2))
    write("unnamed.csv", noise("Fz,Cz,Pz,Oz", 30, 2).partition("\n")[2])
    write("alike.csv", noise("FZ,Cz,P z,Oz", 30, 2))
    write("constant.csv", with_column(noise(head, 30, 2), 2, "2.5"))
    write("one-sample.csv", noise(head, 1, 2))
    write("few-left.csv", f"{head}\n1,nan,3,4\n2,2,nan,4.5\n2,2.5,1,4.5\n")
    write("twice.csv", noise("Fz,Cz,Fz,Oz", 30, 2))
    write("text.csv", with_column(noise("subject,Fz,Cz", 30, 2), 0, "anna"))
    write("bad-cell.csv", noise(head, 30, 2) + "0.5,0.5,bad,0.5\n")
    write("decimal.csv", "Fz;Cz;Pz;Oz\n0,5;1,25;2,5;1\n0,25;1;2;3\n")
    write("ragged.csv", noise(head, 5, 2) + "1,2,3\n")
    write("names-or-numbers.csv", noise("7157,1956,672,675", 30, 2))
    write("empty.csv", "")
    write("header-only.csv", f"{head}\n")
    write("latin1.csv", b"Fz,Cz,Pz,O\xe9\n1,2,3,4\n")
    write("utf16.csv", "Fz,Cz\n1,2\n".encode("utf-16-le"))
    write("book.xlsx", b"PK")
    write("no_ending", "1,2\n")
    whole = npy([[0.5 * k, 1.0] for k in range(30)])
    write("short.npy", whole[:-3])
    write("not-numpy.npy", b"hello")
    write("object.npy", whole.replace(b"<f8", b"|O8"))
    write("short.npz", npz({"b": whole})[:-9])
    write("short.csv.gz", packed(noise(head, 30, 2))[:-9])
    write("not-gzip.csv.gz", "Fz,Cz\n1,2\n")
    for name in ("f64_zstd.parquet", "f64.mat", "dense_f64.h5ad"):
        fixture = (FORMATS / name).read_bytes()
        write(f"short{Path(name).suffix}", fixture[: len(fixture) // 2])
    write("connectivity.csv", f"{head}\n1,0.5,0.25,0.1\n0.5,1,0.2,0.3\n0.25,0.2,1,0.4\n0.1,0.3,0.4,1\n")
    write("counts.csv", counted(noise(head, 30, 2)))
    write("tiny.csv", scaled(noise(head, 30, 2), 1e-170))
    write("one-a.csv", noise("Fz", 30, 1))
    write("one-b.csv", noise("Fz", 30, 2))
    write("two-a.csv", noise("x,y", 30, 1))
    write("two-b.csv", noise("x,y", 30, 2))
    write("turned-a.csv", noise(",".join(["x"] * 30), 4, 1).partition("\n")[2])
    write("turned-b.csv", noise(",".join(["x"] * 40), 4, 2).partition("\n")[2])
    write("named-a.csv", noise(",".join(f"t{k}" for k in range(30)), 4, 1))
    write("named-b.csv", noise(",".join(f"s{k}" for k in range(40)), 4, 2))
    write("order.csv", ",z,y,x\nx,1,0.1,0.2\ny,0.1,1,0.3\nz,0.2,0.3,1\n")
    write("matrix-nan.csv", "x,y,z\n1,0.1,0.2\n0.1,1,nan\n0.2,nan,1\n")
    write("many-errors.csv", with_column(noise("x,y,z", 20, 1), 2, "0.5"))
    write("dead-a.csv", noise("e0,e1,e2,e3,e4", 60, 1))
    for name in ("dead-b.csv", "dead-c.csv"):
        write(name, multiples((1.0, 3.0, 7.0, 0.1, 11.0), 7))
    write("control-a.csv", noise("x\x1b[31m,y,z", 30, 1))
    write("control-b.csv", noise("x\x1b[31m,y,y", 30, 2))
    write("alone.csv", noise("Oz,x,y", 30, 4))
    for name in "ab":
        write(f"flat-{name}.csv", with_column(noise(head, 30, 5), 2, "1.5"))
    write("flat-c.csv", with_column(noise("Fz,Cz", 30, 3), 0, "1.5"))
    for k, name in enumerate("abc"):
        write(f"noise-{name}.csv", noise(",".join(f"x{node}" for node in range(15)), 40, 30 + k))
    for k, name in enumerate("ab"):
        write(f"few-{name}.csv", noise(",".join(f"x{node}" for node in range(12)), 8, 40 + k))
    write("odd/a b.csv", noise('x/1,<y>,z&,"w, v"', 40, 1))
    write("odd/é.csv", noise('x/1,<y>,z&,"w, v"', 40, 2))
    write("genes.txt", "Fz\nPz\nOz\n")
    write("stranger.tsv", "source\ttarget\nn01\tnobody\n")
    write("few.tsv", "name\tx\ty\tz\nFC5\t1\t2\t3\nFC1\t2\t1\t3\nCz\t0\t0\t4\n")
    caps = "".join(f"{label}\t0.0{k}\t0.0{7 - k}\t0.09\n" for k, label in enumerate(["FC5", "FC1", "FC2", "FC6", "C3", "Cz"]))
    write("cap.tsv", f"name\tx\ty\tz\n{caps}")
    for k in (1, 2):
        write(f"wide/view{k}.npy", npy(waves(12, 60, k)))
    for k, name in enumerate("ab"):
        write(f"crowd/{name}.npy", npy(crowd(31_000, 6, k)))


def studies(place: Path) -> None:
    """Recordings in folders, as BIDS has them, and damaged ones."""
    subjects = [(place / f"eeg/S00{k + 1}R03.edf").read_bytes() for k in range(6)]
    events = "onset\tduration\ttrial_type\n4.0\t0\tgo\n8.5\t0\tgo\n12\t0\tstop\n16\t0\tgo\n"
    for k in range(3):
        name = f"bids/sub-{k}/eeg/sub-{k}_task-fists"
        written(f"{name}_eeg.edf", subjects[k])(place)
        written(f"{name}_events.tsv", events)(place)
    bad = "name\ttype\tstatus\nFc5.\tEEG\tbad\nFc1.\tEEG\tgood\nC3..\tEOG\tgood\n"
    written("bids/sub-1/eeg/sub-1_task-fists_channels.tsv", bad)(place)
    names = [
        "sub-01/ses-1/eeg/sub-01_ses-1_task-rest_run-1",
        "sub-01/ses-1/eeg/sub-01_ses-1_task-rest_run-2",
        "sub-01/ses-1/eeg/sub-01_ses-1_task-motor_run-1",
        "sub-01/ses-2/eeg/sub-01_ses-2_task-rest_run-1",
        "sub-02/ses-1/eeg/sub-02_ses-1_task-rest_run-1",
        "sub-02/ses-1/eeg/sub-02_ses-1_task-rest_run-2",
        "sub-02/ses-1/eeg/sub-02_ses-1_task-motor_run-1",
    ]
    for k, name in enumerate(names):
        written(f"study/{name}_eeg.edf", subjects[k % 6])(place)
    written("bdf/one.bdf", as_bdf(subjects[0]))(place)
    written("bdf/two.bdf", as_bdf(subjects[1]))(place)
    written("short.edf", subjects[0][:4000])(place)
    n_signals = int(subjects[1][252:256])
    odd = bytearray(subjects[1][:-100])
    odd[256 + 96 * n_signals : 264 + 96 * n_signals] = b"mmHg    "
    written("odd.edf", bytes(odd))(place)
    renamed = bytearray(subjects[0])
    for signal in range(int(renamed[252:256]) - 1):
        renamed[256 + 16 * signal : 272 + 16 * signal] = f"X{signal}".ljust(16).encode()
    written("renamed.edf", bytes(renamed))(place)


def as_bdf(recording: bytes) -> bytes:
    """The same recording with 24 bits for each sample, as BioSemi's devices store it."""
    n_signals = int(recording[252:256])
    start = 256 * (n_signals + 1)
    head = recording[:start].replace(b"EDF+C", b"BDF+C").replace(b"EDF Annotations", b"BDF Annotations")
    counts = [int(head[256 + 216 * n_signals + 8 * k :][:8]) for k in range(n_signals)]
    notes = [head[256 + 16 * k :][:16].startswith(b"BDF Annotations") for k in range(n_signals)]
    found = [b"\xffBIOSEMI", head[8:]]
    at = start
    while at < len(recording):
        for count, is_note in zip(counts, notes, strict=True):
            part = recording[at : at + 2 * count]
            at += 2 * count
            wide = (part[k : k + 2] + (b"\xff" if part[k + 1] > 127 else b"\0") for k in range(0, len(part), 2))
            found.append(part.ljust(3 * count, b"\0") if is_note else b"".join(wide))
    return b"".join(found)


def derived(place: Path) -> None:
    """What is made of the simulated views."""

    def write(name: str, content: str | bytes) -> None:
        written(name, content)(place)

    views = [table((place / name).read_text()) for name in ("sim/view1.csv", "sim/view2.csv", "sim/view3.csv", "sim4/view4.csv")]
    names = views[0][0]
    matrices = {}
    for k, (head, rows) in enumerate(views[:3], start=1):
        text = joined(head, rows)
        values = [[float(cell) for cell in row] for row in rows]
        write(f"gz/view{k}.csv.gz", packed(text))
        write(f"tsv/view{k}.tsv", joined(head, rows, "\t"))
        write(f"txt/view{k}.txt", joined(head, rows, " "))
        write(f"npy/view{k}.npy", npy(values))
        write(f"plain/view{k}.csv", text.partition("\n")[2])
        write(f"numbers/view{k}.csv", joined([str(100 + node) for node in range(len(head))], rows))
        turned = [[name, *column] for name, column in zip(head, zip(*rows, strict=True), strict=True)]
        write(f"turned/view{k}.csv", joined(["node", *(f"t{row}" for row in range(len(rows)))], turned))
        write(f"turned/view{k}.npy", npy([list(column) for column in zip(*values, strict=True)]))
        matrices[("one", "two", "three")[k - 1]] = npy(values)
        moments = covariance(values)
        write(f"covariance/view{k}.csv", joined(head, [[repr(value) for value in row] for row in moments]))
        write(f"covariance/view{k}.npy", npy(moments))
        write(f"gram/view{k}.npy", npy([[len(values) * value for value in row] for row in moments]))
        signs = ["-" if node % 2 else "" for node in range(len(head))]
        write(
            f"opposite/view{k}.csv",
            joined(head, [[repr(float(f"{sign}1") * float(cell)) for sign, cell in zip(signs, row, strict=True)] for row in rows]),
        )
        gaps = [list(row) for row in rows]
        gaps[3 * k][k] = "nan"
        gaps[7][2 * k] = ""
        write(f"nan/view{k}.csv", joined(head, gaps))
        spiked = [list(row) for row in rows]
        if k == 2:
            spiked[5] = [repr(1e3 * float(cell)) for cell in spiked[5]]
            spiked[6][4] = "1e6"
        write(f"outlier/view{k}.csv", joined(head, spiked))
        twins = [[*row[:1], row[0], *row[2:]] for row in rows]
        write(f"twins/view{k}.csv", joined(head, twins))
    write("npy/cube.npy", npy_of([len(views[0][1]), len(names)], [[float(x) for row in rows for x in row] for _, rows in views[:3]]))
    write("npy/turned_f4.npy", npy([[float(x) for x in row] for row in views[0][1]], "<f4", fortran=True))
    write("npz/views.npz", npz({**matrices, "nodes": npy_text(names)}))
    cube = npy_of([len(views[0][1]), len(names)], [[float(x) for row in rows for x in row] for _, rows in views[:2]])
    write("npz/cube.npz", npz({"x": cube, "nodes": npy_text(names), "views": npy_text(["left", "right"])}))

    holes, flat = ([list(row) for row in rows] for _, rows in views[1:3])
    holes[4][4] = "NaN"
    for row in flat:
        row[7] = "3.5"
    write("mask/view1.csv", joined(*without(views[0], names[1], names[4])))
    write("mask/view2.csv", joined(names, holes))
    write("mask/view3.csv", joined(names, flat))
    for k in (1, 2, 3):
        write(f"lack/view{k}.csv", joined(*without(views[k - 1], names[3 * k])))
    write("less/late.csv", joined(*without(views[3], names[2], names[9])))
    long = [[f"sub-{k}", str(row // 10), repr(0.01 * row), *cells] for k, (_, rows) in enumerate(views[:3]) for row, cells in enumerate(rows)]
    write("long.csv", joined(["subject", "trial", "time", *names], long))

    pairs = [(names[k], names[(k + step) % len(names)]) for k in range(len(names)) for step in (1, 2, 5)]
    write("pairs.tsv", "source\ttarget\n" + "".join(f"{a}\t{b}\n" for a, b in pairs))
    costs = [f"{a},{b},{cost}\n" for (a, b), cost in zip(pairs, ["0.2", "-0.1", "inf", "0.05"] * len(pairs), strict=False)]
    write("costs.csv", "source,target,cost\n" + "".join(costs))

    many = [table((place / f"many/view{k}.csv").read_text()) for k in (1, 2, 3)]
    nodes = many[0][0]
    costs = [f"{nodes[k]}\t{nodes[k + 1]}\t{('inf', '-0.05', '0.3')[k % 3]}\n" for k in range(len(nodes) - 1)]
    write("many-costs.tsv", "source\ttarget\tcost\n" + "".join(costs))
    for k, view in enumerate(many, start=1):
        write(f"many-mask/view{k}.csv", joined(*without(view, *nodes[5 * k : 5 * k + 3])))


def written(name: str, content: str | bytes) -> Callable[[Path], None]:
    """Writes a file in the working folder."""

    def write(place: Path) -> None:
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def placed(source: str, target: str, kind: str = "plane") -> Callable[[Path], None]:
    """A copy of a result in whose nodes.tsv the nodes have places."""

    def copy(place: Path) -> None:
        shutil.copytree(place / source, place / target)
        path = place / target / "nodes.tsv"
        lines = path.read_text().splitlines()
        columns = {"plane": "x\ty", "space": "x\ty\tz", "globe": "lon\tlat"}[kind]
        rows = []
        for k, line in enumerate(lines[1:]):
            angle = 2 * math.pi * k / (len(lines) - 1)
            x, y = round(math.cos(angle), 6), round(math.sin(angle), 6)
            rows.append(line + {"plane": f"\t{x}\t{y}", "space": f"\t{x}\t{y}\t{0.1 * k:.3f}", "globe": f"\t{90 * x:.4f}\t{45 * y:.4f}"}[kind])
        path.write_text("\n".join([f"{lines[0]}\t{columns}", *rows]) + "\n")

    return copy


def changed_result(place: Path) -> None:
    """A result of which a file was changed."""
    shutil.copytree(place / "out-quiet", place / "changed")
    path = place / "changed/edges.tsv"
    path.write_text(path.read_text().replace("n01", "n99", 1))


def lost_result(place: Path) -> None:
    """A result of which a file is missing."""
    shutil.copytree(place / "out-quiet", place / "lost")
    (place / "lost/edges_long.tsv").unlink()


def older_result(place: Path) -> None:
    """A result as earlier versions wrote it: without a list of its files, and without its candidates."""
    shutil.copytree(place / "out-quiet", place / "older")
    path = place / "older/summary.json"
    told = json.loads(path.read_text())
    for key in ("run", "files", "node_names", "candidates", "edge_costs", "tolerance"):
        told.pop(key, None)
    path.write_text(json.dumps(told, indent=2) + "\n")


def noise(head: str, n_rows: int, seed: int) -> str:
    """A table of random numbers under a line of names."""
    draw = random.Random(seed)
    n_columns = len(re.findall(r'"[^"]*"|[^,]+', head))
    rows = (",".join(repr(draw.gauss(0.0, 1.0)) for _ in range(n_columns)) for _ in range(n_rows))
    return "\n".join([head, *rows]) + "\n"


def waves(n_nodes: int, n_times: int, seed: int) -> list[list[float]]:
    """Nodes in rows that move smoothly in time, as a recording that was not turned."""
    draw = random.Random(seed)
    phases = [[draw.uniform(0, 7) for _ in range(3)] for _ in range(n_nodes)]
    return [
        [sum(math.sin((j + 1) * 0.1 * t + phase) for j, phase in enumerate(own)) + 0.05 * draw.gauss(0, 1) for t in range(n_times)] for own in phases
    ]


def crowd(n_nodes: int, n_samples: int, seed: int) -> list[list[float]]:
    """Many nodes that follow a few factors, the same in all views."""
    shared, own = random.Random(99), random.Random(seed)
    loadings = [[shared.gauss(0, 1) for _ in range(3)] for _ in range(n_nodes)]
    rows = []
    for _ in range(n_samples):
        a, b, c = (own.gauss(0, 1) for _ in range(3))
        rows.append([a * x + b * y + c * z + 0.3 * own.random() for x, y, z in loadings])
    return rows


def table(text: str) -> Table:
    head, *rows = [line.split(",") for line in text.splitlines()]
    return head, rows


def joined(head: list[str], rows: Iterable[Iterable[str]], mark: str = ",") -> str:
    return "\n".join([mark.join(head), *(mark.join(row) for row in rows)]) + "\n"


def without(view: Table, *nodes: str) -> Table:
    head, rows = view
    kept = [k for k, name in enumerate(head) if name not in nodes]
    return [head[k] for k in kept], [[row[k] for k in kept] for row in rows]


def with_column(text: str, column: int, cell: str) -> str:
    head, rows = table(text)
    return joined(head, ([*row[:column], cell, *row[column + 1 :]] for row in rows))


def counted(text: str) -> str:
    head, rows = table(text)
    return joined(head, ([f"{max(0.0, 9 * float(cell)):.0f}" for cell in row] for row in rows))


def scaled(text: str, factor: float) -> str:
    head, rows = table(text)
    return joined(head, ([repr(factor * float(cell)) for cell in row] for row in rows))


def multiples(factors: tuple[float, ...], seed: int) -> str:
    draw = random.Random(seed)
    signal = [draw.gauss(0, 1) for _ in range(60)]
    return joined([f"e{k}" for k in range(len(factors))], ([repr(factor * x) for factor in factors] for x in signal))


def covariance(values: list[list[float]]) -> list[list[float]]:
    columns = [[x - sum(column) / len(column) for x in column] for column in map(list, zip(*values, strict=True))]
    return [[math.fsum(x * y for x, y in zip(one, two, strict=True)) / len(one) for two in columns] for one in columns]


def packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def npy(rows: list[list[float]], kind: str = "<f8", fortran: bool = False) -> bytes:
    """A matrix as NumPy stores it."""
    cells = (x for column in zip(*rows, strict=True) for x in column) if fortran else (x for row in rows for x in row)
    n = len(rows) * len(rows[0])
    return npy_head(kind, (len(rows), len(rows[0])), fortran) + struct.pack(f"<{n}{'d' if kind == '<f8' else 'f'}", *cells)


def npy_of(shape: list[int], parts: list[list[float]]) -> bytes:
    """Matrices of one shape as one array of three dimensions."""
    cells = [x for part in parts for x in part]
    return npy_head("<f8", (len(parts), *shape), False) + struct.pack(f"<{len(cells)}d", *cells)


def npy_text(words: list[str]) -> bytes:
    width = max(map(len, words))
    return npy_head(f"<U{width}", (len(words),), False) + b"".join(word.ljust(width, "\0").encode("utf-32-le") for word in words)


def npy_head(kind: str, shape: tuple[int, ...], fortran: bool) -> bytes:
    head = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': ({', '.join(map(str, shape))},), }}"
    head = head.ljust(117 if len(head) < 117 else 181) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()


def npz(arrays: dict[str, bytes]) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for name, data in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data)
    return kept.getvalue()


# --- record -------------------------------------------------------------------------------------------------------------


def surroundings(place: Path) -> dict[str, str]:
    """Nothing of the caller's that could change words or numbers."""
    return {"PATH": os.defpath, "HOME": str(place), "TMPDIR": str(place.parent), "LC_ALL": "C", "NO_COLOR": "1", "COLUMNS": "100"}


def run(binary: Path, words: list[str], place: Path, stdout: str | None = None) -> tuple[int | str, bytes, bytes]:
    """Exit code, stdout and stderr of a command, which is told that it is called `congraph` wherever it lies."""
    with open(stdout, "wb") if stdout else tempfile.TemporaryFile() as out:
        try:
            done = subprocess.run(
                ["congraph", *words],
                executable=binary,
                cwd=place,
                env=surroundings(place),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                timeout=SECONDS_EACH,
                check=False,
            )
            code: int | str = done.returncode
            said = done.stderr
        except subprocess.TimeoutExpired as late:
            code, said = "none: it took too long", late.stderr or b""
        if stdout:
            return code, b"", said
        out.seek(0)
        return code, out.read(), said


def lock_of(folder: str) -> str:
    """The file that a run on this folder holds."""
    return f".congraph-{hashlib.sha256(folder.encode()).hexdigest()[:12]}.lock"


def state(place: Path) -> dict[str, tuple[int, int, int]]:
    """All files of the working folder, with what changes when they do."""
    found = {}
    for folder, _, names in os.walk(place):
        for name in names:
            path = os.path.join(folder, name)
            known = os.lstat(path)
            found[os.path.relpath(path, place)] = (known.st_ino, known.st_size, known.st_mtime_ns)
    return found


def expanded(words: list[str], place: Path) -> list[str]:
    """Stars in names as a shell replaces them, except for recordings, of which congraph sees to them itself."""
    found = []
    for word in words:
        matches = sorted(str(path.relative_to(place)) for path in place.glob(word)) if "*" in word and word.endswith(".csv") else []
        found += matches or [word]
    return found


def record(binary: Path, folder: Path) -> None:
    binary = binary.resolve()
    if not os.access(binary, os.X_OK):
        sys.exit(f"{binary} cannot be run")
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty")
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    every = list(cases())
    if len({one.name for one in every}) < len(every):
        sys.exit(f"two commands are called {statistics.mode(one.name for one in every)}")
    codes: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="same-bytes-") as temporary:
        place = Path(temporary) / "work"
        place.mkdir()
        inputs(place)
        version = run(binary, ["--version"], place)[1].decode().split()[-1]
        for one in every:
            code = record_one(binary, one, place, folder / one.name)
            codes[str(code)] = codes.get(str(code), 0) + 1
        about = {"version": version, "place": str(place), "cases": [one.name for one in every]}
    (folder / "recording.json").write_text(json.dumps(about, indent=1) + "\n")
    told = ", ".join(f"{n} × {code}" for code, n in sorted(codes.items()))
    print(f"{folder}: {len(every)} commands in {time.perf_counter() - begin:.0f} s; exit codes {told}")


def record_one(binary: Path, one: Case, place: Path, folder: Path) -> int | str:
    if one.before is not None:
        one.before(place)
    before = state(place)
    words = expanded(one.words, place)
    if one.locked is not None:
        path = place / lock_of(one.locked)
        with open(path, "w+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write("4242\n")
            lock.flush()
            code, stdout, stderr = run(binary, words, place, one.stdout)
        path.unlink(missing_ok=True)
    else:
        code, stdout, stderr = run(binary, words, place, one.stdout)
    after = state(place)
    folder.mkdir(parents=True)
    (folder / "words").write_text(shlex.join(words) + "\n")
    (folder / "code").write_text(f"{code}\n")
    (folder / "stdout").write_bytes(stdout)
    (folder / "stderr").write_bytes(stderr)
    (folder / "removed").write_text("".join(f"{name}\n" for name in sorted(before.keys() - after.keys())))
    for name in sorted(name for name, known in after.items() if before.get(name) != known):
        target = folder / "files" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place / name, target)
    shutil.rmtree(place / NEVER, ignore_errors=True)
    for left in place.glob(f"{NEVER}.*"):
        left.unlink()
    return code


# --- compare ------------------------------------------------------------------------------------------------------------

# Lines of progress, which come every ten seconds, and times in lines.
PROGRESS = re.compile(r"^.* \(\d+ s(, about \d+ s left)?\)\n", re.MULTILINE)
TIMES = [
    (re.compile(r", \d+\.\d+ s$", re.MULTILINE), ", … s"),
    (re.compile(r"\bin \d+\.\d+ s$", re.MULTILINE), "in … s"),
    (re.compile(r"\btook \d+ ms\b"), "took … ms"),
]
PAGE_TIMES = [
    (re.compile(r"(Seconds, all in all</t[hd]>\s*<td[^>]*>)[^<]*"), r"\1…"),
    (re.compile(r"\b20\d\d-[01]\d-[0-3]\d\b"), "DAY"),
]
RUN = re.compile(r"[0-9a-f]{32}")
SHOWN = 10
WIDTH = 110


@dataclass(frozen=True)
class Side:
    """One of two recordings."""

    folder: Path
    version: str
    place: str
    words: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, folder: Path, words: tuple[tuple[str, str], ...] = ()) -> Side:
        about = json.loads((folder / "recording.json").read_text())
        return cls(folder, about["version"], about["place"], words)

    def plain(self, text: str, used: set[str]) -> str:
        """Text without the version and the place of the run, and with the words that were changed on purpose."""
        text = text.replace(self.place, "…")
        text = re.sub(rf"(?<![\d.]){re.escape(self.version)}(?!\.?\d)", "VERSION", text)
        for old, new in self.words:
            if old in text:
                used.add(old)
                text = text.replace(old, new)
        return text


Difference = tuple[str, str, str]  # where, before, after


def compare(one: Path, other: Path, allow: Path | None) -> int:
    words = allowed(allow)
    sides = Side.of(one, words), Side.of(other)
    lists = [json.loads((side.folder / "recording.json").read_text())["cases"] for side in sides]
    names = list(dict.fromkeys([*lists[0], *lists[1]]))
    used: set[str] = set()
    n_different = 0
    for name in names:
        absent = [side for side, known in zip(sides, lists, strict=True) if name not in known]
        differences = (
            [("the command", *("not recorded" if side in absent else "recorded" for side in sides))] if absent else list(of_case(name, sides, used))
        )
        if not differences:
            print(f"{name}: same")
            continue
        n_different += 1
        print(f"{name}: different")
        shown = differences if len(differences) <= SHOWN else differences[: SHOWN - 1]
        for where, before, after in shown:
            before, after = around(before, after)
            print(f"  {where}: {before} | {after}")
        if len(shown) < len(differences):
            print(f"  and {len(differences) - len(shown)} more")
    for old, _ in words:
        if old not in used:
            print(f"allowed, but not needed: {old}")
    print(f"{len(names) - n_different} same, {n_different} different")
    return 1 if n_different else 0


def allowed(path: Path | None) -> tuple[tuple[str, str], ...]:
    """Lines `old => new`; `\\n` is a line end, lines that start with `# ` say why."""
    pairs = []
    for line in path.read_text().splitlines() if path else ():
        if not line.strip() or line.startswith("# "):
            continue
        old, arrow, new = line.partition(" => ")
        if not arrow or not old:
            sys.exit(f"{path}: `{line}` is not `old => new`")
        pairs.append((old.replace("\\n", "\n"), new.replace("\\n", "\n")))
    return tuple(pairs)


def around(before: str, after: str) -> tuple[str, str]:
    """Both from a little before the first mark that differs."""
    before, after = before.replace("\n", "\\n"), after.replace("\n", "\\n")
    same = len(os.path.commonprefix([before, after]))
    start = max(0, same - 30)

    def cut(text: str) -> str:
        head, tail = "…" if start else "", "…" if len(text) > start + WIDTH else ""
        return head + text[start : start + WIDTH] + tail

    return (cut(before), cut(after)) if max(len(before), len(after)) > WIDTH else (before, after)


def of_case(name: str, sides: tuple[Side, Side], used: set[str]) -> Iterator[Difference]:
    folders = [side.folder / name for side in sides]
    files = [{str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} for folder in folders]
    # What it said and how it ended come first.
    said = ["words", "code", "stderr", "stdout", "removed"]
    for file in [*said, *sorted((files[0] | files[1]) - set(said))]:
        absent = [file not in known for known in files]
        if any(absent):
            before, after = ("not written" if missing else "written" for missing in absent)
            yield file, before, after
            continue
        paths = [folder / file for folder in folders]
        yield from ((f"{file}{where}", before, after) for where, before, after in of_file(paths, folders, sides, used))


def of_file(paths: list[Path], folders: list[Path], sides: tuple[Side, Side], used: set[str]) -> Iterator[Difference]:
    contents = [path.read_bytes() for path in paths]
    if contents[0] == contents[1]:
        return
    name, suffix = paths[0].name, paths[0].suffix
    if suffix == ".npz":
        yield from of_archives(contents)
        return
    if suffix == ".mat" and contents[0].startswith(b"MATLAB"):
        # The version stands in its first line, which is filled with spaces.
        contents = [
            side.plain(data[:116].decode("latin-1"), used).rstrip().ljust(116).encode() + data[116:]
            for side, data in zip(sides, contents, strict=True)
        ]
        yield from of_bytes(contents)
        return
    try:
        texts = [data.decode() for data in contents]
    except UnicodeDecodeError:
        yield from of_bytes(contents)
        return
    if suffix == ".json" or name == "stdout" and all(text.startswith("{") for text in texts):
        try:
            values = [json.loads(text) for text in texts]
        except json.JSONDecodeError:
            pass
        else:
            values = [neutral(value, path, folder, side, used) for value, path, folder, side in zip(values, paths, folders, sides, strict=True)]
            yield from of_values("", *values)
            return
    if suffix == ".html":
        texts = [side.plain(text, used) for side, text in zip(sides, texts, strict=True)]
        texts = [escaped_words(text, side, used) for side, text in zip(sides, texts, strict=True)]
        for pattern, form in PAGE_TIMES:
            texts = [pattern.sub(form, text) for text in texts]
    else:
        texts = [side.plain(text, used) for side, text in zip(sides, texts, strict=True)]
    if name in ("stdout", "stderr"):
        texts = [PROGRESS.sub("", text) for text in texts]
        for pattern, form in TIMES:
            texts = [pattern.sub(form, text) for text in texts]
    if suffix == ".tsv":
        texts = [without_seconds(text) for text in texts]
    yield from of_lines(*texts)


def escaped_words(text: str, side: Side, used: set[str]) -> str:
    """Words that were changed on purpose, as they stand in HTML."""
    for old, new in side.words:
        old, new, known = html.escape(old, quote=False), html.escape(new, quote=False), old
        if old != known and old in text:
            used.add(known)
            text = text.replace(old, new)
    return text


def without_seconds(text: str) -> str:
    """A table without what its column `seconds` says."""
    rows = [line.split("\t") for line in text.split("\n")]
    if "seconds" not in rows[0]:
        return text
    column = rows[0].index("seconds")
    for row in rows[1:]:
        if len(row) > column:
            row[column] = "…"
    return "\n".join("\t".join(row) for row in rows)


def neutral(value: Any, path: Path, folder: Path, side: Side, used: set[str]) -> Any:
    """A JSON value without what differs from run to run."""
    again = functools.partial(neutral, path=path, folder=folder, side=side, used=used)
    if isinstance(value, str):
        return side.plain(value, used)
    if isinstance(value, list):
        return [again(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, entry in value.items():
        key = side.plain(key, used)
        if key == "seconds":
            found[key] = {part: "…" for part in entry} if isinstance(entry, dict) else "…"
        elif key == "finished_unix_time":
            found[key] = "…" if isinstance(entry, int) and entry > 10**9 else entry
        elif key == "run" and isinstance(entry, str) and RUN.fullmatch(entry):
            found[key] = "…"
        elif key == "files" and isinstance(entry, dict):
            found[key] = {name: hash_verdict(name, digest, path, folder) for name, digest in entry.items()}
        elif key == "bytes" and str(value.get("schema", "")).startswith("congraph.report"):
            page = folder / "files" / str(value.get("file"))
            found[key] = "right" if page.is_file() and page.stat().st_size == entry else entry
        else:
            found[key] = again(entry)
    return found


def hash_verdict(name: str, digest: Any, path: Path, folder: Path) -> str:
    """Whether a hash is that of the file beside; of what was printed, that of any file of the name."""
    beside = [path.parent / name] if path.name != "stdout" else list((folder / "files").glob(f"**/{name}"))
    known = [file for file in beside if file.is_file()]
    if not known:
        return "of a file that was not written"
    return "right" if any(hashlib.sha256(file.read_bytes()).hexdigest() == digest for file in known) else "wrong"


def of_values(where: str, before: Any, after: Any) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            if key not in before or key not in after:
                yield f"{where}.{key}", short(before.get(key, "absent")), short(after.get(key, "absent"))
            else:
                yield from of_values(f"{where}.{key}", before[key], after[key])
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{where}[]", f"{len(before)} entries", f"{len(after)} entries"
        for k, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from of_values(f"{where}[{k}]", one, other)
    elif type(before) is not type(after) or before != after:
        yield where, short(before), short(after)


def short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def of_lines(before: str, after: str) -> Iterator[Difference]:
    if before == after:
        return
    one, other = before.split("\n"), after.split("\n")
    if len(one) == len(other):
        yield from ((f" line {k + 1}", x, y) for k, (x, y) in enumerate(zip(one, other, strict=True)) if x != y)
        return
    # Lines came or went: those at the start and the end that are the same tell where.
    start = next((k for k, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other)))
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    gone, new = one[start : len(one) - end], other[start : len(other) - end]
    for k in range(max(len(gone), len(new))):
        yield f" line {start + k + 1}", gone[k] if k < len(gone) else "(no line)", new[k] if k < len(new) else "(no line)"


def of_bytes(contents: list[bytes]) -> Iterator[Difference]:
    one, other = contents
    if one != other:
        at = next((k for k, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other)))
        yield f" byte {at} of {len(one)} and {len(other)}", one[at : at + 16].hex(), other[at : at + 16].hex()


def of_archives(contents: list[bytes]) -> Iterator[Difference]:
    archives = [zipfile.ZipFile(io.BytesIO(data)) for data in contents]
    names = [archive.namelist() for archive in archives]
    if names[0] != names[1]:
        yield " members", ", ".join(names[0]), ", ".join(names[1])
    for name in (name for name in names[0] if name in names[1]):
        yield from ((f" {name}{where}", x, y) for where, x, y in of_bytes([archive.read(name) for archive in archives]))


# --- speed --------------------------------------------------------------------------------------------------------------

TIMED = {
    "n=64 N=20 p=544, dials": "learn eeg/*.csv --density 0.15 --similarity 0.75 --no-report",
    "n=100 N=6 p=500": "learn usual/*.csv --alpha 0.05 --beta 0.03 --no-report",
    "n=2000 N=6 p=200": "learn many/*.npy --alpha 0.07 --beta 0.02 --no-report",
    "n=100 N=6 masks, dials": "learn mask/*.csv --missing mask --density 0.1 --similarity 0.85 --no-report",
    "tune n=40 N=4 p=200": "tune small/*.csv --density 0.1:0.2 --similarity 0.8:0.9 --halvings 2 --no-report",
    "project on n=100": "project fit --view late=usual/view6.csv",
    "jgl n=100 N=6 p=500": "learn usual/*.csv --method jgl-group --lambda1 0.15 --lambda2 0.03 --tol 1e-6 --no-report",
}


def speed(one: Path, other: Path, rounds: int) -> None:
    binaries = [one.resolve(), other.resolve()]
    with tempfile.TemporaryDirectory(prefix="same-bytes-") as temporary:
        place = Path(temporary)
        timed_inputs(binaries[0], place)
        title = f"second over first, {rounds} rounds each"
        print(f"{title:<36}{'CPU median':>12}{'CPU least':>12}{'wall median':>13}{'wall least':>12}    first: CPU, wall (median)")
        ratios: list[list[float]] = []
        for name, text in TIMED.items():
            words = expanded_all(shlex.split(text), place)
            times: list[list[tuple[float, float]]] = [[], []]
            turns = [which for turn in range(rounds) for which in ((0, 1) if turn % 2 == 0 else (1, 0))]
            for k, which in enumerate([0, 1, *turns]):
                found = timed(binaries[which], words, place)
                # The first run of each warms up.
                if k >= 2:
                    times[which].append(found)
            figures = [[pick([run[kind] for run in runs]) for kind in (0, 1) for pick in (statistics.median, min)] for runs in times]
            ratios.append([b / a for a, b in zip(*figures, strict=True)])
            print(
                f"{name:<36}"
                + "".join(f"{ratio:>{width}.3f}" for ratio, width in zip(ratios[-1], (12, 12, 13, 12), strict=True))
                + f"    {figures[0][0]:.3f} s, {figures[0][2]:.3f} s",
                flush=True,
            )
        means = [math.exp(statistics.fmean(map(math.log, column))) for column in zip(*ratios, strict=True)]
        print(f"{'geometric mean':<36}" + "".join(f"{mean:>{width}.3f}" for mean, width in zip(means, (12, 12, 13, 12), strict=True)))


def expanded_all(words: list[str], place: Path) -> list[str]:
    return [found for word in words for found in (sorted(str(path.relative_to(place)) for path in place.glob(word)) if "*" in word else [word])]


def timed_inputs(binary: Path, place: Path) -> None:
    for words in (
        "simulate --nodes 64 --views 20 --signals 544 --seed 1 -o eeg",
        "simulate --nodes 100 --views 6 --signals 500 --seed 2 -o usual",
        "simulate --nodes 40 --views 4 --signals 200 --seed 3 -o small",
    ):
        fine(binary, words, place)
    for k in range(6):
        head, rows = table((place / f"usual/view{k + 1}.csv").read_text())
        written(f"mask/view{k + 1}.csv", joined(*without((head, rows), *head[7 * k : 7 * k + 5])))(place)
        written(f"many/view{k + 1}.npy", npy(factors(2000, 200, k)))(place)
    fine(binary, f"learn {some('usual/view{}.csv', 5)} --alpha 0.05 --beta 0.03 --no-report -o fit", place)


def factors(n_nodes: int, n_samples: int, seed: int) -> list[list[float]]:
    """Signals of nodes that share what some others have, the same others in every view."""
    shared, draw = random.Random(99), random.Random(seed)
    others = [(shared.randrange(n_nodes), shared.randrange(n_nodes)) for _ in range(n_nodes)]
    rows = []
    for _ in range(n_samples):
        white = [draw.gauss(0, 1) for _ in range(n_nodes)]
        rows.append([own + 0.8 * white[a] + 0.6 * white[b] for own, (a, b) in zip(white, others, strict=True)])
    return rows


def fine(binary: Path, text: str, place: Path) -> None:
    code, _, stderr = run(binary, [*shlex.split(text), "--threads", THREADS, "--quiet"], place)
    if code != 0:
        sys.exit(f"congraph {text}: {stderr.decode()}")


def timed(binary: Path, words: list[str], place: Path) -> tuple[float, float]:
    """Seconds of the processor and of the clock that a command takes."""
    shutil.rmtree(place / "timed", ignore_errors=True)
    command = ["congraph", *words, "--threads", THREADS, "--quiet", "-o", "timed"]
    begin = time.perf_counter()
    child = subprocess.Popen(
        command, executable=binary, cwd=place, env=surroundings(place), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert child.stderr is not None
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{binary}: congraph {shlex.join(words)}: {said.decode()}")
    return used.ru_utime + used.ru_stime, wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    told = commands.add_parser("record", help="run the commands and keep what they say and write")
    told.add_argument("binary", type=Path)
    told.add_argument("folder", type=Path, help="where to; must not be there, or be empty")
    told = commands.add_parser("compare", help="what differs between two recordings")
    told.add_argument("one", type=Path)
    told.add_argument("other", type=Path)
    told.add_argument("--allow", type=Path, metavar="FILE", help="words that were changed on purpose: lines `old => new`")
    told = commands.add_parser("speed", help="the time that two binaries take")
    told.add_argument("one", type=Path)
    told.add_argument("other", type=Path)
    told.add_argument("--rounds", type=int, default=15, help="runs of each (default: %(default)s)")
    options = parser.parse_args()
    if options.command == "record":
        record(options.binary, options.folder)
    elif options.command == "compare":
        sys.exit(compare(options.one, options.other, options.allow))
    else:
        speed(options.one, options.other, options.rounds)


if __name__ == "__main__":
    main()
