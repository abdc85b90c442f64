"""The words that parameters take, as types: an editor offers them, and a type checker finds those that are not."""

from __future__ import annotations

from typing import Literal

__all__ = [
    "Coupling",
    "DistanceNorm",
    "Filter",
    "Fusion",
    "Kind",
    "Method",
    "Missing",
    "Nan",
    "NodeRule",
    "Orient",
    "Proportional",
    "Rule",
    "SampleNorm",
    "Scale",
    "Signed",
    "Solver",
    "ZStep",
]

Method = Literal["smooth", "likelihood"]
Kind = Literal["signals", "covariance", "gram"]
Orient = Literal["samples-by-nodes", "nodes-by-samples"]
NodeRule = Literal["same", "common"]
Missing = Literal["error", "mask"]
Nan = Literal["error", "drop-rows", "pairwise"]
Scale = Literal["zscore", "center", "none"]
SampleNorm = Literal["mean", "sum"]
DistanceNorm = Literal["max", "none"]
Solver = Literal["newton", "admm"]
ZStep = Literal["exact", "bcd"]
Coupling = Literal["consensus", "chain", "pairwise"]
Proportional = Literal["refuse", "merge"]
Fusion = Literal["fused", "group"]
Rule = Literal["likelihood", "stability"]
Signed = bool | Literal["auto"]
Filter = Literal["auto", 1, 2]
