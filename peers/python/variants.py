"""What is compared: problems, errors against their references, and every solver on every problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from equations import Array, N, andrews_loops, chain_joints, pendulum_rod
from others import BY_DAE, BY_EXUDYN, BY_IDA, BY_IDA_NUMBA, BY_IVP
from ours import OURS
from ratios import pendulum as exact_pendulum


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


def index_of(problem: str, form: str) -> int:
    return next(k for k, one in enumerate(VARIANTS) if (one.problem, one.form) == (problem, form))
