"""The engine: arrays in, arrays out. Made by the crate `congraph-py`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = [
    "__version__",
    "communities",
    "compare",
    "compare_jobs",
    "compare_methods",
    "compare_part",
    "edge_means",
    "evaluate",
    "follows_distance",
    "joint_graphical_lasso",
    "learn",
    "load",
    "log_likelihood",
    "nmi",
    "project",
    "refits",
    "report",
    "save",
    "simulate",
    "stability",
    "stability_jobs",
    "stability_part",
    "total_variation",
    "tune",
    "tune_part",
    "tune_round",
]
__version__: Final[str]

def communities(graph: Mapping[str, Any], search: Mapping[str, Any], running: Mapping[str, Any]) -> dict[str, Any]: ...
def compare(
    graph: Mapping[str, Any],
    asked: Mapping[str, Any],
    data: Mapping[str, Any] | None,
    parts: Sequence[bytes],
    running: Mapping[str, Any],
) -> dict[str, Any]: ...
def compare_jobs(graph: Mapping[str, Any], asked: Mapping[str, Any]) -> int: ...
def compare_part(
    graph: Mapping[str, Any], asked: Mapping[str, Any], numbers: Sequence[int], running: Mapping[str, Any]
) -> bytes: ...
def edge_means(graph: Mapping[str, Any]) -> dict[str, Any]: ...
def evaluate(learned: Mapping[str, Any], truth: Mapping[str, Any]) -> dict[str, Any]: ...
def follows_distance(graph: Mapping[str, Any], points: Sequence[Sequence[float]]) -> tuple[str, str | None, str] | None: ...
def joint_graphical_lasso(
    views: Sequence[Mapping[str, Any]], reading: Mapping[str, Any], options: Mapping[str, Any], edges: str, running: Mapping[str, Any]
) -> dict[str, Any]: ...
def learn(
    views: Sequence[Mapping[str, Any]], reading: Mapping[str, Any], options: Mapping[str, Any], running: Mapping[str, Any]
) -> dict[str, Any]: ...
def load(path: str) -> dict[str, Any]: ...
def log_likelihood(
    graph: Mapping[str, Any],
    view: int | None,
    views: Sequence[Mapping[str, Any]],
    reading: Mapping[str, Any],
    running: Mapping[str, Any],
) -> npt.NDArray[np.float64]: ...
def nmi(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> float: ...
def project(
    graph: Mapping[str, Any],
    fitted: Mapping[str, Any],
    views: Sequence[Mapping[str, Any]],
    reading: Mapping[str, Any],
    running: Mapping[str, Any],
) -> list[dict[str, Any]]: ...
def refits(
    graph: Mapping[str, Any],
    options: Mapping[str, Any],
    record: str,
    views: Sequence[Mapping[str, Any]],
    reading: Mapping[str, Any],
    resampling: Mapping[str, Any],
    running: Mapping[str, Any],
) -> dict[str, Any]: ...
def report(graph: Mapping[str, Any], context: Mapping[str, Any]) -> str: ...
def save(graph: Mapping[str, Any], saved: Mapping[str, Any]) -> None: ...
def simulate(wanted: Mapping[str, Any]) -> dict[str, Any]: ...
def stability(
    whole: Mapping[str, Any], halving: Mapping[str, Any], parts: Sequence[bytes], running: Mapping[str, Any]
) -> dict[str, Any]: ...
def stability_jobs(whole: Mapping[str, Any], halving: Mapping[str, Any], running: Mapping[str, Any]) -> list[int]: ...
def stability_part(
    whole: Mapping[str, Any], halving: Mapping[str, Any], jobs: Sequence[int], running: Mapping[str, Any]
) -> bytes: ...
def total_variation(
    graph: Mapping[str, Any],
    views: Sequence[Mapping[str, Any]],
    reading: Mapping[str, Any],
    scales: Mapping[str, Any],
    running: Mapping[str, Any],
) -> dict[str, npt.NDArray[np.float64]]: ...
def compare_methods(
    views: Sequence[Mapping[str, Any]],
    reading: Mapping[str, Any],
    options: Mapping[str, Any],
    methods: Sequence[str],
    running: Mapping[str, Any],
) -> tuple[list[dict[str, Any]], list[tuple[str, str | None, str]]]: ...
def tune(task: Mapping[str, Any], round: bytes | None, halved: Sequence[bytes], running: Mapping[str, Any]) -> dict[str, Any]: ...
def tune_part(task: Mapping[str, Any], round: bytes, numbers: Sequence[int], running: Mapping[str, Any]) -> bytes: ...
def tune_round(
    task: Mapping[str, Any], round: bytes | None, halved: Sequence[bytes], running: Mapping[str, Any]
) -> tuple[bytes, int] | None: ...
