"""Sections of the file whose keys are names of the user: parameters, functions, definitions, states, inputs, starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .core import Core
from .formulas import function_of
from .shapes import FORMULA, NUMBER, Either, ListOf, Shape, Table, Where

if TYPE_CHECKING:
    from .values import Formula, Value, Values

_PARAMETER = Either(NUMBER, ListOf(NUMBER), Table({"normal": ListOf(NUMBER), "uniform": ListOf(NUMBER)}))
_START = Either(NUMBER, ListOf(NUMBER))
_DEFINITION = Either(FORMULA, ListOf(FORMULA))


class Sections(Core):
    """Parameters, functions, definitions, states, discrete variables, inputs, starts, exact solutions."""

    def _named(self, section: str, what: str, name: str, value: Any, shape: Shape) -> str:
        return self._add_named(section, what, name, shape.accept(value, Where(self, what, str(name))))

    def _several(self, section: str, what: str, given: Mapping[str, Any] | None, more: Any, shape: Shape) -> None:
        for name, value in {**(given or {}), **more}.items():
            self._named(section, what, name, value, shape)

    def parameter(self, name: str, value: Value | Values | Mapping[str, Values]) -> str:
        """A constant that formulas may use: a number, a formula of other parameters, or a list of them.

        ``{"normal": [1, 0.1]}`` (mean, standard deviation) and ``{"uniform": [0.9, 1.1]}`` are random ones.

        Example:
            >>> m.parameter("l", 0.5)
        """
        return self._named("parameters", "parameter", name, value, _PARAMETER)

    def parameters(
        self,
        values: Mapping[str, Value | Values | Mapping[str, Values]] | None = None,
        /,
        **more: Value | Values | Mapping[str, Values],
    ) -> None:
        """Several parameters at once.

        Example:
            >>> m.parameters(l=0.5, g=9.81, half="l/2")
        """
        self._several("parameters", "parameter", values, more, _PARAMETER)

    def function(self, name: str, formula: Value | Callable[..., Any]) -> str:
        """A function of your own in formulas, with the names of its arguments; a function of Python has them itself.

        Example:
            >>> m.function("radius(s)", "base + lift*cos(s)")
            >>> m.function("stop", lambda s: np.where(s > 0, 2000*s, 0))
        """
        element = f"function `{name}`"
        if callable(formula):
            arguments, text = function_of(formula, element)
            written = str(name) if "(" in str(name) else f"{name}({arguments})"
            return self._add_named("functions", "function", written, text)
        return self._add_named("functions", "function", name, NUMBER.accept(formula, Where(self, element, "formula")))

    def definition(self, name: str, formula: Formula | Values) -> str:
        """A name for a formula of everything, or for a list of them.

        Example:
            >>> m.definition("slow", "wanted(t) - shaft.angle'")
        """
        return self._named("definitions", "definition", name, formula, _DEFINITION)

    def definitions(
        self, formulas: Mapping[str, Formula | Values] | None = None, /, **more: Formula | Values
    ) -> None:
        """Several definitions at once.

        Example:
            >>> m.definitions(up="top.R*[0, 0, 1]", grip="mu*table.force.z")
        """
        self._several("definitions", "definition", formulas, more, _DEFINITION)

    def state(self, name: str, rate: Formula, *, initial: Value | None = None) -> str:
        """A variable of first order beside the mechanics, as of a controller, by its rate; it starts at 0 if omitted.

        Example:
            >>> m.state("sum_of_slow", "slow", initial=0.1)
        """
        plain = str(name).rstrip("'")
        value = None if initial is None else _START.accept(initial, Where(self, f"state `{plain}`", "initial"))
        found = FORMULA.accept(rate, Where(self, f"state `{plain}`", "rate"))
        self._add_named("states", "state", f"{plain}'", found)
        if value is not None:
            self._add_named("initial", "start value", plain, value)
        return plain

    def discrete(self, name: str, value: Value) -> str:
        """A variable that only events change, with the value it starts from.

        Example:
            >>> m.discrete("hits", 0)
        """
        return self._named("discrete", "discrete variable", name, value, NUMBER)

    def input(self, name: str, value: Formula) -> str:
        """What is given from outside: a number until a program gives another one, or a formula of t.

        Example:
            >>> m.input("load", "if(t > 1.5, 1, 0)")
        """
        return self._named("inputs", "input", name, value, FORMULA)

    def initial(self, values: Mapping[str, Value | Values] | None = None, /, **more: Value | Values) -> None:
        """Values at the start of variables and states of your own; bodies have ``pose`` and ``velocity``.

        Example:
            >>> m.initial({"s": 0, "s'": 1})
        """
        self._several("initial", "start value", values, more, _START)

    def exact(self, values: Mapping[str, Formula | Values] | None = None, /, **more: Formula | Values) -> None:
        """The exact solution as formulas of t, where it is known; ``verify`` uses it.

        Example:
            >>> m.exact(s="0.1*cos(w*t)")
        """
        self._several("exact", "exact solution", values, more, _DEFINITION)
