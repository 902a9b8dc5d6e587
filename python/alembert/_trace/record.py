"""Calls a function with symbolic numbers, and with plain ones to see whether both agree."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import entries
from .graph import Graph
from .node import Node
from .patches import tracing
from .refusal import Untraceable, is_foreign_file

Array = Any

#: How much formulas may differ from numbers, relative to an entry and to the largest of its array: sums in another
#: order and powers as products differ by some 1e-16, a hidden state by more than that.
_OF_ENTRY, _OF_LARGEST = 1e-6, 1e-9


def record(graph: Graph, name: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What a function gives for symbolic numbers, as an array of nodes (of any shape).

    >>> graph = Graph()
    >>> record(graph, "f", lambda x: [x + 1, 2], graph.symbol("x")).tolist()
    [<x + 1>, <2>]
    """
    graph.refused = None
    try:
        with tracing(graph, function):
            result = function(*arguments, **named)
    except Untraceable as refused:
        raise refused.about(name) from None
    except Exception as error:
        if graph.refused is not None:
            raise graph.refused.about(name) from error
        reason = f"{type(error).__name__} with symbolic numbers, though not with plain ones: {error}"
        raise Untraceable(reason, "", _place(error), name) from error
    if graph.refused is not None:
        # The function caught the refusal and went another way than it would with numbers.
        raise graph.refused.about(name)
    return numbers_of(graph, name, result)


def numbers_of(graph: Graph, name: str, result: Any) -> Array:
    """A result as an array of nodes."""
    try:
        array = np.asarray(entries(graph, result), dtype=object)
        return np.asarray(np.frompyfunc(graph.lift, 1, 1)(array), dtype=object)
    except (Untraceable, ValueError) as error:
        raise ValueError(f"{name} must give numbers, not {_described(result)}") from error


def _described(result: Any) -> str:
    return "None: it has no return statement, or it needs a parameter `out`" if result is None else repr(result)


def _place(error: BaseException) -> str:
    """The line of the user's code in which an exception was raised."""
    lines = [line for line in traceback.extract_tb(error.__traceback__) if not is_foreign_file(line.filename)]
    if not lines:
        return ""
    place = f"{lines[-1].filename}, line {lines[-1].lineno}"
    return f"{place}: `{lines[-1].line}`" if lines[-1].line else place


def compare(
    graph: Graph,
    name: str,
    nodes: Array,
    numeric: Callable[[Mapping[str, float]], Array],
    points: Sequence[Mapping[str, float]],
    start: Mapping[str, float],
) -> None:
    """Whether formulas and numbers agree at some points, or at the start where a function has no value at a point.

    ``numeric`` calls the function with the numbers that belong to the names of symbols.
    """
    roots: list[Node] = list(nodes.ravel())
    for point in points:
        try:
            with np.errstate(all="ignore"):
                values = np.asarray(numeric(point), dtype=float).ravel()
        except Exception:
            values = np.array([np.nan])
        if not np.all(np.isfinite(values)) or len(values) != len(roots):
            point, values = start, np.asarray(numeric(start), dtype=float).ravel()
        found = np.array(graph.evaluate(roots, point), dtype=float)
        differing = _differing(found, values)
        if differing is not None:
            entry = f" (entry {differing})" if len(roots) > 1 else ""
            was, now = found[differing], values[differing]
            reason = f"it gives other values when it is called with numbers: {now:.6g} instead of {was:.6g}{entry}"
            advice = "it must depend on its arguments only: no counters, no random numbers, no other way for floats"
            raise Untraceable(reason, advice, "", name)


def _differing(found: Array, values: Array) -> Any:
    """The first entry that differs; None if none does."""
    if found.shape != values.shape:
        return 0
    largest = np.max(np.abs(values[np.isfinite(values)]), initial=0.0)
    with np.errstate(all="ignore"):
        bound = _OF_ENTRY * np.maximum(np.abs(found), np.abs(values)) + _OF_LARGEST * largest
        same = (np.abs(found - values) <= bound) | (found == values) | (np.isnan(found) & np.isnan(values))
    return None if same.all() else int(np.argmin(same))
