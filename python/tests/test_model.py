"""Models: loading, running, results, analyses."""

from __future__ import annotations

import json
import pathlib
import pickle
import warnings

import numpy as np
import pytest
from conftest import MODELS, OSCILLATOR, PENDULUM

import alembert as al


def test_a_run_has_the_fields_of_scipy(pendulum: al.Model) -> None:
    sol = pendulum.run(t_end=1.0, rtol=1e-9)
    assert sol.success and sol.status == 0 and "reached t = 1" in sol.message
    assert sol.t[0] == 0.0 and sol.t[-1] == 1.0
    assert sol.q.shape == (2, len(sol.t)) and sol.v.shape == sol.q.shape and sol.a.shape == sol.q.shape
    assert sol.lam.shape == (1, len(sol.t)) and sol.psi.shape == (0, len(sol.t))
    assert sol.y.shape == (4, len(sol.t))
    assert sol.nfev > 0 and sol.njev > 0 and sol.nlu > 0
    assert np.abs(np.hypot(sol["x"], sol["y"]) - 1).max() < 1e-14
    # The rod carries the weight's component and turns the motion: lambda = (v^2 - g y)/2 for g = x^2 + y^2 - 1.
    assert np.allclose(sol["lambda1"], (sol["x'"] ** 2 + sol["y'"] ** 2 - 9.81 * sol["y"]) / 2, rtol=1e-9)


def test_arrays_are_views_of_one_table(pendulum: al.Model) -> None:
    sol = pendulum.run(t_end=0.1)
    assert np.shares_memory(sol.q, sol.data) and np.shares_memory(sol["x"], sol.data)
    assert sol.q.dtype == np.float64 and sol.data.flags.c_contiguous


def test_the_state_between_rows_is_as_accurate_as_the_steps(oscillator: al.Model) -> None:
    sol = oscillator.run(t_end=10.0, rtol=1e-10)
    times = np.linspace(0, 10, 997)
    state = sol(times)
    assert np.abs(state["x"] - np.cos(2 * times)).max() < 1e-8
    assert np.abs(state["x'"] + 2 * np.sin(2 * times)).max() < 1e-8
    assert np.abs(state.a[0] + 4 * np.cos(2 * times)).max() < 1e-7
    one = sol(3.21)
    assert isinstance(one.t, float) and one.q.shape == (1,)


def test_times_outside_of_the_run_are_refused(oscillator: al.Model) -> None:
    sol = oscillator.run(t_end=1.0)
    with pytest.raises(al.UsageError, match="the motion is known from 0 to 1"):
        sol(1.5)
    with pytest.raises(ValueError, match="side is"):
        sol(0.5, side="left")
    without = oscillator.run(t_end=1.0, dense=False)
    with pytest.raises(al.UsageError, match="not there any more"):
        without(0.5)


def test_rows_are_at_the_times_asked_for(oscillator: al.Model) -> None:
    times = np.array([0.1, 0.25, 0.5, 0.9])
    sol = oscillator.run(t_end=1.0, t_eval=times, rtol=1e-10)
    assert np.array_equal(sol.t, times)
    assert np.abs(sol["x"] - np.cos(2 * times)).max() < 1e-9
    assert oscillator.run(t_end=1.0, t_eval=[]).t.size == 0
    assert np.array_equal(oscillator.run(t_end=1.0, output_every=0.25).t, [0, 0.25, 0.5, 0.75, 1])


def test_events_are_rows_whatever_times_are_asked_for() -> None:
    text = """
    format = 1
    [variables]
    coordinates = ["h"]
    [equations]
    mass = [1]
    force = ["-10"]
    [initial]
    h = 5
    [[events]]
    name = "floor"
    formula = "h"
    direction = "falling"
    action = "bounce"
    restitution = 0.5
    [run]
    t_end = 1.5
    rtol = 1e-9
    """
    sol = al.Model(text).run(t_eval=[0.5, 1.25])
    assert sol.t.tolist() == pytest.approx([0.5, 1.0, 1.0, 1.25], rel=1e-12)
    assert sol["h'"][1:3] == pytest.approx([-10.0, 5.0], rel=1e-9)
    [event] = sol.events
    assert event.name == "floor" and not event.rising and event.t == pytest.approx(1.0, rel=1e-12)
    assert event.before["h'"] == pytest.approx(-10, rel=1e-9) and event.after["h'"] == pytest.approx(5, rel=1e-9)
    assert sol(event.t, side="before")["h'"] == pytest.approx(-10, rel=1e-9)
    assert sol(event.t)["h'"] == pytest.approx(5, rel=1e-9)
    assert [times.tolist() for times in sol.t_events] == [[event.t]]
    assert sol.y_events[0].shape == (1, 2)


def test_parameters_are_changed_without_touching_the_model(oscillator: al.Model) -> None:
    other = oscillator.with_(k=9.0)
    assert oscillator.parameters == {"k": 4.0} and other.parameters == {"k": 9.0}
    assert other.run(t_end=1.0, rtol=1e-10).last["x"] == pytest.approx(np.cos(3.0), abs=1e-9)
    assert other.with_(k="2*8").parameters == {"k": 16.0}
    started = oscillator.with_(initial={"x": 0.0, "x'": 2.0}).run(t_end=1.0, rtol=1e-10)
    assert started.last["x"] == pytest.approx(np.sin(2.0), abs=1e-9)
    with pytest.raises(al.ModelError, match="there is no parameter `m` to set"):
        oscillator.with_(m=1.0)


@pytest.mark.parametrize("method", [method.name for method in al.methods()])
def test_every_method_runs(pendulum: al.Model, method: str) -> None:
    sol = pendulum.run(t_end=0.5, method=method, rtol=1e-5)
    reference = pendulum.run(t_end=0.5, rtol=1e-11).last
    assert sol.summary["method"] == method
    assert np.abs(sol.last.q - reference.q).max() < 1e-3
    assert method in {"radau": "radau", "bdf": "bdf", "soi2": "soi2", "hht": "hht"}
    assert "The method: " in sol.citation()


def test_options_are_checked_by_name(oscillator: al.Model) -> None:
    with pytest.raises(al.UsageError, match="unknown option `stagse`") as caught:
        oscillator.run(stagse=5)
    assert caught.value.parameter == "stagse" and "did you mean `stages`?" in (caught.value.hint or "")
    with pytest.raises(al.UsageError, match="rtol must be a positive number") as caught:
        oscillator.run(rtol=-1.0)
    assert caught.value.parameter == "rtol"
    with pytest.raises(al.UsageError, match="unknown method `runge`"):
        oscillator.run(method="runge")
    with pytest.raises(al.UsageError, match="t_eval must increase"):
        oscillator.run(t_eval=[0.2, 0.1])
    assert oscillator.run(t_end=0.1, stages=7, max_steps=1000).success


def test_a_run_that_stops_half_way_says_so(oscillator: al.Model) -> None:
    with pytest.warns(al.ResultWarning, match="results are partial"):
        sol = oscillator.run(t_end=100.0, h=0.1, max_steps=10)
    assert not sol.success and sol.status == -1 and sol.t[-1] < 2
    with pytest.raises(al.IntegrationError, match="limit of 10 steps") as caught:
        sol.raise_for_failure()
    assert caught.value.time == sol.t[-1]


def test_failures_carry_the_time_and_whom_to_blame() -> None:
    text = PENDULUM.replace('potential = "9.81*y"', 'potential = "9.81*y + sqrt(y + 0.5)"')
    with pytest.warns(al.ResultWarning):
        sol = al.Model(text).run(t_end=2.0)
    with pytest.raises(al.IntegrationError) as caught:
        sol.raise_for_failure()
    assert caught.value.time is not None and 0 < caught.value.time < 2


def test_mistakes_have_lines_and_columns() -> None:
    text = OSCILLATOR.replace("-k*x", "-kk*x + sine(x)")
    with pytest.raises(al.ModelError) as caught:
        al.Model(text, name="my model")
    first, second = caught.value.mistakes
    line = text.splitlines()[first.line - 1] if first.line else ""
    assert line[(first.column or 0) - 1 :].startswith("kk") and "unknown name `kk`" in first.message
    assert "sin" in (second.hint or "") and "my model" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.mistakes == caught.value.mistakes and str(again) == str(caught.value)


def test_a_start_that_is_none_names_the_constraint() -> None:
    text = PENDULUM.replace('"x^2 + y^2 - 1"', '{ name = "rod", formula = "x^2 + y^2 + 1" }')
    with pytest.raises(al.IntegrationError, match="no consistent start") as caught:
        al.Model(text).run()
    assert "rod" in str(caught.value)


def test_the_consistent_start_and_the_dynamics(pendulum: al.Model) -> None:
    moved = pendulum.with_(initial={"x": 0.9, "y": 0.1})
    start = moved.consistent()
    assert np.hypot(start["x"], start["y"]) == pytest.approx(1, abs=1e-15)
    state = pendulum.dynamics(0.0, [0.0, -1.0], [2.0, 0.0])
    assert state["y''"] == pytest.approx(4.0, rel=1e-12) and state["lambda1"] == pytest.approx(13.81 / 2, rel=1e-12)
    with pytest.raises(ValueError, match="q: 2 numbers are wanted, and 1 are given"):
        pendulum.dynamics(0.0, [0.0], [2.0, 0.0])


def test_checks_say_what_a_model_is(pendulum: al.Model) -> None:
    check = pendulum.check()
    assert check.good and check.degrees_of_freedom == 1 and "degrees of freedom: 1" in str(check)
    mechanism = al.load(MODELS / "mechanisms" / "four_bar.toml").check().mechanism
    assert mechanism is not None and mechanism["mobility"] == 1


def test_certificates_have_error_bars(oscillator: al.Model) -> None:
    found = oscillator.verify(t_end=1.0, rtol=1e-7)
    assert found.trusted and not found.doubts
    assert 0 < (found.error_bars["q"] or 0) < 1e-5
    assert b"<html" in found.report().content


def test_comparisons_are_tables(pendulum: al.Model) -> None:
    found = pendulum.with_().compare(["radau5"], repeats=1)
    assert {row["method"] for row in found.rows} == {"radau5"} and "radau5" in str(found)
    assert b"<html" in found.report().content and len(found.to_pandas()) == len(found.rows)
    with pytest.raises(al.UsageError, match="unknown method `x`"):
        pendulum.compare(["x"])


def test_comparisons_end_where_they_are_told_to(oscillator: al.Model) -> None:
    short, long = (oscillator.compare(["radau5"], t_end=t_end, repeats=1).rows[0]["steps"] for t_end in (1.0, 20.0))
    assert 3 * short < long
    with pytest.raises(al.UsageError, match="t_end"):
        oscillator.compare(["radau5"], t_end=float("nan"), repeats=1)


def test_sweeps_run_every_combination(oscillator: al.Model) -> None:
    k = np.array([1.0, 4.0, 9.0])
    found = oscillator.sweep(k=k, t_end=1.0, options={"rtol": 1e-10})
    assert len(found) == 3 and found.success.all()
    assert np.abs(found["x"] - np.cos(np.sqrt(k))).max() < 1e-9
    frame = found.to_pandas()
    assert frame["k"].tolist() == k.tolist() and set(frame["outcome"]) == {"reached"}
    failing = al.Model(OSCILLATOR.replace("-k*x", "-k*x/(k - 9)")).sweep(k=[4.0, 9.0])
    assert failing.success.tolist() == [True, False] and np.isnan(failing["x"][1])
    with pytest.raises(al.UsageError, match="there is no parameter `c`"):
        oscillator.sweep(c=[1.0])
    with pytest.raises(al.UsageError, match="no parameter is swept"):
        oscillator.sweep()


def test_a_grid_has_an_axis_for_each_parameter() -> None:
    text = OSCILLATOR.replace("k = 4.0", "k = 4.0\nm = 1.0").replace("mass = [1]", 'mass = ["m"]')
    found = al.Model(text).sweep(k=[1.0, 4.0], m=[1.0, 2.0, 4.0], options={"rtol": 1e-10})
    k, m = np.meshgrid([1.0, 4.0], [1.0, 2.0, 4.0], indexing="ij")
    assert found.shape == (2, 3) and np.abs(found.grid("x") - np.cos(np.sqrt(k / m) * 2)).max() < 1e-8


def test_steps_one_by_one_with_inputs() -> None:
    model = al.Model(INPUT)
    integrator = model.integrator()
    seen = []
    for step in integrator:
        integrator["F"] = 2.0 if step.t >= 1 else 0.0
        seen.append(step.t)
    assert seen[-1] == 2.0 and integrator.step() is None and integrator.t_end == 2.0
    # From t = 1 on a force of 2: v = 2, x = 1.
    assert integrator.state["x'"] == pytest.approx(2.0, rel=1e-12)
    assert integrator.state["x"] == pytest.approx(1.0, rel=1e-12)
    with pytest.raises(KeyError, match="there is no input `G`: they are F"):
        integrator["G"] = 1.0
    other = model.integrator()
    assert other.advance(0.7).t == pytest.approx(0.7, abs=1e-15)


INPUT = """
format = 1
[variables]
coordinates = ["x"]
[inputs]
F = 0
[equations]
mass = [1]
force = ["F"]
[initial]
x = 0
[run]
t_end = 2
rtol = 1e-10
h_max = 0.25
"""


def test_inputs_are_numbers_formulas_functions_and_tables() -> None:
    model = al.Model(INPUT)
    exact = 1.0 - np.cos(2.0)
    assert model.run(inputs={"F": 3.0}).last["x'"] == pytest.approx(6.0, rel=1e-9)
    assert model.run(inputs={"F": "sin(t)"}).last["x'"] == pytest.approx(exact, rel=1e-8)
    assert model.run(inputs={"F": np.sin}).last["x'"] == pytest.approx(exact, rel=1e-8)
    assert model.run(inputs={"F": lambda t: np.where(t < 1.0, 0.0, 2.0)}).last["x'"] == pytest.approx(2.0, rel=1e-8)
    assert model.run(inputs={"F": ([0.0, 2.0], [0.0, 2.0])}).last["x'"] == pytest.approx(2.0, rel=1e-8)
    with pytest.raises(al.UsageError, match="there is no input `G`"):
        model.run(inputs={"G": 1.0})
    with pytest.raises(al.UsageError, match="cannot be traced"):
        model.run(inputs={"F": lambda t: 1.0 if t > 1 else 0.0})


def test_events_are_formulas_functions_and_tables(oscillator: al.Model) -> None:
    def down(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return q[0] + 0.5

    down.terminal = True  # type: ignore[attr-defined]
    down.direction = -1  # type: ignore[attr-defined]
    sol = oscillator.run(t_end=5.0, rtol=1e-10, events=["x", down, {"name": "late", "at": 4.9}])
    assert sol.status == 1 and sol.t[-1] == pytest.approx(np.arccos(-0.5) / 2, rel=1e-9)
    assert sol.t_events[0] == pytest.approx([np.pi / 4], rel=1e-9) and sol.t_events[2].size == 0
    with pytest.raises(al.UsageError, match="event 1 is a int"):
        oscillator.run(events=[3])


def test_events_that_cannot_be_traced_are_called(oscillator: al.Model) -> None:
    with pytest.warns(al.CallbackWarning, match="event `crossing` is called while the model runs"):
        sol = oscillator.run(t_end=2.0, rtol=1e-9, events=[crossing])
    assert sol.t_events[0] == pytest.approx([np.pi / 4], rel=1e-7)
    assert sol.model is not None and sol.model.has_functions
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(sol.model)
    assert pickle.loads(pickle.dumps(sol)).model is None
    with pytest.raises(al.ModelError, match="in a program"):
        al.Model(sol.model.text)


def crossing(t: float, q: np.ndarray, v: np.ndarray) -> float:
    return float(q[0])


def test_models_and_results_are_pickled() -> None:
    model = al.load(MODELS / "quarter_car.toml")
    again = pickle.loads(pickle.dumps(model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", al.ResultWarning)
        first, second = model.run(t_end=0.5), again.run(t_end=0.5)
    assert np.array_equal(first.data, second.data)
    kept = pickle.loads(pickle.dumps(first))
    assert np.array_equal(kept.data, first.data) and kept.summary == first.summary
    assert kept.model is not None and b"<html" in kept.report().content


def test_results_are_saved_and_read_again(pendulum: al.Model, tmp_path: pathlib.Path) -> None:
    sol = pendulum.run(t_end=0.5)
    sol.save(tmp_path / "run")
    again = al.open(tmp_path / "run")
    assert np.array_equal(again.data, sol.data) and again.names == sol.names
    assert again.message == sol.message and again.stats == sol.stats and again.model is not None
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["asked"]["text"] == pendulum.text
    # What somebody else wrote stays.
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "result.csv").write_text("mine")
    with pytest.raises(al.AlembertError, match=r"result\.csv"):
        sol.save(tmp_path / "other")
    assert (tmp_path / "other" / "result.csv").read_text() == "mine"
    with pytest.raises(al.UsageError, match="no result of a run"):
        al.open(tmp_path / "nowhere")


def test_results_as_frames(pendulum: al.Model) -> None:
    pytest.importorskip("pandas")
    sol = pendulum.run(t_end=0.5)
    frame = sol.to_pandas()
    assert frame.index.name == "t" and frame["x"].to_numpy().tolist() == sol["x"].tolist()
    dataset = sol.to_xarray()
    assert dataset["x"].dims == ("t",) and float(dataset["x"].sel(t=0.5)) == sol.last["x"]
    assert sol.to_polars()["x"].to_list() == sol["x"].tolist()


def test_columns_that_are_not_there_name_the_nearest(pendulum: al.Model) -> None:
    sol = pendulum.run(t_end=0.1)
    with pytest.raises(KeyError, match="did you mean `lambda1`"):
        sol["lambda"]
    assert "x" in sol and "lambda" not in sol and "z" not in sol
    with pytest.raises(TypeError, match="columns have names"):
        sol[0]  # type: ignore[index]


def test_vectors_and_joints_are_rows_together() -> None:
    sol = al.load(MODELS / "chain.toml").run(t_end=0.05)
    assert sol["x"].shape == (sum(name.startswith("x[") and not name.endswith("'") for name in sol.names), len(sol))
    bar = al.load(MODELS / "mechanisms" / "four_bar.toml").run(t_end=0.05)
    assert bar["crank"].shape[0] >= 3


def test_rows_can_be_walked_through(oscillator: al.Model) -> None:
    sol = oscillator.run(t_end=0.5)
    assert [state.t for state in sol] == sol.t.tolist() and len(list(sol)) == len(sol)
    assert repr(sol).startswith("<Solution") and "rows" in repr(sol) and "oscillator" in str(sol)


def test_text_is_formatted() -> None:
    assert al.formatted("format=1\n") == "format = 1\n"
    assert al.formatted("format = = 1") is None
