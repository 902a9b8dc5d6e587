"""Numbers by name: the columns of results, and what stands where in them.

A table of numbers has one row for each quantity, time first::

    t, coordinates, velocities, states, accelerations, multipliers (holonomic, nonholonomic), outputs
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

#: What the parts of a table are called, in their order, by their names in facts of a model.
PARTS = ("q", "v", "states", "a", "lambda", "psi", "outputs")

_ENTRY = re.compile(r"(?P<stem>.+?)\[[^\]]*\](?P<primes>'*)")


@dataclass(frozen=True)
class Columns:
    """Names of columns, and where they stand."""

    parts: dict[str, tuple[str, ...]]
    units: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(facts: dict[str, Any]) -> Columns:
        """Those of a model, from its facts."""
        said = facts.get("said", ())
        return Columns(
            {part: tuple(facts.get(part, ())) for part in PARTS},
            {one["column"]: one["unit"] for one in said if one["unit"]},
            {one["column"]: one["label"] for one in said if one["label"]},
        )

    @property
    def names(self) -> list[str]:
        """All names, time first."""
        return ["t", *(name for part in PARTS for name in self.parts[part])]

    def slice(self, part: str) -> slice:
        """Where a part stands."""
        start = 1
        for known in PARTS:
            count = len(self.parts[known])
            if known == part:
                return slice(start, start + count)
            start += count
        raise KeyError(part)

    def find(self, name: str) -> int | list[int]:
        """Where a column stands, or all entries of a vector; a name that is none raises ``KeyError`` with the nearest."""
        names = self.names
        # Formulas write names with blanks between backticks, results do not.
        for written in (name, name.replace("`", "")):
            if written in names:
                return names.index(written)
        name = name.replace("`", "")
        entries = [k for k, known in enumerate(names) if (match := _ENTRY.fullmatch(known)) and match["stem"] + match["primes"] == name]
        if not entries:
            # The parts of a body or a joint, as hinge.force for hinge.force.x and its like.
            entries = [k for k, known in enumerate(names) if known.rpartition(".")[0] == name]
        if entries:
            return entries
        raise KeyError(missing(name, names))


def missing(name: str, names: Sequence[str]) -> str:
    """What to say where there is no such name."""
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean `{near[0]}`?" if near else "the columns are " + ", ".join(list(names)[:12]) + (", …" if len(names) > 12 else "")
    return f"there is no column `{name}`; {hint}"


class Named:
    """A table of numbers whose rows have names: the rows of a run, or one instant."""

    def __init__(self, columns: Columns, data: Array) -> None:
        self.columns = columns
        #: All numbers, one row for each column.
        self.data = data

    def _part(self, part: str) -> Array:
        return self.data[self.columns.slice(part)]

    @property
    def q(self) -> Array:
        """Coordinates, one row each."""
        return self._part("q")

    @property
    def v(self) -> Array:
        """Velocities, one row each."""
        return self._part("v")

    @property
    def states(self) -> Array:
        """States, discrete variables and inputs, one row each."""
        return self._part("states")

    @property
    def a(self) -> Array:
        """Accelerations, one row each."""
        return self._part("a")

    @property
    def lam(self) -> Array:
        """Multipliers of the holonomic constraints, one row each."""
        return self._part("lambda")

    @property
    def psi(self) -> Array:
        """Multipliers of the nonholonomic constraints, one row each."""
        return self._part("psi")

    @property
    def names(self) -> list[str]:
        """Names of all columns, time first."""
        return self.columns.names

    def __getitem__(self, name: str) -> Any:
        """A column by its name, or all entries of a vector; numbers at one time, arrays at several."""
        if not isinstance(name, str):
            raise TypeError(f"columns have names, not {name!r}")
        return self.data[self.columns.find(name)]

    def __contains__(self, name: object) -> bool:
        try:
            self.columns.find(name)  # type: ignore[arg-type]
        except KeyError:
            return False
        return True

    def _ipython_key_completions_(self) -> list[str]:
        return self.names


class State(Named):
    """Everything that is known at one time, or at several.

    ``state.q``, ``state.v``, ``state.a``, ``state.lam``, ``state.psi`` are arrays, ``state["x"]`` is a column by its name.
    """

    @property
    def t(self) -> Any:
        """The time, or the times."""
        return self.data[0] if self.data.ndim > 1 else float(self.data[0])

    def __repr__(self) -> str:
        if self.data.ndim > 1:
            return f"State at {self.data.shape[1]} times from {self.data[0, :1]} to {self.data[0, -1:]}"
        shown = [f"{name}={value:.6g}" for name, value in zip(self.names, self.data, strict=True)]
        more = ", …" if len(shown) > 12 else ""
        return f"State({', '.join(shown[:12])}{more})"
