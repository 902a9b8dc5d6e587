"""What may stand behind a key of the file: its shape, and how a value of Python becomes one of the file.

A shape accepts a value or refuses it with the name of the element and of the key. Numbers of NumPy become those of
Python, bodies and joints become their names, functions become formulas. What a value means is not looked at: the
program does that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .columns import Column, Marker, nearest
from .formulas import components_of, formula_of
from .handles import Body, Ground, Joint, Part

if TYPE_CHECKING:
    from .core import Core


class Where(NamedTuple):
    """Whose value it is."""

    owner: Core
    element: str
    key: str

    def inside(self, key: str) -> Where:
        """The same for a key below this one."""
        return self._replace(key=f"{self.key}.{key}" if self.key else key)

    def entry(self, index: int) -> Where:
        """The same for an entry of its list."""
        return self._replace(key=f"{self.key}[{index}]")

    def wrong(self, must: str, value: Any) -> TypeError:
        """What is said of a value that does not fit."""
        return TypeError(f"{self.element}: `{self.key}` must be {must}, not {_described(value)}")


def _described(value: Any) -> str:
    if isinstance(value, Part):
        return f"the {value.what} `{value.name}`"
    if callable(value):
        return "a function"
    shown = repr(value)
    return f"{type(value).__name__} {shown if len(shown) <= 40 else shown[:37] + '...'}"


def plain(value: Any) -> Any:
    """A number or array of NumPy as numbers and lists of Python; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, (bool, str, Part, Mapping)) and not callable(value)


class Shape:
    """What may stand behind a key."""

    #: In words, for messages.
    words = "anything"

    def fits(self, value: Any) -> bool:
        """Whether a value is of this kind, as far as is seen from outside."""
        return True

    def accept(self, value: Any, where: Where) -> Any:
        """The value as it stands in the file."""
        return value


class Number(Shape):
    """A number, or a formula of parameters."""

    words = "a number or a formula"

    def fits(self, value: Any) -> bool:
        return isinstance(value, str) or _is_number(plain(value))

    def accept(self, value: Any, where: Where) -> Any:
        found = plain(value)
        if isinstance(found, str):
            return found
        if not _is_number(found):
            raise where.wrong(self.words, value)
        if not isinstance(found, int) or abs(found) >= 2**63:
            try:
                found = float(found)
            except (TypeError, ValueError, OverflowError) as error:
                raise where.wrong(self.words, value) from error
            if not math.isfinite(found):
                raise ValueError(f"{where.element}: `{where.key}` must be finite, not {found}")
        return found


class Formula(Number):
    """A formula of everything, or a function of Python that is one."""

    words = "a number, a formula or a function"

    def fits(self, value: Any) -> bool:
        return super().fits(value) or (callable(value) and not isinstance(value, (str, Part)))

    def accept(self, value: Any, where: Where) -> Any:
        if callable(value):
            return formula_of(value, where.element, where.key)
        return super().accept(value, where)


class Text(Shape):
    """Words; a body, joint or place stands for its name."""

    words = "text"

    def fits(self, value: Any) -> bool:
        return isinstance(value, (str, Part, Ground))

    def accept(self, value: Any, where: Where) -> Any:
        if isinstance(value, Marker):
            return value.place
        if isinstance(value, str):
            return str(value)
        if not self.fits(value):
            raise where.wrong(self.words, value)
        return value.name


class ColumnName(Text):
    """The name of a column of results."""

    words = "the name of a column"

    def accept(self, value: Any, where: Where) -> Any:
        return value.column if isinstance(value, Column) else super().accept(value, where)


class Flag(Shape):
    """True or false."""

    words = "True or False"

    def fits(self, value: Any) -> bool:
        return isinstance(plain(value), bool)

    def accept(self, value: Any, where: Where) -> Any:
        if not self.fits(value):
            raise where.wrong(self.words, value)
        return plain(value)


class Choice(Shape):
    """One of some words."""

    def __init__(self, *choices: Any) -> None:
        self.choices = choices
        self.words = "one of " + ", ".join(repr(choice) for choice in choices)

    def fits(self, value: Any) -> bool:
        return plain(value) in self.choices

    def accept(self, value: Any, where: Where) -> Any:
        found = plain(value)
        if isinstance(found, str) and found not in self.choices:
            hint = nearest(found, [str(choice) for choice in self.choices])
            raise ValueError(f"{where.element}: `{where.key}` cannot be {found!r}: {hint}")
        if isinstance(found, bool) or found not in self.choices:
            raise where.wrong(self.words, value)
        return found


class JointRef(Shape):
    """A joint, or one of its coordinates."""

    words = "a joint or its name"

    def fits(self, value: Any) -> bool:
        return isinstance(value, (str, Joint))

    def accept(self, value: Any, where: Where) -> Any:
        if not self.fits(value):
            raise where.wrong(self.words, value)
        return where.owner._joint_name(value, where.element)


class EndRef(Shape):
    """A place on a body, or on the ground."""

    words = "a body, a point of it, or its name"

    def fits(self, value: Any) -> bool:
        return isinstance(value, (str, Body, Ground))

    def accept(self, value: Any, where: Where) -> Any:
        if not self.fits(value):
            raise where.wrong(self.words, value)
        return where.owner._place(value, where.element)


class ListOf(Shape):
    """A list of values of one shape."""

    def __init__(self, of: Shape) -> None:
        self.of = of
        self.words = f"a list, each entry {of.words}"

    def _of_formulas(self) -> bool:
        return isinstance(self.of, Formula) or (
            isinstance(self.of, Either) and any(isinstance(one, Formula) for one in self.of.shapes)
        )

    def fits(self, value: Any) -> bool:
        if callable(value):
            return self._of_formulas()
        return isinstance(plain(value), (list, tuple, range))

    def accept(self, value: Any, where: Where) -> Any:
        if not self.fits(value):
            raise where.wrong(self.words, value)
        if callable(value):
            # A function of all components at once; in the plane these are two.
            return components_of(value, 2 if where.owner.in_plane else 3, where.element, where.key)
        return [self.of.accept(entry, where.entry(i)) for i, entry in enumerate(plain(value))]


class ByName(Shape):
    """Values by names that the user chooses."""

    def __init__(self, of: Shape) -> None:
        self.of = of
        self.words = f"a dict, each value {of.words}"

    def fits(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def accept(self, value: Any, where: Where) -> Any:
        if not self.fits(value):
            raise where.wrong(self.words, value)
        found = {}
        for name, entry in value.items():
            if not isinstance(name, str):
                raise TypeError(f"{where.element}: the names in `{where.key}` must be text, not {_described(name)}")
            found[str(name)] = self.of.accept(entry, where.inside(name))
        return found


class Table(Shape):
    """Values by names that the format knows."""

    def __init__(self, keys: Mapping[str, Shape]) -> None:
        self.keys = dict(keys)
        self.words = "a dict with some of " + ", ".join(self.keys)

    def fits(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def accept(self, value: Any, where: Where) -> Any:
        if not self.fits(value):
            raise where.wrong(self.words, value)
        found = {}
        for key, entry in value.items():
            if key not in self.keys:
                raise ValueError(f"{where.element}: `{where.key}` has no `{key}`: {nearest(str(key), self.keys)}")
            if entry is not None:
                found[key] = self.keys[key].accept(entry, where.inside(key))
        return found


class Either(Shape):
    """One of several shapes: the first that fits."""

    def __init__(self, *shapes: Shape) -> None:
        self.shapes = shapes
        self.words = ", or ".join(shape.words for shape in shapes)

    def fits(self, value: Any) -> bool:
        return any(shape.fits(value) for shape in self.shapes)

    def accept(self, value: Any, where: Where) -> Any:
        for shape in self.shapes:
            if shape.fits(value):
                return shape.accept(value, where)
        raise where.wrong(self.words, value)


class OneOrComponents(Either):
    """A formula in the plane, a list of them in space, as of a torque: a function returns what is wanted there."""

    def accept(self, value: Any, where: Where) -> Any:
        if callable(value):
            return self.shapes[0 if where.owner.in_plane else 1].accept(value, where)
        return super().accept(value, where)


class Rows(Shape):
    """Knots and values of a table: numbers, rows of numbers, or the name of a column."""

    words = "a list of numbers, rows of numbers, or the name of a column"

    def fits(self, value: Any) -> bool:
        return isinstance(plain(value), (str, list, tuple, range))

    def accept(self, value: Any, where: Where) -> Any:
        found = plain(value)
        if isinstance(found, str):
            return found
        if not self.fits(value):
            raise where.wrong(self.words, value)
        entry = Either(Number(), ListOf(Number()))
        return [entry.accept(one, where.entry(i)) for i, one in enumerate(found)]


NUMBER = Number()
FORMULA = Formula()
TEXT = Text()
FLAG = Flag()
COLUMN = ColumnName()
JOINT = JointRef()
END = EndRef()
ROWS = Rows()
ANY = Either(NUMBER, FLAG, ListOf(Either(NUMBER, ListOf(NUMBER))), ByName(Either(NUMBER, ListOf(NUMBER))))
AXES = Either(TEXT, ListOf(Either(NUMBER, ListOf(NUMBER))))
