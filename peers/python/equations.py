"""The three problems in numbers and equations, written once with NumPy for ours and for the peers.

Users of each solver write them too: what a variant takes from here counts among its lines.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

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
