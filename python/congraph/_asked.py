"""What a folder of the command line was asked for, in the words of Python: targets and parameters, and how its data were read."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np

__all__: list[str] = []

#: Commands that learn graphs from tables.
_LEARN = ("learn", "tune")
#: Options with a value, the parameter that each is here, and how its value is read.
_VALUED: dict[str, tuple[str, Any]] = {
    "orient": ("orient", str),
    "nodes": ("nodes", str),
    "drop-nodes": ("drop_nodes", lambda names: tuple(names.split(","))),
    "missing": ("missing", str),
    "nan": ("nan", str),
    "max-iterations": ("max_iter", int),
    "z-step": ("z_step", str),
    "proportional": ("proportional", str),
}
#: Options without one.
_FLAGS: dict[str, dict[str, Any]] = {
    "allow-counts": {"allow_counts": True},
    "covariance": {"kind": "covariance"},
    "gram": {"kind": "gram"},
    "check-outside": {"check_outside": True},
}


def of_command(tables: dict[str, str]) -> dict[str, Any]:
    """How data were read and solved for, from the command in ``run.json``, which the summary does not tell."""
    found: dict[str, Any] = {}
    words = _words(tables)
    for name, (parameter, read) in _VALUED.items():
        values = _given(words, name)
        if values:
            found[parameter] = read(",".join(values) if name == "drop-nodes" else values[-1])
    for name, parameters in _FLAGS.items():
        if f"--{name}" in (words or []):
            found.update(parameters)
    return found


def targets(record: dict[str, Any], tables: dict[str, str]) -> dict[str, Any]:
    """Each of the three that a fit has: its target where it had one, and otherwise its parameter."""
    words = _words(tables)
    # What `learn` was not asked for was chosen by the rule, as it will be again.
    is_told = words is not None and json.loads(tables["run.json"])["command"][1] == "learn"
    found: dict[str, Any] = {}
    for target, parameter in (("density", "alpha"), ("similarity", "beta")):
        wanted = record.get(target, {}).get("target")
        name, value = (target, wanted) if wanted is not None else (parameter, record.get(parameter))
        if value is not None and (not is_told or _given(words, name)):
            found[name] = value
    consensus = _given(words, "consensus-density")
    if consensus:
        found["consensus_density"] = float(consensus[-1])
    elif record.get("gamma") is not None and (not is_told or _given(words, "gamma")):
        found["gamma"] = record["gamma"]
    return found


def _words(tables: dict[str, str]) -> list[str] | None:
    """The words of the command that learned the folder, if that is known."""
    try:
        command = json.loads(tables.get("run.json", "{}")).get("command") or []
    except ValueError:
        return None
    return [str(word) for word in command[2:]] if len(command) > 1 and command[1] in _LEARN else None


def _given(words: list[str] | None, name: str) -> list[str]:
    """The values of an option, as ``--name value`` or ``--name=value``."""
    words = words or []
    found = [word.partition("=")[2] for word in words if word.startswith(f"--{name}=")]
    return found + [after for word, after in zip(words, words[1:], strict=False) if word == f"--{name}"]


def path_of(tables: dict[str, str], record: dict[str, Any]) -> dict[str, Any]:
    """The path of ``congraph tune`` as `ConsensusGraph.tune` has it."""
    if "tune.tsv" not in tables:
        return {}
    header, *rows = csv.reader(io.StringIO(tables["tune.tsv"], newline=""), delimiter="\t")
    columns = {name: [row[k] for row in rows] for k, name in enumerate(header)}
    marks = [mark.split(",") for mark in columns.get("mark", [])]
    chosen, best = (next((cell for cell, mark in enumerate(marks) if word in mark), None) for word in ("chosen", "best"))
    if chosen is None or not all(name in columns for name in _PATH[:2]):
        return {}
    path = {name: np.array([float(cell) if cell else np.nan for cell in columns[name]]) for name in _PATH if name in columns}
    return {"path_": path, "path_choice_": chosen, "path_best_": best, "path_rule_": record.get("tune", {}).get("rule", "likelihood")}


#: The columns of a path, in their order.
_PATH = (
    "density_target",
    "similarity_target",
    "density",
    "similarity",
    "floor",
    "alpha",
    "beta",
    "gamma",
    "consensus_density",
    "instability",
    "agreement",
    "prediction",
    "gain",
)
