"""Symbolic numbers and conditions: what the functions of a user compute with while they are traced."""

from __future__ import annotations

import numbers
from functools import partial
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .refusal import Untraceable, decision, refusal

if TYPE_CHECKING:
    from .graph import Graph

_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


def _fits(other: Any) -> bool:
    """Whether an operator can work on something here; arrays do it themselves, entry by entry."""
    return isinstance(other, (Node, *_NUMBERS))


class Node:
    """A number that is not known yet: an operation on other nodes of its graph.

    Operators and NumPy's functions give further nodes. A node that is a constant behaves as a float.
    """

    __slots__ = ("graph", "index", "op", "value", "arguments", "reach", "number")

    # NumPy's own numbers ask for this before they take part in an operation.
    __array_priority__ = 1000.0

    graph: Graph
    index: int
    op: str
    value: Any
    arguments: tuple[Node, ...]
    reach: Optional[int]
    number: Optional[float]

    def __init__(
        self, graph: Graph, index: int, op: str, value: Any, arguments: tuple[Node, ...], reach: Optional[int]
    ) -> None:
        self.graph = graph
        self.index = index
        self.op = op
        self.value = value
        self.arguments = arguments
        self.reach = reach
        self.number = None

    # Numbers.

    def __add__(self, other: Any) -> Any:
        return self.graph.add(self, other) if _fits(other) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return self.graph.add(other, self) if _fits(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self.graph.subtract(self, other) if _fits(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return self.graph.subtract(other, self) if _fits(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        return self.graph.multiply(self, other) if _fits(other) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return self.graph.multiply(other, self) if _fits(other) else NotImplemented

    def __truediv__(self, other: Any) -> Any:
        return self.graph.divide(self, other) if _fits(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return self.graph.divide(other, self) if _fits(other) else NotImplemented

    def __pow__(self, other: Any, modulus: None = None) -> Any:
        return self.graph.power(self, other) if _fits(other) else NotImplemented

    def __rpow__(self, other: Any) -> Any:
        return self.graph.power(other, self) if _fits(other) else NotImplemented

    def __mod__(self, other: Any) -> Any:
        return self.graph.call("mod", self, other) if _fits(other) else NotImplemented

    def __rmod__(self, other: Any) -> Any:
        return self.graph.call("mod", other, self) if _fits(other) else NotImplemented

    def __floordiv__(self, other: Any) -> Any:
        return self.floor_divide(other) if _fits(other) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Any:
        return self.graph.lift(other).floor_divide(self) if _fits(other) else NotImplemented

    def __divmod__(self, other: Any) -> Any:
        return (self // other, self % other) if _fits(other) else NotImplemented

    def __rdivmod__(self, other: Any) -> Any:
        return (other // self, other % self) if _fits(other) else NotImplemented

    def __neg__(self) -> Any:
        return self.graph.negative(self)

    def __pos__(self) -> Any:
        return self.graph.lift(self)

    def __abs__(self) -> Any:
        return self.graph.call("abs", self)

    def __floor__(self) -> Any:
        return self.graph.call("floor", self)

    def __ceil__(self) -> Any:
        return self.graph.call("ceil", self)

    def __trunc__(self) -> Any:
        return self.trunc()

    def __round__(self, digits: Optional[int] = None) -> Any:
        scale = 10.0 ** (digits or 0)
        return (self * scale).rint() / scale

    # Conditions. Equality is a condition like others, so nodes are told apart by identity.

    __hash__ = object.__hash__

    def __eq__(self, other: Any) -> Any:
        return self.graph.compare("==", self, other) if _fits(other) else NotImplemented

    def __ne__(self, other: Any) -> Any:
        return self.graph.compare("!=", self, other) if _fits(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return self.graph.compare("<", self, other) if _fits(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return self.graph.compare("<=", self, other) if _fits(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self.graph.compare(">", self, other) if _fits(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.graph.compare(">=", self, other) if _fits(other) else NotImplemented

    # What needs a value.

    def _known(self, refused: Untraceable) -> float:
        raise self.graph.refuse(refused)

    def __bool__(self) -> bool:
        return bool(self.number if self.number is not None else self._known(decision()))

    def __float__(self) -> float:
        if self.number is not None:
            return self.number
        advice = (
            "leave out float(…) and dtype=float; use functions of NumPy, and make arrays that are filled "
            "inside of the function by np.zeros or np.array"
        )
        return self._known(refusal("a number that varies is turned into a float", advice))

    def __complex__(self) -> complex:
        return complex(float(self))

    def __int__(self) -> int:
        if self.number is not None:
            return int(self.number)
        return int(self._known(refusal("a number that varies is turned into an int", "use np.floor(x) or np.round(x)")))

    def __index__(self) -> int:
        if self.number is not None and self.number == int(self.number):
            return int(self.number)
        advice = "counts and indices must be the same everywhere: plain Python numbers, not `parameters`"
        return int(self._known(refusal("a number that varies is used as an index or a count", advice)))

    # What NumPy's own numbers have.

    shape: tuple[int, ...] = ()
    ndim = 0
    size = 1
    dtype = np.dtype(object)

    @property
    def T(self) -> Node:  # noqa: N802
        """Itself, as of numbers."""
        return self

    @property
    def real(self) -> Node:
        """Itself: all numbers are real."""
        return self

    @property
    def imag(self) -> float:
        """Zero: all numbers are real."""
        return 0.0

    def item(self) -> Node:
        """Itself."""
        return self

    def copy(self) -> Node:
        """Itself, which never changes."""
        return self

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: Any) -> Node:
        return self

    def __getattr__(self, name: str) -> Any:
        # NumPy calls functions of object arrays as methods of their entries: np.sin(x) is x.sin().
        from .functions import FUNCTIONS

        function = FUNCTIONS.get(name)
        if function is None:
            raise AttributeError(f"a symbolic number has no attribute {name!r}")
        return partial(function, self.graph, self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        from .arrays import apply_ufunc

        return apply_ufunc(self.graph, ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        from .arrays import apply_function

        return apply_function(self.graph, function, arguments, options)

    def __format__(self, layout: str) -> str:
        return format(self.number, layout) if self.number is not None else str(self)

    def __repr__(self) -> str:
        from .printing import Printer

        printer = Printer(self.graph, [self])
        more = f" with {len(printer.definitions)} definitions" if printer.definitions else ""
        return f"<{printer.text(self)}{more}>"


class Condition(Node):
    """A condition that is not known yet. As a number it is 1 where it holds, else 0."""

    __slots__ = ()

    def __and__(self, other: Any) -> Any:
        return self.graph.both(self, other) if _fits(other) else NotImplemented

    def __or__(self, other: Any) -> Any:
        return self.graph.either(self, other) if _fits(other) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return self.graph.differ(self, other) if _fits(other) else NotImplemented

    def __invert__(self) -> Any:
        return self.graph.unless(self)

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__


numbers.Number.register(Node)
