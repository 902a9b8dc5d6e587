"""Functions of NumPy that look at the values of arrays, for arrays of symbolic numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from .arrays import ARRAY_FUNCTIONS, adopt, entries, to_array, traced
from .functions import clip as clip_number
from .graph import Graph
from .refusal import refusal

Array = Any


def where(graph: Graph, condition: Any, *branches: Any) -> Any:
    """Entry by entry one of two branches."""
    if len(branches) != 2:
        raise graph.refuse(refusal("places where a condition holds vary", "use np.where(condition, a, b)"))
    condition, then, other = (to_array(graph, part) for part in (condition, *branches))
    select = np.frompyfunc(graph.select, 3, 1)
    return adopt(graph, select(*(np.asarray(part) for part in (condition, then, other))))


def select(graph: Graph, conditions: Sequence[Any], choices: Sequence[Any], default: Any = 0.0) -> Any:
    """The choice of the first condition that holds."""
    if len(conditions) != len(choices):
        raise ValueError("list of cases must be same length as list of conditions")
    result = default
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = where(graph, condition, choice, result)
    return result


def piecewise(
    graph: Graph, x: Any, conditions: Sequence[Any], functions: Sequence[Any], *more: Any, **named: Any
) -> Any:
    """The function of the last condition that holds; one function more is for where none does."""
    if not isinstance(conditions, (list, tuple)):
        conditions = [conditions]

    def value(function: Any) -> Any:
        return function(x, *more, **named) if callable(function) else function

    result = value(functions[-1]) if len(functions) == len(conditions) + 1 else 0.0
    for condition, function in zip(conditions, functions):
        result = where(graph, condition, value(function), result)
    return result


def clip(graph: Graph, a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """min(max(a, a_min), a_max)"""
    low, high = (a_min if min is None else min), (a_max if max is None else max)

    def entry(x: Any, low: Any, high: Any) -> Any:
        return clip_number(graph, x, low, high)

    low, high = (-np.inf if low is None else low), (np.inf if high is None else high)
    return adopt(graph, np.frompyfunc(entry, 3, 1)(*(np.asarray(to_array(graph, part)) for part in (a, low, high))))


def norm(graph: Graph, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norms of vectors, and Frobenius' of matrices."""
    array = traced(graph, x)
    matrix = array.ndim == 2 if axis is None else isinstance(axis, tuple) and len(axis) == 2
    if ord in (None, "fro") or (ord == 2 and not matrix):
        return np.sqrt((array * array).sum(axis=axis, keepdims=keepdims))
    if matrix or isinstance(ord, str):
        raise graph.refuse(refusal(f"the norm {ord} of a matrix has no formula", "use np.linalg.norm(x) without ord"))
    sizes: Any = np.abs(array)
    if ord in (np.inf, -np.inf):
        return (sizes.max if ord > 0 else sizes.min)(axis=axis, keepdims=keepdims)
    if ord == 1:
        return sizes.sum(axis=axis, keepdims=keepdims)
    return (sizes**ord).sum(axis=axis, keepdims=keepdims) ** (1.0 / ord)


def _small(graph: Graph, a: Any, name: str) -> Array:
    matrix = np.asarray(entries(graph, a))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not 1 <= len(matrix) <= 3:
        advice = "it has one for a matrix up to 3 by 3"
        raise graph.refuse(refusal(f"np.linalg.{name} of an array of shape {matrix.shape} has no formula", advice))
    return matrix


def _minor(matrix: Array, i: int, j: int) -> Any:
    return _determinant(np.delete(np.delete(matrix, i, axis=0), j, axis=1))


def _determinant(matrix: Array) -> Any:
    n = len(matrix)
    if n == 0:
        return 1.0
    first: Any = matrix[0, 0] * _minor(matrix, 0, 0)
    return sum(((-1.0) ** j * (matrix[0, j] * _minor(matrix, 0, j)) for j in range(1, n)), first)


def determinant(graph: Graph, a: Any) -> Any:
    """By the first row."""
    return _determinant(_small(graph, a, "det"))


def inverse(graph: Graph, a: Any) -> Any:
    """Cofactors by the determinant."""
    matrix = _small(graph, a, "inv")
    n = range(len(matrix))
    cofactors = np.array([[(-1.0) ** (i + j) * _minor(matrix, j, i) for j in n] for i in n], dtype=object)
    return traced(graph, cofactors) / _determinant(matrix)


def solve(graph: Graph, a: Any, b: Any) -> Any:
    """By the inverse."""
    _small(graph, a, "solve")
    return inverse(graph, a) @ traced(graph, b)


def interp(
    graph: Graph, x: Any, xp: Any, fp: Any, left: Optional[Any] = None, right: Optional[Any] = None, period: Any = None
) -> Any:
    """Straight lines between knots: a tree of conditions."""
    knots, values = [float(knot) for knot in np.ravel(xp)], list(np.ravel(np.asarray(entries(graph, fp))))
    if period is not None:
        advice = "use np.interp(np.mod(x, period), xp, fp)"
        raise graph.refuse(refusal("np.interp with a period has no formula", advice))
    if not knots or len(knots) != len(values) or any(b <= a for a, b in zip(knots, knots[1:])):
        raise ValueError("np.interp needs knots in increasing order, each with a value")

    def between(x: Any, first: int, last: int) -> Any:
        if last - first == 1:
            slope = (values[last] - values[first]) / (knots[last] - knots[first])
            return values[first] + slope * (x - knots[first])
        middle = (first + last) // 2
        return graph.select(x < knots[middle], between(x, first, middle), between(x, middle, last))

    def entry(x: Any) -> Any:
        x = graph.lift(x)
        inside = between(x, 0, len(knots) - 1) if len(knots) > 1 else values[0]
        below = graph.select(x < knots[0], values[0] if left is None else left, inside)
        return graph.select(x > knots[-1], values[-1] if right is None else right, below)

    return adopt(graph, np.frompyfunc(entry, 1, 1)(np.asarray(to_array(graph, x))))


def empty_like(graph: Graph, prototype: Any, *arguments: Any, **options: Any) -> Any:
    """Zeros: entries that are never set must be numbers."""
    return adopt(graph, np.zeros(options.get("shape") or np.shape(prototype)))


def full_like(graph: Graph, a: Any, fill_value: Any, *arguments: Any, **options: Any) -> Any:
    """An array of one value."""
    return adopt(graph, np.full(options.get("shape") or np.shape(a), fill_value, dtype=object))


def copyto(graph: Graph, target: Any, source: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Sets entries."""
    target[...] = source if where is True else np.where(where, source, target)


ARRAY_FUNCTIONS.update(
    {
        np.where: where,
        np.select: select,
        np.piecewise: piecewise,
        np.clip: clip,
        np.linalg.norm: norm,
        np.linalg.det: determinant,
        np.linalg.inv: inverse,
        np.linalg.solve: solve,
        np.interp: interp,
        np.empty_like: empty_like,
        np.full_like: full_like,
        np.copyto: copyto,
    }
)
