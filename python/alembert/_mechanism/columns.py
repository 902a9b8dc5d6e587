"""Names of results: text that may stand in formulas, and the columns of a solution that it names.

``crank.angle`` of a body is ``"crank.angle"``. Names with blanks are written between backticks in formulas and without
them in results, so that ``str(column)`` is the formula and ``column.column`` the name in results.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_SPLIT = re.compile(r"(?P<stem>[^\[]*)(?P<index>\[.*\])?")


def written(name: str) -> str:
    """A name as formulas write it: between backticks if it is not one word."""
    found = _SPLIT.fullmatch(name)
    stem, index = (found["stem"].strip(), found["index"] or "") if found else (name, "")
    return f"{stem if stem.isidentifier() else f'`{stem}`'}{index}"


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that is nearest to another one, or at all of them."""
    words = list(known)
    found = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    if found:
        return f"did you mean `{found[0]}`?"
    if not words:
        return "there are none"
    return f"there are {', '.join(words[:12])}{', …' if len(words) > 12 else ''}"


class Column(str):
    """A formula that is the name of a result: ``joint.angle``, ``joint.angle.rate``, ``body.position.x``.

    >>> Column("O.angle").rate
    Column("O.angle'")
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f'Column("{self}")'

    @property
    def column(self) -> str:
        """Its name in results, which have no backticks."""
        return self.replace("`", "")

    @property
    def rate(self) -> Column:
        """Its rate in time."""
        return Column(f"{self}'")

    def _component(self, axis: str) -> Column:
        # Results have the primes of a rate behind the component.
        stem = self.rstrip("'")
        return Column(f"{stem}.{axis}{self[len(stem):]}")

    @property
    def x(self) -> Column:
        """Its component along x."""
        return self._component("x")

    @property
    def y(self) -> Column:
        """Its component along y."""
        return self._component("y")

    @property
    def z(self) -> Column:
        """Its component along z."""
        return self._component("z")


class Marker(Column):
    """A place on a body: an end of a joint, and in formulas a triple."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f'Marker("{self.place}")'

    @property
    def place(self) -> str:
        """As an end of a joint is written."""
        return self.column
