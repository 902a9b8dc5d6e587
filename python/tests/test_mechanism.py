"""``Mechanism``: values, names, references, messages, and the text that it writes."""

from __future__ import annotations

import fractions
import inspect
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanism_program import mistakes, run_text

import alembert as al
from alembert import Mechanism
from alembert._mechanism import Body


def pendulum(**more: Any) -> tuple[Mechanism, Body]:
    m = Mechanism("pendulum", gravity=[0, -9.81])
    rod = m.body("rod", solid={"bar": {"length": 1}, "mass": 2, "at": [0.5, 0]}, **more)
    m.settings(t_end=0.1)
    return m, rod


# Text


def test_the_pendulum_of_the_manual() -> None:
    m, rod = pendulum()
    pin = m.revolute("pin", "ground", rod)
    assert m.text() == (
        'format = 1\nname = "pendulum"\ndimension = 2\ngravity = [0, -9.81]\n\n'
        '[[bodies]]\nname = "rod"\nsolid = { bar = { length = 1 }, mass = 2, at = [0.5, 0] }\n\n'
        '[[joints]]\nname = "pin"\ntype = "revolute"\nof = ["ground", "rod"]\n\n[run]\nt_end = 0.1\n'
    )
    assert str(m) == m.text()
    assert run_text(m.text())[pin.force.y.column][0] == pytest.approx(4.905)


def test_repr_says_what_is_in_it() -> None:
    m, rod = pendulum()
    assert repr(Mechanism()) == "<Mechanism in space: empty>"
    pin = m.revolute("pin", "ground", rod)
    m.driver("motor", pin, angle="t")
    assert repr(m) == "<Mechanism 'pendulum' in the plane: 1 body, 1 joint, 1 driver>"
    assert (repr(rod), repr(pin), repr(m.ground)) == ("<body `rod`>", "<revolute `pin`>", "<ground>")


def test_what_is_saved_is_the_text(tmp_path: Path) -> None:
    m, rod = pendulum()
    m.revolute("pin", "ground", rod)
    m.save(tmp_path / "pendulum.toml")
    assert (tmp_path / "pendulum.toml").read_text(encoding="utf-8") == m.text()


def test_the_text_is_laid_out_as_fmt_does() -> None:
    m, rod = pendulum(points={"A": ["l/2", 0]})
    m.parameters(l=1, list=[1, 2, 3])
    pin = m.revolute("the pin", "ground", rod, start={"angle": "1/2"}, limits={"min": -9, "stiffness": 1e3})
    m.driver("motor", pin, angle="1/2 + t")
    m.event("turn", formula=pin.angle.rate, action="continue")
    m.view(rod, line=["rod", "rod.A"], color="gray")
    m.table("wanted", x=[0, 1], y=[0, 2])
    m.result("peak", max="abs(force)", unit="N")
    m.output("force", pin.force, unit="N")
    m.settings(rtol=1e-8, output_every=0.01)
    m.settings(method="radau")
    assert mistakes(m.text()) == []
    assert al.formatted(m.text()) == m.text()


def test_a_document_is_a_copy() -> None:
    m, rod = pendulum()
    m.document()["bodies"][0]["name"] = "other"
    assert m.document()["bodies"][0]["name"] == "rod"


def test_the_dimension_follows_gravity() -> None:
    assert Mechanism(gravity=[0, -1]).in_plane and not Mechanism(gravity=[0, 0, -1]).in_plane
    assert not Mechanism().in_plane and Mechanism(dimension=2).in_plane
    assert "dimension" not in Mechanism(gravity=np.zeros(3)).document()


# Values


def test_numbers_of_all_kinds_are_numbers() -> None:
    m, rod = pendulum()
    m.parameters(a=np.float32(0.5), b=np.int64(3), c=np.array([1.0, 2.0]), d=fractions.Fraction(1, 4), e=range(3))
    m.parameters({"f": np.array(2.5), "g": 10**20, "h": {"normal": np.array([1, 0.1])}, "i": (1, "l")})
    assert m.document()["parameters"] == {
        "a": 0.5, "b": 3, "c": [1.0, 2.0], "d": 0.25, "e": [0, 1, 2], "f": 2.5, "g": 1e20, "h": {"normal": [1.0, 0.1]},
        "i": [1, "l"],
    }  # fmt: skip
    assert all(type(value) in (int, float, list, dict) for value in m.document()["parameters"].values())


def test_handles_are_names_and_formulas() -> None:
    m = Mechanism(dimension=3)
    rod = m.body("right rod", mass=1, inertia=1, points={"A": [1, 0, 0]}, frames={"pin": {"z": "x"}})
    joint = m.revolute("the pin", "ground", rod["pin"], axis="z")
    assert (str(rod), str(joint)) == ("`right rod`", "`the pin`")
    assert (rod["A"], rod["A"].place) == ("`right rod`.A", "right rod.A")
    assert (joint.angle.rate, joint.angle.rate.column) == ("`the pin`.angle'", "the pin.angle'")
    assert (rod.omega.x, rod.position.rate.y, rod.centre.z) == (
        "`right rod`.omega.x", "`right rod`.position.y'", "`right rod`.centre.z",
    )  # fmt: skip
    assert m.document()["joints"][0]["of"] == ["ground", "right rod.pin"]
    assert m.body("link[3]", mass=1, inertia=1).x == "link[3].x"
    assert f"{m.bodies['right rod'].R}*[0, 0, 1]" == "`right rod`.R*[0, 0, 1]"


def test_points_can_be_added_later() -> None:
    m, rod = pendulum(points={"P1": [0, 1]})
    other = m.body("other", mass=1, inertia=1)
    m.revolute("a", rod.at([1, 0]), other)
    m.revolute("b", rod, other, at=[1, 0])
    m.distance("c", "ground", rod.point("tip", np.array([2, 0])), at=["l", 0.5], length=1)
    assert m.document()["bodies"][0]["points"] == {"P1": [0, 1], "P2": [1, 0], "tip": [2, 0]}
    assert [joint["of"][0] for joint in m.document()["joints"]] == ["rod.P2", "rod.P2", "ground(l, 0.5)"]
    space = Mechanism().body("b", mass=1, inertia=1)
    assert space.frame("pin", at=[0.1, 0, 0], z="x").place == "b.pin"


def test_repetitions_of_the_file_work_as_well() -> None:
    m = Mechanism("rope", gravity=[0, -9.81])
    m.parameters(N=4, l=0.2)
    m.body("plank[i]", mass=0.5, inertia=1e-3, points={"left": ["-l/2", 0], "right": ["l/2", 0]}, for_="i in 1..N")
    m.revolute("first", "ground", "plank[1].left")
    m.revolute("pin[i]", "plank[i-1].right", "plank[i].left", for_="i in 2..N")
    m.torsion("stiff[i]", "pin[i]", stiffness=0.4, for_="i in 2..N")
    m.settings(t_end=0.1)
    assert mistakes(m.text()) == []
    with pytest.raises(ValueError, match=r"`x`: the body `plank\[2\]` has no point `lefd`: did you mean `left`"):
        m.revolute("x", "ground", "plank[2].lefd")


def test_sections_beside_the_mechanism() -> None:
    m = Mechanism("motor", dimension=2, description="a motor", merge=True, redundant="accepted")
    m.parameters(Kp=0.8, Ki=6)
    m.input("load", "if(t > 0.05, 1, 0)")
    m.table("wanted", x=[0, 0.3, 1, 3], y=np.array([0, 0, 40, 40]), kind="pchip")
    m.table("map", x=[0, 1], y=[0, 1], z=[[0, 1], [2, 3]], extrapolation="hold")
    rotor = m.body("rotor", mass=4, inertia=0.02)
    shaft = m.revolute("shaft", "ground", rotor)
    m.definition("slow", f"wanted(t) - {shaft.angle.rate}")
    total = m.state("total", "slow", initial=0.1)
    m.discrete("hits", 0)
    m.motor("motor", shaft, f"clamp(Kp*slow + Ki*{total}, -1.2, 1.2) - load")
    m.event("hit", at=[0.02, 0.04], action="set", set={"hits": "hits + 1", "s'": 0})
    m.variables(coordinates=["s"])
    m.equations(kinetic="s'^2/2", potential="20*s^2", nonholonomic=[])
    m.initial({"s": 0.1, "s'": 0})
    m.exact(s="0.1*cos(sqrt(40)*t)")
    m.output("turns", shaft.angle)
    m.result("count", count="hit")
    m.start(fixed=["s"])
    m.settings(t_end=0.1)
    m.scenario("long", t_end=1, parameters={"Kp": 1})
    m.view("floor", plane="y", at=[0, 0])
    assert mistakes(m.text()) == []
    assert run_text(m.text())["hits"][-1] == 2


# Functions


class TestFunctions:
    def test_functions_become_formulas(self) -> None:
        m, rod = pendulum()
        pin = m.revolute("pin", "ground", rod)
        m.motor("motor", pin, lambda t, angle_rate: 5 * np.sin(t) - 0.1 * angle_rate)
        m.spring("s", m.ground.at([0, 1]), rod, law=lambda length, length_rate: 100 * (length - 1) + length_rate)
        m.torque("brake", joint=pin, law=lambda t, w=pin.angle.rate: np.where(t > 0.05, -w, 0.0))
        m.force("wind", at=rod, force=lambda t: [t, 2 * t])
        m.torque("load", on=rod, torque=lambda t: -t)
        m.function("stop", lambda s: np.maximum(s, 0) ** 2)
        m.definition("c", lambda t: np.cos(t))
        m.output("o", lambda c: 2 * c)
        laws = {force["name"]: force for force in m.document()["forces"]}
        assert laws["motor"]["law"] == "5*sin(t) - 0.1*angle'"
        assert laws["s"]["law"] == "100*(length - 1) + length'"
        assert "pin.angle'" in laws["brake"]["law"]
        assert laws["wind"]["force"] == ["t", "2*t"]
        assert m.document()["functions"] == {"stop(s)": "max(s, 0)^2"}
        assert mistakes(m.text()) == []

    def test_parts_that_occur_several_times_are_written_out(self) -> None:
        m, rod = pendulum()

        def pull(length: Any, length_rate: Any) -> Any:
            stretch = np.exp(length) * np.cos(length) + length_rate
            return stretch * np.sin(stretch) + stretch**2

        m.spring("s", m.ground.at([0, 1]), rod, law=pull)
        assert "__part" not in m.text()
        assert mistakes(m.text()) == []

    def test_components_follow_the_dimension(self) -> None:
        m = Mechanism()
        a = m.body("a", mass=1, inertia=1)
        m.torque("x", on=a, torque=lambda t: [0, t, 1])
        m.path_driver("y", "ground", a, lambda t: np.array([t, 0, t**2]))
        assert m.document()["forces"][0]["torque"] == ["0", "t", "1"]
        assert m.document()["drivers"][0]["path"] == ["t", "0", "t^2"]

    @pytest.mark.parametrize(
        ("law", "message"),
        [
            (lambda *given: 1, "torque `f`: the function of `law` must name each of its arguments"),
            (lambda t, gain=3: gain * t, "has a default for `gain` that is no text"),
            (lambda t: [t, t], "torque `f`: the function of `law` must return one number, not 2"),
            (lambda t: 1 if t > 0 else 0, "depends on a value that varies"),
        ],
    )
    def test_functions_that_are_refused(self, law: Callable[..., Any], message: str) -> None:
        m, rod = pendulum()
        pin = m.revolute("pin", "ground", rod)
        with pytest.raises((TypeError, ValueError), match=message):
            m.motor("f", pin, law)


# Messages


def _wrong() -> dict[str, Callable[[Mechanism, Body], object]]:
    return {
        "body `b`: `mass` must be a number or a formula, not list [1]": lambda m, a: m.body("b", mass=[1]),
        "body `b`: `mass` must be a number or a formula, not bool True": lambda m, a: m.body("b", mass=True),
        "body `b`: `mass` must be a number or a formula, not the body `a`": lambda m, a: m.body("b", mass=a),
        "body `b`: `mass` must be finite, not nan": lambda m, a: m.body("b", mass=np.nan),
        "body `b`: `centre[1]` must be finite, not inf": lambda m, a: m.body("b", centre=[0, np.inf]),
        "body `b`: `centre` must be a list, each entry a number or a formula, not int 1": lambda m, a: m.body(
            "b", centre=1
        ),
        "body `b`: `pose` has no `ange`: did you mean `angle`?": lambda m, a: m.body("b", pose={"ange": 1}),
        "body `b`: `solid.bar` has no `lenght`: did you mean `length`?": lambda m, a: m.body(
            "b", solid={"bar": {"lenght": 1}}
        ),
        "body `b`: `solid` must be a dict with some of": lambda m, a: m.body("b", solid=1),
        "body `b`: the names in `points` must be text, not int 3": lambda m, a: m.body("b", points={3: [0, 0]}),
        "body `b`: unknown keyword `masss`: did you mean `mass`?": lambda m, a: m.body("b", masss=1),
        "body needs `name`": lambda m, a: m.body(mass=1),
        "revolute `j`: unknown keyword `of`: the two ends are `first` and `second`": lambda m, a: m.revolute(
            "j", of=["ground", a]
        ),
        "revolute `j` needs `second`": lambda m, a: m.revolute("j", "ground"),
        "distance `j` needs `length`": lambda m, a: m.distance("j", "ground", a),
        "body `a`: there is a body of this name already": lambda m, a: m.body("a", mass=1),
        "spring `a`: there is a body of this name already": lambda m, a: m.spring("a", "ground", a, stiffness=1),
        "a body cannot be called `ground`": lambda m, a: m.body("ground"),
        "`a.b` cannot be used as the name of a body": lambda m, a: m.body("a.b"),
        "` a` cannot be used as the name of a body": lambda m, a: m.body(" a"),
        "the name of a body must be text, not 3": lambda m, a: m.body(3),
        "revolute `j`: unknown body `crnk`: did you mean `crank`?": lambda m, a: m.revolute("j", "ground", "crnk"),
        "revolute `j`: unknown body `zz`: there are a, crank": lambda m, a: m.revolute("j", "ground", "zz.P"),
        "revolute `j`: the body `a` has no point `Q`: there are P": lambda m, a: m.revolute("j", "ground", "a.Q"),
        "the body `a` has no point `Q`": lambda m, a: a["Q"],
        "the body `a` has a point `P` already": lambda m, a: a.point("P", [0, 0]),
        "body `a`: `points.R` must be text, or a list": lambda m, a: a.point("R", 3),
        "ground: `at` must be a list": lambda m, a: m.ground.at(3),
        "revolute `j`: `second` must be a body, a point of it, or its name, not int 3": lambda m, a: m.revolute(
            "j", "ground", 3
        ),
        "revolute `j`: `at` is a point of the first body, and 'ground(1, 0)' is no body": lambda m, a: m.revolute(
            "j", "ground(1, 0)", a, at=[0, 0]
        ),
        "revolute `j`: `axis` must be": lambda m, a: m.revolute("j", "ground", a, axis=3),
        "fixed `j`: `keep` must be True or False, not str 'yes'": lambda m, a: m.fixed("j", "ground", a, keep="yes"),
        "driver `d`: unknown joint `hing`: did you mean `hinge`?": lambda m, a: m.driver("d", "hing", angle="t"),
        "driver `d`: `a` is a body, not a joint": lambda m, a: m.driver("d", "a", angle="t"),
        "gear `g`: `joints[1]` must be a joint or its name, not the body `a`": lambda m, a: m.gear(
            "g", ["hinge", a], radii=[1, 2]
        ),
        "torque `f`: `axes` cannot be 'wrld': did you mean `world`?": lambda m, a: m.torque("f", on=a, axes="wrld"),
        "event `e`: `action` must be one of 'stop', 'continue', 'bounce', 'set', not int 3": lambda m, a: m.event(
            "e", action=3
        ),
        "there is a parameter of the name `l` already": lambda m, a: m.parameters(l=2),
        "parameter: `p` must be a number or a formula, or a list": lambda m, a: m.parameter("p", object()),
        "there is an event of the name `turn` already": lambda m, a: m.event("turn", at=1),
        "the name of an event must be text": lambda m, a: m.event(3),
        "the name of a table must be text": lambda m, a: m.table(3, x=[0], y=[0]),
        "what is drawn must be a body, joint or force, or a name, not 3": lambda m, a: m.view(3, sphere=1),
        "table `t`: `x` must be a list of numbers": lambda m, a: m.table("t", x=3),
        "run: `columns` must be a list, each entry the name of a column, not str 'x'": lambda m, a: m.settings(
            columns="x"
        ),
        "mechanism `m`: `dimension` must be one of 2, 3, not int 4": lambda m, a: Mechanism("m", dimension=4),
        "belongs to another mechanism": lambda m, a: Mechanism(dimension=2).revolute("j", "ground", a),
        "has no end time: write m.run(t_end=5)": lambda m, a: m.run(),
    }  # type: ignore[call-arg, arg-type, typeddict-item, typeddict-unknown-key]


@pytest.mark.parametrize("message", _wrong())
def test_mistakes_are_told_at_once(message: str) -> None:
    m = Mechanism("m", dimension=2)
    a = m.body("a", mass=1, inertia=1, points={"P": [1, 0]})
    m.body("crank", mass=1, inertia=1)
    m.revolute("hinge", "ground", a)
    m.parameter("l", 1)
    m.event("turn", at=0.5)
    before = m.text()
    with pytest.raises((TypeError, ValueError)) as raised:
        _wrong()[message](m, a)
    assert message in str(raised.value)
    assert m.text() == before, "what is refused must leave nothing behind"


def test_attributes_that_a_part_does_not_have() -> None:
    plane, space = Mechanism(dimension=2), Mechanism()
    a, b = plane.body("a", mass=1, inertia=1), space.body("b", mass=1, inertia=1)
    weld = plane.fixed("weld", "ground", a)
    for part, name, message in (
        (a, "R", "is in the plane and has no rotation: take `angle`"),
        (b, "angle", "is in space and has no angle: take `R`"),
        (weld, "angle", "the joint `weld` has no angle: a fixed joint has no coordinates"),
        (space.universal("u", "ground", b, axis=["x", "y"]), "angle", "a universal joint has first angle, second"),
    ):
        with pytest.raises(AttributeError, match=message):
            getattr(part, name)


def test_signatures_are_those_of_the_methods() -> None:
    words = list(inspect.signature(Mechanism.distance).parameters)
    assert words == ["self", "name", "first", "second", "at", "length", "start", "limits", "for_"]
    assert Mechanism.distance.__doc__ and "length: of the rod" in Mechanism.distance.__doc__


# Many


def test_a_thousand_links() -> None:
    m = Mechanism("chain", gravity=[0, -9.81])
    end: Any = m.ground
    for i in range(1000):
        link = m.body(f"link {i}", mass=1, inertia=0.1, points={"end": [1, 0]}, pose={"at": [i, 0]})
        m.revolute(f"pin {i}", end, link)
        end = link["end"]
    text = m.text()
    assert text.count("[[joints]]") == 1000


@pytest.mark.parametrize("seed", range(12))
def test_random_chains_move(seed: int) -> None:
    """Chains of random joints, points and forces: the program takes them, and counts what is in them."""
    draw = random.Random(seed)
    planar = draw.random() < 0.5
    zeros = [0.0] * (1 if planar else 2)
    m = Mechanism(f"chain {seed}", gravity=[0, -9.81] if planar else [0, 0, -9.81])
    length = m.parameter("l", draw.uniform(0.2, 2))
    ends: list[Any] = [m.ground]
    joints = []
    count = draw.randint(1, 6)
    for i in range(count):
        solid: Any = {"box": [length, 0.1, 0.2], "density": draw.uniform(100, 8000), "at": [f"{length}/2", *zeros]}
        body = m.body(draw.choice(["link {}", "b{}", "arm[{}]"]).format(i), solid=solid)
        first = draw.choice(ends)
        if draw.random() < 0.3 and isinstance(first, Body):
            first = first.at([draw.uniform(-1, 1), *zeros])
        kind = draw.choice(["revolute", "prismatic", "spherical"])
        given: dict[str, Any] = {} if kind == "spherical" or (planar and kind == "revolute") else {"axis": "x"}
        joint = getattr(m, kind)(f"{kind} {i}", first, body, **given)
        joints.append(joint)
        ends += [body, body.point("tip", [length, *zeros])]
        if joint.coordinates and draw.random() < 0.5:
            m.motor(f"motor {i}", joint, f"sin(t) - {getattr(joint, joint.coordinates[0]).rate}")
        m.output(f"force_{i}", joint.force)
    m.settings(t_end=0.02)
    found = run_text(m.text())
    assert [name for name in found if name.startswith("force_")] == [f"force_{i}" for i in range(count)]
    assert all(np.isfinite(column).all() for column in map(np.array, found.values()))
