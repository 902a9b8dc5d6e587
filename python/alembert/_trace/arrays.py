"""Arrays of symbolic numbers, and what NumPy's functions do with them.

A :class:`TracedArray` is an array of objects: nodes, and conditions. NumPy asks it what its functions mean: functions
of numbers go entry by entry through the table in ``functions.py``, functions of arrays that look at values
(``np.where``, ``np.clip``, …) are in ``array_functions.py``, and all others only move entries about or add and
multiply them, which NumPy does itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Optional

import numpy as np

from .functions import CONDITIONAL, FUNCTIONS, IDENTITIES
from .graph import Graph
from .node import Condition, Node
from .refusal import refusal

Array = Any

#: Products of arrays, which add and multiply entries only.
_PRODUCTS = frozenset({"matmul", "vecdot", "matvec", "vecmat"})
#: Options of ufuncs that speak of types or memory.
_IGNORED = ("dtype", "casting", "order", "subok", "signature")
_BOOLS = (bool, np.bool_)
#: What functions of arrays mean, filled in ``array_functions.py``; each takes the graph first.
ARRAY_FUNCTIONS: dict[Any, Callable[..., Any]] = {}


class TracedArray(np.ndarray[Any, Any]):
    """An array whose entries are symbolic numbers."""

    graph: Optional[Graph]

    def __array_finalize__(self, source: Any) -> None:
        self.graph = getattr(source, "graph", None)

    def _owner(self) -> Graph:
        if self.graph is None:
            self.graph = next(node.graph for node in self.flat if isinstance(node, Node))
        return self.graph

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return apply_ufunc(self._owner(), ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Iterable[Any], arguments: Any, options: Any) -> Any:
        return apply_function(self._owner(), function, arguments, options)

    def __getitem__(self, key: Any) -> Any:
        if _is_symbolic_mask(key):
            raise self._owner().refuse(_mask_refusal())
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        graph = self._owner()
        if _is_symbolic_mask(key):
            if np.ndim(value):
                raise graph.refuse(_mask_refusal())
            key, value = ..., apply_function(graph, np.where, (key, value, self), {})
        super().__setitem__(key, entries(graph, value))

    def astype(self, dtype: Any, *arguments: Any, **options: Any) -> Any:
        """A copy: symbolic numbers stand for floats. Whole numbers have to be asked for by np.floor or np.round."""
        if is_float(dtype) or np.dtype(dtype) == object:
            return self.copy()
        if np.dtype(dtype) == bool:
            return self != 0.0
        return adopt(self._owner(), self.view(np.ndarray).astype(dtype, *arguments, **options))


def _is_symbolic_mask(key: Any) -> bool:
    return isinstance(key, Condition) or (isinstance(key, np.ndarray) and key.dtype == object)


def _mask_refusal() -> Any:
    return refusal("entries are chosen by a condition that varies", "use np.where(condition, a, b)")


def is_float(dtype: Any) -> bool:
    """Whether a type is one of floating point numbers."""
    try:
        # NumPy takes None for float64.
        return dtype is not None and np.dtype(dtype).kind == "f"
    except TypeError:
        return False


def entries(graph: Graph, value: Any) -> Any:
    """Numbers as constants of a graph; nodes, conditions and booleans stay."""
    if isinstance(value, Node):
        return value
    array = np.asarray(to_array(graph, value))
    if array.dtype.kind == "f" and not array.any():
        return _boxed(array.shape, graph.constant(0.0))

    def entry(x: Any) -> Any:
        return x if isinstance(x, (Node, *_BOOLS)) else graph.lift(x)

    return np.frompyfunc(entry, 1, 1)(array)


def _boxed(shape: tuple[int, ...], node: Node) -> Array:
    array = np.empty(shape, dtype=object)
    array.fill(node)
    return array


def to_array(graph: Graph, value: Any) -> Any:
    """Lists with symbolic numbers in them as arrays; everything else stays."""
    if not isinstance(value, (list, tuple)):
        return value
    parts = [to_array(graph, part) for part in value]
    if any(isinstance(part, Node) or (isinstance(part, np.ndarray) and part.dtype == object) for part in parts):
        return traced(graph, np.array([np.asarray(part) for part in parts], dtype=object))
    return value


def traced(graph: Graph, value: Any) -> Any:
    """An array with its entries in a graph; it shares its memory with one whose entries are there already."""
    array = np.asarray(to_array(graph, value))
    if array.dtype != object or not all(isinstance(entry, (Node, *_BOOLS)) for entry in array.flat):
        array = np.asarray(entries(graph, array), dtype=object)
    view = array.view(TracedArray)
    view.graph = graph
    return view


def adopt(graph: Graph, result: Any) -> Any:
    """What a function of NumPy gave: arrays of numbers become traced, so that they can be filled."""
    if isinstance(result, tuple) and type(result) is not tuple:
        return type(result)(*(adopt(graph, part) for part in result))
    if isinstance(result, (tuple, list)):
        return type(result)(adopt(graph, part) for part in result)
    if not isinstance(result, np.ndarray) or result.dtype.kind not in "fO":
        return result
    if result.dtype == object and result.size and all(isinstance(x, _BOOLS) for x in result.flat):
        return result.view(np.ndarray).astype(bool)
    if isinstance(result, TracedArray) and result.graph is graph:
        return result
    return traced(graph, result)


def _constant(value: Any) -> bool:
    """Whether nothing in an argument varies."""
    if isinstance(value, Node):
        return value.number is not None
    if isinstance(value, np.ndarray) and value.dtype == object:
        return all(_constant(entry) for entry in value.flat)
    if isinstance(value, (list, tuple)):
        return all(_constant(part) for part in value)
    return not isinstance(value, Mapping) or all(_constant(part) for part in value.values())


def _lowered(value: Any) -> Any:
    """The same as plain numbers."""
    if isinstance(value, Node):
        return float(value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value.view(np.ndarray).astype(float)
    if isinstance(value, (list, tuple)):
        return type(value)(_lowered(part) for part in value)
    return value


def _plain(graph: Graph, value: Any) -> Any:
    """An operand that NumPy works on itself; traced arrays and nodes would make it ask us again."""
    value = to_array(graph, value)
    if isinstance(value, Node):
        return _boxed((), value)
    return value.view(np.ndarray) if isinstance(value, TracedArray) else value


def _of_conditions(name: str, graph: Graph, *x: Any) -> Any:
    if not all(isinstance(part, (Condition, *_BOOLS)) for part in x):
        raise graph.refuse(refusal(f"np.{name} of numbers has no formula"))
    return CONDITIONAL[name](graph, *x)


def apply_ufunc(graph: Graph, ufunc: np.ufunc, method: str, inputs: Any, options: dict[str, Any]) -> Any:
    """A function of numbers, entry by entry; or a reduction by it."""
    name = ufunc.__name__
    inputs = tuple(_plain(graph, x) for x in inputs)
    out = options.pop("out", None)
    for option in _IGNORED:
        options.pop(option, None)
    mask = options.get("where", True)
    if _is_symbolic_mask(mask):
        del options["where"]
    else:
        mask = True
    function = FUNCTIONS.get(name)
    if name in CONDITIONAL:
        function = partial(_of_conditions, name)
    if name in _PRODUCTS:
        operation: Any = getattr(ufunc, method)
        inputs = tuple(entries(graph, x) for x in inputs)
    elif function is not None:
        identity = IDENTITIES.get(name)
        operation = getattr(np.frompyfunc(partial(function, graph), ufunc.nin, ufunc.nout, identity=identity), method)
    elif _constant(inputs):
        return adopt(graph, getattr(ufunc, method)(*(_lowered(x) for x in inputs), **options))
    elif set(ufunc.types) <= {"O" * ufunc.nin + "->" + "O" * ufunc.nout}:
        # Made of a Python function, as by np.vectorize.
        operation = getattr(ufunc, method)
    else:
        raise graph.refuse(refusal(f"the function {name} has no formula", _INSTEAD.get(name, "")))
    result = operation(*inputs, **options)
    if out is None:
        return adopt(graph, result)
    outs = out if isinstance(out, tuple) else (out,)
    results = result if ufunc.nout > 1 and method == "__call__" else (result,)
    for target, part in zip(outs, results):
        if target is not None:
            _store(graph, target, part, mask)
    return outs[0] if len(outs) == 1 else outs


_INSTEAD = {
    "isnan": "use np.where with a condition on the arguments instead of one on the result",
    "isfinite": "use np.where with a condition on the arguments instead of one on the result",
    "isinf": "use np.where with a condition on the arguments instead of one on the result",
}


def _store(graph: Graph, target: Array, result: Any, mask: Any) -> None:
    if target.dtype != object:
        advice = "arrays that are filled must be made inside of the function, by np.zeros or np.array"
        raise graph.refuse(refusal("a number that varies is stored in an array of floats", advice))
    if mask is not True:
        result = apply_function(graph, np.where, (mask, result, target), {})
    target[...] = result


def apply_function(graph: Graph, function: Any, arguments: Any, options: dict[str, Any]) -> Any:
    """A function of arrays."""
    if is_float(options.get("dtype")):
        options = {name: value for name, value in options.items() if name != "dtype"}
    special = ARRAY_FUNCTIONS.get(function)
    if special is not None:
        return special(graph, *arguments, **options)
    if _constant(arguments) and _constant(options):
        arguments = [_lowered(argument) for argument in arguments]
        return adopt(graph, function(*arguments, **{name: _lowered(value) for name, value in options.items()}))
    implementation = getattr(function, "_implementation", function)
    try:
        return adopt(graph, implementation(*arguments, **options))
    except TypeError as error:
        module = getattr(function, "__module__", "")
        if module != "numpy.linalg" or graph.refused is not None:
            raise
        advice = "matrices of numbers that vary can be multiplied, and inverted up to 3 by 3"
        raise graph.refuse(refusal(f"np.linalg.{function.__name__} has no formula", advice)) from error
