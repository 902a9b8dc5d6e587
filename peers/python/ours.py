"""The problems as users of ours write them: each function gives the solution of the whole call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from equations import (
    ANGLES, ARM2, ARM4, ARM6, CHAIN_FORCE, CHAIN_MASS, CHAIN_START, DA, EE, FF, MIDDLES, RA, REST, RR, SA, SB, SC, SD, SS, STIFFNESS,
    TA, TB, TORQUE, UA, UB, XA, XB, XC, YA, YB, YC, ZF, ZT, D, E, I, M, N, OWN2, OWN4, OWN6, U,
    andrews_bias, andrews_force, andrews_loops, andrews_mass, andrews_slope, chain_bias, chain_joints, chain_slope,
)  # fmt: skip
from places import MODELS


def andrews_file(tol: float) -> Any:
    import alembert as al

    return al.load(MODELS / "andrews.toml").run(rtol=tol, output_every=0.03)


def andrews_traced(tol: float) -> Any:
    import alembert as al

    system = al.System(mass=andrews_mass, force=andrews_force, holonomic=andrews_loops)
    return al.solve(system, (0.0, 0.03), ANGLES, rtol=tol)


def andrews_numba(tol: float) -> Any:
    import alembert as al
    from numba import carray, cfunc, njit

    compiled, sin, cos = cfunc(al.numba_signature()), math.sin, math.cos
    force_of, loops_of = njit(andrews_force), njit(andrews_loops)
    m11, m33 = M[0] * RA**2 + M[1] * (RR**2 + DA**2) + I[0] + I[1], M[2] * (SA**2 + SB**2) + I[2]
    m55 = M[3] * (ZT**2 + EE**2) + M[4] * (TA**2 + TB**2) + I[3] + I[4]
    m77 = M[5] * (FF**2 + U**2) + M[6] * (UA**2 + UB**2) + I[5] + I[6]

    # Matrices are filled in place: an array of nested lists takes numba three to six times as long.
    @compiled
    def mass(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        m, c2, s4, s6 = carray(out, (7, 7)), ARM2 * cos(q[1]), ARM4 * sin(q[3]), ARM6 * sin(q[5])
        m[0, 0], m[1, 1], m[2, 2], m[3, 3] = m11 - 2 * c2, OWN2, m33, OWN4
        m[4, 4], m[5, 5], m[6, 6] = m55 + 2 * s4, OWN6, m77 - 2 * s6
        m[0, 1] = m[1, 0] = OWN2 - c2
        m[3, 4] = m[4, 3] = OWN4 + s4
        m[5, 6] = m[6, 5] = OWN6 - s6

    @compiled
    def force(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        carray(out, 7)[:] = force_of(t, carray(q, 7), carray(v, 7))

    @compiled
    def loops(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        carray(out, 6)[:] = loops_of(t, carray(q, 7))

    @compiled
    def slope(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        g = carray(out, (6, 7))
        s12, c12 = D * sin(q[0] + q[1]), D * cos(q[0] + q[1])
        s45, c45 = E * sin(q[3] + q[4]), E * cos(q[3] + q[4])
        s67, c67 = ZF * sin(q[5] + q[6]), ZF * cos(q[5] + q[6])
        for i in range(0, 6, 2):
            g[i, 0], g[i, 1] = s12 - RR * sin(q[0]), s12
            g[i + 1, 0], g[i + 1, 1] = RR * cos(q[0]) - c12, -c12
        g[0, 2], g[1, 2] = -SS * cos(q[2]), -SS * sin(q[2])
        g[2, 3], g[2, 4], g[3, 3], g[3, 4] = -c45, ZT * sin(q[4]) - c45, -s45, -ZT * cos(q[4]) - s45
        g[4, 5], g[4, 6], g[5, 5], g[5, 6] = s67, s67 - U * cos(q[6]), -c67, -c67 - U * sin(q[6])

    system = al.System(
        mass=mass, force=force, holonomic=loops, holonomic_q=slope, holonomic_t=0, holonomic_names=6
    )
    return al.solve(system, (0.0, 0.03), ANGLES, rtol=tol)


def andrews_called(tol: float) -> Any:
    import alembert as al

    system = al.System(mass=andrews_mass, force=andrews_force, holonomic=andrews_loops, trace=False)
    return al.solve(system, (0.0, 0.03), ANGLES, rtol=tol)


def andrews_called_slope(tol: float) -> Any:
    import alembert as al

    system = al.System(
        mass=andrews_mass,
        force=andrews_force,
        holonomic=andrews_loops,
        holonomic_q=andrews_slope,
        holonomic_bias=andrews_bias,
        trace=False,
    )
    return al.solve(system, (0.0, 0.03), ANGLES, rtol=tol)


def andrews_bodies(tol: float) -> Any:
    """Bodies drawn from the joint nearest to the ground; poses are rough, and the crank's angle fixes the start."""
    import alembert as al

    be, th, ga, ph, de, om, ep = ANGLES
    m = al.Mechanism("Andrews' squeezing mechanism", dimension=2)

    def body(k: int, centre: list[float], turn: float, **points: list[float]) -> Any:
        return m.body(f"K{k}", mass=M[k - 1], inertia=I[k - 1], centre=centre, pose={"angle": turn}, points=points)

    k1, k2 = body(1, [RA, 0], be, end=[RR, 0]), body(2, [-DA, 0], be + th, end=[-D, 0])
    k3 = body(3, [SB, -SA], ga, end=[0, -SS], hook=[SD, -SC])
    k4, k5 = body(4, [0, -EE], ph + de, end=[0, -E]), body(5, [TA, TB], de, end=[ZT, 0])
    k6, k7 = body(6, [FF, 0], om + ep, end=[ZF, 0]), body(7, [-UB, -UA], ep, end=[0, -U])
    a, b, c = m.ground.at([XA, YA]), m.ground.at([XB, YB]), m.ground.at([XC, YC])
    m.revolute("O", "ground", k1, start={"angle": be})
    pairs = [(k1["end"], k2), (b, k3), (a, k5), (a, k7), (k5["end"], k4), (k7["end"], k6)]
    pairs += [(k2["end"], other["end"]) for other in (k3, k4, k6)]
    for i, (first, second) in enumerate(pairs):
        m.revolute(f"J{i}", first, second)
    m.spring("spring", c, k3["hook"], stiffness=STIFFNESS, rest=REST)
    m.torque("motor", on=k1, torque=TORQUE)
    return m.run(0.03, rtol=tol)


def pendulum_file(tol: float) -> Any:
    import alembert as al

    return al.load(MODELS / "pendulum.toml").run(rtol=tol, output_every=10.0)


def pendulum_traced(tol: float) -> Any:
    import alembert as al

    system = al.System(mass=1.0, force=[0.0, -9.81], holonomic=lambda t, q: q @ q - 1)
    return al.solve(system, (0.0, 10.0), [1.0, 0.0], rtol=tol)


def pendulum_numba(tol: float) -> Any:
    import alembert as al
    from numba import cfunc

    @cfunc(al.numba_signature())
    def rod(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        out[0] = q[0] ** 2 + q[1] ** 2 - 1.0

    @cfunc(al.numba_signature())
    def slope(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        out[0], out[1] = 2.0 * q[0], 2.0 * q[1]

    system = al.System(mass=1.0, force=[0.0, -9.81], holonomic=rod, holonomic_q=slope, holonomic_t=0, holonomic_names=1)
    return al.solve(system, (0.0, 10.0), [1.0, 0.0], rtol=tol)


def pendulum_called(tol: float) -> Any:
    import alembert as al

    system = al.System(mass=1.0, force=[0.0, -9.81], holonomic=lambda t, q: q @ q - 1, trace=False)
    return al.solve(system, (0.0, 10.0), [1.0, 0.0], rtol=tol)


def pendulum_called_slope(tol: float) -> Any:
    import alembert as al

    system = al.System(
        mass=1.0,
        force=[0.0, -9.81],
        holonomic=lambda t, q: q @ q - 1,
        holonomic_q=lambda t, q: 2 * q,
        holonomic_bias=lambda t, q, v: 2 * v @ v,
        trace=False,
    )
    return al.solve(system, (0.0, 10.0), [1.0, 0.0], rtol=tol)


def pendulum_bodies(tol: float) -> Any:
    import alembert as al

    m = al.Mechanism("pendulum", gravity=[0, -9.81])
    bob = m.body("bob", mass=1, inertia=0, pose={"at": [1, 0]})
    m.distance("rod", "ground", bob, length=1)
    return m.run(10.0, rtol=tol)


def chain_file(tol: float) -> Any:
    import alembert as al

    return al.load(MODELS / "chain.toml", parameters={"N": N}).run(rtol=tol, output_every=1.0)


def chain_traced(tol: float) -> Any:
    import alembert as al

    system = al.System(mass=CHAIN_MASS, force=CHAIN_FORCE, holonomic=chain_joints)
    return al.solve(system, (0.0, 1.0), CHAIN_START, rtol=tol)


def chain_numba(tol: float) -> Any:
    import alembert as al
    from numba import carray, cfunc, njit

    joints_of, slope_of = njit(chain_joints), njit(chain_slope)

    @cfunc(al.numba_signature())
    def joints(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        carray(out, 2 * N)[:] = joints_of(t, carray(q, 3 * N))

    @cfunc(al.numba_signature())
    def slope(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        carray(out, (2 * N, 3 * N))[:] = slope_of(t, carray(q, 3 * N))

    system = al.System(
        mass=CHAIN_MASS,
        force=CHAIN_FORCE,
        holonomic=joints,
        holonomic_q=slope,
        holonomic_t=0,
        holonomic_names=2 * N,
    )
    return al.solve(system, (0.0, 1.0), CHAIN_START, rtol=tol)


def chain_called(tol: float) -> Any:
    import alembert as al

    system = al.System(mass=CHAIN_MASS, force=CHAIN_FORCE, holonomic=chain_joints, trace=False)
    return al.solve(system, (0.0, 1.0), CHAIN_START, rtol=tol)


def chain_called_slope(tol: float) -> Any:
    import alembert as al

    system = al.System(
        mass=CHAIN_MASS,
        force=CHAIN_FORCE,
        holonomic=chain_joints,
        holonomic_q=chain_slope,
        holonomic_bias=chain_bias,
        trace=False,
    )
    return al.solve(system, (0.0, 1.0), CHAIN_START, rtol=tol)


def chain_bodies(tol: float) -> Any:
    import alembert as al

    m = al.Mechanism("chain", gravity=[0, -9.81])
    before = m.ground.at([0, 0])
    for i in range(N):
        pose = {"at": [MIDDLES[i], -MIDDLES[i]], "angle": -math.pi / 4}
        bar = m.body(f"bar{i}", mass=1, inertia=1 / 12, pose=pose, points={"left": [-0.5, 0], "right": [0.5, 0]})
        m.revolute(f"pin{i}", before, bar["left"])
        before = bar["right"]
    return m.run(1.0, rtol=tol)


#: The forms, with functions of the problems.
OURS: dict[str, tuple[Callable[[float], Any], ...]] = {
    "model file": (andrews_file, pendulum_file, chain_file),
    "traced NumPy": (andrews_traced, pendulum_traced, chain_traced),
    "numba": (andrews_numba, pendulum_numba, chain_numba),
    "callbacks": (andrews_called, pendulum_called, chain_called),
    "callbacks and derivatives": (andrews_called_slope, pendulum_called_slope, chain_called_slope),
    "bodies and joints": (andrews_bodies, pendulum_bodies, chain_bodies),
}
