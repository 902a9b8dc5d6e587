"""A system of functions as a model file: every function traced, everything under its name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _names
from ._functions import EVERYTHING, Function
from ._trace import Graph, Printer, Untraceable, compare, record
from ._trace.arrays import traced

Array = Any
#: Most characters of all formulas together; a model file may have 4 MB.
_LARGEST = 3_500_000
#: Points at which formulas are compared with numbers, and the seed that they follow from.
_POINTS, _SEED = 2, 20_250_101


@dataclass
class Start:
    """Where a motion starts."""

    t: float
    q: Array
    v: Array

    @staticmethod
    def of(q0: Any, v0: Any, t0: float) -> Start:
        """The start with its numbers checked; velocities that are not given are zero."""
        q = _numbers("q0", q0)
        v = np.zeros(len(q)) if v0 is None else _numbers("v0", v0)
        return Start(float(_numbers("t0", t0)[0]), q, v)


def _numbers(name: str, given: Any) -> Array:
    array = np.atleast_1d(np.asarray(given, dtype=float))
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must be a list of numbers, not an array of shape {array.shape}")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} has entries that are not finite: {array}")
    return array


class Draft:
    """A system while it becomes a model: names, symbols, and nodes of every formula."""

    def __init__(
        self,
        start: Start,
        names: Mapping[str, Sequence[str]],
        parameters: Mapping[str, Any],
        sizes: Mapping[str, int],
    ) -> None:
        self.start = start
        self.names = dict(names)
        self.parameters = parameters
        self.sizes = dict(sizes)
        self.graph = Graph()
        self._points = [self._point(None), *(self._point(np.random.default_rng(_SEED + i)) for i in range(_POINTS))]

    def _point(self, random: Optional[np.random.Generator]) -> dict[str, float]:
        """Values of all symbols: the start, or a place near it."""
        start, names = self.start, self.names
        t, q, v = start.t, start.q, start.v
        others = {kind: np.zeros(len(names[kind])) for kind in ("a", "lam", "psi")}
        if random is not None:
            # Far enough to find another branch, and close enough that lengths stay positive.
            size = np.maximum(np.abs(q), 0.1 * (np.max(np.abs(q)) or 10.0))
            t = t + random.uniform()
            q = q + 0.1 * size * random.uniform(-1.0, 1.0, len(q))
            v = v + (np.max(np.abs(v)) or 1.0) * random.uniform(-1.0, 1.0, len(v))
            others = {kind: random.standard_normal(len(values)) for kind, values in others.items()}
        point = {"t": t}
        for name, value in self.parameters.items():
            entries = {name: value} if np.ndim(value) == 0 else {f"{name}[{i + 1}]": x for i, x in enumerate(value)}
            point.update({key: float(x) for key, x in entries.items()})
        for kind, values in {"q": q, "v": v, **others}.items():
            point.update(zip(names[kind], values.tolist()))
        return point

    def _symbols(self) -> dict[str, Any]:
        symbols = {kind: self._vector(self.names[kind]) for kind in EVERYTHING if kind != "t"}
        return {"t": self.graph.symbol("t"), **symbols}

    def _vector(self, names: Sequence[str]) -> Any:
        return traced(self.graph, np.array([self.graph.symbol(name) for name in names], dtype=object))

    def _symbolic_parameters(self) -> dict[str, Any]:
        return {
            name: self.graph.symbol(name)
            if np.ndim(value) == 0
            else self._vector([f"{name}[{i + 1}]" for i in range(len(value))])
            for name, value in self.parameters.items()
        }

    def _values(self, point: Mapping[str, float]) -> dict[str, Any]:
        values = {kind: np.array([point[name] for name in self.names[kind]]) for kind in EVERYTHING if kind != "t"}
        return {"t": point["t"], **values}

    def nodes(self, function: Function) -> Array:
        """The nodes of what a function gives, in its shape."""

        def numeric(point: Mapping[str, float]) -> Array:
            return function.numbers(self.sizes, self._values(point), self.parameters)

        # Mistakes that have nothing to do with tracing are told as Python tells them.
        at_start = numeric(self._points[0])
        out = None
        if function.in_place:
            out = traced(self.graph, np.zeros(function.dimensions(self.sizes)))
        arguments = (self._symbols(), self._symbolic_parameters(), out)
        found = record(self.graph, function.name, _caller(function), *arguments)
        found = function.shaped(found, self.sizes)
        if found.dtype == object and found.shape != at_start.shape:
            reason = f"it gives an array of shape {at_start.shape} for numbers, and of {found.shape} for symbolic ones"
            raise Untraceable(reason, "", "", function.name)
        nodes = np.asarray(np.frompyfunc(self.graph.lift, 1, 1)(found), dtype=object)
        if function.constant is None:
            compare(self.graph, function.name, nodes, numeric, self._points[1:], self._points[0])
        return nodes


def _caller(function: Function) -> Callable[..., Any]:
    """The call of a function, as a function whose own modules can still be found."""

    def call(*arguments: Any) -> Any:
        return function.call(*arguments)

    if callable(function.given):
        call.__wrapped__ = function.given  # type: ignore[attr-defined]
    return call


def printed(draft: Draft, parts: Mapping[str, Array], taken: Collection[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Nodes by key as numbers and formulas in lists of lists, and the definitions that they use."""
    roots = [node for array in parts.values() for node in array.ravel()]
    printer = Printer(draft.graph, roots, taken)
    size = sum(map(len, printer.definitions.values())) + sum(len(printer.text(node)) + 4 for node in roots)
    if size > _LARGEST:
        raise Untraceable(f"the formulas would have {size} characters, more than a model file may have")

    def value(part: Any) -> Any:
        return [value(entry) for entry in part] if isinstance(part, np.ndarray) else printer.value(part)

    return {key: value(array if array.ndim else array[()]) for key, array in parts.items()}, printer.definitions


def mass(nodes: Array) -> Array:
    """A diagonal matrix as the list of its diagonal."""
    off = nodes[~np.eye(len(nodes), dtype=bool)]
    return np.diagonal(nodes) if all(node.number == 0.0 for node in off) else nodes


def output(name: str, given: Any, parameters: Collection[str]) -> Optional[Function]:
    """An output that is a function, or a table with one for its formula; None for what model files take as it is."""
    _names.checked(name, "output")
    body = given.get("formula") if isinstance(given, Mapping) else given
    return Function(f"outputs[{name!r}]", body, EVERYTHING, None, parameters, fewer=True) if callable(body) else None


def columns(name: str, given: Any, value: Any) -> dict[str, Any]:
    """The entries of an output: one, or name_0, name_1, … for an array."""
    said = {key: text for key, text in given.items() if key != "formula"} if isinstance(given, Mapping) else {}
    values = {f"{name}_{i}": part for i, part in enumerate(value)} if isinstance(value, list) else {name: value}
    return {column: {"formula": part, **said} if said else part for column, part in values.items()}
