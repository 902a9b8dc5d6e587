"""Functions that make arrays of floats, or need floats, while something is traced.

``np.zeros(3)`` makes an array that cannot hold symbolic numbers, ``math.sin(x)`` asks for a float, ``max(x, 0)`` for
a decision. For the time of a trace wrappers stand in their places: in ``numpy``, ``numpy.linalg``, ``math`` and
``builtins``, and under the names by which the modules of the traced functions have imported them. They act in the
thread that traces only; all others, and NumPy itself, get what they always get.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import math
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Optional

import numpy as np

from .arrays import adopt, is_float, traced
from .functions import FUNCTIONS, MATH
from .graph import Graph
from .node import Node
from .reachable import namespaces

_LOCK = threading.RLock()
#: The graph that is filled now, and the thread that does it.
_active: Optional[tuple[Graph, int]] = None

#: Functions whose first arguments become arrays of the type that is asked for: (place of the content, place of the
#: type).
_TYPED = {"array": (0, 1), "asarray": (0, 1), "asanyarray": (0, 1), "ascontiguousarray": (0, 1), "full": (1, 2)}
#: Functions to which a list of numbers is not an array.
_OF_LISTS = frozenset({"block", "select", "piecewise"})
_INTERNAL = frozenset({"numpy", __name__.partition(".")[0]})


def _graph() -> Optional[Graph]:
    """The graph, in the thread that traces."""
    active = _active
    return active[0] if active is not None and active[1] == threading.get_ident() else None


def _is_symbolic(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_is_symbolic(part) for part in value)
    return isinstance(value, Node) or (isinstance(value, np.ndarray) and value.dtype == object)


def _lists(graph: Graph, value: Any) -> Any:
    """Lists of symbolic numbers as arrays, also within lists."""
    if not isinstance(value, (list, tuple)) or not _is_symbolic(value):
        return value
    parts = [_lists(graph, part) for part in value]
    if any(isinstance(part, Node) for part in parts) and all(np.ndim(part) == 0 for part in parts):
        return traced(graph, parts)
    return parts


def _call_numpy(graph: Graph, name: str, original: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if name not in _OF_LISTS:
        arguments = tuple(_lists(graph, argument) for argument in arguments)
    if name in _TYPED:
        content, kind = _TYPED[name]
        symbolic = _is_symbolic(arguments[content] if len(arguments) > content else options.get("fill_value"))
        if symbolic and len(arguments) > kind and is_float(arguments[kind]):
            arguments = (*arguments[:kind], object, *arguments[kind + 1 :])
        if symbolic and is_float(options.get("dtype")):
            options = {**options, "dtype": object}
    return adopt(graph, original(*arguments, **options))


def _of_numpy(name: str, original: Any) -> Callable[..., Any]:
    # Entries that are never set must be numbers.
    effective = np.zeros if name == "empty" else original

    def wrapper(*arguments: Any, **options: Any) -> Any:
        graph = _graph()
        caller = sys._getframe(1).f_globals.get("__name__") or ""
        if graph is None or caller.partition(".")[0] in _INTERNAL:
            return original(*arguments, **options)
        return _call_numpy(graph, name, effective, arguments, options)

    return wrapper


def _of_math(original: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*arguments: Any, **options: Any) -> Any:
        graph = _graph()
        if graph is None or not _is_symbolic(arguments):
            return original(*arguments, **options)
        return function(graph, *arguments, **options)

    return wrapper


def _logarithm(graph: Graph, x: Any, base: Any = None) -> Any:
    natural = graph.call("log", x)
    return natural if base is None else graph.divide(natural, graph.call("log", base))


def _hypot(graph: Graph, *parts: Any) -> Any:
    if len(parts) == 1:
        return graph.call("abs", *parts)
    return functools.reduce(functools.partial(graph.call, "hypot"), parts)


def _distance(graph: Graph, p: Any, q: Any) -> Any:
    return graph.call("sqrt", sum(((a - b) ** 2 for a, b in zip(p, q)), graph.constant(0.0)))


def _sum(graph: Graph, parts: Iterable[Any]) -> Any:
    return functools.reduce(graph.add, parts, graph.constant(0.0))


_MATH: dict[str, Callable[..., Any]] = {"log": _logarithm, "hypot": _hypot, "dist": _distance, "fsum": _sum}


def _extreme(original: Callable[..., Any], op: str) -> Callable[..., Any]:
    def wrapper(*arguments: Any, **options: Any) -> Any:
        graph = _graph()
        if graph is None or options:
            return original(*arguments, **options)
        values = list(arguments) if len(arguments) != 1 else list(arguments[0])
        if not any(isinstance(value, Node) for value in values):
            return original(values)
        return functools.reduce(functools.partial(graph.limit, op), values)

    return wrapper


@functools.lru_cache(maxsize=None)
def _places() -> tuple[tuple[dict[str, Any], str, Any, Callable[..., Any]], ...]:
    """Namespaces, names, what they stand for, and the wrapper of that."""
    places: list[tuple[dict[str, Any], str, Any, Callable[..., Any]]] = []
    wrappers: dict[int, Callable[..., Any]] = {}
    for module in (np, np.linalg):
        for name, original in vars(module).items():
            plain = callable(original) and not isinstance(original, (type, np.ufunc)) and not name.startswith("_")
            if plain:
                wrapper = wrappers.setdefault(id(original), _of_numpy(name, original))
                places.append((vars(module), name, original, wrapper))
    for name in (*MATH, *_MATH):
        original = getattr(math, name, None)
        if original is not None:
            function = _MATH.get(name) or FUNCTIONS[MATH[name]]
            places.append((vars(math), name, original, _of_math(original, function)))
    for name, op in (("max", "max"), ("min", "min")):
        original = getattr(builtins, name)
        places.append((vars(builtins), name, original, _extreme(original, op)))
    return tuple(places)


@contextlib.contextmanager
def tracing(graph: Graph, function: Callable[..., Any]) -> Iterator[None]:
    """Puts the wrappers in their places while a function is traced."""
    global _active
    with _LOCK:
        places = _places()
        wrappers = {id(original): (original, wrapper) for _, _, original, wrapper in places}
        imported = [
            (namespace, name, *wrappers[id(value)])
            for namespace in namespaces(function)
            for name, value in namespace.items()
            if id(value) in wrappers
        ]
        done: list[tuple[dict[str, Any], str, Any]] = []
        before = _active
        try:
            _active = (graph, threading.get_ident())
            for namespace, name, original, wrapper in (*places, *imported):
                namespace[name] = wrapper
                done.append((namespace, name, original))
            with np.errstate(all="ignore"):
                yield
        finally:
            _active = before
            for namespace, name, original in reversed(done):
                namespace[name] = original
