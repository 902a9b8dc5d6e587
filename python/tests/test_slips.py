"""Slips of first users: what is told, and that nothing is silently taken for something else."""

from __future__ import annotations

import gc
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from conftest import MODELS, OSCILLATOR, PENDULUM

import alembert as al


def spring(**more: Any) -> al.System:
    return al.System(mass=1.0, force=lambda t, q, v: -q, q=["x"], **more)


def test_results_by_name() -> None:
    sol = al.load(MODELS / "quarter_car.toml").run(t_end=0.5)
    assert sol.results and all(isinstance(value, float) for value in sol.results.values())
    assert next(iter(sol.results)) in sol._repr_html_()


def test_outputs_are_not_called_like_coordinates() -> None:
    with pytest.raises(al.ModelError, match="has the name of another column"):
        al.solve(spring(outputs={"x": lambda t, q: 2 * q[0]}), (0, 1), [1.0])


def test_names_with_blanks_are_columns() -> None:
    m = al.Mechanism("pendulum", gravity=[0, -9.81])
    rod = m.body("the rod", solid={"bar": {"length": 1}, "mass": 2, "at": [0.5, 0]})
    pin = m.revolute("the pin", "ground", rod)
    sol = m.run(t_end=0.5)
    assert np.array_equal(sol[pin.force.x], sol["the pin.force.x"]) and pin.force.y in sol
    assert len(sol[pin.force]) == 2 and m.forces == {}


def test_one_event_needs_no_list() -> None:
    for event in ("x - 0.5", {"name": "half", "formula": "x - 0.5", "action": "continue"}, lambda t, q, v: q[0] - 0.5):
        sol = al.solve(spring(), (0, 2), [1.0], events=event, rtol=1e-10)
        assert [event.t for event in sol.events] == pytest.approx([np.pi / 3], abs=1e-8)


def test_events_of_scipys_form_are_refused_in_words() -> None:
    with pytest.raises(al.UsageError, match=r"is called as event\(t, q, v\)"):
        al.solve(spring(), (0, 1), [1.0], events=lambda t, y: y[0])

    def twice(t: float, q: Any, v: Any) -> Any:
        return q[0]

    twice.terminal = 2  # type: ignore[attr-defined]
    with pytest.raises(al.UsageError, match="terminal = 2"):
        al.solve(spring(), (0, 1), [1.0], events=twice)


def test_both_names_of_the_longest_step() -> None:
    by_ours = al.solve(spring(), (0, 1), [1.0], h_max=0.01)
    by_scipys = al.solve(spring(), (0, 1), [1.0], max_step=0.01)
    assert np.array_equal(by_ours.t, by_scipys.t) and len(by_ours) > 100
    with pytest.raises(al.UsageError, match="which are the same"):
        al.solve(spring(), (0, 1), [1.0], h_max=0.01, max_step=0.01)


def test_warnings_point_to_the_line_that_called() -> None:
    untraceable = al.System(mass=1.0, force=lambda t, q, v: [-float(q[0])])
    m = al.Mechanism("fall", gravity=[0, -9.81])
    m.body("stone", mass=1, inertia=1)
    model = al.Model(OSCILLATOR)
    calls: list[Any] = [
        lambda: al.solve(untraceable, (0, 1), [1.0]),
        lambda: model.run(max_steps=2),
        lambda: m.run(t_end=1, h=0.1, max_steps=2),
        lambda: al.solve(spring(), (0, 1), [1.0], events=lambda t, q, v: float(q[0])),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert caught and caught[0].filename == __file__, caught


def test_limits_speak_of_options_of_python() -> None:
    with pytest.warns(al.ResultWarning) as caught:
        sol = al.Model(OSCILLATOR).run(max_steps=2)
    words = " ".join(str(one.message) for one in caught) + str(sol)
    assert "--" not in words and "resume" not in words
    with pytest.raises(al.IntegrationError) as failed:
        sol.raise_for_failure()
    assert failed.value.hint is not None and "max_steps" in failed.value.hint and "--" not in failed.value.hint


def test_the_end_of_a_model_is_the_one_asked_for() -> None:
    m = al.Mechanism("fall", gravity=[0, -9.81])
    m.body("stone", mass=1, inertia=1)
    m.settings(t_end=2)
    assert m.model(5.0).run().t[-1] == 5 and m.model().run().t[-1] == 2


def test_dynamics_with_states() -> None:
    model = al.load(MODELS / "switched_motor.toml")
    start = model.consistent()
    again = model.dynamics(0.0, start.q, start.v)
    assert again.a == pytest.approx(start.a, abs=1e-12)
    with pytest.raises(ValueError, match="states: "):
        model.dynamics(0.0, start.q, start.v, [1.0] * 9)


def test_what_is_no_system_is_refused() -> None:
    with pytest.raises(al.UsageError, match="a System, a Model or a Mechanism, not function"):
        al.solve(lambda t, y: -y, (0, 1), [1.0])  # type: ignore[arg-type]
    with pytest.raises(al.UsageError, match="is the name of a file") as refused:
        al.Model("pendulum.toml")
    assert refused.value.hint == "write alembert.load('pendulum.toml')"


def test_sweeps_refuse_what_is_no_parameter() -> None:
    model = al.Model(OSCILLATOR)
    with pytest.raises(al.UsageError, match="jobs must be 0"):
        model.sweep(k=[1.0], jobs=-1)
    with pytest.raises(al.UsageError, match="`rtol` is no parameter") as refused:
        model.sweep(k=[1.0], rtol=1e-9)
    assert refused.value.hint is not None and "options=" in refused.value.hint


def test_integrators_stay_in_their_span() -> None:
    integrator = al.Model(OSCILLATOR).integrator(t_end=0.4)
    assert repr(integrator) == "<Integrator at t = 0 of 0.4>" and integrator["x"] == 1.0
    with pytest.raises(al.UsageError, match="cannot advance to 1"):
        integrator.advance(1.0)
    integrator.advance(0.2)
    with pytest.raises(al.UsageError, match="cannot advance to 0.1"):
        integrator.advance(0.1)
    assert integrator.t == 0.2


def test_inputs_may_hold_their_last_value() -> None:
    model = al.Model(OSCILLATOR.replace('"-k*x"', '"F"').replace("[variables]", "[inputs]\nF = 0\n[variables]"))
    sol = model.run(inputs={"F": {"x": [0.0, 1.0], "y": [1.0, 1.0], "extrapolation": "hold"}})
    assert sol.success and sol.last["x"] == pytest.approx(1 + 0.5 * 2.0**2, rel=1e-9)


def test_constant_masses_are_not_called() -> None:
    system = al.System(mass=1.0, force=lambda t, q, v: -q, trace=False)
    sol = al.solve(system, (0, 1), [1.0], rtol=1e-8)
    assert sol.model is not None and sol.model.has_functions and "mass = [1" in sol.model.text.replace("1.0", "1")


def test_constraints_without_derivatives_say_what_they_cost() -> None:
    system = al.System(mass=1.0, force=[0.0, -9.81], holonomic=lambda t, q: q @ q - 1, trace=False)
    with pytest.warns(al.CallbackWarning, match="hundreds to thousands of times in each step: give holonomic_q"):
        al.solve(system, (0, 0.1), [1.0, 0.0])


def test_derivatives_may_be_constant_and_are_then_not_called() -> None:
    calls = {"g": 0}

    def line(t: float, q: Any) -> Any:
        calls["g"] += 1
        return q[0] + 2 * q[1]

    def run(**derivatives: Any) -> tuple[al.Solution, int]:
        system = al.System(mass=[1.0, 3.0], force=[0.0, -9.81], holonomic=line, trace=False, **derivatives)
        calls["g"] = 0
        return al.solve(system, (0, 1), [0.0, 0.0], rtol=1e-8), calls["g"]

    slope = [[1.0, 2.0]]
    timed, many = run(holonomic_q=slope)
    free, few = run(holonomic_q=slope, holonomic_t=0, holonomic_bias=[0.0], holonomic_velocity_q=0, force_q=None)
    assert few < many / 2
    # A bead on an inclined line: y'' = -g/(4 + 3), from 4 + 3 = M along (-2, 1).
    for sol in (timed, free):
        assert sol.last["q1"] == pytest.approx(-9.81 / 7 / 2, rel=1e-9)
    with pytest.raises(ValueError, match=r"holonomic_q must give an array of shape \(1, 2\), not an array of shape \(1, 3\)"):
        run(holonomic_q=[[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="holonomic_q must be a function or numbers, not 'steep'"):
        run(holonomic_q="steep")


def large(n: int = 45, **more: Any) -> al.System:
    """Two masses of many on a circle, the others on springs: matrices that would be sparse if they were formulas."""
    given: dict[str, Any] = {"mass": np.eye(n), "force": lambda t, q, v: -q, "holonomic": lambda t, q: q[0] ** 2 + q[1] ** 2 - 1}
    return al.System(**{**given, **more})


@pytest.mark.parametrize("called", ["all", "force", "holonomic", "mass"])
def test_large_systems_whose_functions_are_called(called: str) -> None:
    n, start = 45, np.r_[1.0, np.zeros(43), 0.5]
    slopes: dict[str, Any] = {
        "holonomic_q": lambda t, q: np.r_[2 * q[:2], np.zeros(n - 2)],
        "holonomic_bias": lambda t, q, v: [2 * v[:2] @ v[:2]],
        "holonomic_velocity_q": lambda t, q, v: np.r_[2 * v[:2], np.zeros(n - 2)],
    }
    changes: dict[str, Any] = {
        "all": {"trace": False, **slopes},
        "force": {"force": lambda t, q, v: [-float(x) for x in q]},
        "holonomic": {"holonomic": lambda t, q: [float(q[0]) ** 2 + float(q[1]) ** 2 - 1], **slopes},
        "mass": {"mass": lambda t, q: np.eye(n) * float(1.0 + 0 * q[0])},
    }[called]
    traced = al.solve(large(), (0, 0.5), start, rtol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", al.CallbackWarning)
        found = al.solve(large(**changes), (0, 0.5), start, rtol=1e-8)
    # The mass that is not on the circle swings as the cosine.
    assert found.last.q[-1] == pytest.approx(0.5 * np.cos(0.5), abs=1e-8)
    assert np.abs(found.last.q - traced.last.q).max() < 1e-7 and found.stats["steps"] < 2 * traced.stats["steps"]


def test_large_systems_of_compiled_functions_stay_in_their_room() -> None:
    n = 45
    made = al.ctypes_signature()

    def rod(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        out[0] = q[0] ** 2 + q[1] ** 2 - 1

    def slope(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        for i in range(n):
            out[i] = 2 * q[i] if i < 2 else 0.0

    start = np.r_[1.0, np.zeros(43), 0.5]
    # Nobody but the system keeps these functions; what comes after them takes their room if it is free.
    system = large(holonomic=made(rod), holonomic_q=made(slope), holonomic_names=["rod"])
    gc.collect()
    others = [made(lambda t, q, v, a, mu, out: None) for _ in range(200)]
    sol = al.solve(system, (0, 0.5), start, rtol=1e-8)
    assert others and sol.last.q[-1] == pytest.approx(0.5 * np.cos(0.5), abs=1e-8)
    assert abs(sol.last.q[0] ** 2 + sol.last.q[1] ** 2 - 1) < 1e-14


def test_derivatives_along_coordinates_have_as_many_columns_as_these() -> None:
    """A rod in the plane by the cosine and the sine of its angle: two coordinates, one velocity."""
    given: dict[str, Any] = {
        "mass": lambda t, q: np.eye(1),
        "force": lambda t, q, v: -9.81 * q[:1],
        "rate": lambda t, q, v: np.array([-q[1], q[0]]) * v[0],
    }
    start = ([1.0, 0.0], [0.0])
    traced = al.solve(al.System(**given), (0.0, 1.0), *start, rtol=1e-9)
    called = al.solve(
        al.System(
            **given, trace=False, force_q=lambda t, q, v: [[-9.81, 0.0]],
            rate_q=lambda t, q, v: np.array([[0.0, -1.0], [1.0, 0.0]]) * v[0], rate_v=lambda t, q, v: [[-q[1]], [q[0]]],
        ),
        (0.0, 1.0), *start, rtol=1e-9,
    )  # fmt: skip
    assert np.abs(traced.last.q - called.last.q).max() < 1e-8


def test_redundant_constraints_leave_the_steps_alone() -> None:
    once = al.Model(PENDULUM).run(rtol=1e-6)
    twice = al.Model(
        PENDULUM.replace('["x^2 + y^2 - 1"]', '["x^2 + y^2 - 1", "2*x^2 + 2*y^2 - 2"]\nredundant = "least squares"')
    ).run(rtol=1e-6)
    assert twice.stats["steps"] < 2 * once.stats["steps"]


def test_refusals_of_functions_are_ours_and_travel() -> None:
    system = al.System(mass=1.0, force=lambda t, q, v: [float(q[0])])
    with pytest.raises(al.Untraceable) as refused:
        system.document([1.0])
    assert isinstance(refused.value, al.AlembertError) and isinstance(refused.value, TypeError)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_models_that_call_python_are_no_files(tmp_path: Any) -> None:
    sol = al.solve(al.System(mass=1.0, force=lambda t, q, v: -q, trace=False), (0, 1), [1.0])
    assert sol.model is not None
    with pytest.raises(al.UsageError, match="is no file"):
        sol.model.save(tmp_path / "a.toml")
    assert not list(tmp_path.iterdir())


def test_comparisons_take_the_names_of_methods(oscillator: al.Model) -> None:
    found = oscillator.compare(["soi2"], repeats=1)
    assert {row["method"] for row in found.rows} == {"alpha"} and {row["problem"] for row in found.rows} == {"oscillator"}


@pytest.mark.parametrize(("option", "value"), [("t_end", float("nan")), ("rtol", float("inf")), ("t_eval", [0.0, float("nan")])])
def test_options_that_are_not_finite_are_named(option: str, value: Any) -> None:
    model = al.Model(OSCILLATOR)
    with pytest.raises(al.UsageError, match=f"`{option}` must be finite, and is (nan|inf)") as refused:
        model.run(**{option: value})
    assert refused.value.parameter == option
