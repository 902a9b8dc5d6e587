"""Expressions of SymPy, computed with whatever their symbols stand for.

An expression is not printed as text: an :class:`Interpreter` walks through it and does with its operands what it says.
Symbolic numbers make it record formulas, floats make it compute.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

Expression = Any


def _choice(condition: Any, then: Any, other: Any) -> Any:
    found: Any = np.where(condition, then, other)
    return found[()] if isinstance(found, np.ndarray) else found


def _sinc(x: Any) -> Any:
    with np.errstate(all="ignore"):
        return _choice(x == 0.0, 1.0, np.sin(x) / x)


#: Functions of SymPy by name.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "cot": lambda x: 1.0 / np.tan(x),
    "sec": lambda x: 1.0 / np.cos(x),
    "csc": lambda x: 1.0 / np.sin(x),
    "sinc": _sinc,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "acot": lambda x: np.arctan(1.0 / x),
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "coth": lambda x: 1.0 / np.tanh(x),
    "sech": lambda x: 1.0 / np.cosh(x),
    "csch": lambda x: 1.0 / np.sinh(x),
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "exp": np.exp,
    "log": np.log,
    "Abs": np.abs,
    "sign": np.sign,
    "floor": np.floor,
    "ceiling": np.ceil,
    "frac": lambda x: x - np.floor(x),
    "Mod": np.mod,
    "Heaviside": np.heaviside,
    "Min": lambda *x: functools.reduce(np.minimum, x),
    "Max": lambda *x: functools.reduce(np.maximum, x),
    "re": lambda x: x,
    "conjugate": lambda x: x,
    "UnevaluatedExpr": lambda x: x,
    "StrictLessThan": operator.lt,
    "LessThan": operator.le,
    "StrictGreaterThan": operator.gt,
    "GreaterThan": operator.ge,
    "Equality": operator.eq,
    "Unequality": operator.ne,
    "And": lambda *x: functools.reduce(np.logical_and, x),
    "Or": lambda *x: functools.reduce(np.logical_or, x),
    "Xor": lambda *x: functools.reduce(np.logical_xor, x),
    "Not": np.logical_not,
    "ITE": _choice,
}


def _product(factors: Iterable[Any]) -> Any:
    return functools.reduce(operator.mul, factors, 1.0)


class Interpreter:
    """Computes expressions from the values of their symbols, each part once.

    >>> from sympy import symbols, sin
    >>> x, y = symbols("x y")
    >>> float(Interpreter({x: 2.0, y: 0.0}).value(x**2/3 + sin(y)))
    1.3333333333333333
    """

    def __init__(self, values: Mapping[Any, Any]) -> None:
        self._known = dict(values)

    def value(self, expression: Expression) -> Any:
        """The value of an expression."""
        found = self._known.get(expression)
        if found is None:
            found = self._known[expression] = self._compute(expression)
        return found

    def _compute(self, expression: Expression) -> Any:
        kind = type(expression).__name__
        if expression.is_Symbol:
            hint = f"write parameters={{{expression}: …}}, or list it among `coordinates`"
            raise ValueError(f"the symbol `{expression}` has no value; {hint}")
        if kind in ("BooleanTrue", "BooleanFalse"):
            return bool(expression)
        if expression.is_Rational and expression.is_finite:
            # A quotient of numbers that are exact is rounded once.
            return float(expression.p) / float(expression.q) if abs(expression.p) < 2**53 else float(expression)
        if expression.is_Number or expression.is_NumberSymbol:
            return float(expression)
        if expression.is_Add:
            return functools.reduce(operator.add, map(self.value, expression.as_ordered_terms()))
        if expression.is_Mul:
            return self._quotient(expression)
        if expression.is_Pow:
            return self._power(*expression.args)
        if kind == "Piecewise":
            return self._piecewise(expression)
        function = _FUNCTIONS.get(kind)
        if function is None:
            raise ValueError(f"`{expression}` cannot become a formula: {reason(expression, kind)}")
        return function(*map(self.value, expression.args))

    def _quotient(self, expression: Expression) -> Any:
        above: list[Any] = []
        below: list[Any] = []
        for factor in expression.as_ordered_factors():
            if factor.is_Rational and factor.q != 1:
                below.append(float(factor.q))
                above.extend([float(factor.p)] if factor.p != 1 else [])
            elif factor.is_Pow and factor.exp.is_Rational and factor.exp.is_negative:
                below.append(self._power(factor.base, -factor.exp))
            else:
                above.append(self.value(factor))
        return _product(above) / _product(below) if below else _product(above)

    def _power(self, base: Expression, exponent: Expression) -> Any:
        if exponent.is_Rational and exponent.is_negative:
            return 1.0 / self._power(base, -exponent)
        if exponent.is_Rational and exponent.q == 2:
            root = np.sqrt(self.value(base))
            return root if exponent.p == 1 else root ** int(exponent.p)
        if exponent.is_Integer:
            return self.value(base) ** int(exponent)
        return np.power(self.value(base), self.value(exponent))

    def _piecewise(self, expression: Expression) -> Any:
        result: Any = float("nan")
        for part, condition in reversed(expression.args):
            result = _choice(self.value(condition), self.value(part), result)
        return result


def reason(expression: Expression, kind: str) -> str:
    """Why an expression has no formula."""
    if kind == "ImaginaryUnit":
        return "formulas have real numbers only"
    if kind == "Derivative":
        return "only first derivatives of coordinates by time may occur"
    return f"there is no formula for {kind}"
