"""Expressions of SymPy mean what SymPy says of them."""

from __future__ import annotations

import numpy as np
import pytest

import alembert as al
from alembert._interpreter import Interpreter

sympy = pytest.importorskip("sympy")


def test_expressions_have_the_values_of_sympy() -> None:
    x, y = sympy.symbols("x y")
    expressions = [
        1 / x, x**-3, x ** sympy.Rational(-1, 2), x ** sympy.Rational(3, 2), x ** sympy.Rational(-3, 2), x**y, x ** (-y), 2**-x,
        -x / (3 * y), sympy.Rational(2, 7) * x / y**2, sympy.sqrt(x * y) / sympy.pi, sympy.exp(-x) * sympy.log(y),
        sympy.atan2(x, -y), sympy.Abs(x - 3 * y), sympy.sign(y - x), sympy.Max(x, y, 1), sympy.Min(x, -y), sympy.Mod(5 * x, y),
        sympy.Piecewise((x, x > y), (y**2, True)), sympy.Heaviside(x - y), sympy.cot(x) + sympy.sec(y) * sympy.csc(x),
        sympy.tanh(x) - sympy.asinh(y) + sympy.acosh(1 + x), sympy.sinc(x), sympy.floor(3 * x) - sympy.ceiling(y), sympy.E**x,
    ]  # fmt: skip
    for point in ({x: 0.7, y: 1.3}, {x: 2.25, y: 0.4}):
        for expression in expressions:
            exact = float(expression.subs(point).evalf(30))
            assert float(Interpreter(point).value(expression)) == pytest.approx(exact, rel=1e-13), expression


def test_a_lagrangian_is_the_motion_that_it_describes() -> None:
    """A planet on an ellipse: a potential -1/r, half the large axis 1, so that the period is 2 pi."""
    t = sympy.Symbol("t")
    x, y = (sympy.Function(name)(t) for name in "xy")
    lagrangian = (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 + (x**2 + y**2) ** sympy.Rational(-1, 2)
    system = al.System.from_sympy(lagrangian=lagrangian, coordinates=[x, y])
    sol = al.solve(system, (0.0, 2 * np.pi), [0.5, 0.0], [0.0, np.sqrt(3.0)], rtol=1e-10)
    assert sol.last.q == pytest.approx([0.5, 0.0], abs=1e-7) and sol.model is not None and not sol.model.has_functions
