"""NumPy's functions of numbers as formulas, by their names.

All are exact but for rounding. ``log1p``, ``arccosh`` and ``arctanh`` are logarithms of numbers near 1, so that their
absolute error is that of a number near 1, 1e-16; formulas have no function that would do better.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import Graph

Function = Callable[..., Any]


def _direct(op: str) -> Function:
    return lambda graph, *x: graph.call(op, *x)


def _compare(op: str) -> Function:
    return lambda graph, a, b: graph.compare(op, a, b)


def _limit(op: str) -> Function:
    return lambda graph, a, b: graph.limit(op, a, b)


def expm1(graph: Graph, x: Any) -> Any:
    """tanh(x/2) (exp(x) + 1), without cancellation near 0 and without overflow below."""
    return graph.multiply(graph.call("tanh", graph.divide(x, 2.0)), graph.add(graph.call("exp", x), 1.0))


def arcsinh(graph: Graph, x: Any) -> Any:
    """log(hypot(x, 1) + x), mirrored for negative x, where it would cancel."""
    root = graph.call("hypot", x, 1.0)
    below = graph.negative(graph.call("log", graph.subtract(root, x)))
    return graph.select(graph.compare("<", x, 0.0), below, graph.call("log", graph.add(root, x)))


def arccosh(graph: Graph, x: Any) -> Any:
    """log(x + sqrt(x - 1) sqrt(x + 1))"""
    roots = [graph.call("sqrt", part) for part in (graph.subtract(x, 1.0), graph.add(x, 1.0))]
    return graph.call("log", graph.add(x, graph.multiply(*roots)))


def arctanh(graph: Graph, x: Any) -> Any:
    """log((1 + x)/(1 - x))/2"""
    return graph.divide(graph.call("log", graph.divide(graph.add(1.0, x), graph.subtract(1.0, x))), 2.0)


def cbrt(graph: Graph, x: Any) -> Any:
    """The real cube root, of negative numbers too."""
    return graph.multiply(graph.call("sign", x), graph.power(graph.call("abs", x), 1.0 / 3.0))


def trunc(graph: Graph, x: Any) -> Any:
    """The whole number towards zero."""
    return graph.select(graph.compare("<", x, 0.0), graph.call("ceil", x), graph.call("floor", x))


def rint(graph: Graph, x: Any) -> Any:
    """The nearest whole number, of two the even one; ``round`` of formulas goes away from zero."""
    away = graph.call("round", x)
    half = graph.compare("==", graph.call("abs", graph.subtract(x, away)), 0.5)
    return graph.select(half, graph.multiply(2.0, graph.call("round", graph.divide(x, 2.0))), away)


def floor_divide(graph: Graph, x: Any, y: Any) -> Any:
    """The whole number of times that y is in x; floor(x/y) may be one too large where x/y was rounded up."""
    return graph.call("round", graph.divide(graph.subtract(x, graph.call("mod", x, y)), y))


def divmod_(graph: Graph, x: Any, y: Any) -> Any:
    """Quotient and rest."""
    return floor_divide(graph, x, y), graph.call("mod", x, y)


def fmod(graph: Graph, x: Any, y: Any) -> Any:
    """The rest with the sign of x."""
    rest = graph.call("mod", graph.call("abs", x), graph.call("abs", y))
    return graph.multiply(graph.call("sign", x), rest)


def modf(graph: Graph, x: Any) -> Any:
    """What is behind the decimal point, and what is before it."""
    whole = trunc(graph, x)
    return graph.subtract(x, whole), whole


def heaviside(graph: Graph, x: Any, at_zero: Any) -> Any:
    """0 below zero, 1 above it."""
    below = graph.select(graph.compare("<", x, 0.0), 0.0, at_zero)
    return graph.select(graph.compare(">", x, 0.0), 1.0, below)


def copysign(graph: Graph, x: Any, y: Any) -> Any:
    """The magnitude of x with the sign of y; zero has the sign +."""
    size = graph.call("abs", x)
    return graph.select(graph.compare("<", y, 0.0), graph.negative(size), size)


def clip(graph: Graph, x: Any, low: Any, high: Any) -> Any:
    """min(max(x, low), high)"""
    if graph.lift(low).number == -math.inf or graph.lift(high).number == math.inf:
        return graph.limit("min", graph.limit("max", x, low), high)
    return graph.call("clamp", x, low, high)


def logaddexp(graph: Graph, a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b)) without overflow."""
    apart = graph.negative(graph.call("abs", graph.subtract(a, b)))
    return graph.add(graph.limit("max", a, b), graph.call("log", graph.add(1.0, graph.call("exp", apart))))


#: By the names of NumPy. Each takes the graph and what it works on, numbers or nodes.
FUNCTIONS: dict[str, Function] = {
    "add": lambda graph, a, b: graph.add(a, b),
    "subtract": lambda graph, a, b: graph.subtract(a, b),
    "multiply": lambda graph, a, b: graph.multiply(a, b),
    "divide": lambda graph, a, b: graph.divide(a, b),
    "power": lambda graph, a, b: graph.power(a, b),
    "float_power": lambda graph, a, b: graph.power(a, b),
    "negative": lambda graph, x: graph.negative(x),
    "positive": lambda graph, x: graph.lift(x),
    "conjugate": lambda graph, x: graph.lift(x),
    "square": lambda graph, x: graph.multiply(x, x),
    "reciprocal": lambda graph, x: graph.divide(1.0, x),
    "sin": _direct("sin"),
    "cos": _direct("cos"),
    "tan": _direct("tan"),
    "arcsin": _direct("asin"),
    "arccos": _direct("acos"),
    "arctan": _direct("atan"),
    "arctan2": _direct("atan2"),
    "sinh": _direct("sinh"),
    "cosh": _direct("cosh"),
    "tanh": _direct("tanh"),
    "arcsinh": arcsinh,
    "arccosh": arccosh,
    "arctanh": arctanh,
    "exp": _direct("exp"),
    "exp2": lambda graph, x: graph.power(2.0, x),
    "expm1": expm1,
    "log": _direct("log"),
    "log2": lambda graph, x: graph.divide(graph.call("log", x), math.log(2.0)),
    "log10": lambda graph, x: graph.divide(graph.call("log", x), math.log(10.0)),
    "log1p": lambda graph, x: graph.call("log", graph.add(1.0, x)),
    "logaddexp": logaddexp,
    "sqrt": _direct("sqrt"),
    "cbrt": cbrt,
    "hypot": _direct("hypot"),
    "absolute": _direct("abs"),
    "fabs": _direct("abs"),
    "sign": _direct("sign"),
    "copysign": copysign,
    "heaviside": heaviside,
    "maximum": _limit("max"),
    "minimum": _limit("min"),
    "fmax": _limit("max"),
    "fmin": _limit("min"),
    "clip": clip,
    "floor": _direct("floor"),
    "ceil": _direct("ceil"),
    "trunc": trunc,
    "rint": rint,
    "remainder": _direct("mod"),
    "fmod": fmod,
    "floor_divide": floor_divide,
    "divmod": divmod_,
    "modf": modf,
    "deg2rad": lambda graph, x: graph.multiply(x, math.pi / 180.0),
    "radians": lambda graph, x: graph.multiply(x, math.pi / 180.0),
    "rad2deg": lambda graph, x: graph.multiply(x, 180.0 / math.pi),
    "degrees": lambda graph, x: graph.multiply(x, 180.0 / math.pi),
    "less": _compare("<"),
    "less_equal": _compare("<="),
    "greater": _compare(">"),
    "greater_equal": _compare(">="),
    "equal": _compare("=="),
    "not_equal": _compare("!="),
    "signbit": lambda graph, x: graph.compare("<", x, 0.0),
    "logical_and": lambda graph, a, b: graph.both(a, b),
    "logical_or": lambda graph, a, b: graph.either(a, b),
    "logical_xor": lambda graph, a, b: graph.differ(a, b),
    "logical_not": lambda graph, x: graph.unless(x),
}

#: These are of conditions only.
CONDITIONAL: dict[str, Function] = {
    "bitwise_and": FUNCTIONS["logical_and"],
    "bitwise_or": FUNCTIONS["logical_or"],
    "bitwise_xor": FUNCTIONS["logical_xor"],
    "invert": FUNCTIONS["logical_not"],
}

#: Values of reductions of nothing; None where there is none.
IDENTITIES: dict[str, Any] = {"add": 0.0, "multiply": 1.0, "logical_and": True, "logical_or": False}

#: Functions of ``math`` that have another name in NumPy.
MATH: dict[str, str] = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "pow": "power",
    **{
        name: name
        for name in (
            "sin cos tan sinh cosh tanh exp exp2 expm1 log2 log10 log1p "
            "sqrt cbrt fabs copysign fmod modf degrees radians"
        ).split()
    },
}
