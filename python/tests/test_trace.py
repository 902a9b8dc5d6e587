"""Tracing: NumPy's functions of symbolic numbers have the values of NumPy's own, and formulas mean what was traced."""

from __future__ import annotations

import math
import random
import re
import threading
from collections.abc import Callable
from math import sin as imported_sine
from typing import Any

import numpy as np
import pytest
from formula_reader import Reader
from mechanism_program import run_text
from numpy import array, zeros

from alembert import _toml
from alembert._trace import Graph, Node, Printer, Untraceable, record
from alembert._trace.arrays import traced

NAMES = ["x", "y", "z"]


def vector(graph: Graph) -> Any:
    return traced(graph, [graph.symbol(name) for name in NAMES])


def values_of(function: Callable[..., Any], point: Any) -> tuple[Any, Any]:
    """What a function of an array of three numbers gives, by NumPy and by the formulas of its trace."""
    graph = Graph()
    nodes = record(graph, "f", function, vector(graph))
    plain = np.asarray(function(np.array(point, dtype=float)), dtype=float)
    assert nodes.shape == plain.shape
    known = dict(zip(NAMES, point))
    roots = list(nodes.ravel())
    printer = Printer(graph, roots, taken=NAMES)
    reader = Reader(known, printer.definitions)
    read = np.array([float(reader.value(printer.text(root))) for root in roots])
    evaluated = np.array(graph.evaluate(roots, known))
    np.testing.assert_allclose(read, evaluated, rtol=1e-13, atol=1e-15)
    return plain.ravel(), read


def agree(function: Callable[..., Any], *points: Any, rtol: float = 1e-13) -> None:
    for point in points or ([0.3, -0.7, 1.9], [-2.2, 0.4, 0.05], [1.0, 2.0, -3.0]):
        plain, found = values_of(function, point)
        np.testing.assert_allclose(found, plain, rtol=rtol, atol=1e-15)


def text_of(function: Callable[..., Any]) -> str:
    graph = Graph()
    (node,) = record(graph, "f", function, vector(graph)).ravel()
    return Printer(graph, [node]).text(node)


def refused(function: Callable[..., Any]) -> Untraceable:
    graph = Graph()
    with pytest.raises(Untraceable) as caught:
        record(graph, "force", function, vector(graph))
    return caught.value


# Functions of numbers.

ANY = (-3.0, 3.0)
UNIT = (-0.99, 0.99)
POSITIVE = (0.01, 4.0)
ONE = {
    "sin cos tan arctan sinh cosh tanh arcsinh exp exp2 expm1 cbrt square absolute fabs sign negative positive": ANY,
    "floor ceil trunc rint deg2rad rad2deg degrees radians reciprocal conjugate signbit logical_not": ANY,
    "arcsin arccos arctanh": UNIT,
    "log log2 log10 sqrt": POSITIVE,
    "log1p": (-0.9, 3.0),
    "arccosh": (1.001, 5.0),
}
TWO = {
    "add subtract multiply divide true_divide arctan2 hypot maximum minimum fmax fmin copysign heaviside": (ANY, ANY),
    "remainder mod fmod floor_divide logaddexp less less_equal greater greater_equal equal not_equal": (ANY, ANY),
    "logical_and logical_or logical_xor": (ANY, ANY),
    "power float_power": (POSITIVE, ANY),
}


@pytest.mark.parametrize("name, span", [(name, span) for names, span in ONE.items() for name in names.split()])
def test_functions_of_one_number(name: str, span: tuple[float, float]) -> None:
    rng = np.random.default_rng(len(name))
    function = getattr(np, name)
    for _ in range(20):
        agree(lambda q: function(q) * 1.0, rng.uniform(*span, 3))
    agree(lambda q: function(q[0]) * 1.0, rng.uniform(*span, 3))


@pytest.mark.parametrize("name, spans", [(name, spans) for names, spans in TWO.items() for name in names.split()])
def test_functions_of_two_numbers(name: str, spans: Any) -> None:
    rng = np.random.default_rng(len(name))
    function = getattr(np, name)
    for _ in range(20):
        x, y = (rng.uniform(*span) for span in spans)
        agree(lambda q: function(q[0], q[1]) * 1.0, [x, y, 0.0])
        agree(lambda q: function(q[:2], y) * 1.0, [abs(x) + 0.1, abs(y) + 0.1, 0.0])
        agree(lambda q: function(x, q[1:]) * 1.0, [0.0, y, 1.5])


def test_functions_at_halves_and_whole_numbers() -> None:
    for name in "floor ceil trunc rint round sign".split():
        agree(lambda q: getattr(np, name)(q), [0.5, 1.5, 2.5], [-0.5, -1.5, -2.5], [0.0, 3.0, -4.0])
    agree(lambda q: np.heaviside(q, 0.25), [0.0, 1.0, -1.0])
    agree(lambda q: [q[0] // q[1], q[0] % q[1], *divmod(q[1], q[2]), *np.divmod(q[0], q[2])], [7.0, 0.1, -0.3])
    agree(lambda q: np.concatenate(np.modf(q)), [1.25, -1.25, 0.0])
    agree(lambda q: np.expm1(q), [1e-12, -800.0, 1e-300], rtol=1e-15)
    agree(lambda q: np.arcsinh(q), [-1e12, 1e200, -1e-3], rtol=1e-13)


def test_functions_of_math_and_python() -> None:
    agree(lambda q: [math.sin(q[0]), math.atan2(q[0], q[1]), math.hypot(*q), math.exp(q[2]), math.log(q[0] ** 2, 10)])
    agree(lambda q: [math.pow(2, q[0]), math.fabs(q[1]), math.floor(q[2]), math.ceil(q[2]), math.dist(q, [1, 2, 3])])
    agree(lambda q: [math.pi * q[0], imported_sine(q[1]), math.fsum(q), math.sqrt(q[0] ** 2), math.trunc(q[2])])
    agree(lambda q: [max(q[0], 0.0), min(q), max(q[0], q[1], 0.5), abs(q[1]), sum(q), round(q[2]), round(q[2], 1)])
    assert math.sin(1.0) == np.sin(1.0) and max(1, 2) == 2


def test_operators() -> None:
    agree(lambda q: [q[0] + 1, 1 - q[0], q[0] * q[1], 2 / q[1], q[0] ** 2, 2 ** q[0], -q[0], +q[1], q[0] ** 3, q[1] ** -2])
    agree(lambda q: [np.float64(2) * q[0], q[0] * np.float64(2), np.int64(3) - q[1], q[2] * True, q[0] ** 70])


# Functions of arrays.

A = np.arange(9.0).reshape(3, 3) + np.eye(3)


def rotation(q: Any) -> Any:
    c, s = np.cos(q[0]), np.sin(q[0])
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


ARRAYS: dict[str, Callable[..., Any]] = {
    "where": lambda q: np.where(q > 0, q, -2 * q),
    "nested where": lambda q: np.where(q[0] > 0, np.where(q[1] > 0, 1, 2), q[2]),
    "select": lambda q: np.select([q < -1, q < 1], [q**2, q], default=7.0),
    "piecewise": lambda q: np.piecewise(q, [q < 0, q >= 0], [lambda x: -x, lambda x: x**2]),
    "clip": lambda q: [*np.clip(q, -0.5, 0.5), np.clip(q[0], 0, None), *q.clip(None, 0.3), *np.clip(q, -q[0], 1)],
    "norm": lambda q: [np.linalg.norm(q), np.linalg.norm(q, 1), np.linalg.norm(q, np.inf), np.linalg.norm(q, 3)],
    "norm of matrix": lambda q: [np.linalg.norm(A * q), *np.linalg.norm(A * q, axis=1)],
    "dot": lambda q: [q @ q, np.dot(q, [1, 2, 3]), np.inner(q, q), np.vdot(q, q), q.dot(q)],
    "matmul": lambda q: A @ q + q @ A,
    "cross": lambda q: np.cross(q, [1.0, 2.0, 3.0]) + np.cross([q[0], 0.0, 1.0], q),
    "outer": lambda q: np.outer(q, q) + np.kron(q, [1.0, 2.0, 3.0]).reshape(3, 3),
    "einsum": lambda q: np.einsum("ij,j,k->ik", A, q, q),
    "tensordot": lambda q: np.tensordot(A, q, axes=1),
    "sum": lambda q: [np.sum(q), q.sum(), np.prod(q), q.mean(), np.cumsum(q)[1], np.sum(np.outer(q, q)), np.trace(A * q)],
    "extremes": lambda q: [np.max(q), q.min(), np.maximum.reduce(q), np.ptp(q), *np.maximum.accumulate(q)],
    "variance": lambda q: [np.var(q), np.std(q), np.average(q, weights=[1, 2, 3])],
    "stack": lambda q: np.stack([q, q**2]) + np.vstack([q, [1.0, q[0], 2.0]]) + np.array([q, [0, 0, q[1]]]),
    "concatenate": lambda q: np.concatenate([q, [1.0, q[0]], zeros(2)]) + np.hstack([q, q, 1.0]),
    "block": lambda q: np.block([[A * q[0], q[:, None]], [q[None, :], 1.0]]) + np.block([[q[0], 1.0], [2.0, q[1]]])[0, 0],
    "diag": lambda q: np.diag(q) + np.diag([1.0, 2.0, 3.0]) + np.diag(np.diag(A * q)),
    "triangles": lambda q: np.tril(A * q) + np.triu(np.outer(q, q), 1),
    "rotation": lambda q: rotation(q) @ np.diag([1.0, 2.0, 3.0]) @ rotation(q).T,
    "inverse": lambda q: np.linalg.inv(A + np.diag(q**2)) @ q,
    "solve": lambda q: np.linalg.solve(A + np.diag(q**2), q) + np.linalg.solve(rotation(q)[:2, :2], q[:2]).sum(),
    "determinant": lambda q: [np.linalg.det(A * q), np.linalg.det(rotation(q))],
    "power of a matrix": lambda q: np.linalg.matrix_power(rotation(q), 3),
    "interp": lambda q: np.interp(q, [-1.0, 0.0, 0.5, 2.0], [3.0, 1.0, 1.0, -4.0]) + np.interp(q[0], [0, 1], [0, 1], left=5),
    "polyval": lambda q: np.polyval([1.0, -2.0, 0.5], q),
    "roll": lambda q: np.roll(q, 1) + q[::-1] + np.flip(q) + np.tile(q[0], 3) + np.repeat(q[1], 3) + np.diff(q, prepend=0.0),
    "shapes": lambda q: q.reshape(3, 1).T.ravel() + np.atleast_2d(q)[0] + q[:, None][:, 0] + np.squeeze(q[None]),
    "sinc": lambda q: np.sinc(q),
    "logic": lambda q: np.where((q > 0) & (q < 1) | ~(q > -2) ^ (q[0] < 0), 1.0, q),
    "any and all": lambda q: [np.where(np.any(q > 1), 1.0, 2.0), np.where((q < 2).all(), q[0], q[1])],
    "conditions as numbers": lambda q: (q > 0) * 3.0 * q + np.sum(q > 0) + (q < 1) * 1,
    "mask": lambda q: _masked(q.copy()),
    "types": lambda q: np.asarray(q, dtype=float) + np.array(q, float) + q.astype(float) + np.zeros(3, dtype=q.dtype),
    "likes": lambda q: np.zeros_like(q) + np.ones_like(q) * q + np.full_like(q, q[0]) + np.full(3, q[1], dtype=float),
    "constants": lambda q: np.linalg.eigvalsh(np.array([[2.0, 1.0], [1.0, 3.0]]))[0] * q + np.linspace(0.0, 1.0, 3),
    "vectorize": lambda q: np.vectorize(lambda x: x**2 + 1)(q),
    "gradient": lambda q: np.gradient(q**2),
    "meshgrid": lambda q: np.meshgrid(q, q)[0],
    "outer of ufunc": lambda q: np.add.outer(q, q) + np.multiply.outer(q, [1, 2, 3]),
    "out": lambda q: _with_out(q),
}


def _masked(q: Any) -> Any:
    q[q < 0] = 0.0
    q[np.array([True, False, False])] = 5.0
    return q


def _with_out(q: Any) -> Any:
    result = np.zeros(3)
    np.multiply(q, 2.0, out=result)
    np.add(result, 1.0, out=result, where=q > 0)
    result += q
    result[1] -= q[0]
    return result


@pytest.mark.parametrize("name", ARRAYS)
def test_functions_of_arrays(name: str) -> None:
    agree(ARRAYS[name], rtol=1e-12)


def test_arrays_that_are_filled() -> None:
    def filled(q: Any) -> Any:
        results = [np.zeros(3), np.empty((3,)), np.ones(3), np.eye(3)[0], np.full(3, 2.0), zeros(3), array([1.0, 2.0, 3.0])]
        for i, result in enumerate(results):
            result[0] = q[i % 3]
            result[1:] = q[1:] * i
        np.copyto(results[0], q, where=[True, False, True])
        np.fill_diagonal(matrix := np.zeros((3, 3)), q)
        return sum(results) + matrix[1]

    agree(filled)


def test_names_are_restored_and_other_threads_see_numpy() -> None:
    seen: list[Any] = []
    before = (np.zeros, np.where, math.sin, max, zeros, imported_sine)

    def function(q: Any) -> Any:
        assert np.zeros is not before[0]
        thread = threading.Thread(target=lambda: seen.append((np.zeros(2).dtype, max(1, 2), zeros(1).dtype)))
        thread.start()
        thread.join()
        return q

    record(graph := Graph(), "f", function, vector(graph))
    assert seen == [(np.dtype(float), 2, np.dtype(float))]
    with pytest.raises(Untraceable):
        record(graph, "f", lambda q: 1 / 0, vector(graph))
    assert (np.zeros, np.where, math.sin, max, zeros, imported_sine) == before


# The graph.


def test_everything_stands_once_and_is_folded() -> None:
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    assert x + y is x + y and np.sin(x) is np.sin(x)
    assert x * 1 is x and x + 0 is x and x / 1 is x and x**1 is x and -(-x) is x and x - 0 is x
    assert (x - x).number == 0.0 and (0 * x).number == 0.0 and (x**0).number == 1.0
    # What may be infinite or without a value keeps its place.
    assert (0 * np.log(x)).number is None and (np.log(x) - np.log(x)).number is None and (0 / x).number is None
    assert (graph.constant(2.0) * 3).number == 6.0 and np.sin(graph.constant(0.5)).number == math.sin(0.5)
    assert graph.constant(1.0) / 0 is graph.constant(math.inf)
    assert x * x is x**2 and np.minimum(x, np.inf) is x and np.where(x > 0, y, y) is y
    assert bool(graph.constant(2.0) > 1) and float(graph.constant(2.5)) == 2.5 and int(graph.constant(3.0)) == 3


def test_texts() -> None:
    cases: dict[str, Callable[..., Any]] = {
        "-x^2": lambda q: -(q[0] ** 2),
        "(-x)^2": lambda q: (-q[0]) ** 2,
        "x^y^z": lambda q: q[0] ** (q[1] ** q[2]),
        "x - (y + z)": lambda q: q[0] - (q[1] + q[2]),
        "x/(y*z)": lambda q: q[0] / (q[1] * q[2]),
        "x - 2*y": lambda q: q[0] + -2 * q[1],
        "x*y/z": lambda q: q[0] * q[1] / q[2],
        "2^-x": lambda q: 2 ** (-q[0]),
        "1/x": lambda q: q[0] ** -1,
        "sqrt(x)": lambda q: q[0] ** 0.5,
        "pi*x": lambda q: np.pi * q[0],
        "if(x > 0 and (y < 1 or z == 2), x, 0)": lambda q: np.where((q[0] > 0) & ((q[1] < 1) | (q[2] == 2)), q[0], 0),
        "if(not (x > 0 or y > 0), 1, z)": lambda q: np.where(~((q[0] > 0) | (q[1] > 0)), 1, q[2]),
        "min(x, 1e-300)": lambda q: np.minimum(q[0], 1e-300),
    }
    for text, function in cases.items():
        if text == "x^y^z":
            text = "x^(y^z)"
        assert text_of(function) == text


def test_repr_is_short() -> None:
    graph = Graph()
    x = graph.symbol("x")
    assert repr(x + 1) == "<x + 1>"
    for _ in range(60):
        x = x * x + 1
    assert "definitions" in repr(x) and len(repr(x)) < 300


def random_node(graph: Graph, rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.1:
        constants = [0.0, 1.0, 2.0, 0.5, -3.0, 1e-3, math.pi, rng.uniform(-9, 9)]
        return graph.symbol(rng.choice(NAMES)) if rng.random() < 0.7 else graph.constant(rng.choice(constants))
    a, b = (random_node(graph, rng, depth - 1) for _ in range(2))
    kind = rng.randrange(12)
    if kind < 6:
        return [a + b, a - b, a * b, a / b, -a, a ** rng.choice([2, 3, -1, 0.5, -2, 65])][kind]
    if kind == 6:
        return np.where((a > b) & ~(a < 1) | (b == 2), a, b)
    if kind == 7:
        return np.where((a <= b) ^ (b != a), random_node(graph, rng, depth - 1), b)
    if kind == 8:
        return rng.choice([np.minimum, np.maximum, np.hypot, np.arctan2])(a, b)
    if kind == 9:
        return np.clip(a, -1, b)
    return rng.choice([np.sin, np.exp, np.abs, np.sqrt, np.floor, np.tanh, np.sign])(a)


def has_values(graph: Graph, nodes: list[Node], point: dict[str, float]) -> bool:
    """Whether every part is a number: a condition on what is none decides nothing in formulas, and is false in Python."""
    return all(math.isfinite(value) for value in graph.evaluate(list(graph.needed(nodes)), point))


def test_random_formulas_mean_what_was_traced() -> None:
    rng = random.Random(7)
    compared = 0
    for _ in range(1500):
        graph = Graph()
        with np.errstate(all="ignore"):
            nodes = [graph.lift(random_node(graph, rng, rng.randrange(1, 9))) for _ in range(2)]
        printer = Printer(graph, nodes)
        point = {name: rng.uniform(-2, 2) for name in NAMES}
        if not has_values(graph, nodes, point):
            continue
        compared += 1
        expected = graph.evaluate(nodes, point)
        reader = Reader(point, printer.definitions)
        for node, value in zip(nodes, expected):
            found = float(reader.value(printer.text(node)))
            assert math.isclose(found, value, rel_tol=1e-9, abs_tol=1e-300), printer.text(node)
    assert compared > 500


def test_random_formulas_in_the_program() -> None:
    rng = random.Random(11)
    graph = Graph()
    point = {name: rng.uniform(-2, 2) for name in NAMES}
    nodes: dict[str, Node] = {}
    while len(nodes) < 150:
        with np.errstate(all="ignore"):
            node = graph.lift(random_node(graph, rng, rng.randrange(2, 7)))
        value = graph.evaluate([node], point)[0]
        if has_values(graph, [node], point) and abs(value) < 1e100:
            nodes[f"out{len(nodes)}"] = node
    printer = Printer(graph, list(nodes.values()), taken=[*NAMES, *nodes])
    document = {
        "format": 1,
        "variables": {"coordinates": NAMES},
        "definitions": printer.definitions,
        "equations": {"mass": [1, 1, 1], "force": [0, 0, 0]},
        "initial": point,
        "outputs": {name: printer.value(node) for name, node in nodes.items()},
        "run": {"t_end": 1e-3},
    }
    columns = run_text(_toml.dumps(document))
    for name, node in nodes.items():
        assert columns[name][0] == pytest.approx(graph.evaluate([node], point)[0], rel=1e-10), printer.text(node)


def test_long_and_deep_formulas_are_split() -> None:
    graph = Graph()
    x = graph.symbol("x")
    chain: Any = x
    deep: Any = x
    for i in range(3000):
        chain = chain + np.sin(x * (i + 0.1))
        deep = np.sin(deep + 1.0) * 0.5
    printer = Printer(graph, [chain, deep], taken={"c1", "c7"})
    assert "c1" not in printer.definitions and "c7" not in printer.definitions
    assert all(len(text) < 1000 for text in printer.definitions.values())
    reader = Reader({"x": 0.3, "c1": 0.0, "c7": 0.0}, printer.definitions)
    expected = graph.evaluate([chain, deep], {"x": 0.3})
    np.testing.assert_allclose([reader.value(printer.text(node)) for node in (chain, deep)], expected, rtol=1e-12)


# What cannot be traced.


def counted(q: Any) -> Any:
    counted.calls = getattr(counted, "calls", 0) + 1  # type: ignore[attr-defined]
    return q * counted.calls  # type: ignore[attr-defined]


def _branch(q: Any) -> Any:
    if q[0] > 0:
        return q
    return -q


def _loop(q: Any) -> Any:
    x = q[0]
    while x > 1:
        x = x / 2
    return x


def _caught(q: Any) -> Any:
    try:
        return math.gamma(q[0])
    except TypeError:
        return 1.0


def _stored(q: Any) -> Any:
    return np.add(CONSTANT, q[:2], out=CONSTANT)


CONSTANT = np.array([1.0, 2.0])

REFUSALS: list[tuple[Callable[..., Any], str, str]] = [
    (_branch, "depends on a value that varies", "np.where(condition, a, b)"),
    (_loop, "depends on a value that varies", "a loop must run the same number of times"),
    (lambda q: q[0] if q[0] > 0 else 0, "depends on a value that varies", "np.where(condition, a, b)"),
    (lambda q: q[0] > 0 and q[1] > 0, "depends on a value that varies", "np.logical_and"),
    (lambda q: not q[0] > 0, "depends on a value that varies", "np.logical_not"),
    (lambda q: sorted(q), "depends on a value that varies", "sorting"),
    (lambda q: np.sort(q), "depends on a value that varies", "sorting"),
    (lambda q: float(q[0]), "turned into a float", "leave out float"),
    (lambda q: int(q[0]), "turned into an int", "np.floor"),
    (lambda q: [1.0 for _ in range(q[0])], "used as an index or a count", "plain Python numbers"),
    (lambda q: q[q[0]], "used as an index or a count", "plain Python numbers"),
    (lambda q: q[q > 0], "chosen by a condition that varies", "np.where"),
    (lambda q: np.where(q > 0), "places where a condition holds vary", "np.where(condition, a, b)"),
    (lambda q: np.isnan(q), "isnan has no formula", "condition on the arguments"),
    (lambda q: np.nextafter(q, 0.0), "nextafter has no formula", ""),
    (lambda q: np.linalg.eigvals(np.diag(q)), "np.linalg.eigvals has no formula", "3 by 3"),
    (lambda q: np.linalg.inv(np.diag([*q, 1.0])), "np.linalg.inv of an array of shape (4, 4)", "3 by 3"),
    (lambda q: np.linalg.norm(np.diag(q), 2), "the norm 2 of a matrix", "without ord"),
    (lambda q: np.interp(q, [0, 1], [0, 1], period=2.0), "np.interp with a period", "np.mod"),
    (_stored, "stored in an array of floats", "np.zeros or np.array"),
    (_caught, "turned into a float", "functions of NumPy"),
]


@pytest.mark.parametrize("case", range(len(REFUSALS)))
def test_what_cannot_be_traced_says_why_and_where(case: int) -> None:
    function, reason, advice = REFUSALS[case]
    error = refused(function)
    assert reason in error.reason and advice in error.advice
    assert error.function == "force" and str(error).startswith("force cannot become formulas: ")
    line = re.search(r", line (\d+)", error.where)
    assert __file__ in error.where and line and 0 <= int(line[1]) - function.__code__.co_firstlineno < 10
    assert "`" in error.where


def test_the_line_is_quoted() -> None:
    assert refused(_branch).where.endswith(": `if q[0] > 0:`")
    message = str(refused(_branch))
    assert message.splitlines()[1].startswith("  at ") and message.splitlines()[2] == "  use np.where(condition, a, b)"


def test_other_errors_are_refusals_with_their_reason() -> None:
    error = refused(lambda q: q.nonsense)
    assert "AttributeError with symbolic numbers" in error.reason and "nonsense" in error.where


def test_results_that_are_no_numbers() -> None:
    graph = Graph()
    with pytest.raises(ValueError, match="force must give numbers, not None: it has no return statement"):
        record(graph, "force", lambda q: None, vector(graph))
    with pytest.raises(ValueError, match="force must give numbers, not 'text'"):
        record(graph, "force", lambda q: "text", vector(graph))


def test_numbers_of_another_trace_are_refused() -> None:
    kept: list[Any] = []
    refused(lambda q: kept.append(q[0]) or float(q[0]))
    assert "of an earlier call" in refused(lambda q: q[0] + kept[0]).reason
