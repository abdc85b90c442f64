"""Progress while a fit runs: a line in the terminal, a line in the notebook, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

__all__ = ["running"]

#: Seconds between lines where they cannot be overwritten.
_SELDOM = 10.0


def running(n_jobs: int | None = None, verbose: bool | int = False) -> dict[str, Any]:
    """How the engine is to run."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, int) and not hasattr(n_jobs, "__index__")):
        raise TypeError(f"n_jobs must be a whole number or None, not {n_jobs!r}")
    if n_jobs is not None and n_jobs < -1:
        raise ValueError(f"n_jobs is {n_jobs}; it must be 1 or more, -1 for all cores, or None")
    threads = _threads() if n_jobs is None else n_jobs
    return {"n_jobs": None if threads == -1 else threads, "progress": _shown() if verbose else None}


def _threads() -> int:
    """One, unless a joblib context says otherwise, as scikit-learn has it."""
    joblib = sys.modules.get("joblib")
    if joblib is None:
        return 1
    threads: int = joblib.effective_n_jobs(None)
    return max(1, threads)


def _shown() -> Callable[[str], None]:
    if _in_notebook():
        return _Notebook()
    return _Terminal() if sys.stderr is not None and sys.stderr.isatty() else _Lines()


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Clock:
    def __init__(self) -> None:
        self.start = time.monotonic()

    def told(self, text: str) -> str:
        return f"congraph: {text} ({time.monotonic() - self.start:.0f} s)"


class _Terminal(_Clock):
    """One line that is written over, and cleared when the fit ends."""

    def __init__(self) -> None:
        super().__init__()
        self.width = 0

    def __call__(self, text: str) -> None:
        line = self.told(text)
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = max(self.width, len(line))

    def __del__(self) -> None:
        if self.width and sys.stderr is not None:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


class _Notebook(_Clock):
    """One output that is replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.handle: Any = None

    def __call__(self, text: str) -> None:
        from IPython import display

        shown = display.Pretty(self.told(text))
        if self.handle is None:
            self.handle = display.display(shown, display_id=True)
        else:
            self.handle.update(shown)

    def __del__(self) -> None:
        if self.handle is not None:
            from IPython import display

            self.handle.update(display.Pretty(""))


class _Lines(_Clock):
    """A line every ten seconds, for logs."""

    def __init__(self) -> None:
        super().__init__()
        self.last = self.start

    def __call__(self, text: str) -> None:
        if sys.stderr is not None and time.monotonic() - self.last >= _SELDOM:
            self.last = time.monotonic()
            print(self.told(text), file=sys.stderr)
