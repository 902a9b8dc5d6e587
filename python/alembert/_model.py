"""Models: text with formulas or bodies and joints, compiled once and run often."""

from __future__ import annotations

import json
import math
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _additions, _alembert, _progress
from ._telling import warn
from ._analyses import Certificate, Check, Comparison, Sweep
from ._columns import Columns, State
from ._errors import ResultWarning, UsageError
from ._integrator import Integrator
from ._progress import Progress
from ._solution import Event, Solution

#: What comparisons call the methods.
_VARIANTS = {"radau": ("radau3", "radau5", "radau7"), "soi2": ("alpha",)}
#: Options of runs that are easily taken for parameters of a sweep.
_RUN = ("rtol", "atol", "h", "method", "t_eval", "output_every", "h_max", "h_min")

#: A parameter: a number, or a formula of the model language as text.
Value = float | str


def _text(value: Value) -> str:
    """A value as a setting."""
    return value if isinstance(value, str) else repr(float(value))


def _options(**options: Any) -> str:
    """Options of a run for the compiled module: what is not given is left out, arrays become lists."""
    plain = {
        name: value.tolist() if hasattr(value, "tolist") else list(value) if isinstance(value, (tuple, range)) else value
        for name, value in options.items()
        if value is not None
    }
    for name, value in plain.items():
        numbers = value if isinstance(value, list) else [value]
        wrong = next((x for x in numbers if isinstance(x, float) and not math.isfinite(x)), None)
        if wrong is not None:
            raise UsageError(f"`{name}` must be finite, and is {wrong}", parameter=name)
    return json.dumps(plain)


class Model:
    """A model file, compiled: equations or a mechanism, with its start and how it is run.

    >>> import alembert as al
    >>> text = '''
    ... format = 1
    ... name = "oscillator"
    ... [parameters]
    ... k = 4.0
    ... [variables]
    ... coordinates = ["x"]
    ... [equations]
    ... mass = [1]
    ... force = ["-k*x"]
    ... [initial]
    ... x = 1
    ... [run]
    ... t_end = 1
    ... '''
    >>> model = al.Model(text)
    >>> model.parameters
    {'k': 4.0}
    >>> float(round(model.with_(k=9.0).run(rtol=1e-9).last["x"], 6))
    -0.989992

    Args:
        text: the model file; see the documentation of the format.
        name: what messages call the file.
        folder: where files are that the model names, as those of tables.
        parameters: other values of parameters, numbers or formulas.
        scenario: a scenario of the file.
    """

    def __init__(
        self,
        text: str,
        *,
        name: str = "model",
        folder: str | os.PathLike[str] | None = None,
        parameters: Mapping[str, Value] | None = None,
        scenario: str | None = None,
        files: Mapping[str, bytes] | None = None,
        _functions: _alembert.Functions | None = None,
    ) -> None:
        if "\n" not in text and text.strip().endswith(".toml"):
            raise UsageError(f"`{text}` is the name of a file, not its text", hint=f"write alembert.load({text!r})")
        #: The text of the model.
        self.text = text
        self._name = name
        self._folder = None if folder is None else os.fspath(folder)
        self._settings = {key: _text(value) for key, value in (parameters or {}).items()}
        self._scenario = scenario
        self._functions = _functions
        self._files = None if files is None else dict(files)
        listed = list(self._settings.items())
        if scenario is not None:
            listed.append(("[scenario]", scenario))
        self._listed = listed
        self._compiled = _alembert.Model(name, text, listed, self._folder, self._files, _functions)
        self._facts: dict[str, Any] = json.loads(self._compiled.facts())
        self._columns = Columns.of(self._facts)

    # What it is.

    @property
    def name(self) -> str:
        """What the model is called."""
        return str(self._facts["name"])

    @property
    def description(self) -> str:
        """What the file says of it."""
        return str(self._facts["description"])

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters with their values, those of the start (``find``) as they were found."""
        return {**dict(self._facts["parameters"]), **dict(self._facts["found"])}

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates."""
        return list(self._facts["q"])

    @property
    def columns(self) -> list[str]:
        """Names of everything that a result has, time first."""
        return self._columns.names

    @property
    def events(self) -> list[str]:
        """Names of the events."""
        return list(self._facts["events"])

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs, which can be given while the model runs."""
        return list(self._facts["inputs"])

    @property
    def has_functions(self) -> bool:
        """Whether functions of Python, or compiled ones, are called while it runs."""
        return self._compiled.has_functions()

    def __repr__(self) -> str:
        facts = self._facts
        kind = "mechanism" if facts["mechanism"] else "equations"
        counts = f"{len(facts['q'])} coordinates, {len(facts['holonomic']) + len(facts['nonholonomic'])} constraints"
        return f"<Model {self.name!r}: {kind}, {counts}>"

    # Others like it.

    def _with(self, text: str, settings: Mapping[str, Value], functions: _alembert.Functions | None) -> Model:
        return Model(
            text,
            name=self._name,
            folder=self._folder,
            parameters=settings,
            scenario=self._scenario,
            files=self._files,
            _functions=functions,
        )

    def with_(
        self, *, scenario: str | None = None, initial: Mapping[str, Any] | None = None, **parameters: Value
    ) -> Model:
        """The same with other values of parameters, in another scenario, or with another start.

        Names with brackets are given as ``model.with_(**{"m[2]": 3.0})``.
        """
        if parameters and self._functions is not None and self._functions.has_equations():
            raise _of_functions()
        text = self.text if initial is None else _additions.with_initial(self.text, initial)
        changed = self._with(text, {**self._settings, **parameters}, self._functions)
        if scenario is not None:
            changed = Model(
                text,
                name=self._name,
                folder=self._folder,
                parameters=changed._settings,
                scenario=scenario,
                files=self._files,
                _functions=self._functions,
            )
        return changed

    def _added(self, events: Sequence[Any] | None, inputs: Mapping[str, Any] | None) -> Model:
        """The same with events and inputs from Python."""
        if not events and not inputs:
            return self
        text, functions = _additions.add(self.text, self._facts, events or (), inputs or {}, self._functions)
        return self._with(text, self._settings, functions)

    # What can be done with it.

    def check(self) -> Check:
        """What can be said without a run: sizes, degrees of freedom, redundant constraints, the start, derivatives."""
        words, found = self._compiled.check()
        return Check(words, json.loads(found))

    def consistent(self) -> State:
        """The consistent start: coordinates, velocities, accelerations, multipliers."""
        data, _, _ = self._compiled.consistent()
        return State(self._columns, data)

    def dynamics(
        self, t: float, q: npt.ArrayLike, v: npt.ArrayLike, states: npt.ArrayLike | None = None
    ) -> State:
        """Accelerations and multipliers at coordinates and velocities, which should be on the constraints.

        States, discrete variables and inputs are those of the start if they are not given.
        """
        if states is None:
            states = self.consistent().states if self._columns.parts["states"] else ()
        numbers = [np.ascontiguousarray(x, dtype=float) for x in (q, v, states)]
        return State(self._columns, self._compiled.dynamics(float(t), *numbers))

    def run(
        self,
        t_end: float | None = None,
        *,
        rtol: float | None = None,
        atol: float | None = None,
        h: float | None = None,
        method: str | None = None,
        t_eval: npt.ArrayLike | None = None,
        output_every: float | None = None,
        h_max: float | None = None,
        h_min: float | None = None,
        events: Any = None,
        inputs: Mapping[str, Any] | None = None,
        dense: bool = True,
        progress: Progress = False,
        **options: Any,
    ) -> Solution:
        """Integrates the motion. What is not said here is as the file says.

        Args:
            t_end: the end.
            rtol, atol: steps are chosen so that errors meet these tolerances.
            h: steps of this size instead.
            method: ``"radau"``, ``"bdf"``, ``"soi2"`` or ``"hht"``.
            t_eval: times of the rows; rows on both sides of events that change the motion are there besides.
            output_every: the distance of rows. Without both there is a row after each step.
            h_max, h_min: the longest and the shortest step.
            events: a further event or several: formulas as text, functions of ``(t, q, v)`` with SciPy's attributes ``terminal`` and
                ``direction``, or tables with the keys of ``[[events]]``.
            inputs: values of inputs: numbers, formulas of ``t`` as text, functions of ``t``, pairs of times and values, or
                tables with the keys of ``[tables]``, as ``{"x": times, "y": values, "extrapolation": "hold"}``.
            dense: whether the state is known at any time afterwards: ``sol(t)``.
            progress: ``True`` for a bar, or a function that is told the share that is done.
            options: parameters of the method (``stages``, ``order``, ``rho_infinity``, …) and other keys of ``[run]``:
                ``land_on``, ``jumps_at``, ``max_steps``, ``max_rows``, ``max_seconds``.

        A run that stops half-way is a solution with ``success = False``, with a :class:`ResultWarning`.
        """
        if isinstance(events, (str, Mapping)) or callable(events):
            events = [events]
        model = self._added(events, inputs)
        times = None if t_eval is None else np.asarray(t_eval, dtype=float).ravel()
        asked = {
            "t_end": t_end, "rtol": rtol, "atol": atol, "h": h, "method": method, "t_eval": times,
            "output_every": output_every, "h_max": h_max, "h_min": h_min, **options,
        }  # fmt: skip
        with _progress.shown(progress) as told:
            found = model._compiled.run(_options(**asked), dense, told)
        data, steps, summary, words, happened, motion = found
        happenings = [
            Event(name, t, rising, State(model._columns, np.array(before)), State(model._columns, np.array(after)))
            for _, t, rising, name, before, after in happened
        ]
        if times is not None:
            data = _only(data, times, [event.t for event in happenings])
        solution = Solution(
            model._columns,
            data,
            steps=steps,
            summary={**json.loads(summary), "rows": int(data.shape[1])},
            words=words,
            events=happenings,
            event_names=model.events,
            motion=motion,
            model=model,
        )
        for doubt in ([] if solution.success else [solution.message]) + solution.warnings:
            warn(doubt, ResultWarning)
        return solution

    def integrator(self, t_end: float | None = None, **options: Any) -> Integrator:
        """The run step by step, with inputs that may change between steps; options are those of :meth:`run`."""
        return Integrator(_alembert.Integrator(self._compiled, _options(t_end=t_end, **options)), self._columns)

    def verify(self, t_end: float | None = None, *, progress: Progress = False, **options: Any) -> Certificate:
        """How far a run can be trusted: error bars from finer runs and references, and reasons to doubt them."""
        with _progress.shown(progress) as told:
            words, found, trusted = self._compiled.verify(_options(t_end=t_end, **options), told)
        return Certificate(words, json.loads(found), trusted)

    def compare(
        self,
        methods: Sequence[str] = (),
        *,
        t_end: float | None = None,
        repeats: int = 3,
        progress: Progress = False,
    ) -> Comparison:
        """What accuracy costs, method by method, over ladders of tolerances.

        ``methods`` are names of :func:`alembert.methods`, or of the variants that the table shows; all of these if there are none.
        """
        chosen = [variant for name in methods for variant in _VARIANTS.get(name, (name,))]
        with _progress.shown(progress) as told:
            lines, words, origin, page = _alembert.compare(
                self._compiled, self.name, chosen, _options(t_end=t_end), repeats, told
            )
        return Comparison(words, [json.loads(line) for line in lines.splitlines()], origin, bytes(page))

    def sweep(
        self,
        values: Mapping[str, npt.ArrayLike] | None = None,
        /,
        *,
        t_end: float | None = None,
        jobs: int = 0,
        progress: Progress = False,
        options: Mapping[str, Any] | None = None,
        **parameters: npt.ArrayLike,
    ) -> Sweep:
        """Runs the model for every combination of the values of parameters, on all cores; one row for each.

        >>> import alembert as al
        >>> model = al.load_text('''
        ... format = 1
        ... [parameters]
        ... k = 1.0
        ... [variables]
        ... coordinates = ["x"]
        ... [equations]
        ... mass = [1]
        ... force = ["-k*x"]
        ... [initial]
        ... x = 1
        ... [run]
        ... t_end = 1
        ... rtol = 1e-9
        ... ''')
        >>> [float(x) for x in model.sweep(k=[1.0, 4.0])["x"].round(6)]
        [0.540302, -0.416147]

        Args:
            values: parameters with their values, where names are no words of Python, as ``{"m[1]": [1, 2]}``.
            jobs: threads; all processors if 0.
            options: options of :meth:`run`, as ``{"rtol": 1e-9}``.
            parameters: parameters with their values.
        """
        if self.has_functions:
            raise _of_functions()
        axes = [
            (name, [_text(value) for value in np.atleast_1d(np.asarray(given)).tolist()])
            for name, given in {**(values or {}), **parameters}.items()
        ]
        if not axes:
            raise UsageError("no parameter is swept", hint="name one with its values, as k=[1.0, 2.0]")
        known = set(self.parameters)
        if jobs < 0:
            raise UsageError(f"jobs must be 0, for all processors, or a number of threads, not {jobs}", parameter="jobs")
        for name, _ in axes:
            if name in _RUN:
                raise UsageError(f"`{name}` is no parameter of the model", hint=f"write options={{{name!r}: …}}", parameter=name)
            if name.partition("[")[0] not in {one.partition("[")[0] for one in known}:
                raise UsageError(f"there is no parameter `{name}`", hint=f"the parameters are {', '.join(sorted(known))}")
        with _progress.shown(progress) as told:
            columns, numbers, rows = _alembert.sweep(
                self._name, self.text, self._listed, self._folder, self._files, axes,
                _options(t_end=t_end, **(options or {})), jobs, told,
            )  # fmt: skip
        return Sweep(axes, columns, numbers, rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the text to a file."""
        if self.has_functions:
            raise UsageError(
                "a model that calls functions of Python is no file", hint="write functions that can be traced; others stay in programs"
            )
        pathlib.Path(path).write_text(self.text, encoding="utf-8")

    # Elsewhere and again.

    def _asked(self, summary: Mapping[str, Any]) -> dict[str, Any]:
        """What the program would have been asked for."""
        tolerances = summary["tolerances"]
        place = self._name if self._folder is None else os.path.join(self._folder, os.path.basename(self._name))
        return {
            "model": place, "text": self.text, "settings": [f"{name}={value}" for name, value in self._listed],
            "method": summary["method"], "rtol": tolerances.get("rtol"), "atol": tolerances.get("atol"), "h": None,
            "t_end": summary["t_end"], "output_every": None, "formats": ["csv"], "plot": False, "steps": True,
            "from": None, "columns": [],
        }  # fmt: skip

    @staticmethod
    def _of_job(asked: Mapping[str, Any], folder: pathlib.Path) -> Model:
        """The model of a saved run; files that it names are where they were."""
        settings = [setting.split("=", 1) for setting in asked["settings"]]
        scenario = next((value for name, value in settings if name == "[scenario]"), None)
        parameters: dict[str, Value] = {name: value for name, value in settings if name != "[scenario]"}
        place = os.path.dirname(asked["model"]) or os.fspath(folder)
        return Model(asked["text"], name=asked["model"], folder=place, parameters=parameters, scenario=scenario)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.has_functions:
            raise TypeError(
                "a model that calls functions of Python cannot be pickled: pickle the System, or what it is made of"
            )
        state = (self.text, self._name, self._settings, self._scenario, self._compiled.files())
        return (_again, state)


def _of_functions() -> UsageError:
    return UsageError(
        "parameters of functions of Python are not parameters of the model",
        hint="write functions that can be traced, with `parameters` of the System; or make a new System",
    )


def _again(
    text: str, name: str, settings: dict[str, Value], scenario: str | None, files: dict[str, bytes]
) -> Model:
    return Model(text, name=name, parameters=settings, scenario=scenario, files=files)


def _only(data: np.ndarray[Any, Any], times: np.ndarray[Any, Any], events: list[float]) -> np.ndarray[Any, Any]:
    """The rows at the times asked for, and those of events; times that agree to rounding are those asked for."""
    t = data[0]
    near = np.searchsorted(times, t).clip(0, len(times) - 1) if len(times) else np.zeros(len(t), dtype=int)
    before = (near - 1).clip(0)
    if len(times):
        near = np.where(np.abs(times[before] - t) < np.abs(times[near] - t), before, near)
        wanted = np.abs(times[near] - t) <= 1e-13 * np.maximum(1e-300, np.abs(t)) + 1e-300
    else:
        wanted = np.zeros(len(t), dtype=bool)
    kept = wanted | np.isin(t, events)
    rows = np.ascontiguousarray(data[:, kept])
    if len(times):
        rows[0] = np.where(wanted[kept], times[near[kept]], rows[0])
    return rows


def load(
    path: str | os.PathLike[str], *, parameters: Mapping[str, Value] | None = None, scenario: str | None = None
) -> Model:
    """Compiles a model file; files that it names are beside it."""
    place = pathlib.Path(path)
    text = place.read_text(encoding="utf-8")
    folder = place.parent if os.fspath(place.parent) else pathlib.Path(".")
    return Model(text, name=os.fspath(path), folder=folder, parameters=parameters, scenario=scenario)


def load_text(text: str) -> Model:
    """Compiles the text of a model file: the same as :class:`Model`."""
    return Model(text)
