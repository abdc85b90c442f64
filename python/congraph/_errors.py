"""What goes wrong, and what we say: a stable code, what and where, why it matters, what to do."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["CongraphDataError", "CongraphWarning", "one_error", "outside", "warn"]


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
    """

    def __init__(self, errors: Sequence[Mapping[str, str | None]]) -> None:
        self.errors: list[dict[str, str | None]] = [dict(error) for error in errors]
        first = self.errors[0]
        self.code: str = first["code"] or ""
        self.view: str | None = first["view"]
        self.node: str | None = first["node"]
        super().__init__("\n".join(_said(error) for error in self.errors))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.errors,)


class CongraphWarning(UserWarning):
    """Something that the user should know about a result: ``code`` (``W01`` to ``W19``) and ``view``."""

    def __init__(self, message: str, code: str = "", view: str | None = None) -> None:
        super().__init__(message, code, view)
        self.code = code
        self.view = view

    def __str__(self) -> str:
        place = f" (view {self.view})" if self.view is not None else ""
        return f"{self.code}{place}: {self.args[0]}"


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
    for code, view, message in told:
        warnings.warn(CongraphWarning(message, code, view), stacklevel=outside())


def outside() -> int:
    """How far up the caller of the package is, as `warnings.warn` counts."""
    here = os.path.dirname(__file__)
    frame = sys._getframe(1)
    level = 1
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame = frame.f_back
        level += 1
    return level
