"""From a system of functions to a model: formulas where functions can be traced, calls where they cannot.

What is called takes the place of its formulas only; constraints that can be traced keep their exact derivatives beside a force that cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _alembert, _document, _toml
from ._errors import CallbackWarning, UsageError
from ._functions import DERIVATIVES, Function, Sizes
from ._model import Model
from ._system import System
from ._telling import warn
from ._trace import Untraceable

#: Which quantity a derivative is one of.
_OF = {key: key.rpartition("_")[0].removesuffix("_velocity") for key in DERIVATIVES}

#: What a called function lacks, if it is to be fast and accurate.
_HELPFUL = {
    "force": ("force_q", "force_v"),
    "holonomic": ("holonomic_q", "holonomic_bias", "holonomic_velocity_q"),
    "nonholonomic": ("nonholonomic_v", "nonholonomic_q", "nonholonomic_bias"),
    "mass": ("mass_q",),
    "reaction": ("reaction_q", "reaction_v", "reaction_lambda", "reaction_psi"),
    "rate": ("rate_q", "rate_v"),
}


def model_of(system: System, q0: npt.ArrayLike, v0: npt.ArrayLike | None, span: tuple[float, float]) -> Model:
    """The model of a system, its start and its span of time."""
    draft = system._draft(q0, v0, span[0])
    parts: dict[str, Any] = {}
    reasons: dict[str, Untraceable | None] = {}
    for key, function in system.functions.items():
        try:
            # Constants are formulas whatever is said of functions.
            if function.address is not None or (not system.trace and function.constant is None):
                reasons[key] = None
            else:
                parts[key] = draft.nodes(function)
        except Untraceable as reason:
            reasons[key] = reason
    _refuse_energies(reasons)
    for key in reasons:
        parts[key] = _stand_in(draft, key)
    document = system._written(draft, parts)
    document["run"] = {"t_start": span[0], "t_end": span[1]}
    functions = None
    if reasons:
        document["equations"]["program"] = "Python"
        functions = _functions(system, draft, list(reasons))
        _warn(system, reasons)
    return Model(_toml.dumps(document), name=system.name or "system", _functions=functions)


def _refuse_energies(reasons: dict[str, Untraceable | None]) -> None:
    for key in ("kinetic", "potential", "dissipation"):
        if key in reasons:
            why = f": {reasons[key]}" if reasons[key] is not None else ""
            raise UsageError(
                f"`{key}` has to be traced, because the equations of motion are derivatives of it{why}",
                hint="write it with functions of NumPy, or give `mass` and `force`",
                parameter=key,
            ) from reasons[key]


def _stand_in(draft: _document.Draft, key: str) -> Any:
    """Formulas of the right number for what is called: they are never evaluated in earnest."""
    graph, sizes = draft.graph, draft.sizes
    count = {"mass": "v", "force": "v", "reaction": "v", "holonomic": "lam", "nonholonomic": "psi", "rate": "q"}[key]
    if key == "mass":
        nodes = np.full((sizes["v"], sizes["v"]), graph.constant(0.0), dtype=object)
        np.fill_diagonal(nodes, graph.constant(1.0))
        return nodes
    stem = {"holonomic": "q", "nonholonomic": "v", "rate": "v"}.get(key)
    names = draft.names[stem] if stem else []
    listed = [graph.symbol(names[i % len(names)]) if names else graph.constant(0.0) for i in range(sizes[count])]
    return np.array(listed, dtype=object)


def _functions(system: System, draft: _document.Draft, called: list[str]) -> _alembert.Functions:
    sizes = draft.sizes
    functions = _alembert.Functions()
    functions.size(sizes["q"], sizes["v"], sizes["lam"], sizes["psi"], sizes["x"])
    derivatives = [key for key in system.derivatives if _OF[key] in called]
    for key, function in {**system.functions, **system.derivatives}.items():
        if key in called or key in derivatives:
            native = _native(function, sizes)
            functions.quantity(key, _filler(function, sizes, system.parameters) if native is None else native)
    return functions


def _native(function: Function, sizes: Sizes) -> Any:
    """What needs no Python while it is integrated: an address with what keeps it alive, or numbers that stay."""
    if function.address is not None:
        return function.address, function.owner
    if function.constant is not None:
        return function.numbers(sizes, {}, {}).ravel()
    return None


def _filler(function: Function, sizes: Sizes, parameters: dict[str, Any]) -> Callable[..., None]:
    """A function as it is called: it fills an array, matrices row by row."""
    count, given = sizes["lam"], function.given
    parameters = dict(parameters)
    shape = function.dimensions(sizes)
    # Functions are called thousands of times, so that most go a short way.
    places = function.takes == ("t", "q") and function.is_plain
    motions = function.takes == ("t", "q", "v") and function.is_plain

    def fill(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        if places or motions:
            result = given(t, q) if places else given(t, q, v)
            if type(result) is np.ndarray and result.shape == shape and result.dtype == float:
                out[:] = result.ravel()
                return
            if shape == (1,) and isinstance(result, float):
                out[0] = result
                return
            out[:] = function.read(result, sizes).ravel()
            return
        values = {"t": t, "q": q, "v": v, "a": a, "lam": mu[:count], "psi": mu[count:]}
        out[:] = function.numbers(sizes, values, parameters).ravel()

    return fill


def _warn(system: System, reasons: dict[str, Untraceable | None]) -> None:
    """Says what is called and why, and what is missing beside it."""
    told = {key: reason for key, reason in reasons.items() if reason is not None}
    if "holonomic" in reasons and "holonomic" not in told and "holonomic_q" not in system.derivatives:
        # Nobody has to be told twice that functions are called, but nobody expects how often.
        warn(
            "holonomic is called without its derivative, hundreds to thousands of times in each step: give holonomic_q, "
            "holonomic_bias and holonomic_velocity_q to save most of the calls",
            CallbackWarning,
        )
    if not told:
        return
    lacking = [name for key in told for name in _HELPFUL[key] if name not in system.derivatives]
    why = "\n".join(f"{reason}" for reason in told.values())
    differences = f"\nDerivatives come from differences: give {', '.join(lacking)} to save most of the calls." if lacking else ""
    warn(
        f"{' and '.join(told)} {'is' if len(told) == 1 else 'are'} called from the integration, 25 to 300 times slower than "
        f"formulas.\n{why}{differences}",
        CallbackWarning,
    )
