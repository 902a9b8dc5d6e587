"""The functions that describe a system: what they are called with, and what they give."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Optional

import numpy as np

from ._addresses import address, compiled
from ._casadi import interpreted

Array = Any
#: Numbers of coordinates, velocities and multipliers.
Sizes = Mapping[str, int]

#: What a function is called with, and the shape of what it gives, in sizes.
Signature = tuple[tuple[str, ...], tuple[str, ...]]

_PLACE = ("t", "q")
_MOTION = ("t", "q", "v")
_POINT = ("t", "q", "v", "lam", "psi")

#: The functions by name.
QUANTITIES: dict[str, Signature] = {
    "mass": (_PLACE, ("v", "v")),
    "force": (_MOTION, ("v",)),
    "holonomic": (_PLACE, ("lam",)),
    "nonholonomic": (_MOTION, ("psi",)),
    "reaction": (_POINT, ("v",)),
    "rate": (_MOTION, ("q",)),
    "kinetic": (_MOTION, ()),
    "potential": (_PLACE, ()),
    "dissipation": (_MOTION, ()),
}

#: Their derivatives, which only functions that are called back need. Those along coordinates have as many columns as there are
#: velocities, or coordinates where a `rate` is given: x.
DERIVATIVES: dict[str, Signature] = {
    "holonomic_q": (_PLACE, ("lam", "x")),
    "holonomic_t": (_PLACE, ("lam",)),
    "holonomic_bias": (_MOTION, ("lam",)),
    "holonomic_velocity_q": (_MOTION, ("lam", "x")),
    "nonholonomic_v": (_MOTION, ("psi", "v")),
    "nonholonomic_q": (_MOTION, ("psi", "x")),
    "nonholonomic_bias": (_MOTION, ("psi",)),
    "force_q": (_MOTION, ("v", "x")),
    "force_v": (_MOTION, ("v", "v")),
    "rate_v": (_MOTION, ("q", "v")),
    "rate_q": (_MOTION, ("q", "x")),
    "reaction_q": (_POINT, ("v", "x")),
    "reaction_v": (_POINT, ("v", "v")),
    "reaction_lambda": (_POINT, ("lam", "v")),
    "reaction_psi": (_POINT, ("psi", "v")),
    "mass_q": (("t", "q", "a"), ("v", "x")),
}

#: What outputs and events may be called with.
EVERYTHING = ("t", "q", "v", "a", "lam", "psi")

_OF_WHAT = {"q": "coordinate", "v": "velocity", "lam": "holonomic constraint", "psi": "nonholonomic constraint"}


def nearest(word: str, known: Iterable[str]) -> str:
    """A question for the name that was probably meant; nothing if none is near."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean `{found[0]}`?" if found else ""


class Function:
    """A function of a user, or a constant in its place.

    The first arguments are those of the table above, by position. A further parameter ``out`` is an array to fill;
    others have the names of entries of ``parameters``.
    """

    def __init__(
        self,
        name: str,
        given: Any,
        standard: tuple[str, ...],
        shape: Optional[tuple[str, ...]],
        parameters: Collection[str] = (),
        *,
        fewer: bool = False,
    ) -> None:
        given = interpreted(given)
        self.name = name
        self.given = given
        #: What it is called with by position.
        self.takes = standard
        #: In sizes; None for one number or a list of any length.
        self.shape = shape
        #: Parameters that it is called with by name.
        self.named: tuple[str, ...] = ()
        #: Standard arguments that it is called with by name.
        self.extra: tuple[str, ...] = ()
        self.in_place = False
        #: Its value, if it is no function.
        self.constant: Optional[Array] = None
        #: Where it is, if it is compiled already.
        self.address = address(given)
        #: What keeps it alive there.
        self.owner = given
        if self.address is not None:
            self.in_place = True
            self.given = compiled(self.address)
            return
        if not callable(given):
            self.constant = _constant(name, given)
            return
        try:
            signature = inspect.signature(given)
        except (TypeError, ValueError):
            # Functions of other languages may not say what they take.
            return
        self._read(signature, parameters, fewer)

    def _read(self, signature: inspect.Signature, parameters: Collection[str], fewer: bool) -> None:
        kinds = inspect.Parameter
        listed = list(signature.parameters.values())
        positional = [one for one in listed if one.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
        open_ended = any(one.kind is kinds.VAR_POSITIONAL for one in listed)
        if fewer and not open_ended:
            count = 0
            for one in positional[: len(self.takes)]:
                if one.name in parameters or one.default is not kinds.empty:
                    break
                count += 1
            self.takes = self.takes[:count]
        elif len(positional) < len(self.takes) and not open_ended:
            call = f"{self.name}({', '.join(self.takes)})"
            raise ValueError(f"{self.name} is called as {call}, and takes {signature} only")
        if any(one.kind is kinds.VAR_KEYWORD for one in listed):
            self.named = tuple(parameters)
        rest = positional[len(self.takes) :] + [one for one in listed if one.kind is kinds.KEYWORD_ONLY]
        for one in rest:
            if one.name == "out":
                self.in_place = True
            elif one.name in parameters:
                self.named = (*(name for name in self.named if name != one.name), one.name)
            elif fewer and one.name in EVERYTHING and one.default is kinds.empty:
                self.extra = (*self.extra, one.name)
            elif one.default is kinds.empty:
                meant = nearest(one.name, parameters)
                hint = meant or f"; write System(…, parameters={{{one.name!r}: …}})"
                raise ValueError(f"{self.name} has an argument `{one.name}` that is not among `parameters`{hint}")

    def call(self, values: Mapping[str, Any], parameters: Mapping[str, Any], out: Any = None) -> Any:
        """Calls it with standard arguments by name, parameters, and an array to fill if it wants one."""
        if self.constant is not None:
            return self.constant.copy()
        if self.address is not None:
            return self.given(values, out)
        named = {name: parameters[name] for name in self.named}
        named.update({name: values[name] for name in self.extra})
        if self.in_place:
            named["out"] = out
        result = self.given(*(values[name] for name in self.takes), **named)
        return out if self.in_place and result is None else result

    @property
    def is_plain(self) -> bool:
        """Whether it is called with its standard arguments alone, and gives what it has to say."""
        return self.constant is None and self.address is None and not (self.in_place or self.named or self.extra)

    def dimensions(self, sizes: Sizes) -> tuple[int, ...]:
        """The shape of the array that it fills."""
        if self.shape is None:
            raise ValueError(f"{self.name} cannot fill an array whose length is not known; let it return its value")
        unknown = [size for size in self.shape if size not in sizes]
        if unknown:
            option = f"{self.name}_names"
            raise ValueError(
                f"{self.name} fills an array, and it is not known how many constraints there are; "
                f"write {option}=[…] or {option}=3"
            )
        return tuple(sizes[size] for size in self.shape)

    def numbers(self, sizes: Sizes, values: Mapping[str, Any], parameters: Mapping[str, Any]) -> Array:
        """Its value as an array of floats in the shape that it should have."""
        out = np.zeros(self.dimensions(sizes)) if self.in_place else None
        return self.read(self.call(values, parameters, out), sizes)

    def read(self, result: Any, sizes: Sizes) -> Array:
        """What it gave as an array of floats in the shape that it should have."""
        if result is None:
            raise ValueError(f"{self.name} gave None: it has no return statement, or should have a parameter `out`")
        try:
            array = np.asarray(result, dtype=float)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.name} must give numbers, not {result!r}") from error
        return self.shaped(array, sizes)

    def shaped(self, array: Array, sizes: Sizes) -> Array:
        """An array in the shape that it should have; says what is wrong with it otherwise."""
        if self.shape is None:
            if array.ndim > 1:
                raise ValueError(f"{self.name} must give a number or a list, not an array of shape {array.shape}")
            return array
        expected = tuple(sizes.get(size, -1) for size in self.shape)
        if self.name == "mass" and array.ndim < 2:
            return _diagonal(self.name, array, expected[0])
        if self.name in DERIVATIVES and array.ndim == 0 and array == 0.0:
            # Zero is zero in every shape: constraints without time have holonomic_t=0.
            return np.zeros(expected)
        if array.ndim < len(expected):
            array = array.reshape((1,) * (len(expected) - array.ndim) + array.shape)
        elif not expected and array.size == 1:
            array = array.reshape(())
        fits = array.ndim == len(expected) and all(n in (-1, m) for n, m in zip(expected, array.shape))
        if not fits:
            wanted = _wanted(self.shape, expected)
            raise ValueError(f"{self.name} must give {wanted}, not an array of shape {array.shape}")
        return array


def _wanted(shape: tuple[str, ...], expected: tuple[int, ...]) -> str:
    if not expected:
        return "one number"
    if len(expected) == 1:
        counts = {-1: "a list of numbers", 1: "one number"}
        return f"{counts.get(expected[0], f'{expected[0]} numbers')}, one for each {_OF_WHAT[shape[0]]}"
    return f"an array of shape {expected}"


def _constant(name: str, given: Any) -> Array:
    try:
        array = np.array(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a function or numbers, not {given!r}") from error
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} has entries that are not finite")
    return array


def _diagonal(name: str, array: Array, n: int) -> Array:
    """A matrix from one number for all entries of its diagonal, or from one for each."""
    if array.ndim == 1 and len(array) != n:
        wanted = f"an array of shape ({n}, {n}), or {n} numbers"
        raise ValueError(f"{name} must give {wanted}, not an array of shape {array.shape}")
    matrix = np.zeros((n, n), dtype=array.dtype)
    if array.dtype == object:
        matrix.fill(0.0)
    matrix[np.arange(n), np.arange(n)] = array
    return matrix
