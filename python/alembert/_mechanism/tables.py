"""Tables inside of entries, as of poses and solids: their types, and the shapes of their values.

Written by ``python/tools/generate_mechanism.py`` from the schema and the manual: change those, and run it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from .shapes import FORMULA, NUMBER, TEXT, Either, ListOf, Table

if TYPE_CHECKING:
    from .values import Formula, Place, Value, Values, Vector


Round = TypedDict("Round", {"axis": "Vector", "length": "Value", "radius": "Value"}, total=False)
ROUND = Table({"axis": Either(TEXT, ListOf(NUMBER)), "length": NUMBER, "radius": NUMBER})

Ball = TypedDict("Ball", {"radius": "Value"}, total=False)
BALL = Table({"radius": NUMBER})

Solid = TypedDict("Solid", {
    "at": "Values",
    "bar": "Round",
    "box": "Values",
    "capsule": "Round",
    "cylinder": "Round",
    "density": "Value",
    "mass": "Value",
    "sphere": "Value | Ball",
}, total=False)
SOLID = Table({
    "at": ListOf(NUMBER),
    "bar": ROUND,
    "box": ListOf(NUMBER),
    "capsule": ROUND,
    "cylinder": ROUND,
    "density": NUMBER,
    "mass": NUMBER,
    "sphere": Either(NUMBER, BALL),
})

Turn = TypedDict("Turn", {"angle": "Value", "axis": "Vector"}, total=False)
TURN = Table({"angle": NUMBER, "axis": Either(TEXT, ListOf(NUMBER))})

Pose = TypedDict("Pose", {
    "angle": "Value",
    "at": "Values",
    "quaternion": "Values",
    "turn": "Turn",
    "x": "Values",
    "y": "Values",
    "z": "Values",
}, total=False)
POSE = Table({
    "angle": NUMBER,
    "at": ListOf(NUMBER),
    "quaternion": ListOf(NUMBER),
    "turn": TURN,
    "x": ListOf(NUMBER),
    "y": ListOf(NUMBER),
    "z": ListOf(NUMBER),
})

Velocity = TypedDict("Velocity", {"angular": "Value | Values", "at": "Values"}, total=False)
VELOCITY = Table({"angular": Either(NUMBER, ListOf(NUMBER)), "at": ListOf(NUMBER)})

Frame = TypedDict("Frame", {"at": "Values", "x": "Vector", "z": "Vector"}, total=False)
FRAME = Table({"at": ListOf(NUMBER), "x": Either(TEXT, ListOf(NUMBER)), "z": Either(TEXT, ListOf(NUMBER))})

NamedFormula = TypedDict("NamedFormula", {"formula": "Formula", "name": "str"}, total=False)
NAMEDFORMULA = Table({"formula": FORMULA, "name": TEXT})

Friction = TypedDict("Friction", {
    "arm": "Value",
    "mu": "Value",
    "preload": "Value",
    "radius": "Value",
    "speed": "Value",
}, total=False)
FRICTION = Table({"arm": NUMBER, "mu": NUMBER, "preload": NUMBER, "radius": NUMBER, "speed": NUMBER})

Limits = TypedDict("Limits", {
    "coordinate": "str",
    "damping": "Value",
    "max": "Value",
    "min": "Value",
    "stiffness": "Value",
}, total=False)
LIMITS = Table({"coordinate": TEXT, "damping": NUMBER, "max": NUMBER, "min": NUMBER, "stiffness": NUMBER})

ViewCircle = TypedDict("ViewCircle", {"at": "Place", "axis": "Place", "radius": "Value"}, total=False)
VIEWCIRCLE = Table({"at": Either(TEXT, ListOf(NUMBER)), "axis": Either(TEXT, ListOf(NUMBER)), "radius": NUMBER})

ViewBox = TypedDict("ViewBox", {"angle": "Value", "at": "Place", "size": "Values", "turn": "Value"}, total=False)
VIEWBOX = Table({"angle": NUMBER, "at": Either(TEXT, ListOf(NUMBER)), "size": ListOf(NUMBER), "turn": NUMBER})

ViewBall = TypedDict("ViewBall", {"at": "Place", "radius": "Value"}, total=False)
VIEWBALL = Table({"at": Either(TEXT, ListOf(NUMBER)), "radius": NUMBER})

ViewRound = TypedDict("ViewRound", {
    "at": "Place",
    "axis": "Place",
    "from": "Place",
    "length": "Value",
    "radius": "Value",
    "to": "Place",
}, total=False)
VIEWROUND = Table({
    "at": Either(TEXT, ListOf(NUMBER)),
    "axis": Either(TEXT, ListOf(NUMBER)),
    "from": Either(TEXT, ListOf(NUMBER)),
    "length": NUMBER,
    "radius": NUMBER,
    "to": Either(TEXT, ListOf(NUMBER)),
})

ViewSpring = TypedDict("ViewSpring", {"coils": "Value", "from": "Place", "radius": "Value", "to": "Place"}, total=False)
VIEWSPRING = Table({
    "coils": NUMBER,
    "from": Either(TEXT, ListOf(NUMBER)),
    "radius": NUMBER,
    "to": Either(TEXT, ListOf(NUMBER)),
})

ViewDamper = TypedDict("ViewDamper", {"from": "Place", "radius": "Value", "to": "Place"}, total=False)
VIEWDAMPER = Table({"from": Either(TEXT, ListOf(NUMBER)), "radius": NUMBER, "to": Either(TEXT, ListOf(NUMBER))})

ViewPlane = TypedDict("ViewPlane", {"at": "Place", "normal": "Place"}, total=False)
VIEWPLANE = Table({"at": Either(TEXT, ListOf(NUMBER)), "normal": Either(TEXT, ListOf(NUMBER))})

ViewArrow = TypedDict("ViewArrow", {"at": "Place", "vector": "Place"}, total=False)
VIEWARROW = Table({"at": Either(TEXT, ListOf(NUMBER)), "vector": Either(TEXT, ListOf(NUMBER))})

ViewLabel = TypedDict("ViewLabel", {"at": "Place", "text": "str"}, total=False)
VIEWLABEL = Table({"at": Either(TEXT, ListOf(NUMBER)), "text": TEXT})

ViewFrame = TypedDict("ViewFrame", {"angle": "Value", "at": "Place", "turn": "Value"}, total=False)
VIEWFRAME = Table({"angle": NUMBER, "at": Either(TEXT, ListOf(NUMBER)), "turn": NUMBER})
