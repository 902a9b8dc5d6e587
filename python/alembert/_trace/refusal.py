"""What cannot be traced, and where: the exception, and the line of the user's code that caused it."""

from __future__ import annotations

import linecache
import os
import sys
from types import FrameType
from typing import Any, Optional

import numpy as np

from .._errors import AlembertError

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep

#: What to do about a decision, by a word of the line that makes it; the first that occurs counts.
_DECISIONS = (
    ("while ", "a loop must run the same number of times everywhere"),
    ("assert ", "check it outside of the function"),
    ("max(", "use np.maximum(a, b)"),
    ("min(", "use np.minimum(a, b)"),
    ("sort", "results of sorting depend on values; use np.minimum and np.maximum"),
    ("if ", "use np.where(condition, a, b)"),
    (" and ", "join conditions by np.logical_and(a, b)"),
    (" or ", "join conditions by np.logical_or(a, b)"),
    ("not ", "use np.logical_not(condition)"),
)


class Untraceable(AlembertError, TypeError):
    """A function that cannot be written as formulas.

    ``reason`` says what it does, ``advice`` what to do instead, ``where`` the file and the line, ``function`` which
    function it is about. Such functions can still be called from the integrator, at the price of speed and of exact
    derivatives.
    """

    def __init__(self, reason: str, advice: str = "", where: str = "", function: str = "") -> None:
        self.reason = reason
        self.advice = advice
        self.where = where
        self.function = function
        super().__init__(reason, hint=advice or None, parameter=function or None)

    def __str__(self) -> str:
        subject = f"{self.function} cannot become formulas: " if self.function else ""
        lines = [subject + self.reason]
        if self.where:
            lines.append(f"  at {self.where}")
        if self.advice:
            lines.append(f"  {self.advice}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Untraceable, (self.reason, self.advice, self.where, self.function))

    def about(self, function: str) -> Untraceable:
        """The same with the name of the function that was called."""
        return self if self.function else Untraceable(self.reason, self.advice, self.where, function)


def is_foreign_file(file: str) -> bool:
    """Whether a file is of this package or of NumPy."""
    return file.startswith((_OWN, _NUMPY, "<__array_function__"))


def _user_frame() -> Optional[FrameType]:
    """The innermost frame that is neither of this package nor of NumPy."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None:
        if not is_foreign_file(frame.f_code.co_filename):
            return frame
        frame = frame.f_back
    return None


def source_line() -> tuple[str, str]:
    """The place of the user's code that runs now, as "file, line 3: `text`", and the text alone."""
    frame = _user_frame()
    if frame is None:
        return "", ""
    file, number = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, number, frame.f_globals).strip()
    place = f"{file}, line {number}"
    return (f"{place}: `{text}`" if text else place), text


def refusal(reason: str, advice: str = "") -> Untraceable:
    """An :class:`Untraceable` with the line of the user's code that runs now."""
    return Untraceable(reason, advice, source_line()[0])


def decision() -> Untraceable:
    """What is said where a condition would have to be true or false while it varies."""
    where, text = source_line()
    advice = next((advice for word, advice in _DECISIONS if word in f"{text} "), _DECISIONS[5][1])
    return Untraceable("the course of the computation depends on a value that varies", advice, where)
