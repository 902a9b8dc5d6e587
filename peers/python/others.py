"""The problems as users of the peers write them: each function gives one that integrates once everything is set up.

scipy_dae and IDA get the stabilised form of Gear, Gupta and Leimkuhler with index 1: the unknowns are integrals of the
multipliers, so that the multipliers are derivatives and need no tolerances of their own. With the multipliers
themselves (index 2) IDA stalls on Andrews' mechanism, and scipy_dae's BDF fails on the pendulum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from equations import (
    ANGLES, CHAIN_START, FALLING, REST_AT_SIDE, Array, N,
    andrews_bias, andrews_force, andrews_loops, andrews_mass, andrews_slope,
    chain_bias, chain_force, chain_joints, chain_mass, chain_slope, pendulum_rates, pendulum_residual,
)  # fmt: skip

Run = Callable[[], Any]


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


# Functions of the problems, in their order.
BY_DAE = (andrews_scipy_dae, pendulum_scipy_dae, chain_scipy_dae)
BY_IDA = (andrews_ida, pendulum_ida, chain_ida)
BY_IDA_NUMBA = (andrews_ida_numba, pendulum_ida_numba, chain_ida_numba)
BY_EXUDYN = (andrews_exudyn, pendulum_exudyn, chain_exudyn)
BY_IVP = (andrews_solve_ivp, pendulum_solve_ivp, chain_solve_ivp)
