"""What Python adds to the text of a model: events, inputs and starts.

The text is read, changed and written again, so that the model stays a file that can be saved, and run by the program alone.
Functions of Python become formulas where they can be traced; an event that cannot be is called while the model runs.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _alembert, _toml
from ._errors import CallbackWarning, UsageError
from ._telling import warn

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Directions of an event by the sign of SciPy's ``direction``.
_DIRECTIONS = {1: "rising", -1: "falling", 0: "any"}


def with_initial(text: str, initial: Mapping[str, Any]) -> str:
    """The text with another start."""
    document = tomllib.loads(text)
    document["initial"] = {**document.get("initial", {}), **initial}
    return _toml.dumps(document)


def add(
    text: str,
    facts: Mapping[str, Any],
    events: Sequence[Any],
    inputs: Mapping[str, Any],
    functions: _alembert.Functions | None,
) -> tuple[str, _alembert.Functions | None]:
    """The text with events and inputs, and the functions that it calls."""
    document = tomllib.loads(text)
    for name, value in inputs.items():
        _add_input(document, facts, name, value)
    for number, event in enumerate(events):
        functions = _add_event(document, facts, event, number, functions)
    return _toml.dumps(document), functions


def _add_input(document: dict[str, Any], facts: Mapping[str, Any], name: str, value: Any) -> None:
    known = document.get("inputs", {})
    if name not in known:
        listed = ", ".join(known) or "none"
        raise UsageError(f"there is no input `{name}`", hint=f"inputs of the model are: {listed}", parameter=name)
    if isinstance(value, str):
        known[name] = value
    elif callable(value):
        known[name] = _traced_input(document, name, value)
    elif isinstance(value, Mapping):
        _add_table(document, known, name, value)
    elif np.ndim(value) == 0:
        known[name] = float(value)
    else:
        times, values = (np.asarray(part, dtype=float).ravel() for part in value)
        if times.shape != values.shape or len(times) < 2:
            raise UsageError(f"input `{name}` must be two lists of the same length, times and values", parameter=name)
        _add_table(document, known, name, {"x": times.tolist(), "y": values.tolist()})


def _add_table(document: dict[str, Any], known: dict[str, Any], name: str, keys: Mapping[str, Any]) -> None:
    """A table over the time with the keys of ``[tables]``, as an input."""
    table = f"{name}_over_time"
    plain = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in keys.items()}
    document.setdefault("tables", {})[table] = plain
    known[name] = f"{table}(t)"


def _traced_input(document: dict[str, Any], name: str, function: Callable[[float], float]) -> str:
    from ._trace import Untraceable

    try:
        formula, definitions = formula_of(document, f"input `{name}`", lambda t, q, v: function(t), [], [])
    except Untraceable as reason:
        hint = "write it with functions of NumPy, or give a pair of times and values"
        raise UsageError(f"input `{name}` cannot be traced: {reason}", hint=hint, parameter=name) from reason
    document.setdefault("definitions", {}).update(definitions)
    return formula


def formula_of(
    document: Mapping[str, Any], what: str, function: Callable[..., Any], q: Sequence[str], v: Sequence[str]
) -> tuple[str, dict[str, str]]:
    """A function of ``(t, q, v)`` as a formula, with the definitions that it needs."""
    from ._trace import Graph, Printer, record
    from ._trace.arrays import traced

    graph = Graph()

    def symbols(names: Sequence[str]) -> Any:
        return traced(graph, np.array([graph.symbol(name) for name in names], dtype=object))

    nodes = record(graph, what, function, graph.symbol("t"), symbols(q), symbols(v))
    if nodes.size != 1:
        raise UsageError(f"{what} must give one number, not {nodes.size}")
    root = nodes.ravel()[0]
    taken = {name for section in document.values() if isinstance(section, Mapping) for name in section}
    printer = Printer(graph, [root], taken | set(q) | set(v))
    return printer.text(root), printer.definitions


def _add_event(
    document: dict[str, Any],
    facts: Mapping[str, Any],
    event: Any,
    number: int,
    functions: _alembert.Functions | None,
) -> _alembert.Functions | None:
    listed: list[dict[str, Any]] = document.setdefault("events", [])
    taken = {one.get("name") for one in listed}
    name = _name(event, number)
    while name in taken:
        name += "'"
    if isinstance(event, str):
        listed.append({"name": event, "formula": event, "action": "continue"})
    elif isinstance(event, Mapping):
        listed.append(dict(event))
    elif callable(event):
        _check_arguments(event, name)
        action = "stop" if _terminal(event, name) else "continue"
        direction = _DIRECTIONS[int(np.sign(getattr(event, "direction", 0)))]
        entry: dict[str, Any] = {"name": name, "action": action, "direction": direction}
        functions = _function_of_event(document, facts, entry, event, functions)
        listed.append(entry)
    else:
        raise UsageError(
            f"event {number + 1} is a {type(event).__name__}",
            hint="an event is a formula as text, a function of (t, q, v), or a table with the keys of [[events]]",
        )
    return functions


def _check_arguments(event: Callable[..., Any], name: str) -> None:
    """Says how events are called, before one of SciPy's with two arguments fails."""
    try:
        inspect.signature(event).bind(0.0, (), ())
    except TypeError as error:
        hint = "coordinates and velocities are arrays of their own: write lambda t, q, v: q[0]"
        raise UsageError(f"event `{name}` is called as event(t, q, v): {error}", hint=hint, parameter=name) from None
    except ValueError:
        # Functions of other languages may not say what they take.
        return


def _terminal(event: Callable[..., Any], name: str) -> bool:
    """Whether an event ends the run."""
    often = getattr(event, "terminal", False)
    if often not in (False, True, 0, 1, None):
        hint = "set terminal = True, or count in an event table with a discrete variable"
        raise UsageError(f"event `{name}` has terminal = {often!r}: a run ends at the first", hint=hint, parameter=name)
    return bool(often)


def _name(event: Any, number: int) -> str:
    name = getattr(event, "__name__", "")
    return name if name and name != "<lambda>" else f"event {number + 1}"


def _function_of_event(
    document: dict[str, Any],
    facts: Mapping[str, Any],
    entry: dict[str, Any],
    event: Callable[..., Any],
    functions: _alembert.Functions | None,
) -> _alembert.Functions | None:
    """Puts the function of an event into its entry: as a formula, or as one that is called."""
    from ._trace import Untraceable

    try:
        formula, definitions = formula_of(document, f"event `{entry['name']}`", event, facts["q"], facts["v"])
    except Untraceable as reason:
        warn(f"event `{entry['name']}` is called while the model runs: {reason}", CallbackWarning)
    else:
        document.setdefault("definitions", {}).update(definitions)
        entry["formula"] = formula
        return functions
    entry["program"] = "Python"
    functions = _alembert.Functions() if functions is None else functions.copy()
    count, speeds = len(facts["q"]), len(facts["v"])

    def value(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        out[0] = event(t, q[:count], v[:speeds])

    functions.event(entry["name"], value)
    return functions
