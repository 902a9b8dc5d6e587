#!/usr/bin/env python3
"""The chain of bars with exudyn's generalized alpha (rho 0.9, index 3, modified Newton iterations), for peers/chain.py.

    exudyn_chain.py BARS STEP T_END OUT

Prints one JSON object; x, y, angle, x', y', angle' of each bar at the end go to OUT.
"""

import json
import resource
import sys

import exudyn
import numpy
from exudyn.utilities import (
    Force, MarkerBodyPosition, NodeRigidBody2D, ObjectGround, ObjectRigidBody2D, RevoluteJoint2D,
)

START = -numpy.pi / 4


def chain(bars):
    mbs = exudyn.SystemContainer().AddSystem()
    tip = mbs.AddMarker(MarkerBodyPosition(bodyNumber=mbs.AddObject(ObjectGround()), localPosition=[0, 0, 0]))
    places = [[(i + 0.5) * numpy.cos(START), (i + 0.5) * numpy.sin(START), START] for i in range(bars)]
    for place in places:
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=place, initialVelocities=[0, 0, 0]))
        bar = mbs.AddObject(ObjectRigidBody2D(physicsMass=1.0, physicsInertia=1 / 12, nodeNumber=node))
        base, end, centre = (
            mbs.AddMarker(MarkerBodyPosition(bodyNumber=bar, localPosition=[x, 0, 0])) for x in (-0.5, 0.5, 0.0)
        )
        mbs.AddLoad(Force(markerNumber=centre, loadVector=[0, -9.81, 0]))
        mbs.AddObject(RevoluteJoint2D(markerNumbers=[tip, base]))
        tip = end
    mbs.Assemble()
    return mbs, numpy.array(places)


def settings(step, t_end):
    chosen = exudyn.SimulationSettings()
    time = chosen.timeIntegration
    time.numberOfSteps, time.endTime, time.verboseMode = round(t_end / step), t_end, 0
    time.newton.useModifiedNewton = True
    time.generalizedAlpha.spectralRadius = 0.9
    chosen.linearSolverType = exudyn.LinearSolverType.EigenSparse
    chosen.parallel.numberOfThreads = 1
    chosen.solutionSettings.writeSolutionToFile = False
    chosen.solutionSettings.sensorsWritePeriod = chosen.solutionSettings.solutionWritePeriod = 1e9
    return chosen


def main():
    bars, step, t_end, out = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    mbs, places = chain(bars)
    before = resource.getrusage(resource.RUSAGE_SELF)
    mbs.SolveDynamic(
        settings(step, t_end), solverType=exudyn.DynamicSolverType.GeneralizedAlpha, storeSolver=True, showHints=False
    )
    after = resource.getrusage(resource.RUSAGE_SELF)
    current = exudyn.ConfigurationType.Current
    q = places + numpy.array(mbs.systemData.GetODE2Coordinates(configuration=current)).reshape(bars, 3)
    v = numpy.array(mbs.systemData.GetODE2Coordinates_t(configuration=current)).reshape(bars, 3)
    numpy.hstack([q, v]).astype(float).tofile(out)
    work = mbs.sys["dynamicSolver"].it
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counts = dict(steps=round(t_end / step), nni=work.newtonStepsCount, lu=work.newtonJacobiCount)
    print(json.dumps(dict(peer="exudyn", cpu=cpu, rss_mb=after.ru_maxrss / 1024, **counts)))


if __name__ == "__main__":
    main()
