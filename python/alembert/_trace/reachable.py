"""The modules of a user's function and of the functions it calls, as far as they can be seen without calling it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

#: Their functions do not use names that were imported by users.
_FOREIGN = frozenset({"numpy", "scipy", "sympy", "mpmath", *getattr(sys, "stdlib_module_names", ())}) - {"__main__"}
#: More functions than anybody calls from one; a bound on the time.
_MOST = 2000


def _is_foreign(name: Any) -> bool:
    return isinstance(name, str) and name.partition(".")[0] in _FOREIGN


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _called(value: Any) -> Iterator[Any]:
    """What something callable calls at most."""
    if isinstance(value, functools.partial):
        yield value.func
        yield from (part for part in (*value.args, *value.keywords.values()) if callable(part))
    elif isinstance(value, MethodType):
        yield value.__func__
        # A method calls others of its class.
        yield from (part for part in vars(type(value.__self__)).values() if isinstance(part, FunctionType))
    elif isinstance(value, FunctionType):
        names = {name for code in _codes(value.__code__) for name in code.co_names}
        found = [value.__globals__[name] for name in names if name in value.__globals__]
        cells = value.__closure__ or ()
        found += [cell.cell_contents for cell in cells if _is_filled(cell)]
        for part in found:
            if isinstance(part, ModuleType) and not _is_foreign(part.__name__):
                yield from (vars(part)[name] for name in names if name in vars(part))
            else:
                yield part
        wrapped = getattr(value, "__wrapped__", None)
        if wrapped is not None:
            yield wrapped
    elif callable(value) and not isinstance(value, type):
        call = getattr(type(value), "__call__", None)
        if isinstance(call, FunctionType):
            yield MethodType(call, value)


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def namespaces(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """The global names of the modules whose functions may be called, each once."""
    seen: set[int] = set()
    found: dict[int, dict[str, Any]] = {}
    stack: list[Any] = [function]
    while stack and len(seen) < _MOST:
        value = stack.pop()
        if id(value) in seen or not callable(value) or _is_foreign(getattr(value, "__module__", None)):
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType):
            found[id(value.__globals__)] = value.__globals__
        stack.extend(_called(value))
    return list(found.values())
