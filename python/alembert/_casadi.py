"""Functions of CasADi, computed with whatever their inputs stand for.

A function of CasADi is a list of instructions on numbers. They are walked through and done with symbolic numbers, so that formulas are
recorded, or with floats. Functions of matrices (MX) are expanded to numbers first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._errors import UsageError


def _choice(condition: Any, value: Any) -> Any:
    return np.where(condition, value, 0.0)[()]


#: Instructions by the name of their number in CasADi.
_OPERATIONS: dict[str, Callable[..., Any]] = {
    "OP_ASSIGN": lambda x: x,
    "OP_ADD": lambda x, y: x + y,
    "OP_SUB": lambda x, y: x - y,
    "OP_MUL": lambda x, y: x * y,
    "OP_DIV": lambda x, y: x / y,
    "OP_NEG": lambda x: -x,
    "OP_EXP": np.exp,
    "OP_LOG": np.log,
    "OP_POW": lambda x, y: x**y,
    "OP_CONSTPOW": lambda x, y: x**y,
    "OP_SQRT": np.sqrt,
    "OP_SQ": lambda x: x * x,
    "OP_TWICE": lambda x: 2.0 * x,
    "OP_SIN": np.sin,
    "OP_COS": np.cos,
    "OP_TAN": np.tan,
    "OP_ASIN": np.arcsin,
    "OP_ACOS": np.arccos,
    "OP_ATAN": np.arctan,
    "OP_ATAN2": np.arctan2,
    "OP_SINH": np.sinh,
    "OP_COSH": np.cosh,
    "OP_TANH": np.tanh,
    "OP_ASINH": np.arcsinh,
    "OP_ACOSH": np.arccosh,
    "OP_ATANH": np.arctanh,
    "OP_FABS": np.abs,
    "OP_SIGN": np.sign,
    "OP_FLOOR": np.floor,
    "OP_CEIL": np.ceil,
    "OP_FMIN": np.minimum,
    "OP_FMAX": np.maximum,
    "OP_INV": lambda x: 1.0 / x,
    "OP_HYPOT": np.hypot,
    "OP_LOG1P": np.log1p,
    "OP_EXPM1": np.expm1,
    "OP_LT": lambda x, y: x < y,
    "OP_LE": lambda x, y: x <= y,
    "OP_EQ": lambda x, y: x == y,
    "OP_NE": lambda x, y: x != y,
    "OP_NOT": np.logical_not,
    "OP_AND": np.logical_and,
    "OP_OR": np.logical_or,
    "OP_IF_ELSE_ZERO": _choice,
}


def interpreted(given: Any) -> Any:
    """A function of CasADi as one of Python; everything else stays."""
    if type(given).__name__ != "Function" or not type(given).__module__.startswith("casadi"):
        return given
    return _function(given)


def _function(given: Any) -> Callable[..., Any]:
    import casadi

    function = given if given.is_a("SXFunction") else given.expand()
    names = {getattr(casadi, name): name for name in [*_OPERATIONS, "OP_CONST", "OP_INPUT", "OP_OUTPUT"]}
    steps = []
    for k in range(function.n_instructions()):
        name = names.get(function.instruction_id(k))
        if name is None:
            raise UsageError(
                f"the function `{given.name()}` of CasADi has an instruction that formulas do not have (number "
                f"{function.instruction_id(k)})",
                hint="call it from a function of Python, with the option trace=False",
            )
        inputs, outputs = function.instruction_input(k), function.instruction_output(k)
        steps.append((name, inputs, outputs, function.instruction_constant(k) if name == "OP_CONST" else None))
    # Where the numbers of inputs and of the output stand; CasADi leaves out zeros, and goes column by column.
    places = [_places(function.sparsity_in(i)) for i in range(function.n_in())]
    rows, columns = _places(function.sparsity_out(0))
    shape = function.size_out(0)

    def call(*arguments: Any) -> Any:
        work: dict[int, Any] = {}
        # Lists take numbers of every kind.
        found: list[list[Any]] = [[0.0] * shape[1] for _ in range(shape[0])]
        for name, inputs, outputs, constant in steps:
            if name == "OP_CONST":
                work[outputs[0]] = constant
            elif name == "OP_INPUT":
                argument, number = inputs
                work[outputs[0]] = _entry(arguments[argument], *(part[number] for part in places[argument]))
            elif name == "OP_OUTPUT":
                if outputs[0] == 0:
                    found[rows[outputs[1]]][columns[outputs[1]]] = work[inputs[0]]
            else:
                work[outputs[0]] = _OPERATIONS[name](*(work[i] for i in inputs))
        return [row[0] for row in found] if shape[1] == 1 else found

    call.__name__ = given.name()
    takes = ", ".join(f"x{i}" for i in range(function.n_in()))
    # The signature is looked at, to see what a function takes.
    shown: Callable[..., Any] = eval(f"lambda {takes}: call({takes})", {"call": call})
    return shown


def _entry(argument: Any, row: int, column: int) -> Any:
    if np.ndim(argument) == 0:
        return argument
    return argument[row] if np.ndim(argument) == 1 else argument[row, column]


def _places(sparsity: Any) -> tuple[list[int], list[int]]:
    rows, columns = sparsity.get_triplet()
    return list(rows), list(columns)
