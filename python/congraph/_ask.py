"""Calls of the engine; what it says of wrong types is told in the user's words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

__all__ = ["ask"]

Answer = TypeVar("Answer")

_FIELD = re.compile(r"failed to extract field \w+\.(\w+)")
_WANTED = {
    "must be real number": "a number",
    "cannot be interpreted as an integer": "a whole number",
    "can't convert negative int": "0 or more",
    "out of range integral type": "0 or more",
    "too big to convert": "smaller",
}


def ask(call: Callable[..., Answer], *args: Any) -> Answer:
    """``call(*args)``; an argument of the wrong type is named as the user knows it."""
    try:
        return call(*args)
    except TypeError as error:
        named = _FIELD.search(str(error))
        # The innermost cause says what was wrong with the innermost field.
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
            named = _FIELD.search(str(cause)) or named
        if named is None:
            raise
        name = named.group(1)
        value = next((repr(found) for found in _values(args, name)), "of the wrong type")
        wanted = next((words for said, words in _WANTED.items() if said in str(cause)), None)
        told = f"{name} is {value}; it must be {wanted}" if wanted else f"{name} is {value}: {cause}"
        raise (ValueError if isinstance(cause, OverflowError) else TypeError)(told) from None


def _values(args: Any, name: str) -> Iterator[Any]:
    for arg in args:
        if isinstance(arg, Mapping):
            if name in arg:
                yield arg[name]
            yield from _values(arg.values(), name)
