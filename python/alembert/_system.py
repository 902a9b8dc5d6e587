"""Systems described by functions: masses, forces and constraints written with NumPy, or by SymPy's expressions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _document, _names
from ._functions import DERIVATIVES, EVERYTHING, QUANTITIES, Function, Signature, nearest
from ._trace import Untraceable

Array = Any
Given = Union[Callable[..., Any], Any, None]
Names = Union[Sequence[str], int, None]

_ENERGIES = ("kinetic", "potential", "dissipation")
_REDUNDANT = {True: "least squares", False: "refused"}


class System:
    """A constrained mechanical system.

    ::

        M(t,q) v' = f(t,q,v) + r        q' = v, or the rate U(t,q,v)
        0 = g(t,q)                      holonomic constraints
        0 = k(t,q,v)                    nonholonomic constraints
        r = -G^T lam - K^T psi          unless a reaction is given

    A pendulum of length 1:

    >>> import numpy as np
    >>> pendulum = System(
    ...     mass=[1, 1],
    ...     force=lambda t, q, v: [0, -9.81],
    ...     holonomic=lambda t, q: q @ q - 1,
    ... )
    >>> pendulum.document([1, 0], [0, 0])["equations"]["holonomic"]
    ['q0^2 + q1^2 - 1']

    ``mass(t, q)``, ``force(t, q, v)``, ``holonomic(t, q)``, ``nonholonomic(t, q, v)``, ``reaction(t, q, v, lam,
    psi)`` and ``rate(t, q, v)`` give arrays, ``kinetic(t, q, v)``, ``potential(t, q)`` and ``dissipation(t, q, v)``
    numbers; energies take the place of the mass, and forces are then added to those of the energies. A mass may be a
    matrix, a list (its diagonal) or a number, and constant; so may all others be constant. A function with a
    parameter ``out`` fills that array. Further parameters are those of ``parameters``, numbers or lists by name,
    which stay parameters of the model.

    ``outputs`` are further columns of results: functions of ``(t, q, v, a, lam, psi)``, or of the first of these.

    Functions are called with symbolic numbers and become formulas. What cannot become formulas, or should not
    (``trace=False``), is called back, for which ``derivatives`` such as ``force_q`` help.
    """

    def __init__(
        self,
        mass: Given = None,
        force: Given = None,
        holonomic: Given = None,
        nonholonomic: Given = None,
        reaction: Given = None,
        rate: Given = None,
        *,
        kinetic: Given = None,
        potential: Given = None,
        dissipation: Given = None,
        q: Names = None,
        v: Names = None,
        holonomic_names: Names = None,
        nonholonomic_names: Names = None,
        parameters: Optional[Mapping[str, Any]] = None,
        outputs: Optional[Mapping[str, Any]] = None,
        redundant: Union[str, bool, None] = None,
        name: Optional[str] = None,
        trace: bool = True,
        **derivatives: Callable[..., Any],
    ) -> None:
        self.name = name
        self.trace = trace
        #: Values by name, floats or arrays; they may be changed, and nothing is traced again for that.
        self.parameters = {key: _parameter(key, value) for key, value in (parameters or {}).items()}
        given = {
            "mass": mass,
            "force": force,
            "holonomic": holonomic,
            "nonholonomic": nonholonomic,
            "reaction": reaction,
            "rate": rate,
            "kinetic": kinetic,
            "potential": potential,
            "dissipation": dissipation,
        }
        #: Functions by name, of those that are given.
        self.functions = self._wrapped({key: value for key, value in given.items() if value is not None}, QUANTITIES)
        _check_derivatives(derivatives)
        #: Derivatives by name, for functions that are called back.
        self.derivatives = self._wrapped(
            {key: value for key, value in derivatives.items() if value is not None}, DERIVATIVES
        )
        self._check_equations()
        self._names = {"q": q, "v": v, "lam": holonomic_names, "psi": nonholonomic_names}
        if v is not None and not isinstance(v, int) and rate is None:
            raise ValueError("velocities have names only where `rate` is given; that of a coordinate x is x'")
        self.redundant = _REDUNDANT.get(redundant, redundant) if isinstance(redundant, bool) else redundant
        if self.redundant not in (None, *_REDUNDANT.values()):
            raise ValueError(f"redundant must be True, False, 'least squares' or 'refused', not {redundant!r}")
        self._outputs = dict(outputs or {})
        self._of_outputs = {
            key: _document.output(key, value, self.parameters) for key, value in self._outputs.items()
        }

    def _wrapped(self, given: Mapping[str, Any], table: Mapping[str, Signature]) -> dict[str, Function]:
        return {
            key: Function(key, value, table[key][0], table[key][1], self.parameters) for key, value in given.items()
        }

    def _check_equations(self) -> None:
        known = self.functions
        if "mass" not in known and "kinetic" not in known:
            raise ValueError("a system needs `mass` and `force`, or `kinetic` and `potential`")
        if "mass" in known and "kinetic" in known:
            raise ValueError("both `mass` and `kinetic` are given; keep one of the two")
        for energy in _ENERGIES[1:]:
            if energy in known and "kinetic" not in known:
                raise ValueError(f"`{energy}` needs `kinetic` instead of `mass`")
        if "kinetic" in known and "rate" in known:
            raise ValueError("`kinetic` needs velocities that are rates of coordinates; give `mass` and `force`")

    def __repr__(self) -> str:
        title = f"{self.name!r}, " if self.name else ""
        return f"System({title}{', '.join(self.functions)})"

    def sizes(self, q0: Any, v0: Any = None, t0: float = 0.0) -> dict[str, int]:
        """Numbers of coordinates, velocities and multipliers: ``{"q": 2, "v": 2, "a": 2, "x": 2, "lam": 1, "psi": 0}``; x: columns of derivatives along q."""
        start = _document.Start.of(q0, v0, t0)
        n = len(start.v)
        sizes = {"q": len(start.q), "v": n, "a": n, "x": len(start.q) if "rate" in self.functions else n}
        if "rate" not in self.functions and len(start.q) != n:
            raise ValueError(f"q0 has {len(start.q)} entries and v0 has {n}; only with `rate` they may differ")
        for size, key in (("lam", "holonomic"), ("psi", "nonholonomic")):
            given = self._names[size]
            count = given if isinstance(given, int) or given is None else len(given)
            if count is not None:
                sizes[size] = count
            function = self.functions.get(key)
            if function is None:
                if count:
                    raise ValueError(f"there are names of {key} constraints, but no `{key}`")
                sizes[size] = 0
            elif count is None:
                values = {"t": start.t, "q": start.q, "v": start.v}
                sizes[size] = len(function.numbers(sizes, values, self.parameters))
        return sizes

    def function(self, key: str, q0: Any, v0: Any = None, t0: float = 0.0) -> Callable[..., Array]:
        """One of the functions or derivatives with its parameters bound: it takes the standard arguments by position.

        What it gives has the shape that it should have, a mass that of a matrix.
        """
        function = {**self.functions, **self.derivatives}[key]
        sizes = self.sizes(q0, v0, t0)

        def call(*arguments: Any) -> Array:
            return function.numbers(sizes, dict(zip(function.takes, arguments)), self.parameters)

        return call

    def _draft(self, q0: Any, v0: Any, t0: float) -> _document.Draft:
        start = _document.Start.of(q0, v0, t0)
        sizes = self.sizes(q0, v0, t0)
        q = _names.listed(self._names["q"], sizes["q"], "q", "coordinate")
        if "rate" in self.functions:
            v = _names.listed(self._names["v"], sizes["v"], "v", "velocity")
            a, own = [f"{name}'" for name in v], [*q, *v]
        else:
            _names.listed(self._names["v"], sizes["v"], "v", "velocity")
            v, a, own = [f"{name}'" for name in q], [f"{name}''" for name in q], q
        _names.different([*own, *self.parameters])
        taken = {*own, *self.parameters}
        lam, psi = (_names.multipliers(stem, sizes[size], taken) for stem, size in (("lambda", "lam"), ("psi", "psi")))
        names = {"q": q, "v": v, "a": a, "lam": lam, "psi": psi}
        return _document.Draft(start, names, self.parameters, sizes)

    def _taken(self, draft: _document.Draft) -> set[str]:
        return {name for names in draft.names.values() for name in names} | {*self.parameters, *self._outputs}

    def document(self, q0: Any, v0: Any = None, t0: float = 0.0) -> dict[str, Any]:
        """The model file of the system and of this start, as nested dictionaries, without ``[run]``.

        Raises :class:`Untraceable` where a function cannot become formulas, ValueError where one gives the wrong shape.
        """
        if not self.trace:
            raise Untraceable("the system is not to be traced", "leave out trace=False")
        draft = self._draft(q0, v0, t0)
        return self._written(draft, {key: draft.nodes(function) for key, function in self.functions.items()})

    def _written(self, draft: _document.Draft, parts: dict[str, Array]) -> dict[str, Any]:
        """The model file of these nodes."""
        if "mass" in parts:
            parts["mass"] = _document.mass(parts["mass"])
            parts.setdefault("force", np.full(draft.sizes["v"], draft.graph.constant(0.0), dtype=object))
        shown = {f"outputs {key}": draft.nodes(one) for key, one in self._of_outputs.items() if one is not None}
        found, definitions = _document.printed(draft, {**parts, **shown}, self._taken(draft))
        document: dict[str, Any] = {"format": 1, "name": self.name or "system"}
        if self.parameters:
            values = self.parameters.items()
            document["parameters"] = {key: value if np.ndim(value) == 0 else list(value) for key, value in values}
        document["variables"] = self._variables(draft)
        if definitions:
            document["definitions"] = definitions
        document["equations"] = self._equations(found)
        document["initial"] = {
            **dict(zip(draft.names["q"], draft.start.q.tolist())),
            **dict(zip(draft.names["v"], draft.start.v.tolist())),
        }
        if self._outputs:
            document["outputs"] = {}
            for key, given in self._outputs.items():
                value = found.get(f"outputs {key}")
                document["outputs"].update({key: given} if value is None else _document.columns(key, given, value))
        return document

    def _variables(self, draft: _document.Draft) -> dict[str, Any]:
        variables: dict[str, Any] = {"coordinates": draft.names["q"]}
        if "rate" in self.functions:
            variables["velocities"] = draft.names["v"]
        for key, size, stem in (("multipliers", "lam", "lambda1"), ("nonholonomic_multipliers", "psi", "psi1")):
            names = draft.names[size]
            if names and names[0] != stem:
                variables[key] = names
        return variables

    def _equations(self, found: Mapping[str, Any]) -> dict[str, Any]:
        equations: dict[str, Any] = {}
        for key, size in (("holonomic", "lam"), ("nonholonomic", "psi")):
            names = self._names[size]
            if key in found and names is not None and not isinstance(names, int):
                equations[key] = [{"name": str(name), "formula": value} for name, value in zip(names, found[key])]
        order = ("mass", *_ENERGIES, "force", "holonomic", "nonholonomic", "reaction", "rate")
        listed = {key: equations.get(key, found[key]) for key in order if key in found}
        if "rate" in listed:
            listed["velocities"] = listed.pop("rate")
        if self.redundant is not None:
            listed["redundant"] = self.redundant
        return listed

    def formula(
        self, function: Callable[..., Any], q0: Any, v0: Any = None, t0: float = 0.0, *, taken: Collection[str] = ()
    ) -> tuple[str, dict[str, str]]:
        """A function of ``(t, q, v)`` that gives a number, as a formula in the names of the model; and its definitions.

        The function may take only the first of these, or ``a``, ``lam`` and ``psi`` by name. The names of definitions
        are none of ``taken``, which should be those of the definitions that the model has already.

        >>> pendulum = System(mass=[1, 1], holonomic=lambda t, q: q @ q - 1)
        >>> pendulum.formula(lambda t, q, v: v[0] - np.sin(t), [1, 0])
        ("q0' - sin(t)", {})
        """
        name = getattr(function, "__name__", "the function")
        wrapped = Function(name, function, EVERYTHING, (), self.parameters, fewer=True)
        draft = self._draft(q0, v0, t0)
        found, definitions = _document.printed(draft, {"": draft.nodes(wrapped)}, self._taken(draft) | set(taken))
        return str(found[""]), definitions

    @classmethod
    def from_sympy(cls, method: Any = None, **given: Any) -> System:
        """A system from expressions of SymPy.

        >>> from sympy import symbols
        >>> from sympy.physics.mechanics import dynamicsymbols
        >>> x, y = dynamicsymbols("x y")
        >>> t, m, g, l = symbols("t m g l")
        >>> energy = m*(x.diff(t)**2 + y.diff(t)**2)/2 - m*g*y
        >>> system = System.from_sympy(
        ...     lagrangian=energy, coordinates=[x, y], holonomic=[x**2 + y**2 - l**2], parameters={m: 1, g: 9.81, l: 1}
        ... )
        >>> system.document([1, 0])["equations"]["potential"]
        'y*g*m'

        ``lagrangian`` (and ``dissipation``, ``forces``), or ``mass`` and ``force``; ``holonomic``, ``nonholonomic``;
        ``coordinates``, functions of ``t`` whose derivatives are velocities, or symbols with ``velocities`` beside
        them; ``parameters`` with the value of every other symbol. A ``LagrangesMethod`` or a ``KanesMethod`` may be
        given instead of equations. All other options are those of :class:`System`.
        """
        from ._sympy import system_options

        return cls(**system_options(method, **given))


def _parameter(key: str, value: Any) -> Any:
    _names.checked(key, "parameter")
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the parameter `{key}` must be a number or a list of numbers, not {value!r}") from error
    if array.ndim > 1 or not array.size:
        raise ValueError(f"the parameter `{key}` has the shape {array.shape}; parameters are numbers and lists of them")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"the parameter `{key}` is not finite: {value!r}")
    return array if array.ndim else float(array)


def _check_derivatives(derivatives: Mapping[str, Any]) -> None:
    for key in derivatives:
        if key not in DERIVATIVES:
            known = [*DERIVATIVES, *QUANTITIES, "parameters", "outputs", "redundant", "name", "trace"]
            raise TypeError(f"System has no argument `{key}`{nearest(key, known)}")
