"""Every kind of joint, coupling, force and driver, built in Python: the program takes each for a model."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from mechanism_program import mistakes, run_text

from alembert import Mechanism
from alembert._mechanism import Body, Joint
from alembert._mechanism.keys import COORDINATES, KEYS
from alembert._mechanism.tables import Limits

Make = Callable[[Mechanism, Body, Body], object]


def _mechanism(planar: bool) -> tuple[Mechanism, Body, Body]:
    """Two bodies that nothing holds yet."""
    m = Mechanism("two bodies", gravity=[0, -9.81] if planar else [0, 0, -9.81])
    zeros = [0.0] * (1 if planar else 2)
    inertia: float | list[float] = 0.2 if planar else [0.1, 0.2, 0.3]
    a = m.body("a", mass=1, inertia=inertia, points={"p": [0.1, *zeros]})
    b = m.body("b", mass=1, inertia=inertia, points={"p": [0.2, *zeros]}, pose={"at": [0.3, *zeros]})
    m.settings(t_end=0.01)
    return m, a, b


STOPS: Limits = {"min": -9, "max": 9, "stiffness": 1e3, "damping": 0.1}

#: Joints in space; those that make sense in the plane are below.
JOINTS: dict[str, Make] = {
    "revolute": lambda m, a, b: m.revolute(
        "j", "ground", a, axis="z", start={"angle": 0.1, "speed": 1}, limits=STOPS, friction={"mu": 0.1, "radius": 0.1}
    ),
    "spherical": lambda m, a, b: m.spherical("j", a["p"], b, friction={"mu": 0.1, "radius": 0.01, "speed": 0.01}),
    "prismatic": lambda m, a, b: m.prismatic(
        "j", "ground", a, axis=[1, 0, 0], start={"displacement": 0.1}, friction={"mu": 0.1, "arm": 9, "preload": 1}
    ),
    "cylindrical": lambda m, a, b: m.cylindrical(
        "j", a, b, axis=["x", "x"], start={"angle'": 1}, limits={**STOPS, "coordinate": "displacement"}
    ),
    "universal": lambda m, a, b: m.universal("j", "ground", a, axis=["y", "z"], start={"first angle": 0.1}),
    "planar": lambda m, a, b: m.planar("j", "ground", a, axis="z", friction={"mu": 0.1, "radius": 0.1}),
    "fixed": lambda m, a, b: m.fixed("j", a["p"], b, keep=True),
    "constant velocity": lambda m, a, b: m.constant_velocity("j", a, b, axis="x"),
    "point on line": lambda m, a, b: m.point_on_line("j", "ground", a["p"], at=[0, 0, 0.1], axis="x"),
    "point on plane": lambda m, a, b: m.point_on_plane("j", "ground", b, axis="z", start={"displacement x": 0.3}),
    "point on curve": lambda m, a, b: m.point_on_curve(
        "j", "ground", b, curve=["0.3*cos(s)", "0.3*sin(s)", "0.1*s"], start={"parameter": 0.1}
    ),
    "distance": lambda m, a, b: m.distance("j", a, b, length=0.35),
    "revolute-spherical": lambda m, a, b: m.revolute_spherical("j", a, b, axis="z", length=0.3),
    "parallel": lambda m, a, b: m.parallel("j", a, b, axis="z"),
    "perpendicular": lambda m, a, b: m.perpendicular("j", a, b, axis=["z", "x"]),
    "orientation": lambda m, a, b: m.orientation("j", a, b),
    "rolling disk": lambda m, a, b: m.rolling_disk("j", "ground", a, axis=["z", "y"], radius=0.3),
    "rolling sphere": lambda m, a, b: m.rolling_sphere("j", "ground", a, axis="z", radius=0.3),
    "knife edge": lambda m, a, b: m.knife_edge("j", "ground", a["p"], axis="x"),
}
PLANAR: dict[str, Make] = {
    "revolute": lambda m, a, b: m.revolute("j", "ground", a, at=["0.1/2", 0]),
    "spherical": lambda m, a, b: m.spherical("j", "ground", a),
    "prismatic": lambda m, a, b: m.prismatic("j", a, b, axis="x"),
    "fixed": lambda m, a, b: m.fixed("j", a, b, keep=True),
    "point on line": lambda m, a, b: m.point_on_line("j", a, b, axis="y"),
    "point on curve": lambda m, a, b: m.point_on_curve("j", "ground", b, curve=["s", "s^2"]),
    "distance": lambda m, a, b: m.distance("j", "ground", a, length="0.2"),
    "orientation": lambda m, a, b: m.orientation("j", "ground", a),
    "knife edge": lambda m, a, b: m.knife_edge("j", "ground", a, axis="x"),
}


@pytest.mark.parametrize(("planar", "kind"), [*((False, kind) for kind in JOINTS), *((True, kind) for kind in PLANAR)])
def test_a_joint_of_every_kind_is_accepted_with_its_coordinates(planar: bool, kind: str) -> None:
    m, a, b = _mechanism(planar)
    joint = (PLANAR if planar else JOINTS)[kind](m, a, b)
    assert isinstance(joint, Joint) and joint.coordinates == COORDINATES[kind][planar]
    for name in joint.coordinates:
        if name != "parameter":
            word = name.replace(" ", "_")
            m.output(f"o_{word}", getattr(joint, word))
    m.output("size", joint.force)
    m.output("other", joint.world_torque)
    if kind != "fixed":
        m.output("turns", f"{joint.torque.x} + {joint.force.y}")
    assert mistakes(m.text()) == []


def test_all_kinds_of_joints_are_there() -> None:
    assert list(JOINTS) == list(COORDINATES)
    assert set(PLANAR) >= {kind for kind, (_, plane) in COORDINATES.items() if plane}


def test_the_parameter_of_a_curve_is_a_column() -> None:
    m, a, b = _mechanism(True)
    groove = m.point_on_curve("groove", "ground", b, curve=lambda s: [s, s**2], start={"parameter": 0.3})
    assert run_text(m.text())[groove.parameter.column][0] == pytest.approx(0.3, abs=0.1)


COUPLINGS: dict[str, Callable[[Mechanism, Joint, Joint, Joint], object]] = {
    "gear": lambda m, first, second, nut: m.gear("k", [first, second], radii=[20, 60], internal=True),
    "belt": lambda m, first, second, nut: m.belt("k", ["first shaft", second], radii=["0.1", 0.3]),
    "rack": lambda m, first, second, nut: m.rack("k", [first, nut.displacement], radius=0.1),
    "screw": lambda m, first, second, nut: m.screw("k", nut, pitch=0.01),
    "differential": lambda m, first, second, nut: m.differential("k", [first, second, nut.angle], ratios=[1, 1, -2]),
    "coupling": lambda m, first, second, nut: m.coupling("k", [first, "nut.displacement"], ratios=(1, 2)),
}


@pytest.mark.parametrize("kind", COUPLINGS)
def test_a_coupling_of_every_kind_is_accepted(kind: str) -> None:
    m, a, b = _mechanism(False)
    c = m.body("c", solid=[{"box": [1, 1, 1], "density": 10}, {"sphere": {"radius": 0.1}, "mass": 1, "at": [0, 0, 1]}])
    first = m.revolute("first shaft", "ground", a, axis="z")
    second = m.revolute("second", "ground", b, at=[0.3, 0, 0], axis="z")
    nut = m.cylindrical("nut", "ground", c, axis="z")
    COUPLINGS[kind](m, first, second, nut)
    assert mistakes(m.text()) == []


def test_a_screw_of_two_joints_and_all_couplings_are_there() -> None:
    m, a, b = _mechanism(False)
    shaft = m.revolute("shaft", "ground", a, axis="z")
    guide = m.prismatic("guide", "ground", b, axis="z")
    m.screw("thread", joints=[shaft, guide], pitch="0.01")
    assert mistakes(m.text()) == []
    assert {*JOINTS, *COUPLINGS} == {*KEYS["joints"]["type"].choices}  # type: ignore[attr-defined]


#: Forces with what they act on: a hinge and a guide.
FORCES: dict[str, list[Callable[[Mechanism, Body, Body, Joint, Joint], object]]] = {
    "spring": [
        lambda m, a, b, hinge, guide: m.spring("f", a["p"], b, stiffness=100, damping=1, rest=0.1),
        lambda m, a, b, hinge, guide: m.spring("f", "ground", b, law="100*(length - 0.1) + length'"),
    ],
    "torsion": [
        lambda m, a, b, hinge, guide: m.torsion("f", hinge, stiffness=1, damping=0.1, rest="30*deg"),
        lambda m, a, b, hinge, guide: m.torsion("f", "hinge", coordinate="angle", law="angle^3"),
    ],
    "torque": [
        lambda m, a, b, hinge, guide: m.torque("f", joint=hinge, law="1 - angle'"),
        lambda m, a, b, hinge, guide: m.torque("f", on=a, torque=[0, 0, "sin(t)"], axes="body"),
    ],
    "force": [
        lambda m, a, b, hinge, guide: m.force("f", joint=guide, coordinate="displacement", law="-displacement"),
        lambda m, a, b, hinge, guide: m.force("f", at=b["p"], force=[0, f"-{b.y.rate}", 1], axes="world"),
    ],
    "bushing": [
        lambda m, a, b, hinge, guide: m.bushing(
            "f", a, b, stiffness=[1, 2, 3], damping=0.1, torsion=[1, 1, 2], torsion_damping=0.01
        )
    ],
    "contact": [
        lambda m, a, b, hinge, guide: m.contact(
            "f", b, "ground", radius=0.1, axis="z", stiffness=1e5, damping=0.1, friction=0.3, speed=1e-2
        ),
        lambda m, a, b, hinge, guide: m.contact("f", a, b, radii=[0.1, 0.1], stiffness=1e5),
    ],
    "drag": [lambda m, a, b, hinge, guide: m.drag("f", b, coefficient=0.1, wind=[1, 0, 0])],
    "tyre": [
        lambda m, a, b, hinge, guide: m.tyre(
            "f", a, "ground", axis=["y", "z"], radius=0.3, stiffness=2e5, damping=0.1, friction=1,
            slip_stiffness=6e4, cornering_stiffness=5e4, speed=0.2,
        )
    ],
}  # fmt: skip


FORMS = [(kind, form) for kind, forms in FORCES.items() for form in range(len(forms))]


@pytest.mark.parametrize(("kind", "form"), FORMS)
def test_a_force_of_every_kind_is_accepted(kind: str, form: int) -> None:
    m, a, b = _mechanism(False)
    hinge = m.revolute("hinge", "ground", a, axis="z")
    guide = m.prismatic("guide", "ground", b, axis="x")
    FORCES[kind][form](m, a, b, hinge, guide)
    assert mistakes(m.text()) == []
    assert [*FORCES] == [*KEYS["forces"]["type"].choices]  # type: ignore[attr-defined]


DRIVERS: dict[str, Callable[[Mechanism, Body, Body], object]] = {
    "angle": lambda m, a, b: m.driver("d", m.revolute("j", "ground", a, axis="z"), angle="2*t"),
    "speed": lambda m, a, b: m.driver("d", m.revolute("j", "ground", a, axis="z"), speed="sin(t)"),
    "speed of one": lambda m, a, b: m.driver(
        "d", m.cylindrical("j", "ground", a, axis="z"), coordinate="displacement", speed=1
    ),
    "displacement": lambda m, a, b: m.driver("d", m.prismatic("j", "ground", a, axis="x"), displacement="t^2"),
    "length": lambda m, a, b: m.driver("d", m.distance("j", a, b, length=0.3), length=0.3),
    "first angle": lambda m, a, b: m.driver("d", m.universal("j", "ground", a, axis=["x", "y"]), first_angle="t"),
    "second angle": lambda m, a, b: m.driver("d", m.universal("j", "ground", a, axis=["x", "y"]), second_angle="t"),
    "displacement x": lambda m, a, b: m.driver("d", m.planar("j", "ground", a, axis="z"), displacement_x="t"),
    "displacement y": lambda m, a, b: m.driver("d", m.planar("j", "ground", a, axis="z"), displacement_y="t"),
    "path": lambda m, a, b: m.path_driver("d", "ground", a["p"], ["0.1 + t", "0", "sin(t)"]),
}


@pytest.mark.parametrize("kind", DRIVERS)
def test_a_driver_of_every_kind_is_accepted(kind: str) -> None:
    m, a, b = _mechanism(False)
    DRIVERS[kind](m, a, b)
    assert mistakes(m.text()) == []


def test_a_driver_takes_the_place_of_the_length_of_a_rod() -> None:
    """And is then what holds it: its length in the file is none of its own."""
    m, a, b = _mechanism(False)
    m.driver("d", m.distance("j", a, b, length=0.3), length="0.3 + 0.1*t")
    assert mistakes(m.text()) == []
