"""What goes wrong, and what we say: a stable code, what and where, why it matters, what to do."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["CongraphDataError", "CongraphWarning", "choose", "choose_truth", "former", "is_given", "one_error", "outside", "refuse_truth", "tell", "warn"]


class CongraphDataError(ValueError):
    """The data cannot be used.

    Attributes
    ----------
    code : str
        The stable code, such as ``"E01"``.
    view, node : str or None
        Where, if it is one view or one node.
    errors : list of dict
        Everything that was found, with the keys ``code``, ``what``, ``why``, ``hint``, ``view`` and ``node``. The attributes
        above are those of the first.

    Examples
    --------
    >>> import numpy as np, congraph
    >>> try:
    ...     congraph.SingleGraph().fit(np.full((10, 3), np.nan))
    ... except congraph.CongraphDataError as error:
    ...     error.code, error.view
    ('E01', 'view1')
    """

    def __init__(self, errors: Sequence[Mapping[str, str | None]]) -> None:
        self.errors: list[dict[str, str | None]] = [{**error, "hint": _in_python(error["hint"])} for error in errors]
        first = self.errors[0]
        self.code: str = first["code"] or ""
        self.view: str | None = first["view"]
        self.node: str | None = first["node"]
        super().__init__("\n".join(_said(error) for error in self.errors))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.errors,)


class CongraphWarning(UserWarning):
    """Something that the user should know about a result: ``code`` (``W01`` to ``W20``) and ``view``.

    Each kind is told once for a fit, and not at all while scikit-learn's cross-validation fits; all are in ``warnings_``.

    Examples
    --------
    >>> import warnings, congraph
    >>> warnings.simplefilter("ignore", congraph.CongraphWarning)
    >>> data = congraph.simulate(n_nodes=20, n_views=2, n_signals=10, seed=1)
    >>> sorted({one.code for one in congraph.ConsensusGraph(density=0.1).fit(data.views).warnings_})[:1]
    ['W05']
    """

    def __init__(self, message: str, code: str = "", view: str | None = None) -> None:
        super().__init__(message, code, view)
        self.code = code
        self.view = view

    def __str__(self) -> str:
        place = f" (view {self.view})" if self.view is not None else ""
        return f"{self.code}{place}: {self.args[0]}"


#: What the engine says of files, and what that is here.
_OF_FILES = {
    "in a header row of text files, in `nodes` of .npz and .mat files, in columns of data frames": (
        "as the columns of data frames, or by `congraph.Views(arrays, nodes=...)`"
    ),
    "check that the files belong together": "check that the views belong together",
}


def _in_python(hint: str | None) -> str | None:
    """A hint without files, which are not what was given here."""
    for of_files, here in _OF_FILES.items():
        hint = hint.replace(of_files, here) if hint else hint
    return hint


def one_error(code: str, what: str, why: str, hint: str, view: str | None = None, node: str | None = None) -> CongraphDataError:
    """The error of one thing that is wrong."""
    return CongraphDataError([{"code": code, "what": what, "why": why, "hint": hint, "view": view, "node": node}])


def _said(error: Mapping[str, str | None]) -> str:
    text = f"{error['code']}: {error['what']}"
    if error["why"]:
        text += f"\n  why: {error['why']}"
    if error["hint"]:
        text += f"\n  hint: {error['hint']}"
    return text


def warn(told: Sequence[tuple[str, str | None, str]]) -> None:
    """Tells what the engine warned of, without keeping it."""
    tell([CongraphWarning(message, code, view) for code, view, message in told])


def tell(found: Sequence[CongraphWarning]) -> None:
    """Warns once for each kind: what several views have in common is one warning. Fits of a cross-validation are silent."""
    if not found or _in_validation():
        return
    of_code: dict[str, list[CongraphWarning]] = {}
    for warning in found:
        of_code.setdefault(warning.code, []).append(warning)
    level = outside()
    for same in of_code.values():
        warnings.warn(_as_one(same), stacklevel=level)


def _as_one(same: Sequence[CongraphWarning]) -> CongraphWarning:
    """One warning for all of a code: the first in full, the others by their views."""
    first = same[0]
    if len(same) == 1:
        return first
    message = f"view `{first.view}`: {first.args[0]}" if first.view is not None else first.args[0]
    message += "".join(f". Also: {one.args[0]}" for one in same[1:] if one.view is None)
    alike = [f"`{one.view}`" for one in same[1:] if one.view is not None]
    if alike:
        shown = ", ".join(alike[:4]) + (f" and {len(alike) - 4} more" if len(alike) > 4 else "")
        message += f" (and the like of {'view' if len(alike) == 1 else 'views'} {shown}: see `warnings_`)"
    return CongraphWarning(message, first.code)


def _in_validation() -> bool:
    """Whether a search or a cross-validation of scikit-learn is fitting: it fits often, and its user looks at scores."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in _VALIDATIONS and frame.f_globals.get("__name__", "").startswith("sklearn."):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


#: What fits an estimator again and again in scikit-learn.
_VALIDATIONS = ("_fit_and_score", "_fit_and_predict", "_incremental_fit_estimator", "_permutation_test_score")


def former(given: Any, name: str, former_value: Any, former_name: str) -> Any:
    """What a parameter is set to, by its own name or by the one it had before, which is warned of."""
    if not is_given(former_value):
        return given
    warnings.warn(
        f"`{former_name}` is called `{name}` now; the former name will go with version 0.3", FutureWarning, stacklevel=outside()
    )
    return former_value


def is_given(former_value: Any) -> bool:
    """Whether a parameter is set by the name it had before."""
    return former_value is not None and not (isinstance(former_value, str) and former_value == "deprecated")


def choose(name: str, given: Any, choices: Sequence[Any], more: str = "") -> None:
    """Complains about what is none of the choices."""
    if not any(given == one and isinstance(given, bool) == isinstance(one, bool) for one in choices):
        told = [f'"{one}"' if isinstance(one, str) else repr(one) for one in choices]
        first = f"{', '.join(told[:-1])} or " if len(told) > 1 else ""
        kind = ValueError if type(given) in map(type, choices) else TypeError
        raise kind(f"{name} is {given!r}; it must be {first}{told[-1]}{more}")


def choose_truth(name: str, given: Any) -> None:
    """Complains about what is neither true nor false: "no" would be true."""
    if type(given).__name__ not in ("bool", "bool_"):
        raise TypeError(f"{name} is {given!r}; it must be True or False")


def refuse_truth(**numbers: Any) -> None:
    """Complains about a truth value where a number is due: True would be 1."""
    for name, given in numbers.items():
        if type(given).__name__ in ("bool", "bool_"):
            raise TypeError(f"{name} is {given!r}; it must be a number")


def outside() -> int:
    """How far up the caller of the package is, as `warnings.warn` counts."""
    here = os.path.dirname(__file__)
    frame = sys._getframe(1)
    level = 1
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame = frame.f_back
        level += 1
    return level
