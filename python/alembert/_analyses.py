"""What analyses of a model find: checks, certificates, comparisons, sweeps."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _alembert
from ._columns import Array, missing
from ._page import Page

if TYPE_CHECKING:
    import pandas


class _Words:
    """Something that people read, with the same as data beside it."""

    def __init__(self, words: str) -> None:
        self.text = words

    def __str__(self) -> str:
        return self.text.rstrip()

    def __repr__(self) -> str:
        return self.text.rstrip()


class Check(_Words):
    """What can be said of a model without a run."""

    def __init__(self, words: str, found: dict[str, Any]) -> None:
        super().__init__(words)
        #: Everything that was found, as plain data.
        self.found = found

    @property
    def good(self) -> bool:
        """Whether the model can be run."""
        return bool(self.found["good"])

    @property
    def degrees_of_freedom(self) -> int | None:
        """How many motions are free."""
        count: int | None = self.found["degrees_of_freedom"]
        return count

    @property
    def redundant(self) -> list[dict[str, Any]]:
        """Constraints that follow from others, with what they follow from."""
        return list(self.found["redundant"])

    @property
    def mechanism(self) -> dict[str, Any] | None:
        """The diagnosis of a mechanism: mobility, redundant joints, reactions that are not unique."""
        found: dict[str, Any] | None = self.found["mechanism"]
        return found


class Certificate(_Words):
    """How far a run can be trusted."""

    def __init__(self, words: str, found: dict[str, Any], trusted: bool) -> None:
        super().__init__(words)
        #: Everything that was found, as plain data.
        self.found = found
        #: Whether nothing is in doubt.
        self.trusted = trusted

    @property
    def error_bars(self) -> dict[str, float | None]:
        """Error bars of q, v, a, lambda and psi."""
        return dict(self.found["error_bars"])

    @property
    def doubts(self) -> list[str]:
        """Reasons not to trust the result."""
        return list(self.found["doubts"])

    def report(self, path: str | os.PathLike[str] | None = None) -> Page:
        """The same as a page."""
        import json

        page = Page(bytes(_alembert.report_certificate(json.dumps(self.found))))
        if path is not None:
            page.save(path)
        return page


class Comparison(_Words):
    """What accuracy costs, method by method."""

    def __init__(self, words: str, rows: list[dict[str, Any]], origin: str, page: bytes) -> None:
        super().__init__(words)
        #: One entry for each run.
        self.rows = rows
        #: What errors are measured against.
        self.origin = origin
        self._page = page

    def report(self, path: str | os.PathLike[str] | None = None) -> Page:
        """The same as a page, with diagrams of work and precision."""
        page = Page(self._page)
        if path is not None:
            page.save(path)
        return page

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each run."""
        import pandas

        return pandas.json_normalize(self.rows)


class Sweep:
    """One run for each point of a grid of parameters: the last row of each, and the results that the model asks for.

    ``sweep["x"]`` is a column, ``sweep.grid("x")`` the same with an axis for each parameter; runs that failed are NaN.
    """

    def __init__(
        self,
        axes: Sequence[tuple[str, list[str]]],
        columns: list[str],
        numbers: Array,
        rows: list[tuple[str, int, float | None, list[str]]],
    ) -> None:
        self.shape = tuple(len(values) for _, values in axes)
        grids = np.meshgrid(*([float(value) for value in values] for _, values in axes), indexing="ij")
        #: The parameters of each run.
        self.parameters = {name: grid.ravel() for (name, _), grid in zip(axes, grids, strict=True)}
        #: Names of the columns.
        self.columns = columns
        #: All numbers, one row for each column.
        self.data = numbers
        #: For each run "reached", or why it stopped.
        self.outcomes = [outcome for outcome, *_ in rows]
        #: For each run, how many steps it took.
        self.steps = np.array([steps for _, steps, *_ in rows])
        #: For each run, what is not as it should be.
        self.warnings = [listed for *_, listed in rows]

    @property
    def success(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For each run, whether it came to its end."""
        return np.array([outcome == "reached" for outcome in self.outcomes])

    def __len__(self) -> int:
        return len(self.outcomes)

    def __getitem__(self, name: str) -> Array:
        if name in self.parameters:
            return self.parameters[name]
        if name not in self.columns:
            raise KeyError(missing(name, self.columns))
        return np.asarray(self.data[self.columns.index(name)])

    def grid(self, name: str) -> Array:
        """A column with an axis for each parameter."""
        return self[name].reshape(self.shape)

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each run: parameters, outcome, last values."""
        import pandas

        columns = {**self.parameters, "outcome": self.outcomes, "steps": self.steps}
        return pandas.DataFrame({**columns, **{name: self[name] for name in self.columns}})

    def __repr__(self) -> str:
        failed = int((~self.success).sum())
        over = ", ".join(f"{name} ({count})" for name, count in zip(self.parameters, self.shape, strict=True))
        return f"<Sweep of {len(self)} runs over {over}{f', {failed} of them failed' if failed else ''}>"
