"""A run step by step."""

from __future__ import annotations

from collections.abc import Iterator

from . import _alembert
from ._columns import Columns, State
from ._errors import UsageError


class Step(State):
    """The state after a step, with the length of the step and the names of its events."""

    def __init__(self, state: State, h: float, events: list[str]) -> None:
        super().__init__(state.columns, state.data)
        #: The length of the step.
        self.h = h
        #: Names of the events at its end.
        self.events = events


class Integrator:
    """Makes one step at a time, with inputs that may change in between.

    >>> import alembert as al
    >>> model = al.load_text('''
    ... format = 1
    ... [variables]
    ... coordinates = ["x"]
    ... [inputs]
    ... F = 0
    ... [equations]
    ... mass = [1]
    ... force = ["F"]
    ... [initial]
    ... x = 0
    ... [run]
    ... t_end = 2
    ... h = 0.5
    ... ''')
    >>> integrator = model.integrator()
    >>> for step in integrator:
    ...     integrator["F"] = 1.0 if step.t >= 1 else 0.0
    >>> round(integrator.state["x'"].item(), 9)
    1.0
    """

    def __init__(self, compiled: _alembert.Integrator, columns: Columns) -> None:
        self._compiled = compiled
        self._columns = columns

    @property
    def state(self) -> State:
        """Where it is."""
        return State(self._columns, self._compiled.numbers())

    @property
    def t(self) -> float:
        """The time."""
        return float(self._compiled.numbers()[0])

    @property
    def t_end(self) -> float:
        """Where it is going."""
        return self._compiled.t_end()

    def step(self, t_end: float | None = None) -> Step | None:
        """One step towards the end, or towards another time; nothing if it is there, or an event has ended the run."""
        made = self._compiled.step(t_end)
        return None if made is None else Step(self.state, *made)

    def advance(self, t: float) -> State:
        """Steps to a time, or to an event that ends the run."""
        if not self.t <= t <= self.t_end:
            raise UsageError(
                f"the integrator goes from t = {self.t:g} to {self.t_end:g}, and cannot advance to {t:g}", parameter="t"
            )
        while self._compiled.step(t) is not None:
            pass
        return self.state

    def __getitem__(self, name: str) -> float:
        """The present value of a column: a coordinate, an input, an output."""
        return float(self.state[name])

    def __repr__(self) -> str:
        return f"<Integrator at t = {self.t:g} of {self.t_end:g}>"

    def __setitem__(self, name: str, value: float) -> None:
        """Gives an input a value from here on."""
        self._compiled.set(name, float(value))

    def __iter__(self) -> Iterator[Step]:
        while (step := self.step()) is not None:
            yield step
