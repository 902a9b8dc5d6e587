"""Models of ``models/mechanisms``, built in Python: their runs give the numbers of the files."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from mechanism_program import MECHANISMS, run_text

from alembert import Mechanism
from alembert._mechanism import Body


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def four_bar() -> Mechanism:
    m = Mechanism("four-bar with motor", gravity=[0, -9.81])
    m.parameters(a=0.1, c=0.3, d=0.25, b=0.3, gain=0.4)
    crank = m.body(
        "crank",
        mass=0.5,
        inertia="0.5*a^2/12",
        pose={"at": [0.03, 0.04], "angle": 1},
        points={"O": ["-a/2", 0], "A": ["a/2", 0]},
    )
    coupler = m.body(
        "coupler",
        mass=1.2,
        inertia="1.2*c^2/12",
        pose={"at": [0.2, 0.15], "angle": 0.5},
        points={"A": ["-c/2", -0.02], "B": ["c/2", -0.02]},
    )
    rocker = m.body("rocker", mass=1, inertia="d^2/12", pose={"at": np.array([0.3, 0.12]), "angle": np.float64(1.7)})
    rocker.point("B", ["d/2", 0])
    rocker.point("C", ["-d/2", 0])
    o = m.revolute("O", m.ground, crank["O"], start={"angle": 1.0, "speed": 0})
    m.revolute("A", crank["A"], coupler["A"])
    b = m.revolute("B", coupler["B"], rocker["B"])
    c = m.revolute("C", "ground", rocker["C"], at=["b", 0])
    motor = m.motor("motor", o, f"gain*(20*(1 - exp(-4*t)) - {o.angle.rate})")
    m.view(crank, capsule={"radius": 0.01, "from": crank["O"], "to": crank["A"]}, color="darkorange")
    m.view(coupler, capsule={"radius": 0.01, "from": "coupler.A", "to": "coupler.B"}, trace=["B"])
    m.output("crank_speed", o.angle.rate, unit="rad/s", label="speed of the crank")
    m.output("rocker_angle", f"{c.angle}/deg", unit="deg")
    m.output("pin_force", b.force, unit="N")
    m.output("power", f"{motor.value}*{o.angle.rate}", unit="W")
    m.settings(t_end=2, rtol=1e-9, output_every=0.01)
    return m


def cam() -> Mechanism:
    m = Mechanism("disc cam", gravity=[0, -9.81])
    m.parameters(base=0.02, lift=0.008, sharp=4, turns=15, stiffness=8e3)
    m.function("radius(s)", "base + lift*((1 + cos(s))/2)^sharp")
    disc = m.body("cam", mass=0.6, inertia=2e-4, pose={"angle": "-90*deg"})
    follower = m.body("follower", mass=0.15, inertia=1e-4, pose={"at": [0, "base"]})
    shaft = m.revolute("shaft", "ground", disc)
    edge = m.point_on_curve(
        "edge", disc, follower, curve=["radius(s)*cos(s)", "radius(s)*sin(s)"], start={"parameter": math.pi}
    )
    guide = m.prismatic("guide", "ground", follower, axis="y")
    motor = m.driver("motor", shaft, angle="-90*deg + 2*pi*turns*t")
    m.motor("valve spring", guide, "-60 - stiffness*(displacement - base)")
    m.output("valve", f"{guide.displacement} - base")
    m.output("acceleration", guide.displacement.rate.rate)
    m.output("contact", edge.world_force.y)
    m.output("torque", motor.torque)
    m.result("least", min="contact", unit="N")
    m.settings(t_end="2/turns", rtol=1e-9, h_max="1/turns/50", output_every="1/turns/200")
    return m


def pantograph() -> Mechanism:
    m = Mechanism("pantograph", gravity=[0, 0])
    m.parameters(ratio=3, upper=0.6, lower=0.6, petals=5)
    m.function("radius(u)", "0.06*(1 + 0.35*cos(petals*u))")

    def bar(name: str, mass: float, length: str, at: list[float | str], angle: str) -> Body:
        inertia = f"{mass}*({length})^2/12"
        return m.body(name, mass=mass, inertia=inertia, centre=[f"({length})/2", 0], pose={"at": at, "angle": angle})

    first = bar("first", 0.3, "upper", [0, 0], "110*deg")
    second = bar("second", 0.3, "lower", ["upper*cos(110*deg)", "upper*sin(110*deg)"], "-10*deg")
    at: list[float | str] = ["upper/ratio*cos(110*deg)", "upper/ratio*sin(110*deg)"]
    third = bar("third", 0.1, "lower/ratio", at, "-10*deg")
    fourth = bar("fourth", 0.2, "upper - upper/ratio", [0.15, 0.2], "110*deg")
    m.revolute("O", "ground", first)
    m.revolute("B", first.point("B", ["upper", 0]), second)
    m.revolute("C", first.point("C", ["upper/ratio", 0]), third)
    m.revolute("D", second.point("D", ["lower/ratio", 0]), fourth.point("D", ["upper - upper/ratio", 0]))
    tracer = third.point("tracer", ["lower/ratio", 0])
    pen = second.point("pen", ["lower", 0])
    m.revolute("T", tracer, fourth)
    way = [f"{offset} + radius(2*pi*t)*{turn}(2*pi*t)" for offset, turn in ((0.15, "cos"), (0.12, "sin"))]
    m.path_driver("hand", "ground", tracer, way)
    m.output("tracer", tracer)
    m.output("pen", pen)
    m.output("off", f"norm({pen} - ratio*{tracer})")
    m.settings(t_end=1, rtol=1e-9, output_every=0.005)
    return m


def governor() -> Mechanism:
    m = Mechanism("flyball governor", gravity=[0, 0, -9.81])
    m.parameters(ball=5, rod=0.3, at_ball="0.5 + 0.5*ball/(ball + rod)", slim="rod*0.01^2/6", spin="2*pi")
    m.parameter("broad", "rod*(1/12 + 0.01^2/12 + (at_ball - 0.5)^2) + ball*(1 - at_ball)^2")
    shaft = m.body("shaft", mass=0.3, inertia=[0.0250025, 0.0250025, 5e-6], pose={"at": [0, 0, 0.5]})
    foot = shaft.point("foot", [0, 0, -0.5])
    sleeve = m.body("sleeve", mass=3, inertia=0.005, pose={"at": [0, 0, 0.5]})
    rods = {}
    for side, sign in (("right", ""), ("left", "-")):
        shaft.point(side, [float(f"{sign}0.05"), 0, 0.5])
        sleeve.point(side, [float(f"{sign}0.05"), 0, 0])
        rods[side] = m.body(
            f"{side} rod",
            mass="ball + rod",
            inertia=["slim", "broad", "broad"],
            pose={
                "at": [f"{sign}(0.05 + at_ball*cos(30*deg))", 0, "1 - at_ball*sin(30*deg)"],
                "turn": {"axis": "y", "angle": f"{sign}30*deg"},
            },
            points={
                "hinge": [f"{sign}(-at_ball)", 0, 0],
                "middle": [f"{sign}(0.5 - at_ball)", 0, 0],
                "ball": [f"{sign}(1 - at_ball)", 0, 0],
            },
        )
    bearing = m.revolute("bearing", "ground", foot, axis="z", start={"angle": 0, "speed": "spin"})
    guide = m.prismatic("guide", foot, sleeve, axis="z", start={"displacement": 0.5, "speed": 0})
    hinges = {
        side: m.revolute(
            f"{side} hinge", shaft[side], rod["hinge"], axis="y", start={"angle": f"{sign}30*deg", "speed": 0}
        )
        for (side, rod), sign in zip(rods.items(), ("", "-"), strict=True)
    }
    for side, rod in rods.items():
        m.spring(f"{side} strut", rod["middle"], sleeve[side], stiffness=8e5, damping=4e4, rest=0.5)
        m.view(rod, capsule={"radius": 0.01, "from": rod["hinge"], "to": rod["ball"]})
        m.view(rod, sphere=0.05, at=[0.028 if side == "right" else -0.028, 0, 0])
    m.output("sleeve_height", guide.displacement, unit="m", label="sleeve")
    m.output("angle", f"{hinges['right'].angle}/deg", unit="deg")
    m.output("speed", bearing.angle.rate)
    m.settings(t_end=10, rtol=1e-8, output_every=0.05)
    return m


def chain() -> Mechanism:
    """The file repeats entries; here it is a loop."""
    m = Mechanism("ball-joint chain", gravity=[0, 0, -9.81])
    links = [
        m.body(
            f"link[{i}]",
            mass=1,
            inertia=[0.01, "1/12", "1/12"],
            pose={"at": [i - 0.5, 0, 0]},
            velocity={"at": [0, i - 0.5, 0], "angular": [0, 0, 1]},
            points={"left": [-0.5, 0, 0], "right": [0.5, 0, 0]},
        )
        for i in range(1, 11)
    ]
    hook = m.spherical("hook", "ground", links[0]["left"])
    for i in range(2, 11):
        m.spherical(f"ball[{i}]", links[i - 2]["right"], links[i - 1]["left"])
    m.output("tip_x", links[-1]["right"].x)
    m.output("tip_z", links[-1]["right"].z)
    m.output("pull", hook.force)
    m.settings(t_end=1, method="soi2", h=1e-3, output_every=0.01)
    return m


def planetary() -> Mechanism:
    m = Mechanism("planetary gear with a brake", dimension=2, gravity=[0, 0])
    m.parameters(sun_teeth=30, planet_teeth=18, ring_teeth="sun_teeth + 2*planet_teeth", module=2e-3)
    m.parameters({"arm": "module*(sun_teeth + planet_teeth)/2"}, speed=100, brake=2, load=0.05)
    sun = m.body("sun", mass=0.5, inertia=2e-4)
    carrier = m.body("carrier", mass=1.5, inertia=3e-3)
    ring = m.body("ring", mass=1, inertia=5e-3)
    at = ["arm*cos(2*pi*i/3)", "arm*sin(2*pi*i/3)"]
    m.body("planet[i]", for_="i in 1..3", mass=0.15, inertia=3e-5, pose={"at": at})
    sun_bearing = m.revolute("sun bearing", "ground", sun)
    carrier_bearing = m.revolute("carrier bearing", "ground", carrier, start={"speed": 0})
    ring_bearing = m.revolute("ring bearing", "ground", ring)
    first = m.revolute("pin[1]", carrier.at(["arm*cos(2*pi/3)", "arm*sin(2*pi/3)"]), "planet[1]")
    m.revolute("pin[2]", carrier.at(["arm*cos(4*pi/3)", "arm*sin(4*pi/3)"]), "planet[2]")
    m.revolute("pin[3]", carrier, "planet[3]", at=["arm", 0])
    ratios = ["sun_teeth", "-sun_teeth", "planet_teeth"]
    m.coupling("sun mesh[i]", [sun_bearing, carrier_bearing, "pin[i]"], ratios=ratios, for_="i in 1..3")
    ratios = ["ring_teeth", "-ring_teeth", "-planet_teeth"]
    m.coupling("ring mesh", [ring_bearing, carrier_bearing, first], ratios=ratios)
    motor = m.driver("motor", sun_bearing, angle="speed*t")
    m.torque("band brake", joint=ring_bearing, law="-brake*smoothstep(t, 1, 1.5)*angle'")
    m.torque("machine", joint=carrier_bearing, law="-load*angle'")
    for body in (sun, carrier, ring):
        m.output(f"{body.name}_speed", body.omega.z)
    m.output("planet_speed", "planet[1].omega.z")
    speeds = [f"({body.omega.z} - {carrier.omega.z})" for body in (sun, ring)]
    m.output("willis", f"sun_teeth*{speeds[0]} + ring_teeth*{speeds[1]}")
    m.output("torque", motor.torque)
    m.settings(t_end=3, rtol=1e-9, output_every=0.01)
    return m


def quarter_car() -> Mechanism:
    m = Mechanism("quarter car, drawn", dimension=2, gravity=[0, "-g"])
    m.parameters(g=9.81, speed=12.0, wheel=40.0, body=320.0, tyre=180e3, spring=22e3, damper=1.6e3)
    hub = m.body("hub", mass="wheel", inertia=1, pose={"at": [0, 0.3]})
    chassis = m.body("chassis", mass="body", inertia=100, pose={"at": [0, 0.8]})
    rest = {"displacement": 0, "speed": 0}
    wheel_guide = m.prismatic("wheel guide", m.ground.at([0, 0.3]), hub, axis="y", start=rest)
    body_guide = m.prismatic("body guide", m.ground.at([0, 0.8]), chassis, axis="y", start=rest)
    m.spring("strut", hub, chassis, stiffness="spring", damping="damper", rest="0.5 + body*g/spring")
    patch = m.force("contact patch", joint=wheel_guide, law="(wheel + body)*g + tyre*(road(speed*t) - displacement)")
    m.table("road", file="quarter_car_road.csv", x="s", y="z", kind="linear", extrapolation="hold")
    m.output("road", "road(speed*t)")
    m.output("wheel_height", wheel_guide.displacement)
    m.output("body_height", body_guide.displacement)
    m.output("tyre_force", patch.value)
    m.result("comfort", rms=body_guide.displacement.rate.rate, unit="m/s^2")
    m.result("least", min="tyre_force", unit="N")
    m.result("room", max="abs(body_height - wheel_height)", unit="m")
    m.settings(t_end=5, rtol=1e-6, output_every=0.01)
    return m


def whitworth() -> Mechanism:
    m = Mechanism("Whitworth's quick return", gravity=[0, -9.81])
    m.parameters(crank_length=0.1, offset=0.05, arm=0.08, rod_length=0.3, turns=1)
    crank = m.body("crank", mass=1, inertia=4e-3, pose={"angle": "90*deg"}, points={"pin": ["crank_length", 0]})
    lever = m.body("lever", mass=2, inertia=8e-3, pose={"at": [0, "-offset"], "angle": "90*deg"})
    at = ["rod_length/2", "-offset - arm/2"]
    rod = m.body("rod", mass=0.5, inertia="0.5*rod_length^2/12", pose={"at": at, "angle": "15*deg"})
    ram = m.body("ram", mass=5, inertia=1e-2, pose={"at": ["rod_length", "-offset"]})
    shaft = m.revolute("shaft", "ground", crank)
    pivot = m.revolute("pivot", "ground", lever, at=[0, "-offset"])
    m.point_on_line("slot", lever, crank["pin"], axis="x")
    m.revolute("lever end", lever.at(["-arm", 0]), rod.at(["-rod_length/2", 0]))
    m.revolute("ram pin", rod, ram, at=["rod_length/2", 0])
    guide = m.prismatic("guide", "ground(0, -offset)", ram, axis="x")
    motor = m.driver("motor", shaft, angle="90*deg + 2*pi*turns*t")
    m.event("outer dead centre", formula=guide.displacement.rate, direction="falling", action="continue")
    m.event("inner dead centre", formula=guide.displacement.rate, direction="rising", action="continue")
    m.output("ram_position", guide.displacement)
    m.output("ram_speed", guide.displacement.rate)
    m.output("lever_angle", f"{pivot.angle}/deg")
    m.output("torque", motor.torque)
    m.settings(t_end="2/turns", rtol=1e-9, output_every=0.005)
    return m


def rolling_coin() -> Mechanism:
    m = Mechanism("rolling coin", gravity=[0, 0, "-g"])
    m.parameters(g=9.81, m=8.5e-3, r=0.012875, lean="20*deg", theta="pi/2 - lean", Omega=8, faster=1)
    m.parameters(axial="m*r^2/2", across="m*r^2/4", circle="r*abs(w)/Omega")
    fall = "across*Omega^2*sin(theta)*cos(theta) - m*g*r*cos(theta)"
    m.parameter("w", f"({fall})/((axial + m*r^2)*Omega*sin(theta))")
    coin = m.body(
        "coin",
        mass="m",
        inertia=["across", "across", "axial"],
        pose={
            "at": [0, "-circle", "r*cos(lean)"],
            "z": [0, "-cos(lean)", "sin(lean)"],
            "y": [0, "sin(lean)", "cos(lean)"],
        },
        velocity={"at": ["-r*w*faster", 0, 0], "angular": [0, "Omega*sin(theta)", "w*faster"]},
    )
    m.rolling_disk("table", "ground", coin, axis=["z", "z"], radius="r")
    m.output("x", coin.x)
    m.output("y", coin.y)
    m.output("tilt", f"asin(({coin.R}*[0, 0, 1]).z)/deg", unit="deg", label="lean")
    m.settings(t_end=2, rtol=1e-9, output_every=0.01)
    m.scenario("wobble", parameters={"faster": 1.1})
    return m


def tippe_top() -> Mechanism:
    m = Mechanism("tippe top", gravity=[0, 0, "-g"])
    m.parameters(g=9.81, m=0.02, r=0.02, offset="0.3*r", axial="0.4*m*r^2", across="0.3743*m*r^2")
    m.parameters(spin=120, mu=0.1, slow=0.01)
    top = m.body(
        "top",
        mass="m",
        inertia=["across", "across", "axial"],
        centre=[0, 0, "-offset"],
        pose={"at": [0, 0, "r"], "turn": {"axis": "x", "angle": 0.1}},
        velocity={"angular": [0, 0, "spin"]},
    )
    middle, w = top.point("middle", [0, 0, 0]), top.omega
    table = m.point_on_plane("table", "ground", top, at=[0, 0, "r"], axis="z")
    m.force("friction", at=middle, force=["-grip*slide_x", "-grip*slide_y", 0])
    m.torque("friction torque", on=top, torque=["-r*grip*slide_y", "r*grip*slide_x", 0])
    m.definitions(up=f"{top.R}*[0, 0, 1]", turning=f"{top.R}*{w}", slide_x=f"{middle.x.rate} - r*turning.y")
    m.definitions(slide_y=f"{middle.rate.y} + r*turning.x")
    m.definition("grip", f"mu*{table.force.z}/sqrt(slide_x^2 + slide_y^2 + slow^2)")
    m.definition("momentum", f"{top.R}*[across*{w.x}, across*{w.y}, axial*{w.z}]")
    m.output("tilt", "acos(clamp(up.z, -1, 1))/deg")
    m.output("height", top.centre.z)
    m.output("load", table.force.z)
    m.output("sliding", "hypot(slide_x, slide_y)")
    m.output("spin_rate", w.z)
    m.output("jellett", "dot(momentum, [0, 0, r] - offset*up)")
    m.settings(t_end=6, rtol=1e-8, output_every=0.01)
    return m


BUILT = [four_bar, cam, pantograph, governor, chain, planetary, quarter_car, whitworth, rolling_coin, tippe_top]


@pytest.mark.parametrize("build", BUILT, ids=lambda build: build.__name__)
def test_a_built_mechanism_moves_as_that_of_the_file(build: Callable[[], Mechanism]) -> None:
    wanted = run_text((MECHANISMS / f"{build.__name__}.toml").read_text(encoding="utf-8"), MECHANISMS)
    found = run_text(build().text(), MECHANISMS)
    assert list(found) == list(wanted)
    for name, column in wanted.items():
        scale = max(1.0, np.nanmax(np.abs(column)))
        np.testing.assert_allclose(found[name], column, rtol=1e-12, atol=1e-12 * scale, err_msg=name)


@pytest.mark.parametrize("path", sorted(MECHANISMS.glob("*.toml")), ids=lambda path: path.stem)
def test_a_file_that_is_read_is_written_again(path: Path) -> None:
    m = Mechanism.from_file(path)
    text = path.read_text(encoding="utf-8")
    assert tomllib.loads(m.text()) == tomllib.loads(text)
    assert m.in_plane == ("dimension = 2" in text)
    assert m.check().good


def test_the_columns_of_handles_are_those_of_results() -> None:
    m = four_bar()
    found = run_text(m.text())
    joint, body = m.joints["B"], m.bodies["crank"]
    for column in (joint.angle, joint.force.x, joint.force.y, body.x, body.angle.rate, body.y.rate.rate):
        assert column.column in found
