"""What operations of formulas come to for numbers, as the program that integrates computes them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

#: Largest whole exponent that the program expands to products.
EXPANDED = 64


def _product(x: float, n: int) -> float:
    if n == 0:
        return 1.0
    if n % 2 == 0:
        half = _product(x, n // 2)
        return half * half
    return _product(x, n - 1) * x if n > 1 else x


def divide(a: float, b: float) -> float:
    """A quotient, infinite where a number is divided by zero."""
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 or math.isnan(a) else math.copysign(math.inf, a)


def power(x: float, y: float) -> float:
    """A power; whole ones are products."""
    if y == math.floor(y) and abs(y) <= EXPANDED:
        whole = _product(x, int(abs(y)))
        return divide(1.0, whole) if y < 0.0 else whole
    return float(np.power(x, y))


def _round(x: float) -> float:
    whole = math.floor(abs(x)) if math.isfinite(x) else abs(x)
    away = whole + 1.0 if abs(x) - whole >= 0.5 else float(whole)
    return math.copysign(away, x)


def _by_numpy(function: Any) -> Callable[..., float]:
    return lambda *x: float(function(*x))


def _select(condition: bool, then: float, other: float) -> float:
    return then if condition else other


#: By operation. Conditions are booleans.
VALUES: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": divide,
    "^": power,
    "neg": operator.neg,
    "sin": _by_numpy(np.sin),
    "cos": _by_numpy(np.cos),
    "tan": _by_numpy(np.tan),
    "asin": _by_numpy(np.arcsin),
    "acos": _by_numpy(np.arccos),
    "atan": _by_numpy(np.arctan),
    "atan2": _by_numpy(np.arctan2),
    "sinh": _by_numpy(np.sinh),
    "cosh": _by_numpy(np.cosh),
    "tanh": _by_numpy(np.tanh),
    "exp": _by_numpy(np.exp),
    "log": _by_numpy(np.log),
    "sqrt": _by_numpy(np.sqrt),
    "hypot": _by_numpy(np.hypot),
    "abs": abs,
    "sign": _by_numpy(np.sign),
    "min": _by_numpy(np.minimum),
    "max": _by_numpy(np.maximum),
    "clamp": lambda x, low, high: float(np.minimum(np.maximum(x, low), high)),
    "floor": _by_numpy(np.floor),
    "ceil": _by_numpy(np.ceil),
    "round": _round,
    "mod": _by_numpy(np.mod),
    "if": _select,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": operator.not_,
}

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
#: Operations whose results are conditions.
CONDITIONS = COMPARISONS | {"and", "or", "not"}
