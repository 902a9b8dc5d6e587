#!/usr/bin/env python3
"""From Python: ours beside scipy_dae, scikit-sundae, exudyn and SciPy. Called by peers/python.sh.

    python.py [--json FILE] [--only WORD] [--rounds N] [--no-program]

Three mechanisms, each written for every solver as its users write it:

- andrews: Andrews' squeezing mechanism to t = 0.03; the error is the largest relative error of the seven angles at the
  end.
- pendulum: released from the horizontal, g = 9.81, to t = 10; the error is the larger one of the two coordinates at the
  end.
- chain: ten bars in a plane, x, y and angle of each, from rest at 45 degrees below the horizontal to t = 1; the error
  is the largest of x and y of a bar's centre at the end.

Angles of Andrews' mechanism at the end are known to 1e-14, the pendulum by elliptic functions; the chain is integrated
in its ten angles, without constraints, by SciPy's DOP853 at two tolerances whose results are compared.

Each solver runs in a process of its own on each mechanism. The whole call goes from the functions, the file or nothing
(a mechanism's objects) to the motion, tracing and compiling included; the run alone is the integration again, with
everything at hand. Both are by the clock, without imports, the fastest of three; short runs are repeated until half a
second is spent. Everybody is measured in turn, in several rounds, and the fastest round counts: on a busy machine short
runs find a quiet moment more easily than long ones, which favours the fast. The residual is the largest of the
constraints on positions at the end. Lines are those of everything that a variant's function needs, in this file, in
those that it imports from this folder and in its model file, without blank lines, comments, docstrings and pictures.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np
from ratios import at_error
from ratios import pendulum as exact_pendulum

Array = np.ndarray[Any, Any]
Run = Callable[[], Any]

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parent / "models"

# ----------------------------------------------------------------------------------------------------------------------
# Andrews' squeezing mechanism, written once with NumPy: traced by ours, compiled by numba, or called as it is.
# ----------------------------------------------------------------------------------------------------------------------

M = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
I = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
XA, YA, XB, YB, XC, YC = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
D, DA, E, EA, RR, RA, SS = 28e-3, 115e-4, 2e-2, 1421e-5, 7e-3, 92e-5, 35e-3
SA, SB, SC, SD, TA, TB = 1874e-5, 1043e-5, 18e-3, 2e-2, 2308e-5, 916e-5
U, UA, UB, ZF, ZT, FA = 4e-2, 1228e-5, 449e-5, 2e-2, 4e-2, 1421e-5
STIFFNESS, REST, TORQUE = 4530.0, 7785e-5, 33e-3
EE, FF = E - EA, ZF - FA
ARM2, ARM4, ARM6 = M[1] * DA * RR, M[3] * ZT * EE, M[5] * U * FF
OWN2, OWN4, OWN6 = M[1] * DA**2 + I[1], M[3] * EE**2 + I[3], M[5] * FF**2 + I[5]
ANGLES = np.array([
    -0.06171389001427645, 0.0, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256, -0.22266839016588588,
    1.2305474445498212,
])  # fmt: skip


def andrews_mass(t: float, q: Array) -> Array:
    c2, s4, s6, o = np.cos(q[1]), np.sin(q[3]), np.sin(q[5]), 0.0
    m11 = M[0] * RA**2 + M[1] * (RR**2 + DA**2) + I[0] + I[1] - 2 * ARM2 * c2
    m55 = M[3] * (ZT**2 + EE**2) + M[4] * (TA**2 + TB**2) + I[3] + I[4] + 2 * ARM4 * s4
    m77 = M[5] * (FF**2 + U**2) + M[6] * (UA**2 + UB**2) + I[5] + I[6] - 2 * ARM6 * s6
    m12, m33, m45, m67 = OWN2 - ARM2 * c2, M[2] * (SA**2 + SB**2) + I[2], OWN4 + ARM4 * s4, OWN6 - ARM6 * s6
    return np.array([
        [m11, m12, o, o, o, o, o],
        [m12, OWN2, o, o, o, o, o],
        [o, o, m33, o, o, o, o],
        [o, o, o, OWN4, m45, o, o],
        [o, o, o, m45, m55, o, o],
        [o, o, o, o, o, OWN6, m67],
        [o, o, o, o, o, m67, m77],
    ])  # fmt: skip


def andrews_force(t: float, q: Array, v: Array) -> Array:
    s2, c4, c6 = np.sin(q[1]), np.cos(q[3]), np.cos(q[5])
    hook_x, hook_y = SD * np.cos(q[2]) + SC * np.sin(q[2]), SD * np.sin(q[2]) - SC * np.cos(q[2])
    dx, dy = hook_x + XB - XC, hook_y + YB - YC
    length = np.sqrt(dx**2 + dy**2)
    pull = -STIFFNESS * (length - REST) / length
    return np.array([
        TORQUE - ARM2 * v[1] * (v[1] + 2 * v[0]) * s2,
        ARM2 * v[0] ** 2 * s2,
        pull * (dy * hook_x - dx * hook_y),
        ARM4 * v[4] ** 2 * c4,
        -ARM4 * v[3] * (v[3] + 2 * v[4]) * c4,
        -ARM6 * v[6] ** 2 * c6,
        ARM6 * v[5] * (v[5] + 2 * v[6]) * c6,
    ])  # fmt: skip


def andrews_loops(t: float, q: Array) -> Array:
    x = RR * np.cos(q[0]) - D * np.cos(q[0] + q[1])
    y = RR * np.sin(q[0]) - D * np.sin(q[0] + q[1])
    return np.array([
        x - SS * np.sin(q[2]) - XB,
        y + SS * np.cos(q[2]) - YB,
        x - E * np.sin(q[3] + q[4]) - ZT * np.cos(q[4]) - XA,
        y + E * np.cos(q[3] + q[4]) - ZT * np.sin(q[4]) - YA,
        x - ZF * np.cos(q[5] + q[6]) - U * np.sin(q[6]) - XA,
        y - ZF * np.sin(q[5] + q[6]) + U * np.cos(q[6]) - YA,
    ])  # fmt: skip


def andrews_slope(t: float, q: Array) -> Array:
    """Derivatives of the loops."""
    sin, cos, o = np.sin(q), np.cos(q), 0.0
    s12, c12 = D * np.sin(q[0] + q[1]), D * np.cos(q[0] + q[1])
    s45, c45 = E * np.sin(q[3] + q[4]), E * np.cos(q[3] + q[4])
    s67, c67 = ZF * np.sin(q[5] + q[6]), ZF * np.cos(q[5] + q[6])
    x, y = s12 - RR * sin[0], RR * cos[0] - c12
    return np.array([
        [x, s12, -SS * cos[2], o, o, o, o],
        [y, -c12, -SS * sin[2], o, o, o, o],
        [x, s12, o, -c45, ZT * sin[4] - c45, o, o],
        [y, -c12, o, -s45, -ZT * cos[4] - s45, o, o],
        [x, s12, o, o, o, s67, s67 - U * cos[6]],
        [y, -c12, o, o, o, -c67, -c67 - U * sin[6]],
    ])  # fmt: skip


def andrews_bias(t: float, q: Array, v: Array) -> Array:
    """What the loops accelerate by without accelerations."""
    sin, cos, w = np.sin(q), np.cos(q), v**2
    w12, w45, w67 = (v[0] + v[1]) ** 2, (v[3] + v[4]) ** 2, (v[5] + v[6]) ** 2
    x = D * np.cos(q[0] + q[1]) * w12 - RR * cos[0] * w[0]
    y = D * np.sin(q[0] + q[1]) * w12 - RR * sin[0] * w[0]
    return np.array([
        x + SS * sin[2] * w[2],
        y - SS * cos[2] * w[2],
        x + E * np.sin(q[3] + q[4]) * w45 + ZT * cos[4] * w[4],
        y - E * np.cos(q[3] + q[4]) * w45 + ZT * sin[4] * w[4],
        x + ZF * np.cos(q[5] + q[6]) * w67 + U * sin[6] * w[6],
        y + ZF * np.sin(q[5] + q[6]) * w67 - U * cos[6] * w[6],
    ])  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------------
# The pendulum
# ----------------------------------------------------------------------------------------------------------------------


def pendulum_rod(t: float, q: Array) -> Array:
    return np.array([q[0] ** 2 + q[1] ** 2 - 1.0])


def pendulum_residual(t: float, y: Array, yp: Array) -> Array:
    """For scipy_dae and IDA: q, v and integrals of the multipliers, of which those of the velocities come last."""
    lam, mu = yp[4], yp[5]
    return np.array([
        yp[0] - y[2] + 2 * y[0] * mu,
        yp[1] - y[3] + 2 * y[1] * mu,
        yp[2] + 2 * y[0] * lam,
        yp[3] + 2 * y[1] * lam + 9.81,
        y[0] ** 2 + y[1] ** 2 - 1.0,
        2 * y[0] * y[2] + 2 * y[1] * y[3],
    ])  # fmt: skip


def pendulum_rates(t: float, y: Array) -> Array:
    """For SciPy: the constraint differentiated twice gives the multiplier."""
    lam = (y[2] ** 2 + y[3] ** 2 - 9.81 * y[1]) / (y[0] ** 2 + y[1] ** 2)
    return np.array([y[2], y[3], -lam * y[0], -lam * y[1] - 9.81])


REST_AT_SIDE = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
FALLING = np.array([0.0, 0.0, 0.0, -9.81, 0.0, 0.0])


# ----------------------------------------------------------------------------------------------------------------------
# The chain of bars: all x, then all y, then all angles. Joint i holds the left end of bar i at the right end of the
# bar before it.
# ----------------------------------------------------------------------------------------------------------------------

N = 10
BEFORE = np.eye(N, k=-1)
APART, HALVES = BEFORE - np.eye(N), (BEFORE + np.eye(N)) / 2
CHAIN_MASS, CHAIN_FORCE = np.diag(np.repeat([1.0, 1.0, 1 / 12], N)), np.repeat([0.0, -9.81, 0.0], N)
MIDDLES = (np.arange(N) + 0.5) * math.sqrt(0.5)
CHAIN_START = np.concatenate((MIDDLES, -MIDDLES, np.full(N, -math.pi / 4)))


def chain_mass(t: float, q: Array) -> Array:
    return CHAIN_MASS


def chain_force(t: float, q: Array, v: Array) -> Array:
    return CHAIN_FORCE


def chain_joints(t: float, q: Array) -> Array:
    x, y, angle = q[:N], q[N : 2 * N], q[2 * N :]
    return np.concatenate((APART @ x + HALVES @ np.cos(angle), APART @ y + HALVES @ np.sin(angle)))


def chain_slope(t: float, q: Array) -> Array:
    angle, none = q[2 * N :], np.zeros((N, N))
    in_x = np.hstack((APART, none, -HALVES * np.sin(angle)))
    in_y = np.hstack((none, APART, HALVES * np.cos(angle)))
    return np.vstack((in_x, in_y))


def chain_bias(t: float, q: Array, v: Array) -> Array:
    angle, w = q[2 * N :], v[2 * N :] ** 2
    return -np.concatenate((HALVES @ (np.cos(angle) * w), HALVES @ (np.sin(angle) * w)))


# ----------------------------------------------------------------------------------------------------------------------
# Ours: each gives the solution of the whole call.
# ----------------------------------------------------------------------------------------------------------------------


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

    compiled = cfunc(al.numba_signature())
    mass_of, force_of, loops_of, slope_of = map(njit, (andrews_mass, andrews_force, andrews_loops, andrews_slope))

    @compiled
    def mass(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        carray(out, (7, 7))[:] = mass_of(t, carray(q, 7))

    @compiled
    def force(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        carray(out, 7)[:] = force_of(t, carray(q, 7), carray(v, 7))

    @compiled
    def loops(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        carray(out, 6)[:] = loops_of(t, carray(q, 7))

    @compiled
    def slope(t: float, q: Any, v: Any, a: Any, mu: Any, out: Any) -> None:
        carray(out, (6, 7))[:] = slope_of(t, carray(q, 7))

    system = al.System(mass=mass, force=force, holonomic=loops, holonomic_q=slope, holonomic_names=6)
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

    system = al.System(mass=1.0, force=[0.0, -9.81], holonomic=rod, holonomic_q=slope, holonomic_names=1)
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
        mass=CHAIN_MASS, force=CHAIN_FORCE, holonomic=joints, holonomic_q=slope, holonomic_names=2 * N
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


# ----------------------------------------------------------------------------------------------------------------------
# The peers: each gives a function that integrates once everything is set up.
#
# scipy_dae and IDA get the stabilised form of Gear, Gupta and Leimkuhler with index 1: the unknowns are integrals of
# the multipliers, so that the multipliers are derivatives and need no tolerances of their own. With the multipliers
# themselves (index 2) IDA stalls on Andrews' mechanism, and scipy_dae's BDF fails on the pendulum.
# ----------------------------------------------------------------------------------------------------------------------


def stabilised(
    mass: Any, force: Any, g: Any, slope: Any, q0: Array, jit: Callable[..., Any] = lambda function: function
) -> tuple[Callable[..., Array], Array, Array]:
    """The residual and a consistent start, at rest."""
    mass, force, g, slope = jit(mass), jit(force), jit(g), jit(slope)
    n, m = len(q0), len(g(0.0, q0))

    def residual(t: float, y: Array, yp: Array) -> Array:
        q, v, lam, mu = y[:n], y[n : 2 * n], yp[2 * n : 2 * n + m], yp[2 * n + m :]
        G = slope(t, q)
        return np.concatenate((
            yp[:n] - v + G.T @ mu,
            mass(t, q) @ yp[n : 2 * n] - force(t, q, v) + G.T @ lam,
            g(t, q),
            G @ v,
        ))  # fmt: skip

    G, rest = slope(0.0, q0), np.zeros(n)
    saddle = np.block([[mass(0.0, q0), G.T], [G, np.zeros((m, m))]])
    start = np.linalg.solve(saddle, np.concatenate((force(0.0, q0, rest), np.zeros(m))))
    return jit(residual), np.concatenate((q0, np.zeros(n + 2 * m))), np.concatenate((rest, start, np.zeros(m)))


def andrews_scipy_dae(tol: float, method: str) -> Run:
    from scipy_dae.integrate import solve_dae

    residual, y0, yp0 = stabilised(andrews_mass, andrews_force, andrews_loops, andrews_slope, ANGLES)
    return lambda: solve_dae(residual, (0.0, 0.03), y0, yp0, method=method, rtol=tol, atol=tol)


def pendulum_scipy_dae(tol: float, method: str) -> Run:
    from scipy_dae.integrate import solve_dae

    start = REST_AT_SIDE, FALLING
    return lambda: solve_dae(pendulum_residual, (0.0, 10.0), *start, method=method, rtol=tol, atol=tol)


def chain_scipy_dae(tol: float, method: str) -> Run:
    from scipy_dae.integrate import solve_dae

    residual, y0, yp0 = stabilised(chain_mass, chain_force, chain_joints, chain_slope, CHAIN_START)
    return lambda: solve_dae(residual, (0.0, 1.0), y0, yp0, method=method, rtol=tol, atol=tol)


def ida(residual: Callable[..., Array], t_end: float, y0: Array, yp0: Array, tol: float) -> Run:
    from sksundae.ida import IDA

    def fill(t: float, y: Array, yp: Array, out: Array) -> None:
        out[:] = residual(t, y, yp)

    solver = IDA(fill, rtol=tol, atol=tol, first_step=1e-4 * t_end, max_num_steps=100_000)
    return lambda: solver.solve(np.array([0.0, t_end]), y0, yp0)


def andrews_ida(tol: float) -> Run:
    residual, y0, yp0 = stabilised(andrews_mass, andrews_force, andrews_loops, andrews_slope, ANGLES)
    return ida(residual, 0.03, y0, yp0, tol)


def andrews_ida_numba(tol: float) -> Run:
    from numba import njit

    residual, y0, yp0 = stabilised(andrews_mass, andrews_force, andrews_loops, andrews_slope, ANGLES, njit)
    return ida(residual, 0.03, y0, yp0, tol)


def pendulum_ida(tol: float) -> Run:
    return ida(pendulum_residual, 10.0, REST_AT_SIDE, FALLING, tol)


def pendulum_ida_numba(tol: float) -> Run:
    from numba import njit

    return ida(njit(pendulum_residual), 10.0, REST_AT_SIDE, FALLING, tol)


def chain_ida(tol: float) -> Run:
    residual, y0, yp0 = stabilised(chain_mass, chain_force, chain_joints, chain_slope, CHAIN_START)
    return ida(residual, 1.0, y0, yp0, tol)


def chain_ida_numba(tol: float) -> Run:
    from numba import njit

    residual, y0, yp0 = stabilised(chain_mass, chain_force, chain_joints, chain_slope, CHAIN_START, njit)
    return ida(residual, 1.0, y0, yp0, tol)


def accelerations(mass: Any, force: Any, slope: Any, bias: Any) -> Callable[..., Array]:
    """The constraints differentiated twice, and solved for accelerations: nothing holds the positions, which drift."""

    def rates(t: float, y: Array) -> Array:
        q, v = np.split(y, 2)
        G = slope(t, q)
        saddle = np.block([[mass(t, q), G.T], [G, np.zeros((len(G), len(G)))]])
        return np.concatenate((v, np.linalg.solve(saddle, np.concatenate((force(t, q, v), -bias(t, q, v))))[: len(q)]))

    return rates


def andrews_solve_ivp(tol: float) -> Run:
    from scipy.integrate import solve_ivp

    rates = accelerations(andrews_mass, andrews_force, andrews_slope, andrews_bias)
    start = np.concatenate((ANGLES, np.zeros(7)))
    return lambda: solve_ivp(rates, (0.0, 0.03), start, method="DOP853", rtol=tol, atol=tol)


def pendulum_solve_ivp(tol: float) -> Run:
    from scipy.integrate import solve_ivp

    return lambda: solve_ivp(pendulum_rates, (0.0, 10.0), REST_AT_SIDE[:4], method="DOP853", rtol=tol, atol=tol)


def chain_solve_ivp(tol: float) -> Run:
    from scipy.integrate import solve_ivp

    rates = accelerations(chain_mass, chain_force, chain_slope, chain_bias)
    start = np.concatenate((CHAIN_START, np.zeros(3 * N)))
    return lambda: solve_ivp(rates, (0.0, 1.0), start, method="DOP853", rtol=tol, atol=tol)


def alpha_steps(mbs: Any, steps: int, t_end: float, modified: bool = True) -> None:
    """exudyn's generalized alpha with index 3, at constant steps; full Newton iterations are faster on the pendulum."""
    import exudyn

    chosen = exudyn.SimulationSettings()
    motion = chosen.timeIntegration
    motion.numberOfSteps, motion.endTime, motion.verboseMode, motion.minimumStepSize = steps, t_end, 0, 1e-12
    motion.newton.useModifiedNewton = modified
    motion.generalizedAlpha.spectralRadius = 0.9
    chosen.linearSolverType = exudyn.LinearSolverType.EXUdense
    chosen.parallel.numberOfThreads = 1
    chosen.solutionSettings.writeSolutionToFile = False
    if not mbs.SolveDynamic(chosen, solverType=exudyn.DynamicSolverType.GeneralizedAlpha, showHints=False):
        raise RuntimeError("SolveDynamic returned False")


def andrews_exudyn(steps: int) -> Run:
    from exudyn_andrews import mechanism

    mbs, turns = mechanism()

    def run() -> Array:
        alpha_steps(mbs, steps, 0.03)
        be, second, ga, fourth, de, sixth, ep = np.reshape(mbs.systemData.GetODE2Coordinates(), (7, 3))[:, 2] + turns
        return np.array([be, second - be, ga, fourth - de, de, sixth - ep, ep])

    return run


def pendulum_exudyn(steps: int) -> Run:
    import exudyn
    from exudyn.utilities import DistanceConstraint, Force, MarkerBodyPosition, MassPoint2D, NodePoint2D, ObjectGround

    mbs = exudyn.SystemContainer().AddSystem()
    pivot = mbs.AddMarker(MarkerBodyPosition(bodyNumber=mbs.AddObject(ObjectGround())))
    node = mbs.AddNode(NodePoint2D(referenceCoordinates=[1, 0]))
    bob = mbs.AddMarker(MarkerBodyPosition(bodyNumber=mbs.AddObject(MassPoint2D(physicsMass=1, nodeNumber=node))))
    mbs.AddLoad(Force(markerNumber=bob, loadVector=[0, -9.81, 0]))
    mbs.AddObject(DistanceConstraint(markerNumbers=[pivot, bob], distance=1))
    mbs.Assemble()

    def run() -> Array:
        alpha_steps(mbs, steps, 10.0, modified=False)
        return np.array([1.0, 0.0]) + mbs.systemData.GetODE2Coordinates()

    return run


def chain_exudyn(steps: int) -> Run:
    from exudyn_chain import chain

    mbs, places = chain(N)

    def run() -> Array:
        alpha_steps(mbs, steps, 1.0)
        return np.ravel((places + np.reshape(mbs.systemData.GetODE2Coordinates(), (N, 3))).T)

    return run


# ----------------------------------------------------------------------------------------------------------------------
# What is compared
# ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """A mechanism with its constraints and the size of q; ``place`` finds q in a solution of bodies."""

    name: str
    size: int
    t_end: float
    constraints: Callable[[float, Array], Array]
    place: Callable[[Any], Array]


def angles_of_bodies(state: Any) -> Array:
    be, second, ga, fourth, de, sixth, ep = (float(state[f"K{k}.angle"]) for k in range(1, 8))
    return np.array([be, second - be, ga, fourth - de, de, sixth - ep, ep])


def bob_of_bodies(state: Any) -> Array:
    return np.array([float(state["bob.x"]), float(state["bob.y"])])


def bars_of_bodies(state: Any) -> Array:
    return np.array([float(state[f"bar{i}.{part}"]) for part in ("x", "y", "angle") for i in range(N)])


PROBLEMS = {
    problem.name: problem
    for problem in (
        Problem("andrews", 7, 0.03, andrews_loops, angles_of_bodies),
        Problem("pendulum", 2, 10.0, pendulum_rod, bob_of_bodies),
        Problem("chain", 3 * N, 1.0, chain_joints, bars_of_bodies),
    )
}

#: Angles of Andrews' mechanism at t = 0.03, from crates/problems/src/andrews.rs.
ANDREWS_END = np.array([
    15.810771195153706, -15.756371058411837, 0.04082224011964578, -0.5347301163420797, 0.524409965879954,
    0.5347301163420797, 1.048080741041938,
])  # fmt: skip


def chain_end(tol: float) -> Array:
    """x and y of the bars at t = 1 from an integration in angles: M(angles) angles'' = f, without constraints."""
    from scipy.integrate import solve_ivp

    reach = np.tril(np.ones((N, N)), -1) + np.eye(N) / 2
    inertia, weight = reach.T @ reach, 9.81 * reach.sum(axis=0)

    def rates(t: float, y: Array) -> Array:
        angle, w = np.split(y, 2)
        apart = angle[:, None] - angle
        force = -weight * np.cos(angle) - (inertia * np.sin(apart)) @ w**2
        return np.concatenate((w, np.linalg.solve(inertia * np.cos(apart) + np.eye(N) / 12, force)))

    start = np.concatenate((np.full(N, -math.pi / 4), np.zeros(N)))
    angle = solve_ivp(rates, (0.0, 1.0), start, method="DOP853", rtol=tol, atol=tol).y[:N, -1]
    return np.concatenate((reach @ np.cos(angle), reach @ np.sin(angle)))


class Errors:
    """Errors at the end, against references that are made once."""

    def __init__(self) -> None:
        self.chain = chain_end(3e-14)
        #: How far two references of the chain are from each other.
        self.doubt = float(np.abs(self.chain - chain_end(1e-12)).max())
        self.pendulum = np.array(exact_pendulum(10.0))

    def of(self, problem: str, q: Sequence[float]) -> float:
        found = np.array(q)
        if problem == "andrews":
            return float(np.abs(found / ANDREWS_END - 1).max())
        exact = self.pendulum if problem == "pendulum" else self.chain
        return float(np.abs(found[: len(exact)] - exact).max())


@dataclass(frozen=True)
class Variant:
    """A solver on a problem, from coarse to fine."""

    problem: str
    tool: str
    form: str
    function: Callable[..., Any]
    levels: tuple[float, ...]
    #: The module without which there is nothing to run.
    needs: str
    options: tuple[tuple[str, str], ...] = ()
    file: str | None = None

    @property
    def solver(self) -> str:
        return f"{self.tool}, {self.form}"


TOLERANCES = (1e-4, 1e-6, 1e-8)
#: For those whose errors are well above their tolerances.
MORE = (*TOLERANCES, 1e-10)
#: Steps of exudyn.
STEPS = {"andrews": (1000, 3000, 10000), "pendulum": (3000, 30000, 300000), "chain": (100, 1000, 10000)}
#: Ours: the form, with functions of the problems.
OURS: dict[str, tuple[Callable[[float], Any], ...]] = {
    "model file": (andrews_file, pendulum_file, chain_file),
    "traced NumPy": (andrews_traced, pendulum_traced, chain_traced),
    "numba": (andrews_numba, pendulum_numba, chain_numba),
    "callbacks": (andrews_called, pendulum_called, chain_called),
    "callbacks and derivatives": (andrews_called_slope, pendulum_called_slope, chain_called_slope),
    "bodies and joints": (andrews_bodies, pendulum_bodies, chain_bodies),
}
BY_DAE = (andrews_scipy_dae, pendulum_scipy_dae, chain_scipy_dae)
BY_IDA = (andrews_ida, pendulum_ida, chain_ida)
BY_IDA_NUMBA = (andrews_ida_numba, pendulum_ida_numba, chain_ida_numba)
BY_EXUDYN = (andrews_exudyn, pendulum_exudyn, chain_exudyn)
BY_IVP = (andrews_solve_ivp, pendulum_solve_ivp, chain_solve_ivp)


def variants() -> Iterator[Variant]:
    for k, problem in enumerate(PROBLEMS):
        for form, functions in OURS.items():
            file = f"{problem}.toml" if form == "model file" else None
            yield Variant(problem, "alembert", form, functions[k], TOLERANCES, "alembert", file=file)
        yield Variant(problem, "scipy_dae", "Radau", BY_DAE[k], TOLERANCES, "scipy_dae", (("method", "Radau"),))
        yield Variant(problem, "scipy_dae", "BDF", BY_DAE[k], TOLERANCES, "scipy_dae", (("method", "BDF"),))
        yield Variant(problem, "scikit-sundae", "IDA", BY_IDA[k], MORE, "sksundae")
        yield Variant(problem, "scikit-sundae", "IDA, numba", BY_IDA_NUMBA[k], MORE, "sksundae")
        yield Variant(problem, "exudyn", "generalized alpha", BY_EXUDYN[k], STEPS[problem], "exudyn")
        yield Variant(problem, "SciPy", "solve_ivp DOP853, drifts", BY_IVP[k], MORE, "scipy")


VARIANTS = tuple(variants())


# ----------------------------------------------------------------------------------------------------------------------
# Lines of user code
# ----------------------------------------------------------------------------------------------------------------------


class Needed(ast.NodeVisitor):
    """Names that code uses, and what it imports; annotations are no code."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.imports: list[tuple[str, str]] = []

    def visit_Name(self, node: ast.Name) -> None:
        self.names.append(node.id)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.imports += [(node.module or "", alias.name) for alias in node.names]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in (*node.decorator_list, *node.args.defaults, *node.body):
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)


@functools.cache
def definitions(path: pathlib.Path) -> dict[str, ast.stmt]:
    """What a file defines, by name."""
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            names = [part for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
            found.update({name.id: node for name in names})
    return found


def docstrings(node: ast.AST) -> set[int]:
    found: set[int] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef) and ast.get_docstring(part, clean=False) is not None:
            first = part.body[0]
            found.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return found


def lines_of(name: str, path: pathlib.Path) -> int:
    """Lines of a function and of all that it needs, here and in files of this folder."""
    waiting = [(path, name)]
    seen: set[tuple[pathlib.Path, str]] = set()
    kept: set[tuple[pathlib.Path, int]] = set()
    while waiting:
        file, wanted = waiting.pop()
        node = definitions(file).get(wanted)
        if node is None or (file, wanted) in seen:
            continue
        seen.add((file, wanted))
        kept.update((file, line) for line in range(node.lineno, (node.end_lineno or node.lineno) + 1))
        kept.difference_update((file, line) for line in docstrings(node))
        needed = Needed()
        needed.visit(node)
        waiting += [(file, other) for other in needed.names]
        beside = [(HERE / f"{module}.py", other) for module, other in needed.imports]
        waiting += [(other, word) for other, word in beside if other.exists()]
    texts = {file: file.read_text(encoding="utf-8").splitlines() for file, _ in kept}
    return sum(is_code(texts[file][line - 1]) for file, line in kept)


def is_code(line: str) -> bool:
    return bool(line.strip()) and not line.strip().startswith("#")


def lines_of_model(path: pathlib.Path) -> int:
    """Lines of a model file without its pictures."""
    count, pictures = 0, False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            pictures = line.startswith("[view]")
        count += is_code(line) and not pictures
    return count


def user_lines(variant: Variant) -> int:
    own = lines_of(variant.function.__name__, pathlib.Path(__file__).resolve())
    return own + (lines_of_model(MODELS / variant.file) if variant.file else 0)


# ----------------------------------------------------------------------------------------------------------------------
# One solver on one problem, in a process of its own
# ----------------------------------------------------------------------------------------------------------------------

REPEATS, ENOUGH = 3, 0.5


class Failed(Exception):
    """A run that did not come to its end."""


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    before = time.perf_counter()
    result = work()
    return time.perf_counter() - before, result


def begin(variant: Variant, level: float) -> tuple[Any, Run]:
    """The result of the whole call, and a function that integrates again."""
    made = variant.function(level, **dict(variant.options))
    if variant.tool != "alembert":
        return made(), made
    # A model file asks for many rows; everybody else has those of the steps at most.
    rows = {"output_every": PROBLEMS[variant.problem].t_end} if variant.file else {}
    return made, functools.partial(made.model.run, rtol=level, **rows)


def end_of(variant: Variant, result: Any) -> Array:
    """q at the end; raises if it was not reached."""
    problem = PROBLEMS[variant.problem]
    if variant.tool == "exudyn":
        return np.asarray(result)
    if not result.success:
        raise Failed(" ".join(str(result.message).split()))
    if variant.tool == "alembert":
        return problem.place(result.last) if variant.form == "bodies and joints" else np.asarray(result.last.q)
    last = result.y[-1] if variant.tool == "scikit-sundae" else result.y[:, -1]
    return np.asarray(last[: problem.size])


def is_short(times: Sequence[float]) -> bool:
    """Whether another repeat is needed."""
    return len(times) < REPEATS or sum(times) < ENOUGH


def measure(variant: Variant, level: float) -> dict[str, Any]:
    wholes: list[float] = []
    while is_short(wholes):
        seconds, (result, again) = timed(lambda: begin(variant, level))
        wholes.append(seconds)
    q = end_of(variant, result)
    if not np.all(np.isfinite(q)):
        raise Failed("the result is not finite")
    times: list[float] = []
    inside: list[float] = []
    while is_short(times):
        seconds, result = timed(again)
        times.append(seconds)
        if variant.tool == "alembert":
            inside.append(result.summary["wall_seconds"])
    row = {
        "whole": min(wholes),
        "alone": min(times),
        "q": q.tolist(),
        "residual": float(np.abs(PROBLEMS[variant.problem].constraints(0.0, q)).max()),
    }
    if variant.tool == "alembert":
        doubts = list(result.warnings)
        row.update(inside=min(inside), steps=result.stats["steps"], evaluations=result.nfev, warnings=doubts)
    return row


def say(**row: Any) -> None:
    print(json.dumps(row), flush=True)


def child(index: int) -> None:
    """All levels of a variant, one line each."""
    warnings.simplefilter("ignore")
    variant = VARIANTS[index]
    try:
        __import__(variant.needs)
        if "numba" in variant.form:
            __import__("numba")
    except ImportError as missing:
        say(missing=str(missing))
        return
    for level in variant.levels:
        try:
            say(level=level, **measure(variant, level))
        except Exception as error:
            # Whatever a tool raises at a problem belongs into the table.
            say(level=level, failure=f"{type(error).__name__}: {error}"[:300])


def fresh(index: int, level: float) -> None:
    """The first call of ours in a process: by the library's own clock, and by ours without imports."""
    import alembert  # noqa: F401

    seconds, solution = timed(lambda: VARIANTS[index].function(level))
    say(inside=solution.summary["wall_seconds"], whole=seconds)


def own_process(*words: str, limit: float | None) -> tuple[list[dict[str, Any]], str | None]:
    """The lines of a process of this file, and what went wrong with it; a limit costs up to 50 ms."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as told:
        command = [sys.executable, str(pathlib.Path(__file__).resolve()), *words]
        try:
            code: int | None = subprocess.run(command, stdout=out, stderr=told, timeout=limit).returncode
        except subprocess.TimeoutExpired:
            code = None
        out.seek(0)
        told.seek(0)
        found = [json.loads(line) for line in out if line.startswith("{")]
        last = (told.read().strip().splitlines() or [""])[-1]
    if code is None:
        return found, f"did not finish in {limit} s"
    return found, f"the process ended with {code}: {last}" if code else None


def rows_of(index: int, variant: Variant, errors: Errors, limit: float) -> Iterator[dict[str, Any]]:
    lines = user_lines(variant)
    found, wrong = own_process("--child", str(index), limit=limit)
    known = {"problem": variant.problem, "tool": variant.tool, "form": variant.form, "lines": lines}
    for row in found:
        if "missing" in row:
            yield {**known, **row}
            return
        if "q" in row:
            row["error"] = errors.of(variant.problem, row.pop("q"))
        yield {**known, **row}
    for level in variant.levels[len(found) :]:
        yield {**known, "level": level, "failure": wrong or "no result"}


def fastest(rounds: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Each run with its least times; one that failed in any round has failed."""
    found = [dict(row) for row in rounds[0]]
    for others in rounds[1:]:
        for row, other in zip(found, others, strict=True):
            if "failure" in other:
                row["failure"] = other["failure"]
            for key in ("whole", "alone", "inside"):
                if key in row and key in other:
                    row[key] = min(row[key], other[key])
    return found


# ----------------------------------------------------------------------------------------------------------------------
# Tables
# ----------------------------------------------------------------------------------------------------------------------


def milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:.3g}" if seconds < 1 else f"{1e3 * seconds:.0f}"


def show(heading: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    print("| " + " | ".join(heading) + " |\n" + "|---" * len(heading) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def main_table(rows: Sequence[dict[str, Any]]) -> None:
    listed = []
    for row in rows:
        level = f"{row['level']:.0e}" if row["tool"] != "exudyn" else f"{row['level']:.0f} steps"
        named = [row["problem"], f"{row['tool']}, {row['form']}", level]
        if "failure" in row:
            listed.append([*named, f"failed: {row['failure']}", "", "", "", row["lines"]])
            continue
        times = [milliseconds(row["whole"]), milliseconds(row["alone"])]
        listed.append([*named, *times, f"{row['error']:.1e}", f"{row['residual']:.0e}", row["lines"]])
    heading = ["problem", "solver", "tolerance", "whole call, ms", "run alone, ms", "error", "residual", "lines"]
    show(heading, listed)


def ladders(rows: Sequence[dict[str, Any]], problem: str, time_of: str) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row["problem"] == problem and "failure" not in row:
            found.setdefault(f"{row['tool']}, {row['form']}", []).append((row["error"], row[time_of]))
    return found


def equal_errors(rows: Sequence[dict[str, Any]], wanted: Sequence[float]) -> list[dict[str, Any]]:
    """Times at equal error, between two runs of a ladder, both logarithms taken to be linear."""
    found = []
    for problem in PROBLEMS:
        whole, alone = (ladders(rows, problem, key) for key in ("whole", "alone"))
        for error in wanted:
            for solver in whole:
                times = {"whole": at_error(error, whole[solver]), "alone": at_error(error, alone[solver])}
                found.append({"problem": problem, "error": error, "solver": solver, **times})
    return found


def equal_table(found: Sequence[dict[str, Any]], ours: str) -> None:
    base = {(row["problem"], row["error"]): row for row in found if row["solver"] == ours}
    listed = []
    for row in found:
        if row["alone"] is None:
            listed.append([row["problem"], f"{row['error']:.0e}", row["solver"], "not reached", "", "", ""])
            continue
        mine = base.get((row["problem"], row["error"]), {})
        times = [f"{row[key] / mine[key]:.3g}" if mine.get(key) else "" for key in ("whole", "alone")]
        shown = [milliseconds(row["whole"]), times[0], milliseconds(row["alone"]), times[1]]
        listed.append([row["problem"], f"{row['error']:.0e}", row["solver"], *shown])
    print(f"Times are in units of {ours}; where the coarsest run is better than the error, its time stands here.\n")
    show(["problem", "error", "solver", "whole call, ms", "times", "run alone, ms", "times"], listed)


# ----------------------------------------------------------------------------------------------------------------------
# Andrews' mechanism from Python beside the program
# ----------------------------------------------------------------------------------------------------------------------

#: Processes of each run; the program's are short, and need more to meet a quiet moment.
FRESH, FRESH_OF_PROGRAM = 5, 100


def program() -> tuple[str, list[str]] | None:
    """The program, and which it is: the one that is named, that of this folder, or the one of the package."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target")) / "release" / "alembert"
    places = {
        "PEERS_ALEMBERT": os.environ.get("PEERS_ALEMBERT", ""),
        "target/release/alembert": str(target),
        "the package's, which starts Python": str(pathlib.Path(sys.executable).parent / "alembert"),
    }
    return next(((name, [place]) for name, place in places.items() if place and os.access(place, os.X_OK)), None)


def program_fresh(command: list[str], tol: float) -> tuple[int, float, float]:
    """`alembert run`: its steps, its own clock around the integration, and the whole process; the fastest of some."""
    words = ["run", str(MODELS / "andrews.toml"), "--rtol", repr(tol), "--output-every", "0.03", "--json", "-q"]
    steps, inside, whole = 0, [], []
    while len(whole) < FRESH or len(whole) < FRESH_OF_PROGRAM and sum(whole) < 4 * ENOUGH:
        seconds, done = timed(lambda: subprocess.run([*command, *words], check=True, capture_output=True, text=True))
        told = json.loads(done.stdout)
        steps = told["statistics"]["steps"]
        whole.append(seconds)
        inside.append(told["wall_seconds"])
    return steps, min(inside), min(whole)


def python_fresh(index: int, tol: float) -> tuple[float, float]:
    """The same from Python."""
    inside, whole = [], []
    for _ in range(FRESH):
        seconds, (found, wrong) = timed(lambda: own_process("--fresh", str(index), repr(tol), limit=None))
        if wrong or not found:
            raise Failed(wrong or "no result")
        whole.append(seconds)
        inside.append(found[0]["inside"])
    return min(inside), min(whole)


def beside_program(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Integrations of Andrews' mechanism by the program and by every form of ours, at each tolerance.

    The program is `alembert run`, whose summary has the time of its integration. Solutions in Python have it by the
    same clock, so that the first integrations of two processes are compared, without start-up, reading, compiling and
    the consistent start of either. What a whole call of `run` takes in Python, repeated, stands beside it.
    """
    chosen = program()
    if chosen is None:
        print("The program `alembert` is not there: it is left out.\n")
        return []
    name, command = chosen
    print(f"The program is {name}.\n")
    found = []
    for tol in TOLERANCES:
        steps, cold, process = program_fresh(command, tol)
        found.append({"tol": tol, "form": "the program", "steps": steps, "fresh": cold, "process": process})
        for row in rows:
            # Only ours have a clock inside.
            if (row["problem"], row.get("level")) == ("andrews", tol) and "inside" in row:
                cold, process = python_fresh(index_of("andrews", row["form"]), tol)
                known = {key: row[key] for key in ("form", "steps", "inside", "alone")}
                found.append({"tol": tol, **known, "fresh": cold, "process": process})
    return found


def index_of(problem: str, form: str) -> int:
    return next(k for k, one in enumerate(VARIANTS) if (one.problem, one.form) == (problem, form))


def program_table(found: Sequence[dict[str, Any]]) -> None:
    base = {row["tol"]: row["fresh"] for row in found if row["form"] == "the program"}
    listed = []
    for row in found:
        shown = [f"{row['tol']:.0e}", row["form"], row["steps"]]
        for key in ("fresh", "inside", "alone"):
            shown += [milliseconds(row.get(key)), f"{row[key] / base[row['tol']]:.3g}" if key in row else ""]
        listed.append([*shown, milliseconds(row["process"])])
    times = ["first integration, ms", "times", "integration again, ms", "times", "call of run again, ms", "times"]
    show(["rtol", "from", "steps", *times, "process, ms"], listed)


def import_times() -> dict[str, Any]:
    """Seconds of a process that imports nothing, NumPy, ours; and what ours has imported besides."""

    def least(code: str) -> float:
        run = functools.partial(subprocess.run, [sys.executable, "-c", code], check=True)
        return min(timed(run)[0] for _ in range(10))

    heavy = "[m for m in ('matplotlib', 'pandas', 'scipy', 'sympy', 'numba', 'casadi', 'xarray') if m in sys.modules]"
    told = subprocess.run(
        [sys.executable, "-c", f"import alembert, sys; print({heavy})"], check=True, capture_output=True, text=True
    )
    seconds = {"nothing": least("pass"), "numpy": least("import numpy"), "alembert": least("import alembert")}
    return {**seconds, "besides": ast.literal_eval(told.stdout)}


def show_imports(found: dict[str, Any]) -> None:
    extra = found["alembert"] - found["numpy"]
    print(
        f"`import alembert` takes {1e3 * extra:.0f} ms more than `import numpy` (processes of "
        f"{1e3 * found['alembert']:.0f} and {1e3 * found['numpy']:.0f} ms, {1e3 * found['nothing']:.0f} ms without "
        f"imports; fastest of ten); large packages among its imports: {', '.join(found['besides']) or 'only NumPy'}.\n"
    )


def versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for name in ("alembert", "numpy", "scipy", "numba", "scipy-dae", "scikit-sundae", "exudyn"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


# ----------------------------------------------------------------------------------------------------------------------


def remarks(rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        if "missing" in row:
            print(f"{row['tool']}, {row['form']} is left out of {row['problem']}: {row['missing']}")
        for doubt in row.get("warnings", ()):
            print(f"{row['problem']}, alembert, {row['form']} at {row['level']:.0e} warns: {doubt}")
    print()


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Ours from Python beside other solvers.")
    parser.add_argument("--json", metavar="FILE", help="write all numbers to this file")
    parser.add_argument("--only", default="", metavar="WORD", help="only problems and solvers with this word")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="how often everybody is measured")
    parser.add_argument("--no-program", action="store_true", help="leave out the comparison with the program")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for a solver on a problem")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--fresh", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    asked = options()
    if asked.child is not None:
        child(asked.child)
        return
    if asked.fresh is not None:
        fresh(int(asked.fresh[0]), float(asked.fresh[1]))
        return
    errors = Errors()
    everything: dict[str, Any] = {"versions": versions(), "rows": []}
    print(", ".join(f"{name} {version}" for name, version in everything["versions"].items()) + "\n")
    print(f"two references of the chain agree to {errors.doubt:.1e}\n")
    chosen = [(k, one) for k, one in enumerate(VARIANTS) if asked.only in f"{one.problem} {one.solver}"]
    rounds = []
    for turn in range(asked.rounds):
        rounds.append([])
        for index, variant in chosen:
            print(f"round {turn + 1}, {variant.problem}: {variant.solver}", file=sys.stderr)
            rounds[-1] += rows_of(index, variant, errors, asked.limit)
    everything["rows"] = fastest(rounds)
    rows = [row for row in everything["rows"] if "missing" not in row]
    main_table(rows)
    remarks(everything["rows"])
    print("## At equal error\n")
    everything["equal"] = equal_errors(rows, (1e-4, 1e-6))
    equal_table(everything["equal"], "alembert, traced NumPy")
    if not asked.no_program and any(row["tool"] == "alembert" for row in rows):
        print("## Andrews' mechanism beside the program\n")
        everything["program"] = beside_program(rows)
        program_table(everything["program"])
        everything["imports"] = import_times()
        show_imports(everything["imports"])
    wheel = os.environ.get("PEERS_WHEEL")
    if wheel:
        everything["wheel"] = pathlib.Path(wheel).stat().st_size
        print(f"The wheel has {everything['wheel'] / 1e6:.1f} MB.\n")
    if asked.json:
        pathlib.Path(asked.json).write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
