#!/usr/bin/env python3
"""Andrews' mechanism with exudyn's generalized alpha (rho 0.9, index 3, modified Newton iterations), the column of docs/error-control.md.

    exudyn_andrews.py [--json] STEPS... a python with exudyn and numpy

Seven rigid bodies in absolute coordinates and ten joints, to t = 0.03; constants as in mechanisms.h. Prints steps, Newton
iterations, the largest error of an angle relative to itself and the processor time.
"""

import json
import sys
import time
from math import cos, sin

import exudyn
import numpy
from exudyn.utilities import (
    MarkerBodyPosition, MarkerBodyRigid, NodeRigidBody2D, ObjectGround, ObjectRigidBody2D, RevoluteJoint2D, SpringDamper, Torque,
)

MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
XA, YA, XB, YB, XC, YC = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
D, DA, E, EA, RR, RA, SA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.01874
SB, SC, SD, TA, TB, U, UA, UB = 0.01043, 0.018, 0.02, 0.02308, 0.00916, 0.04, 0.01228, 0.00449
ZF, ZT, FA, TORQUE, STIFFNESS, REST = 0.02, 0.04, 0.01421, 0.033, 4530.0, 0.07785
# beta, Theta, gamma, Phi, delta, Omega, epsilon at the start and at t = 0.03 (Test Set for IVP Solvers).
START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
    0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)
END = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
    1.048080741042263,
)


def point(x, y):
    return numpy.array([x, y], float)


def mechanism():
    be, th, ga, ph, de, om, ep = START
    turns = [be, be + th, ga, ph + de, de, om + ep, ep]
    centres = [
        point(RA * cos(be), RA * sin(be)),
        point(RR * cos(be) - DA * cos(be + th), RR * sin(be) - DA * sin(be + th)),
        point(XB + SA * sin(ga) + SB * cos(ga), YB - SA * cos(ga) + SB * sin(ga)),
        point(XA + ZT * cos(de) + (E - EA) * sin(ph + de), YA + ZT * sin(de) - (E - EA) * cos(ph + de)),
        point(XA + TA * cos(de) - TB * sin(de), YA + TA * sin(de) + TB * cos(de)),
        point(XA + U * sin(ep) + (ZF - FA) * cos(om + ep), YA - U * cos(ep) + (ZF - FA) * sin(om + ep)),
        point(XA + UA * sin(ep) - UB * cos(ep), YA - UA * cos(ep) - UB * sin(ep)),
    ]
    mbs = exudyn.SystemContainer().AddSystem()
    ground = mbs.AddObject(ObjectGround())
    bodies = []
    for centre, turn, mass, inertia in zip(centres, turns, MASSES, INERTIAS):
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[*centre, turn]))
        bodies.append(mbs.AddObject(ObjectRigidBody2D(physicsMass=mass, physicsInertia=inertia, nodeNumber=node)))

    def marker(body, place):
        if body is None:
            return mbs.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=[*place, 0]))
        (x, y), c, s = place - centres[body], cos(turns[body]), sin(turns[body])
        local = [c * x + s * y, c * y - s * x, 0]
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=bodies[body], localPosition=local))

    origin, a, b = point(0, 0), point(XA, YA), point(XB, YB)
    crank = point(RR * cos(be), RR * sin(be))
    common = crank - D * point(cos(be + th), sin(be + th))
    upper, lower = a + ZT * point(cos(de), sin(de)), a + U * point(sin(ep), -cos(ep))
    joints = [
        (None, 0, origin), (0, 1, crank), (None, 2, b), (1, 2, common), (1, 3, common), (3, 4, upper), (None, 4, a), (1, 5, common),
        (5, 6, lower), (None, 6, a),
    ]
    for first, second, place in joints:
        mbs.AddObject(RevoluteJoint2D(markerNumbers=[marker(first, place), marker(second, place)]))
    hook = point(XB + SC * sin(ga) + SD * cos(ga), YB - SC * cos(ga) + SD * sin(ga))
    ends = [marker(None, point(XC, YC)), marker(2, hook)]
    mbs.AddObject(SpringDamper(markerNumbers=ends, stiffness=STIFFNESS, damping=0, referenceLength=REST))
    mbs.AddLoad(Torque(markerNumber=mbs.AddMarker(MarkerBodyRigid(bodyNumber=bodies[0])), loadVector=[0, 0, TORQUE]))
    mbs.Assemble()
    return mbs, turns


def run(steps):
    mbs, turns = mechanism()
    chosen = exudyn.SimulationSettings()
    motion = chosen.timeIntegration
    motion.numberOfSteps, motion.endTime, motion.verboseMode, motion.minimumStepSize = steps, 0.03, 0, 1e-12
    motion.newton.useModifiedNewton = True
    motion.generalizedAlpha.spectralRadius = 0.9
    chosen.linearSolverType = exudyn.LinearSolverType.EXUdense
    chosen.parallel.numberOfThreads = 1
    chosen.solutionSettings.writeSolutionToFile = False
    before = time.process_time()
    mbs.SolveDynamic(chosen, solverType=exudyn.DynamicSolverType.GeneralizedAlpha, storeSolver=True)
    cpu = time.process_time() - before
    turned = numpy.array(mbs.systemData.GetODE2Coordinates()).reshape(7, 3)[:, 2] + turns
    be, second, ga, fourth, de, sixth, ep = turned
    angles = [be, second - be, ga, fourth - de, de, sixth - ep, ep]
    error = max(abs(angle / exact - 1) for angle, exact in zip(angles, END))
    return mbs.sys["dynamicSolver"].it.newtonStepsCount, error, cpu


def main():
    words = [word for word in sys.argv[1:] if word != "--json"]
    rows = []
    for steps in map(int, words or ["300", "1000", "3000", "10000"]):
        iterations, error, cpu = run(steps)
        rows.append(dict(steps=steps, iterations=iterations, error=error, cpu=cpu))
    if "--json" in sys.argv:
        print(json.dumps(rows))
        return
    print("| steps | iterations | error | CPU s |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row['steps']} | {row['iterations']} | {row['error']:.1e} | {row['cpu']:.3f} |")


if __name__ == "__main__":
    main()
