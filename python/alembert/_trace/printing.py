"""Nodes to formulas of model files.

What is used more than once and is not short becomes a definition, and so does what would make a formula long or deep:
a formula may have 100 000 characters and 64 nested brackets, and stays far below both. Operations keep their order,
so that formulas have the values of the graph to the last bit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple, Union

from .graph import Graph
from .node import Node
from .values import COMPARISONS

#: Longest text of a part of a formula, in characters.
_LONGEST = 200
#: Deepest nesting of brackets, signs and powers in a part of a formula.
_DEEPEST = 20
#: What is not longer is written again rather than defined.
_SHORT = 12

# How strongly the outermost operation of a text binds.
_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(9)


class _Text(NamedTuple):
    """A formula, how strongly it binds, and how deep it is."""

    text: str
    binds: int
    depth: int


def number(x: float) -> str:
    """A number with the fewest digits that read back to the same bits.

    >>> number(9.81), number(-2.0), number(1e-30)
    ('9.81', '-2', '1e-30')
    """
    if math.isnan(x):
        return "0/0"
    if math.isinf(x):
        return "1/0" if x > 0 else "-1/0"
    if abs(x) == math.pi:
        return "pi" if x > 0 else "-pi"
    return str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)


def _number(x: float) -> _Text:
    text = number(x)
    if not math.isfinite(x):
        return _Text(text, _PRODUCT, 0)
    return _Text(text, _SIGN if x < 0 else _ATOM, int(x < 0))


def _in_brackets(part: _Text, least: int, *, unsigned: bool = False) -> tuple[str, int]:
    """The text of an operand, in brackets where it binds less than it must, and its depth."""
    if part.binds < least or (unsigned and part.text.startswith("-")):
        return f"({part.text})", part.depth + 1
    return part.text, part.depth


def _sum(op: str, left: _Text, right: _Text) -> _Text:
    first, depth = _in_brackets(left, _SUM)
    second, other = _in_brackets(right, _PRODUCT)
    if second.startswith("-"):
        # The sign of a product, or of a power, is that of its first factor: a + -2*b is a - 2*b.
        op, second = ("-" if op == "+" else "+"), second[1:]
    return _Text(f"{first} {op} {second}", _SUM, max(depth, other))


def _product(op: str, left: _Text, right: _Text) -> _Text:
    first, depth = _in_brackets(left, _PRODUCT)
    second, other = _in_brackets(right, _SIGN, unsigned=True)
    return _Text(f"{first}{op}{second}", _PRODUCT, max(depth, other))


def _negative(part: _Text) -> _Text:
    text, depth = _in_brackets(part, _PRODUCT, unsigned=True)
    return _Text(f"-{text}", _PRODUCT if part.binds == _PRODUCT else _SIGN, depth + 1)


def _power(base: _Text, exponent: _Text) -> _Text:
    below, depth = _in_brackets(base, _ATOM)
    above, other = _in_brackets(exponent, _SIGN if exponent.binds == _SIGN else _ATOM)
    return _Text(f"{below}^{above}", _POWER, max(depth, other) + 1)


def _joined(op: str, left: _Text, right: _Text) -> _Text:
    binds = _OR if op == "or" else _AND
    first, depth = _in_brackets(left, binds)
    second, other = _in_brackets(right, binds + 1)
    return _Text(f"{first} {op} {second}", binds, max(depth, other))


def _operation(op: str, parts: Sequence[_Text]) -> _Text:
    if op in ("+", "-"):
        return _sum(op, *parts)
    if op in ("*", "/"):
        return _product(op, *parts)
    if op == "^":
        return _power(*parts)
    if op == "neg":
        return _negative(*parts)
    if op in COMPARISONS:
        (first, depth), (second, other) = (_in_brackets(part, _SUM) for part in parts)
        return _Text(f"{first} {op} {second}", _COMPARE, max(depth, other))
    if op in ("and", "or"):
        return _joined(op, *parts)
    if op == "not":
        return _Text(f"not ({parts[0].text})", _NOT, parts[0].depth + 2)
    arguments = ", ".join(part.text for part in parts)
    return _Text(f"{op}({arguments})", _ATOM, 1 + max(part.depth for part in parts))


class Printer:
    """The formulas of some nodes, with the definitions that they use.

    >>> graph = Graph()
    >>> x = graph.symbol("x")
    >>> Printer(graph, [-(x + 1)**2/3]).text(-(x + 1)**2/3)
    '-(x + 1)^2/3'
    """

    def __init__(self, graph: Graph, roots: Sequence[Node], taken: Collection[str] = (), prefix: str = "c") -> None:
        #: Formulas by name, in an order in which each uses earlier ones only.
        self.definitions: dict[str, str] = {}
        self._texts: dict[int, _Text] = {}
        names = (name for name in (f"{prefix}{i}" for i in range(1, 10**9)) if name not in taken)
        needed = graph.needed(roots)
        uses = Counter(part.index for node in needed for part in node.arguments)
        uses.update(root.index for root in roots)
        ends = {root.index for root in roots}
        for node in needed:
            text = self._of(node)
            again = uses[node.index] > 1 and len(text.text) > _SHORT
            large = len(text.text) > _LONGEST or text.depth > _DEEPEST
            # A formula that nothing else uses may be as large as its parts make it.
            alone = node.index in ends and uses[node.index] == 1
            if node.arguments and (again or (large and not alone)):
                name = next(names)
                self.definitions[name] = text.text
                text = _Text(name, _ATOM, 0)
            self._texts[node.index] = text

    def _of(self, node: Node) -> _Text:
        if node.number is not None:
            return _number(node.number)
        if node.op == "symbol":
            return _Text(node.value, _ATOM, 0)
        return _operation(node.op, [self._texts[part.index] for part in node.arguments])

    def text(self, node: Node) -> str:
        """The formula of one of the nodes."""
        return self._texts[node.index].text

    def value(self, node: Node) -> Union[str, float, int]:
        """The same for a file: a number where it is one."""
        x = node.number
        if x is None or not math.isfinite(x):
            return self.text(node)
        return int(x) if x == int(x) and abs(x) < 1e15 else x
