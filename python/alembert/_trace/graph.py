"""Expressions as a graph in which everything stands once.

A node is an operation on earlier nodes, so the order of the nodes is an order of evaluation. Equal operations are the
same node, constants are folded. Nothing is simplified that could change a value, but for the sign of a zero: these
are the rules by which the program reads formulas, ``0*x`` included, which is 0 only where x is finite whatever its
arguments are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

import numpy as np

from .node import Condition, Node
from .refusal import Untraceable, refusal
from .values import COMPARISONS, CONDITIONS, VALUES

#: The power of two that numbers are below.
_LARGEST = 1024
_AT_MOST_ONE = frozenset({"sin", "cos", "tanh", "sign"})
_AS_LARGE = frozenset({"neg", "abs", "floor", "ceil", "round"})
_PLAIN = (bool, int, float, np.bool_, np.integer, np.floating)


def _reach(op: str, value: Any, arguments: Sequence[Node]) -> Optional[int]:
    """Bits that a node is below for all finite arguments; None if it may be infinite, or not a number."""
    if op == "number":
        if not math.isfinite(value):
            return None
        return max(0, math.ceil(math.log2(abs(value)))) if value else 0
    if op == "symbol":
        return _LARGEST
    reaches = [node.reach for node in arguments]
    known = [bits for bits in reaches if bits is not None]
    if len(known) < len(reaches):
        return None
    if op in _AS_LARGE:
        bits = known[0]
    elif op in _AT_MOST_ONE or op in CONDITIONS:
        bits = 0
    elif op in ("atan", "atan2"):
        bits = 2
    elif op in ("+", "-", "hypot"):
        bits = max(known) + 1
    elif op == "*":
        bits = known[0] + known[1]
    elif op in ("min", "max", "clamp", "if"):
        bits = max(known)
    else:
        return None
    return bits if bits <= _LARGEST else None


class Graph:
    """Operations, each on earlier ones.

    >>> graph = Graph()
    >>> x = graph.symbol("x")
    >>> (x + 1) is (x + 1)
    True
    >>> x*1 + 0 is x
    True
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: dict[tuple[Any, ...], Node] = {}
        #: The first refusal; users' code may have caught it.
        self.refused: Optional[Untraceable] = None

    def _push(self, op: str, value: Any, arguments: tuple[Node, ...]) -> Node:
        key = (op, value, *(node.index for node in arguments))
        node = self._known.get(key)
        if node is None:
            kind = Condition if op in CONDITIONS else Node
            node = kind(self, len(self.nodes), op, value, arguments, _reach(op, value, arguments))
            self.nodes.append(node)
            self._known[key] = node
        return node

    def refuse(self, refused: Untraceable) -> Untraceable:
        """Remembers a refusal, for code that catches it; the caller raises it."""
        self.refused = self.refused or refused
        return refused

    def symbol(self, name: str) -> Node:
        """A variable by the name that formulas have for it."""
        return self._push("symbol", name, ())

    def constant(self, value: float) -> Node:
        """A number."""
        # One zero, and one key for all that is not a number.
        value = float(value) + 0.0
        node = self._push("number", value, ()) if value == value else self._push("nan", None, ())
        node.number = value
        return node

    def lift(self, x: Any) -> Node:
        """Anything that is a number, as a node; of a condition 1 or 0."""
        if isinstance(x, Condition):
            return self._push("if", None, (self._own(x), self.constant(1.0), self.constant(0.0)))
        if isinstance(x, Node):
            return self._own(x)
        if isinstance(x, _PLAIN):
            return self.constant(float(x))
        if isinstance(x, np.ndarray) and x.ndim == 0:
            return self.lift(x.item())
        raise self.refuse(refusal(f"a {type(x).__name__} stands where a number is expected"))

    def _own(self, node: Node) -> Node:
        if node.graph is not self:
            advice = "results of other calls must not be kept, by a cache or a global variable"
            raise self.refuse(refusal("a symbolic number of an earlier call is used", advice))
        return node

    def condition(self, x: Any) -> Any:
        """Anything that is true or false: a Condition, or a bool where it is known."""
        if isinstance(x, Condition):
            return self._own(x)
        if isinstance(x, Node):
            return self.compare("!=", x, 0.0)
        return bool(x)

    def call(self, op: str, *arguments: Any) -> Node:
        """A function, or an operation that has no simplifications of its own."""
        nodes = tuple(self.lift(x) for x in arguments)
        numbers = [node.number for node in nodes]
        if None not in numbers:
            with np.errstate(all="ignore"):
                return self.constant(VALUES[op](*numbers))
        return self._push(op, None, nodes)

    def negative(self, a: Any) -> Node:
        """-a"""
        node = self.lift(a)
        if node.number is not None:
            return self.constant(-node.number)
        if node.op == "neg":
            return node.arguments[0]
        if node.op == "-":
            return self.subtract(node.arguments[1], node.arguments[0])
        return self._push("neg", None, (node,))

    def add(self, a: Any, b: Any) -> Node:
        """a + b"""
        x, y = self.lift(a), self.lift(b)
        if x.number == 0.0:
            return y
        if y.number == 0.0:
            return x
        if y.op == "neg":
            return self.subtract(x, y.arguments[0])
        if x.op == "neg":
            return self.subtract(y, x.arguments[0])
        return self.call("+", x, y)

    def subtract(self, a: Any, b: Any) -> Node:
        """a - b"""
        x, y = self.lift(a), self.lift(b)
        if y.number == 0.0:
            return x
        if x.number == 0.0:
            return self.negative(y)
        if x is y and x.reach is not None:
            return self.constant(0.0)
        if y.op == "neg":
            return self.add(x, y.arguments[0])
        return self.call("-", x, y)

    def multiply(self, a: Any, b: Any) -> Node:
        """a*b"""
        x, y = self.lift(a), self.lift(b)
        for one, other in ((x, y), (y, x)):
            if one.number == 0.0 and other.reach is not None:
                return one
            if one.number == 1.0:
                return other
            if one.number == -1.0:
                return self.negative(other)
        if x.op == "neg":
            return self.negative(self.multiply(x.arguments[0], y))
        if y.op == "neg":
            return self.negative(self.multiply(x, y.arguments[0]))
        return self.power(x, 2.0) if x is y else self.call("*", x, y)

    def divide(self, a: Any, b: Any) -> Node:
        """a/b"""
        x, y = self.lift(a), self.lift(b)
        if y.number == 1.0:
            return x
        if y.number == -1.0:
            return self.negative(x)
        if x.op == "neg":
            return self.negative(self.divide(x.arguments[0], y))
        if y.op == "neg":
            return self.negative(self.divide(x, y.arguments[0]))
        return self.call("/", x, y)

    def power(self, a: Any, b: Any) -> Node:
        """a^b"""
        x, y = self.lift(a), self.lift(b)
        if y.number == 0.0:
            return self.constant(1.0)
        if y.number == 1.0:
            return x
        if y.number == 0.5:
            return self.call("sqrt", x)
        return self.divide(1.0, x) if y.number == -1.0 else self.call("^", x, y)

    def limit(self, op: str, a: Any, b: Any) -> Node:
        """The smaller ("min") or the larger ("max") of two."""
        x, y = self.lift(a), self.lift(b)
        # What no number exceeds limits nothing, and has no place in a formula.
        beyond = math.inf if op == "min" else -math.inf
        if x is y or y.number == beyond:
            return x
        return y if x.number == beyond else self.call(op, x, y)

    def compare(self, op: str, a: Any, b: Any) -> Any:
        """A Condition, or a bool where both sides are constants."""
        assert op in COMPARISONS
        a, b = self.lift(a), self.lift(b)
        if a.number is not None and b.number is not None:
            return bool(VALUES[op](a.number, b.number))
        return self._push(op, None, (a, b))

    def both(self, a: Any, b: Any) -> Any:
        """a and b"""
        return self._joined("and", a, b, decisive=False)

    def either(self, a: Any, b: Any) -> Any:
        """a or b"""
        return self._joined("or", a, b, decisive=True)

    def _joined(self, op: str, a: Any, b: Any, *, decisive: bool) -> Any:
        a, b = self.condition(a), self.condition(b)
        for x, y in ((a, b), (b, a)):
            if isinstance(x, bool):
                return decisive if x is decisive else y
        return a if a is b else self._push(op, None, (a, b))

    def unless(self, a: Any) -> Any:
        """not a"""
        a = self.condition(a)
        if isinstance(a, bool):
            return not a
        return a.arguments[0] if a.op == "not" else self._push("not", None, (a,))

    def differ(self, a: Any, b: Any) -> Any:
        """Whether one of two conditions holds, and not both."""
        return self.both(self.either(a, b), self.unless(self.both(a, b)))

    def select(self, condition: Any, then: Any, other: Any) -> Any:
        """``then`` where a condition holds, else ``other``; of conditions a condition."""
        condition = self.condition(condition)
        if isinstance(condition, bool):
            return then if condition else other
        kinds = (Condition, bool, np.bool_)
        if isinstance(then, kinds) and isinstance(other, kinds):
            return self.either(self.both(condition, then), self.both(self.unless(condition), other))
        then, other = self.lift(then), self.lift(other)
        # A condition of what may be infinite may have no value.
        if then is other and condition.reach is not None:
            return then
        return self._push("if", None, (condition, then, other))

    def needed(self, roots: Iterable[Node]) -> list[Node]:
        """Everything that some nodes need, themselves included, in the order of evaluation."""
        found: set[int] = set()
        stack = [node.index for node in roots]
        while stack:
            index = stack.pop()
            if index not in found:
                found.add(index)
                stack.extend(node.index for node in self.nodes[index].arguments)
        return [self.nodes[index] for index in sorted(found)]

    def evaluate(self, roots: Sequence[Node], values: Mapping[str, float]) -> list[float]:
        """The values of nodes for values of the variables by name."""
        known: dict[int, Any] = {}
        with np.errstate(all="ignore"):
            for node in self.needed(roots):
                if node.number is not None:
                    known[node.index] = node.number
                elif node.op == "symbol":
                    known[node.index] = float(values[node.value])
                else:
                    known[node.index] = VALUES[node.op](*(known[part.index] for part in node.arguments))
        return [float(known[node.index]) for node in roots]
