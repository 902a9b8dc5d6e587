#!/usr/bin/env python3
"""One run of the chain of links on balls by exudyn, MuJoCo or Drake, for peers/mechanisms.py.

    balls.py WHO LINKS STEP STEPS OUT

WHO is exudyn, mujoco-rk4, mujoco-implicit, drake-discrete or drake-rk3 (for which STEP is the accuracy asked for, and STEPS times 1e-3
the end). Prints one JSON object; the centres of mass at the end go to OUT.

Links of length 1, mass 1 and inertia diag(0.01, 1/12, 1/12), straight along x from the origin, turning with 1 rad/s about z, gravity along -z.
exudyn has bodies with Euler parameters and ball joints; MuJoCo and Drake have joint coordinates, in which nothing is left to constrain.
"""

import json
import sys
import time

import numpy

INERTIA = (0.01, 1 / 12, 1 / 12)
GRAVITY = [0, 0, -9.81]


def timed(work):
    before = time.process_time()
    work()
    return time.process_time() - before


def exudyn(links, h, steps):
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia

    mbs = exu.SystemContainer().AddSystem()
    before, bodies = mbs.CreateGround(), []
    for i in range(links):
        body = mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=1.0, inertiaTensor=numpy.diag(INERTIA)),
            referencePosition=[i + 0.5, 0, 0],
            initialVelocity=[0, i + 0.5, 0],
            initialAngularVelocity=[0, 0, 1],
            gravity=GRAVITY,
            nodeType=exu.NodeType.RotationEulerParameters,
        )
        mbs.CreateSphericalJoint(bodyNumbers=[before, body], position=[i, 0, 0], useGlobalFrame=True)
        before = body
        bodies.append(body)
    mbs.Assemble()
    chosen = exu.SimulationSettings()
    chosen.timeIntegration.numberOfSteps, chosen.timeIntegration.endTime = steps, steps * h
    chosen.timeIntegration.verboseMode = 0
    chosen.timeIntegration.newton.useModifiedNewton = True
    chosen.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    chosen.linearSolverType = exu.LinearSolverType.EigenSparse
    chosen.parallel.numberOfThreads = 1
    chosen.solutionSettings.writeSolutionToFile = False
    chosen.solutionSettings.sensorsWritePeriod = 1e9
    cpu = timed(lambda: mbs.SolveDynamic(chosen, solverType=exu.DynamicSolverType.GeneralizedAlpha))
    place = exu.OutputVariableType.Position
    return cpu, steps, [mbs.GetObjectOutputBody(body, place, localPosition=[0, 0, 0]) for body in bodies]


def mujoco(links, h, steps, integrator):
    import mujoco as mj

    link = (
        f'<joint type="ball" damping="0"/><inertial pos="0.5 0 0" mass="1" diaginertia="{INERTIA[0]!r} {INERTIA[1]!r} {INERTIA[2]!r}"/>'
    )
    bodies = "".join(f'<body pos="{min(i, 1)} 0 0">{link}' for i in range(links)) + "</body>" * links
    option = f'<option timestep="{h!r}" integrator="{integrator}" gravity="0 0 -9.81"><flag contact="disable"/></option>'
    model = mj.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{bodies}</worldbody></mujoco>")
    data = mj.MjData(model)
    data.qvel[2] = 1.0
    cpu = timed(lambda: mj.mj_step(model, data, steps))
    mj.mj_forward(model, data)
    return cpu, steps, data.xipos[1:].copy()


def drake(links, h, steps, discrete):
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BallRpyJoint, FixedOffsetFrame, RotationalInertia, SpatialInertia
    from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

    plant = MultibodyPlant(h if discrete else 0.0)
    plant.mutable_gravity_field().set_gravity_vector(GRAVITY)
    frame, bodies = plant.world_frame(), []
    for i in range(links):
        inertia = SpatialInertia.MakeFromCentralInertia(1.0, [0.5, 0, 0], RotationalInertia(*INERTIA))
        body = plant.AddRigidBody(f"link {i}", inertia)
        plant.AddJoint(BallRpyJoint(f"ball {i}", frame, body.body_frame(), 0.0))
        frame = plant.AddFrame(FixedOffsetFrame(f"end {i}", body.body_frame(), RigidTransform([1.0, 0, 0])))
        bodies.append(body)
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.GetJointByName("ball 0").set_angular_velocity(context, [0, 0, 1.0])
    simulator = Simulator(plant, context)
    if not discrete:
        ResetIntegratorFromFlags(simulator, "runge_kutta3", 0.1)
        simulator.get_mutable_integrator().set_target_accuracy(h)
        simulator.get_mutable_integrator().set_maximum_step_size(0.1)
    simulator.Initialize()
    end = steps * (h if discrete else 1e-3)
    cpu = timed(lambda: simulator.AdvanceTo(end))
    made = steps if discrete else simulator.get_integrator().get_num_steps_taken()
    root = plant.GetMyContextFromRoot(simulator.get_context())
    centre = numpy.array([0.5, 0, 0])
    return cpu, made, [plant.EvalBodyPoseInWorld(root, body).multiply(centre) for body in bodies]


WHO = {
    "exudyn": exudyn,
    "mujoco-rk4": lambda *run: mujoco(*run, "RK4"),
    "mujoco-implicit": lambda *run: mujoco(*run, "implicitfast"),
    "drake-discrete": lambda *run: drake(*run, True),
    "drake-rk3": lambda *run: drake(*run, False),
}


def main():
    who, links, h, steps, out = sys.argv[1:]
    cpu, made, centres = WHO[who](int(links), float(h), int(steps))
    numpy.array(centres, float).tofile(out)
    print(json.dumps(dict(who=who, cpu=cpu, steps=made)))


if __name__ == "__main__":
    main()
