"""Says which keyword was meant: calls with unknown or missing keywords are refused with the name of the element."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from .columns import nearest

C = TypeVar("C", bound=type)

#: Keys of the file that are arguments of another name.
_ELSEWHERE = {"of": "the two ends are `first` and `second`", "type": "it is the name of the method"}


def telling(cls: C) -> C:
    """Wraps the public methods of a class; their signatures stay what they are."""
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        parameters = inspect.signature(method).parameters.values()
        if not name.startswith("_") and all(parameter.kind != parameter.VAR_KEYWORD for parameter in parameters):
            setattr(cls, name, _told(method))
    return cls


def _told(method: Callable[..., Any]) -> Callable[..., Any]:
    own = list(inspect.signature(method).parameters.values())[1:]
    words = [parameter.name for parameter in own]
    by_place = [parameter.name for parameter in own if parameter.kind != parameter.KEYWORD_ONLY]
    needed = [parameter.name for parameter in own if parameter.default is parameter.empty]

    @functools.wraps(method)
    def called(self: Any, *given: Any, **named: Any) -> Any:
        for word in named:
            if word not in words:
                hint = _ELSEWHERE.get(word) or nearest(word, [known for known in words if known != "name"])
                raise TypeError(f"{_element(method, given, named)}: unknown keyword `{word}`: {hint}")
        there = {*by_place[: len(given)], *named}
        missing = [f"`{word}`" for word in needed if word not in there]
        if missing:
            raise TypeError(f"{_element(method, given, named)} needs {' and '.join(missing)}")
        return method(self, *given, **named)

    return called


def _element(method: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> str:
    """What a call is about, in words."""
    word = method.__name__.replace("_", " ")
    name = given[0] if given else named.get("name")
    return f"{word} `{name}`" if isinstance(name, str) else word
