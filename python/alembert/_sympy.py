"""Systems from SymPy: Lagrangians, matrices and constraints as functions that can be traced or called."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

from . import _names
from ._interpreter import Expression, Interpreter, reason


def _clean(name: str, taken: set[str]) -> str:
    """A name that can stand in formulas, for that of a symbol, which may be written for TeX."""
    clean = re.sub(r"\W+", "_", name.replace("\\", "")).strip("_") or "x"
    if not clean.isidentifier():
        clean = f"x{clean}"
    while clean in taken or clean in _names.RESERVED:
        clean += "_"
    taken.add(clean)
    return clean


class _Translation:
    """Coordinates and velocities as symbols of their own, so that no symbol depends on time implicitly."""

    def __init__(
        self, coordinates: Sequence[Any], velocities: Sequence[Any], t: Any, parameters: Mapping[Any, Any]
    ) -> None:
        import sympy  # type: ignore[import-untyped, import-not-found, unused-ignore]

        self._sympy = sympy
        self.t = sympy.Symbol("t") if t is None else t
        self.q = [sympy.Dummy(str(x)) for x in coordinates]
        self.v = [sympy.Dummy(str(x)) for x in velocities or coordinates]
        taken: set[str] = set()
        self.names = [_clean(_name(x), taken) for x in coordinates]
        #: Names and values of parameters.
        self.parameters: dict[str, Any] = {}
        self._symbols: dict[str, Any] = {}
        for symbol, value in parameters.items():
            name = _clean(str(symbol), taken)
            self._symbols[name] = sympy.Symbol(symbol) if isinstance(symbol, str) else symbol
            self.parameters[name] = value
        self._places: dict[Any, Any] = dict(zip(coordinates, self.q))
        self._rates: dict[Any, Any] = {}
        functions = [x for x in coordinates if not x.is_Symbol]
        if functions and len(self.v) == len(self.q):
            self._rates = {x.diff(self.t): v for x, v in zip(coordinates, self.v) if not x.is_Symbol}
        elif not functions and not velocities:
            raise ValueError("coordinates that are symbols need `velocities`; derivatives of dynamicsymbols are known")
        self._places.update(zip(velocities, self.v))

    def read(self, expression: Any) -> Expression:
        """An expression in the symbols of this translation."""
        sympy = self._sympy
        whole = sympy.sympify(expression)
        for derivative in whole.atoms(sympy.Derivative):
            if derivative not in self._rates:
                done = derivative.doit()
                if done == derivative or any(part not in self._rates for part in done.atoms(sympy.Derivative)):
                    raise ValueError(f"`{derivative}` cannot become a formula: {reason(derivative, 'Derivative')}")
                whole = whole.xreplace({derivative: done})
        return whole.xreplace({**self._places, **self._rates})

    def function(self, expressions: Any, kinds: Sequence[str]) -> Callable[..., Any]:
        """A function of standard arguments, and of parameters by name: the value of an expression, or of lists."""
        symbols: dict[str, list[Any]] = {"q": self.q, "v": self.v}

        def evaluate(*arguments: Any, **parameters: Any) -> Any:
            values: dict[Any, Any] = {self._symbols[name]: value for name, value in parameters.items()}
            for kind, argument in zip(kinds, arguments):
                values.update({self.t: argument} if kind == "t" else zip(symbols[kind], argument))
            interpreter = Interpreter(values)

            def value(part: Any) -> Any:
                return [value(entry) for entry in part] if isinstance(part, list) else interpreter.value(part)

            return value(expressions)

        return evaluate


def _name(coordinate: Any) -> str:
    return str(coordinate.name) if coordinate.is_Symbol else str(coordinate.func.__name__)


def _entries(given: Any) -> list[Any]:
    """The entries of a list, or of a matrix with one column or one row."""
    return list(given) if given is not None else []


_MOTION = ("t", "q", "v")
_PLACE = ("t", "q")


def system_options(
    method: Any = None,
    *,
    lagrangian: Any = None,
    coordinates: Optional[Sequence[Any]] = None,
    velocities: Optional[Sequence[Any]] = None,
    t: Any = None,
    mass: Any = None,
    force: Any = None,
    forces: Any = None,
    dissipation: Any = None,
    holonomic: Any = None,
    nonholonomic: Any = None,
    rate: Any = None,
    parameters: Optional[Mapping[Any, Any]] = None,
    outputs: Optional[Mapping[str, Any]] = None,
    **options: Any,
) -> dict[str, Any]:
    """The options of a System from expressions; see ``System.from_sympy``."""
    if method is not None:
        return system_options(
            **_of_method(method), parameters=parameters, outputs=outputs, dissipation=dissipation, **options
        )
    if not coordinates:
        raise ValueError("from_sympy needs `coordinates`")
    names = _Translation(list(coordinates), _entries(velocities), t, parameters or {})
    found: dict[str, Any] = {"q": names.names, "parameters": names.parameters, **options}

    def put(key: str, expressions: Any, kinds: Sequence[str]) -> None:
        read = [names.read(one) for one in _entries(expressions)] if key not in _SCALARS else names.read(expressions)
        found[key] = names.function(read, kinds)

    if lagrangian is not None:
        if mass is not None or force is not None:
            raise ValueError("give `lagrangian` and `forces`, or `mass` and `force`")
        kinetic, potential = _split(names.read(lagrangian), names.v)
        found["kinetic"] = names.function(kinetic, _MOTION)
        if potential != 0:
            found["potential"] = names.function(potential, _PLACE)
        force = forces
    elif mass is None:
        raise ValueError("from_sympy needs `lagrangian`, or `mass` and `force`")
    elif forces is not None:
        raise ValueError("`forces` belong to a lagrangian; write force=… beside `mass`")
    else:
        rows = mass.tolist() if hasattr(mass, "tolist") else [list(row) for row in mass]
        found["mass"] = names.function([[names.read(entry) for entry in row] for row in rows], _PLACE)
    for key, given, kinds in (
        ("force", force, _MOTION),
        ("dissipation", dissipation, _MOTION),
        ("holonomic", holonomic, _PLACE),
        ("nonholonomic", nonholonomic, _MOTION),
        ("rate", rate, _MOTION),
    ):
        if given is not None and (key in _SCALARS or _entries(given)):
            put(key, given, kinds)
    found["outputs"] = {key: _output(names, value) for key, value in (outputs or {}).items()}
    if rate is not None and "v" not in found:
        taken = {*names.names, *names.parameters}
        found["v"] = [_clean(_name(x), taken) for x in _entries(velocities)]
    return found


_SCALARS = ("dissipation",)


def _output(names: _Translation, value: Any) -> Any:
    """Outputs may be expressions; what is not one stays."""
    is_expression = hasattr(value, "free_symbols") and hasattr(value, "xreplace")
    return names.function(names.read(value), _MOTION) if is_expression else value


def _split(lagrangian: Expression, velocities: Sequence[Any]) -> tuple[Expression, Expression]:
    """T and U with T - U = L: terms without velocities belong to the potential."""
    import sympy  # type: ignore[import-untyped, import-not-found, unused-ignore]

    whole = lagrangian if lagrangian.is_Add else sympy.expand_mul(lagrangian)
    moving = set(velocities)
    terms = sympy.Add.make_args(whole)
    kinetic = sympy.Add(*(term for term in terms if term.free_symbols & moving))
    if kinetic == 0:
        raise ValueError("the lagrangian has no kinetic energy: no derivative of a coordinate occurs in it")
    return kinetic, -sympy.Add(*(term for term in terms if not term.free_symbols & moving))


def _of_method(method: Any) -> dict[str, Any]:
    """What a LagrangesMethod or a KanesMethod says, as options."""
    from sympy.physics import mechanics  # type: ignore[import-untyped, import-not-found, unused-ignore]

    t = mechanics.dynamicsymbols._t
    if isinstance(method, mechanics.LagrangesMethod):
        found: dict[str, Any] = {"t": t, "coordinates": list(method.q), "lagrangian": method._L[0]}
        holonomic = list(method._hol_coneqs)
        found["holonomic"] = holonomic
        # The holonomic ones are differentiated there.
        found["nonholonomic"] = list(method.coneqs)[len(holonomic) :]
        if method.forcelist:
            if method.eom is None:
                method.form_lagranges_equations()
            found["forces"] = list(method._term4)
        return found
    if not isinstance(method, mechanics.KanesMethod):
        raise TypeError(f"from_sympy takes a LagrangesMethod or a KanesMethod, not a {type(method).__name__}")
    if len(method._udep) or len(method._qdep):
        raise ValueError("a KanesMethod with dependent coordinates or speeds is not taken; give mass and constraints")
    rates = method.kindiffdict()
    coordinates, speeds = list(method.q), list(method.u)
    mass, force = (part.xreplace(rates) for part in (method.mass_matrix, method.forcing))
    found = {"t": t, "coordinates": coordinates, "velocities": speeds, "mass": mass, "force": force}
    rate = [rates[x.diff(t)] for x in coordinates]
    return found if rate == speeds else {**found, "rate": rate}
