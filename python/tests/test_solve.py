"""Equations of one's own: traced, called back, compiled; beside SciPy."""

from __future__ import annotations

import ctypes
import pickle
from typing import Any

import numpy as np
import pytest

import alembert as al

G = 9.81


def force(t: float, q: Any, v: Any) -> Any:
    return [0.0, -G]


def rod(t: float, q: Any) -> Any:
    return q[0] ** 2 + q[1] ** 2 - 1.0


def untraceable_rod(t: float, q: Any) -> Any:
    return [float(q[0]) ** 2 + float(q[1]) ** 2 - 1.0]


def untraceable_force(t: float, q: Any, v: Any) -> Any:
    return np.array([0.0 * float(q[0]), -G])


@pytest.fixture(scope="module")
def reference() -> al.State:
    return al.solve(al.System(mass=1.0, force=force, holonomic=rod), (0.0, 1.0), [1.0, 0.0], rtol=1e-12).last


def difference(sol: al.Solution, reference: al.State) -> float:
    parts = [(sol.last.q, reference.q), (sol.last.v, reference.v), (sol.last.a, reference.a), (sol.last.lam, reference.lam)]
    return float(max(np.abs(x - y).max() for x, y in parts))


def test_the_pendulum_swings_with_its_period() -> None:
    # The period of a pendulum released from the horizontal is 4 K(1/sqrt 2)/sqrt g; K(1/sqrt 2) = 1.8540746773013719.
    period = 4 * 1.8540746773013719 / np.sqrt(G)
    system = al.System(mass=1.0, force=force, holonomic=rod, q=["x", "y"])
    sol = al.solve(system, (0.0, period), [1.0, 0.0], rtol=1e-11)
    assert sol.last["x"] == pytest.approx(1.0, abs=1e-9) and sol.last["y"] == pytest.approx(0.0, abs=1e-8)
    assert sol.model is not None and not sol.model.has_functions


def test_what_cannot_be_traced_is_called_with_a_warning_that_says_why(reference: al.State) -> None:
    system = al.System(mass=1.0, force=force, holonomic=untraceable_rod)
    with pytest.warns(al.CallbackWarning, match=r"(?s)holonomic is called from the integration.*cannot become formulas.*float.*give holonomic_q"):
        sol = al.solve(system, (0.0, 1.0), [1.0, 0.0], rtol=1e-8)
    assert difference(sol, reference) < 1e-5
    assert np.abs(np.hypot(*sol.q) - 1).max() < 1e-11


def test_a_force_that_is_called_leaves_the_constraints_exact(reference: al.State) -> None:
    system = al.System(mass=1.0, force=untraceable_force, holonomic=rod)
    with pytest.warns(al.CallbackWarning, match="force is called from the integration"):
        sol = al.solve(system, (0.0, 1.0), [1.0, 0.0], rtol=1e-10)
    assert difference(sol, reference) < 1e-7
    assert np.abs(np.hypot(*sol.q) - 1).max() < 1e-14


def test_all_functions_called_on_request(reference: al.State, recwarn: pytest.WarningsRecorder) -> None:
    calls = {"force": 0, "holonomic": 0, "holonomic_q": 0}

    def count(name: str, value: Any) -> Any:
        calls[name] += 1
        return value

    system = al.System(
        mass=np.eye(2),
        force=lambda t, q, v: count("force", [0.0, -G]),
        holonomic=lambda t, q: count("holonomic", q @ q - 1.0),
        holonomic_q=lambda t, q: count("holonomic_q", 2 * q),
        holonomic_bias=lambda t, q, v: 2 * v @ v,
        holonomic_velocity_q=lambda t, q, v: 2 * v,
        trace=False,
    )
    sol = al.solve(system, (0.0, 1.0), [1.0, 0.0], rtol=1e-9)
    assert difference(sol, reference) < 1e-6 and not recwarn.list
    assert min(calls.values()) > 10 and sol.stats["evaluations"]["holonomic"] <= calls["holonomic"]


def test_every_kind_of_function_is_called(recwarn: pytest.WarningsRecorder) -> None:
    """A sleigh whose mass, force, reaction, constraint and kinematics are all called, against the same traced."""
    given: dict[str, Any] = {
        "mass": lambda t, q: np.diag([1.0 + 0.1 * np.sin(q[2]) ** 2, 1.0, 0.5]),
        "force": lambda t, q, v: np.array([0.3 * np.cos(t), -0.1 * v[1], 0.2]),
        "nonholonomic": lambda t, q, v: v[0] * np.sin(q[2]) - v[1] * np.cos(q[2]),
        "reaction": lambda t, q, v, lam, psi: -psi[0] * np.array([np.sin(q[2]), -np.cos(q[2]), 0.0]),
        "rate": lambda t, q, v: np.array([v[0], v[1], v[2]]),
    }
    start = ([0.0, 0.0, 0.3], [np.cos(0.3), np.sin(0.3), 0.4])
    traced = al.solve(al.System(**given), (0.0, 2.0), *start, rtol=1e-10)
    called = al.solve(al.System(**given, trace=False), (0.0, 2.0), *start, rtol=1e-10)
    assert not recwarn.list
    assert np.abs(traced.last.q - called.last.q).max() < 1e-8 and np.abs(traced.last.psi - called.last.psi).max() < 1e-6


def test_exceptions_of_callbacks_come_out_as_they_are() -> None:
    class Mine(Exception):
        pass

    def bad(t: float, q: Any, v: Any) -> Any:
        if float(t) > 0.2:
            raise Mine("beyond 0.2")
        return np.array([0.0, -G])

    system = al.System(mass=1.0, force=bad, holonomic=rod, holonomic_q=lambda t, q: 2 * q, trace=False)
    with pytest.raises(Mine, match="beyond 0.2") as caught:
        al.solve(system, (0.0, 1.0), [1.0, 0.0])
    assert any(entry.name == "bad" for entry in caught.traceback)
    # The system is as good as before.
    assert al.solve(system, (0.0, 0.1), [1.0, 0.0]).success


def test_wrong_shapes_are_told_with_the_function() -> None:
    with pytest.raises(ValueError, match="force must give 2 numbers, one for each velocity"):
        al.solve(al.System(mass=1.0, force=lambda t, q, v: [1.0, 2.0, 3.0]), (0, 1), [0.0, 0.0])
    late = al.System(mass=1.0, force=lambda t, q, v: np.zeros(2 if t == 0 else 3), trace=False)
    with pytest.raises(ValueError, match="force must give 2 numbers"):
        al.solve(late, (0, 1), [0.0, 0.0])


def test_energies_have_to_be_traced() -> None:
    system = al.System(kinetic=lambda t, q, v: 0.5 * float(v[0]) ** 2, potential=lambda t, q: 0.0)
    with pytest.raises(al.UsageError, match="`kinetic` has to be traced"):
        al.solve(system, (0, 1), [0.0])


def test_bad_spans_and_starts_are_refused() -> None:
    system = al.System(mass=1.0, force=force)
    for span in [(1.0, 1.0), (1.0, 0.0), (0.0, np.inf)]:
        with pytest.raises(al.UsageError, match="t_span must go forward"):
            al.solve(system, span, [0.0, 0.0])
    with pytest.raises(al.UsageError, match="give q0"):
        al.solve(system, (0, 1))
    model = al.Model("format = 1\n[variables]\ncoordinates = ['x']\n[equations]\nmass = [1]\nforce = [0]\n[initial]\nx = 0\n[run]\nt_end = 1")
    assert al.solve(model, (0, 2)).t[-1] == 2
    with pytest.raises(al.UsageError, match="knows where it starts"):
        al.solve(model, (0, 2), [1.0])
    with pytest.raises(al.UsageError, match="the model starts at t = 0"):
        al.solve(model, (1, 2))


def test_parameters_stay_parameters() -> None:
    system = al.System(mass=lambda t, q, m: m, force=lambda t, q, v, k: -k * q, parameters={"k": 4.0, "m": 1.0}, q=["x"])
    sol = al.solve(system, (0.0, 1.0), [1.0], rtol=1e-10)
    assert sol.last["x"] == pytest.approx(np.cos(2.0), abs=1e-9)
    assert sol.model is not None
    swept = sol.model.sweep(m=[1.0, 4.0], options={"rtol": 1e-10})
    assert swept["x"] == pytest.approx([np.cos(2.0), np.cos(1.0)], abs=1e-9)
    called = al.solve(
        al.System(mass=lambda t, q, m: m, force=lambda t, q, v, k: -k * q, parameters={"k": 4.0, "m": 1.0}, trace=False),
        (0.0, 1.0), [1.0],
    )  # fmt: skip
    assert called.model is not None
    with pytest.raises(al.UsageError, match="functions of Python"):
        called.model.with_(k=1.0)
    with pytest.raises(al.UsageError, match="functions of Python"):
        called.model.sweep(k=[1.0])


def test_events_in_scipys_manner() -> None:
    def floor(t: float, q: Any, v: Any) -> Any:
        return q[0]

    floor.terminal = True  # type: ignore[attr-defined]
    floor.direction = -1  # type: ignore[attr-defined]
    sol = al.solve(al.System(mass=1.0, force=lambda t, q, v: [-10.0]), (0, 5), [5.0], events=floor, rtol=1e-10)
    assert sol.status == 1 and sol.t_events[0] == pytest.approx([1.0], rel=1e-9)


# SciPy


def test_unconstrained_motions_are_those_of_scipy() -> None:
    integrate = pytest.importorskip("scipy.integrate")

    def duffing(t: float, q: Any, v: Any) -> Any:
        return np.array([q[0] - q[0] ** 3 - 0.1 * v[0] + 0.3 * np.cos(1.2 * t), -np.sin(q[1]) - 0.5 * (q[1] - q[0])])

    theirs = integrate.solve_ivp(
        lambda t, y: np.concatenate([y[2:], duffing(t, y[:2], y[2:])]),
        (0, 10), [0.5, 0.1, 0.0, 0.2], rtol=1e-12, atol=1e-13, method="DOP853", t_eval=np.linspace(0, 10, 41),
    )  # fmt: skip
    for rtol in (1e-5, 1e-8):
        ours = al.solve(
            al.System(mass=1.0, force=duffing), (0, 10), [0.5, 0.1], [0.0, 0.2], rtol=rtol, t_eval=np.linspace(0, 10, 41)
        )
        assert np.array_equal(ours.t, theirs.t)
        assert np.abs(ours.y - theirs.y).max() < 20 * rtol


# Compiled functions


def in_python(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
    out[1] = -9.81


def rod_in_python(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
    out[0] = q[0] * q[0] + q[1] * q[1] - 1.0


def slope_in_python(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
    out[0] = 2.0 * q[0]
    out[1] = 2.0 * q[1]


def check_compiled(functions: list[Any], reference: al.State, tolerance: float = 1e-5) -> None:
    system = al.System(
        mass=1.0, force=functions[0], holonomic=functions[1], holonomic_names=["rod"], holonomic_q=functions[2]
    )
    sol = al.solve(system, (0.0, 1.0), [1.0, 0.0], rtol=1e-9)
    assert difference(sol, reference) < tolerance
    assert sol.model is not None and sol.model.has_functions


def test_functions_of_ctypes(reference: al.State, recwarn: pytest.WarningsRecorder) -> None:
    from alembert._addresses import Signature

    check_compiled([Signature(function) for function in (in_python, rod_in_python, slope_in_python)], reference)
    assert not recwarn.list


def test_functions_of_numba(reference: al.State) -> None:
    numba = pytest.importorskip("numba")
    compiled = [numba.cfunc(al.numba_signature())(f) for f in (in_python, rod_in_python, slope_in_python)]
    check_compiled(compiled, reference)
    scipy = pytest.importorskip("scipy")
    check_compiled([scipy.LowLevelCallable(f.ctypes) for f in compiled], reference)


def test_functions_at_an_address_need_their_number() -> None:
    from alembert._addresses import Signature

    system = al.System(mass=1.0, force=Signature(in_python), holonomic=Signature(rod_in_python))
    with pytest.raises(ValueError, match="it is not known how many constraints there are"):
        al.solve(system, (0.0, 1.0), [1.0, 0.0])
    assert isinstance(ctypes.cast(Signature(in_python), ctypes.c_void_p).value, int)


def test_functions_of_casadi(reference: al.State, recwarn: pytest.WarningsRecorder) -> None:
    casadi = pytest.importorskip("casadi")
    t, q, v = casadi.SX.sym("t"), casadi.SX.sym("q", 2), casadi.SX.sym("v", 2)
    forces = casadi.Function("force", [t, q, v], [casadi.vertcat(0, -G)])
    constraint = casadi.Function("rod", [t, q], [q.T @ q - 1])
    mass = casadi.Function("mass", [t, q], [casadi.SX.eye(2)])
    system = al.System(mass=mass, force=forces, holonomic=constraint)
    sol = al.solve(system, (0.0, 1.0), [1.0, 0.0], rtol=1e-10)
    assert difference(sol, reference) < 1e-7 and not recwarn.list
    assert sol.model is not None and not sol.model.has_functions
    # Functions of matrices, with conditions, against CasADi's own numbers.
    x = casadi.MX.sym("q", 2)
    rough = casadi.Function(
        "rough", [casadi.MX.sym("t"), x, casadi.MX.sym("v", 2)],
        [casadi.vertcat(casadi.if_else(x[0] > 0.5, casadi.fabs(x[1]), casadi.tanh(x[0])), casadi.atan2(x[1], 2 + x[0] ** 2))],
    )  # fmt: skip
    found = al.System(mass=1.0, force=rough).function("force", [1.0, 2.0])
    for point in ([1.0, -2.0], [0.1, 0.3]):
        assert found(0.0, np.array(point), np.zeros(2)) == pytest.approx(np.array(rough(0.0, point, [0, 0])).ravel(), rel=1e-14)


def test_systems_of_traced_functions_survive_as_models(reference: al.State) -> None:
    sol = al.solve(al.System(mass=1.0, force=force, holonomic=rod), (0.0, 1.0), [1.0, 0.0], rtol=1e-9)
    again = pickle.loads(pickle.dumps(sol.model))
    assert difference(again.run(rtol=1e-9), reference) < 1e-6
