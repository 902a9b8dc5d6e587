"""Reads formulas of model files and computes them, from the grammar on ``docs/model-format.md``: nothing of the package."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z_]\w*(?:\[\d+\])?'*)|(<=|>=|==|!=|[-+*/^(),<>]))")


def _mod(x: float, y: float) -> float:
    rest = math.fmod(x, y) if y else math.nan
    return rest + y if rest and (rest < 0) != (y < 0) else rest


def _round(x: float) -> float:
    return math.copysign(math.floor(abs(x) + 0.5), x)


_FUNCTIONS: dict[str, Any] = {
    **{name: getattr(math, name) for name in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt hypot".split()},
    "abs": abs,
    "min": min,
    "max": max,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": _round,
    "mod": _mod,
    "clamp": lambda x, low, high: min(max(x, low), high),
    "sign": lambda x: (x > 0) - (x < 0),
}
_COMPARISONS: dict[str, Any] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


class Reader:
    """A formula over values by name; definitions are formulas by name."""

    def __init__(self, values: Mapping[str, float], definitions: Mapping[str, str] | None = None) -> None:
        self.values: dict[str, Any] = {"pi": math.pi, **{name: float(value) for name, value in values.items()}}
        for name, text in (definitions or {}).items():
            assert name not in self.values, f"{name} is taken"
            self.values[name] = self.value(text)

    def value(self, text: Any) -> Any:
        """The value of a formula."""
        self._tokens: list[str] = []
        rest = str(text)
        while rest.strip():
            match = _TOKEN.match(rest)
            assert match, f"cannot read {rest!r}"
            self._tokens.append(match.group().strip())
            rest = rest[match.end() :]
        self._at, self._depth = 0, 0
        result = self._either()
        assert self._at == len(self._tokens), f"{text!r} goes on at {self._tokens[self._at :]}"
        return result

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, *words: str) -> str:
        word = self._peek()
        if word and word in words:
            self._at += 1
            return word
        return ""

    def _deeper(self, part: Any) -> Any:
        self._depth += 1
        assert self._depth <= 64, "nested more than 64 deep"
        result = part()
        self._depth -= 1
        return result

    def _either(self) -> Any:
        result = self._both()
        while self._take("or"):
            other = self._both()
            result = result or other
        return result

    def _both(self) -> Any:
        result = self._negation()
        while self._take("and"):
            other = self._negation()
            result = result and other
        return result

    def _negation(self) -> Any:
        if self._take("not"):
            return not self._deeper(self._negation)
        result = self._sum()
        word = self._take(*_COMPARISONS)
        return _COMPARISONS[word](result, self._sum()) if word else result

    def _sum(self) -> Any:
        result = self._term()
        while word := self._take("+", "-"):
            other = self._term()
            result = result + other if word == "+" else result - other
        return result

    def _term(self) -> Any:
        result = self._unary()
        while word := self._take("*", "/"):
            other = self._unary()
            result = result * other if word == "*" else _quotient(result, other)
        return result

    def _unary(self) -> Any:
        if self._take("-"):
            return -self._deeper(self._unary)
        base = self._atom()
        return _power(base, self._deeper(self._unary)) if self._take("^") else base

    def _atom(self) -> Any:
        if self._take("("):
            result = self._deeper(self._either)
            assert self._take(")")
            return result
        word = self._peek()
        self._at += 1
        if self._take("("):
            return self._deeper(lambda: self._call(word))
        return self.values[word] if word[0].isalpha() or word[0] == "_" else float(word)

    def _call(self, name: str) -> Any:
        arguments = [self._either()]
        while self._take(","):
            arguments.append(self._either())
        assert self._take(")")
        if name == "if":
            return arguments[1] if arguments[0] else arguments[2]
        try:
            return _FUNCTIONS[name](*arguments)
        except (ValueError, OverflowError):
            return math.nan


def _quotient(a: float, b: float) -> float:
    return a / b if b else math.nan if a == 0 or a != a else math.copysign(math.inf, a)


def _power(x: float, y: float) -> float:
    try:
        result = x**y
    except (ZeroDivisionError, OverflowError):
        return math.inf
    return result if isinstance(result, (int, float)) else math.nan
