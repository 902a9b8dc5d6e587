"""Functions of Python as formulas.

A function is called once, with symbols for its arguments, and what it computes is written down as a formula. Its
parameters are called as in formulas, ``lambda t, angle: …``; ``angle_rate`` is the rate ``angle'``, and a default that
is text says what a parameter stands for: ``lambda t, w=hinge.angle.rate: -0.1*w``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

_RATE = "_rate"
#: Parts that occur several times are called so on the way; no name of a user begins like that.
_PREFIX = "__part"
#: Longest formula of a file, in characters.
_LONGEST = 100_000


def _names(function: Callable[..., Any], subject: str) -> list[str]:
    """What the arguments of a function are called in formulas."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise TypeError(f"{subject} does not say what its arguments are: write lambda t: …") from None
    names = []
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise TypeError(f"{subject} must name each of its arguments: write lambda t: …")
        if isinstance(parameter.default, str):
            names.append(str(parameter.default))
        elif parameter.default is parameter.empty:
            name = parameter.name
            names.append(f"{name[: -len(_RATE)]}'" if name.endswith(_RATE) else name)
        else:
            raise TypeError(
                f"{subject} has a default for `{parameter.name}` that is no text: "
                f"give the formula that it stands for, not {parameter.default!r}"
            )
    return names


def _traced(function: Callable[..., Any], names: list[str], subject: str) -> list[str]:
    """The formulas of what a function gives. This is the one place that knows who traces functions."""
    from .._trace import Graph, Printer, record

    graph = Graph()
    nodes = record(graph, subject, function, *(graph.symbol(name) for name in names)).ravel().tolist()
    printer = Printer(graph, nodes, prefix=_PREFIX)
    # Formulas of springs and joints have names of their own, which definitions of the file do not know: parts that
    # occur several times are written several times.
    parts: dict[str, str] = {}

    def whole(text: str) -> str:
        found = re.sub(rf"{_PREFIX}\d+\b", lambda part: parts[part[0]], text)
        if len(found) > _LONGEST:
            raise ValueError(f"{subject} is too long for a formula: give parts of it as definitions")
        return found

    for name, text in printer.definitions.items():
        parts[name] = f"({whole(text)})"
    return [whole(printer.text(node)) for node in nodes]


def formula_of(function: Callable[..., Any], element: str, key: str) -> str:
    """The formula that a function of Python computes."""
    return components_of(function, 1, element, key)[0]


def components_of(function: Callable[..., Any], count: int, element: str, key: str) -> list[str]:
    """The formulas of a function that returns several components."""
    subject = f"{element}: the function of `{key}`"
    found = _traced(function, _names(function, subject), subject)
    if len(found) != count:
        wanted = "one number" if count == 1 else f"{count} components"
        raise ValueError(f"{subject} must return {wanted}, not {len(found)}")
    return found


def function_of(function: Callable[..., Any], element: str) -> tuple[str, str]:
    """The arguments of a function as a file writes them, and its formula."""
    subject = f"{element}: its function"
    names = _names(function, subject)
    found = _traced(function, names, subject)
    if len(found) != 1:
        raise ValueError(f"{subject} must return one number, not {len(found)}")
    return ", ".join(names), found[0]
