"""What a run gave: rows, events, what it says of itself, and the motion in between."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _alembert, _display, _plot
from ._columns import PARTS, Array, Columns, Named, State
from ._errors import AlembertError, IntegrationError, UsageError, in_python
from ._page import Page, Picture

if TYPE_CHECKING:
    import pandas
    import polars
    import xarray
    from matplotlib.axes import Axes

    from ._model import Model

#: Names of the columns of a table, and a row of numbers for each.
Table = tuple[list[str], Array]

#: The quantities of a summary, by the names of parts.
_QUANTITIES = {
    "q": "coordinates",
    "v": "velocities",
    "states": "states",
    "a": "accelerations",
    "lambda": "multipliers",
    "psi": "nonholonomic_multipliers",
    "outputs": "outputs",
}


@dataclass(frozen=True)
class Event:
    """Something that happened on the way: what, when, and the states before and after it."""

    name: str
    t: float
    rising: bool
    before: State
    after: State


class Solution(Named):
    """The motion of a run.

    Fields are those of ``scipy.integrate.solve_ivp``, with positions and velocities apart: arrays have one row for each
    quantity and one column for each time.

    >>> import alembert as al
    >>> sol = al.load_text('''
    ... format = 1
    ... [variables]
    ... coordinates = ["x", "y"]
    ... [equations]
    ... kinetic = "(x'^2 + y'^2)/2"
    ... potential = "9.81*y"
    ... holonomic = ["x^2 + y^2 - 1"]
    ... [initial]
    ... x = 1
    ... y = 0
    ... [run]
    ... t_end = 2
    ... ''').run(rtol=1e-8)
    >>> sol.success, float(sol.t[-1])
    (True, 2.0)
    >>> bool(abs(np.hypot(*sol.q) - 1).max() < 1e-14)
    True
    >>> bool(abs(np.hypot(sol(1.234)["x"], sol(1.234)["y"]) - 1) < 1e-14)
    True
    """

    def __init__(
        self,
        columns: Columns,
        data: Array,
        *,
        steps: Table,
        summary: dict[str, Any],
        words: str,
        events: list[Event] | None = None,
        event_names: list[str] | None = None,
        motion: _alembert.Motion | None = None,
        model: Model | None = None,
    ) -> None:
        super().__init__(columns, data)
        self._steps = steps
        #: What the run says of itself: counters, residuals, energy, start, as plain data.
        self.summary = summary
        self._words = in_python(words)
        #: What happened on the way, in the order of time.
        self.events: list[Event] = events or []
        self._event_names = event_names or []
        self._motion = motion
        #: The model that was run; ``None`` where it cannot be had again.
        self.model = model

    # What there is.

    @property
    def t(self) -> Array:
        """The times of the rows."""
        return np.asarray(self.data[0])

    @property
    def y(self) -> Array:
        """Coordinates above velocities, as SciPy has them."""
        return np.concatenate([self.q, self.v])

    @property
    def success(self) -> bool:
        """Whether the run came to its end, or to an event that ends it."""
        return not self.summary["partial"]

    @property
    def status(self) -> int:
        """0: the end was reached; 1: an event ended the run; -1: something is missing."""
        return {"reached": 0, "event": 1}.get(self.summary["outcome"], -1)

    @property
    def message(self) -> str:
        """How the run ended, in words."""
        return self._words.split("\n  ", 1)[0].strip()

    @property
    def stats(self) -> dict[str, Any]:
        """Counters: steps, rejected steps, Newton iterations, factorisations, evaluations."""
        return dict(self.summary["statistics"])

    @property
    def nfev(self) -> int:
        """Evaluations of the force."""
        return int(self.stats["evaluations"].get("force", 0))

    @property
    def njev(self) -> int:
        """Linearisations."""
        return int(self.stats["linearizations"])

    @property
    def nlu(self) -> int:
        """Factorisations."""
        return int(self.stats["factorisations"])

    @property
    def residuals(self) -> list[dict[str, Any]]:
        """The largest residual of each level of the constraints, with the constraint and the time."""
        return list(self.summary["largest_residuals"])

    @property
    def energy(self) -> dict[str, float] | None:
        """Where the energy went; ``None`` where the model does not say what its energy is."""
        found: dict[str, float] | None = self.summary["energy"]
        return found

    @property
    def results(self) -> dict[str, float]:
        """The results that the model asks for, by name."""
        return {name: one["value"] for name, one in self.summary["results"].items()}

    @property
    def warnings(self) -> list[str]:
        """What is not as it should be, in words; empty for a run without doubts."""
        return [warning["message"] for warning in self.summary["warnings"]]

    @property
    def steps(self) -> dict[str, Array]:
        """What each step was like: its end, length, residuals, and where the energy went."""
        names, numbers = self._steps
        return dict(zip(names, numbers, strict=True))

    @property
    def t_events(self) -> list[Array]:
        """For each event of the model, when it happened."""
        return [np.array([event.t for event in self.events if event.name == name]) for name in self._event_names]

    @property
    def y_events(self) -> list[Array]:
        """For each event of the model, coordinates and velocities where it happened; before it changed them."""
        width = len(self.q) + len(self.v)
        return [
            np.array([np.concatenate([one.before.q, one.before.v]) for one in self.events if one.name == name]).reshape(
                -1, width
            )
            for name in self._event_names
        ]

    # The motion in between.

    def __call__(self, t: npt.ArrayLike, *, side: str = "after") -> State:
        """The state at a time, or at several; as accurate as the steps, on the constraints.

        ``side`` says which state is meant where an event changes it: the one ``"after"`` or ``"before"``.
        """
        if side not in ("after", "before"):
            raise ValueError(f'side is "after" or "before", not {side!r}')
        if self._motion is None:
            raise UsageError(
                "the motion between the rows of this result is not there any more",
                hint="results keep it in memory only, unless dense=False (dense_output=False of solve): run the model again, or use the rows",
            )
        times = np.asarray(t, dtype=float)
        if times.ndim > 1:
            raise ValueError("times are a number or a list of numbers")
        data = self._motion.at(np.atleast_1d(times), side == "before")
        return State(self.columns, data if times.ndim else data[:, 0])

    def __iter__(self) -> Iterator[State]:
        """The rows one by one."""
        return (State(self.columns, self.data[:, k]) for k in range(self.data.shape[1]))

    def __len__(self) -> int:
        return int(self.data.shape[1])

    @property
    def last(self) -> State:
        """The last row."""
        return State(self.columns, self.data[:, -1])

    def raise_for_failure(self) -> Solution:
        """The solution itself if it is whole; otherwise raises what stopped it."""
        if self.success:
            return self
        failure = self.summary.get("failure") or {}
        raise IntegrationError(
            failure.get("message", self.message),
            hint=in_python(failure["hint"]) if failure.get("hint") else None,
            parameter=failure.get("parameter"),
            time=self.summary["t_reached"],
        )

    # Elsewhere.

    def _shown(self) -> Table:
        """The columns that files and pages have."""
        names: list[str] = self.summary["columns"]
        places = {name: k for k, name in enumerate(self.names)}
        return names, np.ascontiguousarray(self.data[[places[name] for name in names]])

    def _asked(self) -> dict[str, Any]:
        """What the run was asked for, in the words of the program."""
        if self.model is None:
            return dict(self.summary.get("asked") or {})
        return self.model._asked(self.summary)

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the result to a folder, as ``alembert run --out`` does: ``result.csv``, ``steps.csv``, ``summary.json``.

        What somebody else wrote there stays, unless ``force`` says otherwise. :func:`alembert.open` reads it back.
        """
        summary = json.dumps({**self.summary, "asked": self._asked()})
        _alembert.save(os.fspath(folder), summary, self._shown(), self._steps, force)

    def report(self, path: str | os.PathLike[str] | None = None) -> Page:
        """The page of the run, that moves: written to a file if one is named, shown by notebooks otherwise."""
        summary = json.dumps({**self.summary, "asked": self._asked()})
        model = None if self.model is None else self.model._compiled
        page = Page(bytes(_alembert.report(model, summary, self._shown(), self._steps)))
        if path is not None:
            page.save(path)
        return page

    def animate(
        self, path: str | os.PathLike[str] | None = None, *, width: int = 640, arrows: bool = True
    ) -> Page | Picture:
        """The motion: the page of the report without a path, a picture that moves (.svg or .png) with one."""
        return self.report() if path is None else self._picture(path, moves=True, width=width, arrows=arrows)

    def poses(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        count: int = 6,
        overlay: bool = False,
        width: int = 640,
        arrows: bool = True,
    ) -> Picture:
        """A picture of several instants, beside each other or in one place."""
        return self._picture(path, moves=False, count=count, overlay=overlay, width=width, arrows=arrows)

    def _picture(self, path: str | os.PathLike[str] | None, **options: Any) -> Picture:
        if self.model is None:
            raise UsageError("there is no picture of this motion: its model is not there any more")
        ending = pathlib.Path(path).suffix.lower() if path is not None else ".svg"
        if ending not in (".svg", ".png"):
            raise UsageError(f"pictures are .svg or .png files, not {ending or 'without an ending'}")
        made = _alembert.picture(self.model._compiled, self._shown(), png=ending == ".png", **options)
        picture = Picture(bytes(made), ending[1:])
        if path is not None:
            picture.save(path)
        return picture

    def plot(self, *names: str, over: str = "t", ax: Axes | None = None, **style: Any) -> Axes:
        """Draws columns over the time, or over another column, with matplotlib; those that move first if none are named."""
        return _plot.plot(self, names, over, ax, style)

    def citation(self) -> str:
        """What to write into a paper."""
        return _alembert.citation(self.summary["method"], self.summary["steps_chosen"])

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a frame of pandas, with the time as its index."""
        import pandas

        frame = pandas.DataFrame(self.data[1:].T, columns=self.names[1:], index=pandas.Index(self.t, name="t"))
        frame.attrs.update(units=self.columns.units, model=self.summary["model"], method=self.summary["method"])
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """The rows as a dataset of xarray, with the time as coordinate and units as attributes."""
        import xarray

        def variable(k: int, name: str) -> tuple[str, Array, dict[str, str]]:
            said = {"units": self.columns.units.get(name), "long_name": self.columns.labels.get(name)}
            return ("t", self.data[k], {key: text for key, text in said.items() if text})

        columns = {name: variable(k, name) for k, name in enumerate(self.names) if k}
        attributes = {"model": self.summary["model"], "method": self.summary["method"]}
        return xarray.Dataset(columns, coords={"t": ("t", self.t, {"units": "s"})}, attrs=attributes)

    def to_polars(self) -> polars.DataFrame:
        """The rows as a frame of polars, with a column ``t``."""
        import polars

        return polars.DataFrame({name: self.data[k] for k, name in enumerate(self.names)})

    def __repr__(self) -> str:
        doubts = f"; {len(self.warnings)} warnings" if self.warnings else ""
        return f"<Solution {self.message.splitlines()[0]}; {len(self)} rows, {self.stats['steps']} steps{doubts}>"

    def __str__(self) -> str:
        return self._words.rstrip()

    def _repr_html_(self) -> str:
        return _display.table(self)

    def __getstate__(self) -> dict[str, Any]:
        kept = dict(self.__dict__, _motion=None)
        if self.model is not None and self.model.has_functions:
            kept["model"] = None
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _columns_of(summary: Mapping[str, Any]) -> Columns:
    quantities = summary["quantities"]
    parts = {part: tuple(quantities.get(_QUANTITIES[part], ())) for part in PARTS}
    return Columns(parts, dict(summary.get("units", {})), dict(summary.get("labels", {})))


def open_folder(folder: str | os.PathLike[str]) -> Solution:
    """Reads a result that :meth:`Solution.save` or ``alembert run --out`` wrote.

    Rows, events and everything that the run said of itself are there; the motion between rows is not.
    """
    from ._model import Model

    text, (names, rows), steps = _alembert.read(os.fspath(folder))
    summary = json.loads(text)
    columns = _columns_of(summary)
    if columns.names != names:
        raise UsageError(f"the table in {os.fspath(folder)} is not the one that its summary tells of")
    events = [
        Event(one["name"], one["t"], one["rising"], *(State(columns, _row_at(rows, one["t"], last)) for last in (0, 1)))
        for one in summary["events"]
    ]
    try:
        model = Model._of_job(summary.get("asked") or {}, pathlib.Path(folder))
    except (AlembertError, OSError, KeyError):
        # The equations are in a program, or files that the model names are gone.
        model = None
    words = _display.ending(summary)
    listed = list(dict.fromkeys(event.name for event in events))
    return Solution(columns, rows, steps=steps, summary=summary, words=words, events=events, event_names=listed, model=model)


def _row_at(rows: Array, t: float, last: int) -> Array:
    """The first or the last of the rows at a time; events that change nothing have none, and the nearest one stands for them."""
    nearest = np.abs(rows[0] - t)
    places = np.flatnonzero(nearest == nearest.min())
    return np.asarray(rows[:, places[-1 if last else 0]])
