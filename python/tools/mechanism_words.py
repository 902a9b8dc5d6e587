"""What the format does not say about itself: one line and an example for each method of ``Mechanism``.

``generate_mechanism.py`` takes types, keys and meanings from the schema and from the pages of the manual. A kind that
is not mentioned here gets its method nevertheless, without an example.
"""

from __future__ import annotations

#: One line about each force; joints have theirs in the table of the manual.
FORCES = {
    "spring": "A spring, or a damper, along the line between two ends",
    "torsion": "A spring against the angle of a joint",
    "torque": "A torque on the angle of a joint by a `law`, or on a body",
    "force": "A force on the coordinate of a joint by a `law`, or at a point of a body",
    "bushing": "An elastic bearing between two ends, which may shift and turn",
    "contact": "A sphere on a plane, or on another sphere",
    "drag": "The drag of air or water on a point, by its squared speed",
    "tyre": "A tyre on a road: the first end is the wheel, the second the road",
}

#: One line about joints of which the table of the manual says less than it should alone.
JOINTS = {
    "rolling sphere": "a ball of a ``radius`` touches the plane through the first end and rolls without slipping; "
    "the second end is its centre",
    "screw": "a screw: x - pitch a/(2 pi) is kept",
    "coupling": "a sum of ``ratios`` times coordinates of joints is kept",
    "differential": "a sum of ``ratios`` times coordinates of joints is kept; an even differential has [1, 1, -2] for "
    "both shafts and the carrier",
}

#: What `for` means, everywhere.
REPEATS = 'repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"'

#: Meanings of keys of a section, or of one of its kinds, in other words.
SHORT = {
    ("joints", "axis"): '"x", "-y" or a vector, in the axes of each body; a list of two where they differ',
    ("joints", "start"): 'what the closing of the mechanism holds, as {"angle": 1, "speed": 0}',
    ("joints", "friction"): 'grows with what the joint carries, as {"mu": 0.1, "radius": 0.01}',
    ("joints", "limits"): 'smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}',
    ("joints", "joints"): "the joints that are coupled; of one with several coordinates the one that is meant, as "
    "nut.displacement",
    ("spring", "stiffness"): "in N/m; with `rest`",
    ("spring", "damping"): "in N s/m; 0 if omitted",
    ("torsion", "stiffness"): "in N m/rad",
    ("torsion", "damping"): "in N m s/rad; 0 if omitted",
    ("bushing", "damping"): "in N s/m, one for all or three; 0 if omitted",
    ("contact", "damping"): "c, in s/m; 0 if omitted",
    ("tyre", "damping"): "c, in s/m; 0 if omitted",
    ("path_driver", "path"): "the way from the first end to the second as formulas of t, in the axes of the world",
    ("run", "t_end"): "end time; `run` may give it instead",
}

#: Keys without which a force has no meaning; the others are looked at by the program.
REQUIRED = {
    "torsion": ["joint"],
    "bushing": ["stiffness"],
    "contact": ["stiffness"],
    "drag": ["at", "coefficient"],
    "tyre": ["radius", "stiffness", "friction", "slip_stiffness", "cornering_stiffness"],
}

#: Keys of forces that go with another one, which the schema names no kinds for.
TOGETHER = {"coordinate": "joint", "damping": "stiffness"}

#: Keys that may be given by their place in a call.
BY_PLACE = {"joints", "joint", "formula", "at"}

#: Methods for sections with keys of the format: its name, one line, what it returns.
SECTIONS = {
    "bodies": ("body", "A body: its mass properties, its points, and roughly where it is", "Body"),
    "drivers": ("driver", "Makes a coordinate of a joint what a formula says, by whatever force that takes", "Driver"),
    "events": ("event", "Something that happens where a formula passes through zero, or at given times", "str"),
    "tables": ("table", "Measured values: a function of one or two arguments in formulas", "str"),
    "view": ("view", "What is drawn under a name; called again, further figures of the same name", "None"),
    "outputs": ("output", "A further column of results", "str"),
    "results": ("result", "A number that a whole run comes to", "str"),
    "run": ("settings", "How it is run, if `run` does not say otherwise", "None"),
    "start": ("start", "How the start follows from `initial`", "None"),
    "variables": ("variables", "Coordinates of your own beside the bodies", "None"),
    "equations": ("equations", "Equations of your own beside the bodies", "None"),
    "scenarios": ("scenario", "Another run of the same model", "None"),
}

#: The driver that has ends instead of a joint.
PATH = ("path_driver", "Leads the second end along a path from the first, by whatever force that takes")

#: Meanings of keys that the schema has none for.
MEANINGS = {
    "outputs": {
        "formula": "of everything, outputs above it included",
        "reaction": "instead of a formula: the name of a constraint, or of several, whose force it is",
        "at": "of a reaction: the coordinates it acts on",
        "unit": "for figures and summaries",
        "label": "for figures and summaries",
    },
    "results": {
        "max": "the largest value of a formula",
        "min": "the smallest value of a formula",
        "mean": "the mean of a formula over time",
        "rms": "the root of the mean square of a formula over time",
        "integral": "the integral of a formula over time",
        "value": "a formula at the end, `at` a time, or at an `event`",
        "count": "how often the event of this name happens",
        "from": "from this time on",
        "to": "up to this time",
        "at": "of a `value`: the time",
        "event": "of a `value`: just before this event",
        "which": "of an `event`: \"first\", \"last\" or a number",
        "unit": "for figures and summaries",
        "label": "for figures and summaries",
    },
    "scenarios": {
        "parameters": "values of parameters",
        "initial": "values at the start",
        "start": "keys of `start`",
    },
}

#: Keys of open sections that hold formulas of everything.
FORMULAS = {
    "outputs": {"formula"},
    "results": {"max", "min", "mean", "rms", "integral", "value"},
}

#: An example for each method.
EXAMPLES = {
    "revolute": 'm.revolute("A", crank["A"], rod, axis="z", start={"angle": "60*deg", "speed": 12})',
    "spherical": 'm.spherical("ball", "ground", rod)',
    "prismatic": 'm.prismatic("guide", "ground", piston, axis="x", start={"displacement": 0.1})',
    "cylindrical": 'm.cylindrical("nut", spindle, platform, axis="z")',
    "universal": 'm.universal("hooke", shaft["end"], other, axis=["y", "z"])',
    "planar": 'm.planar("table", "ground", puck, axis="z")',
    "fixed": 'm.fixed("weld", arm["tip"], tool, keep=True)',
    "constant_velocity": 'm.constant_velocity("joint", shaft["end"], other, axis="x")',
    "point_on_line": 'm.point_on_line("slot", lever, crank["pin"], axis="x")',
    "point_on_plane": 'm.point_on_plane("floor", "ground", foot, axis="z")',
    "point_on_curve": 'm.point_on_curve("groove", cam, follower, curve=["0.1*cos(s)", "0.1*sin(s)"])',
    "distance": 'm.distance("tie rod", m.ground.at([0, 0.4, 0.2]), upright["steer"], length=0.3)',
    "revolute_spherical": 'm.revolute_spherical("link", crank, rod, axis="z", length=0.3)',
    "parallel": 'm.parallel("level", "ground", tray, axis="z")',
    "perpendicular": 'm.perpendicular("square", "ground", tray, axis=["z", "x"])',
    "orientation": 'm.orientation("upright", "ground", tray)',
    "rolling_disk": 'm.rolling_disk("road", "ground", wheel, axis=["z", "y"], radius=0.3)',
    "rolling_sphere": 'm.rolling_sphere("table", "ground", ball, axis="z", radius=0.1)',
    "knife_edge": 'm.knife_edge("blade", "ground", sleigh["blade"], axis="x")',
    "gear": 'm.gear("mesh", [shaft, bearing], radii=[20, 60])',
    "belt": 'm.belt("belt", [shaft, bearing], radii=[0.1, 0.3])',
    "rack": 'm.rack("steering", [column, guide], radius=0.02)',
    "screw": 'm.screw("thread", nut, pitch=0.01)',
    "differential": 'm.differential("axle", [left, right, case], ratios=[1, 1, -2])',
    "coupling": 'm.coupling("mesh", [sun, carrier, pin], ratios=["z1", "-z1", "z2"])',
    "spring": 'm.spring("strut", m.ground.at([0, 1]), rod["eye"], stiffness=2e4, damping=300, rest=0.5)',
    "torsion": 'm.torsion("stiff", hinge, stiffness=0.4, damping=0.1)',
    "torque": 'm.torque("brake", joint=shaft, law="-0.1*angle\'")',
    "force": 'm.force("wind", at=hatch["eye"], force=[0, "if(t > 4, -120, 0)"])',
    "bushing": 'm.bushing("mount", "ground", engine, stiffness=[1e6, 1e6, 4e5], damping=800, torsion=2e3)',
    "contact": 'm.contact("bounce", ball, "ground", radius=0.05, stiffness=2e5, damping=0.1, friction=0.3)',
    "drag": 'm.drag("air", ball, coefficient=0.02, wind=[3, 0, 0])',
    "tyre": 'm.tyre("front", wheel, "ground", axis="y", radius=0.3, stiffness=2e5, friction=1, '
    "slip_stiffness=6e4, cornering_stiffness=5e4)",
    "body": 'rod = m.body("rod", solid={"bar": {"length": "l"}, "mass": 2, "at": ["l/2", 0]}, points={"B": ["l", 0]})',
    "driver": 'm.driver("motor", shaft, angle="2*pi*n*t")',
    "path_driver": 'm.path_driver("hand", "ground", arm["tip"], path=["0.5 + 0.1*cos(t)", "0.1*sin(t)"])',
    "event": 'm.event("bottom", formula=guide.displacement, direction="falling", action="stop")',
    "table": 'm.table("road", x=[0, 1, 2], y=[0, 0.02, 0], kind="pchip", extrapolation="hold")',
    "view": 'm.view(crank, capsule={"from": crank, "to": crank["A"], "radius": 0.01}, color="darkorange")',
    "output": 'm.output("pin_force", hinge.force, unit="N", label="force in the pin")',
    "result": 'm.result("peak", max="pin_force", unit="N")',
    "settings": "m.settings(t_end=5, rtol=1e-9, output_every=0.01)",
    "start": 'm.start(equilibrium=True)',
    "variables": 'm.variables(coordinates=["s"])',
    "equations": 'm.equations(kinetic="m*s\'^2/2", potential="20*s^2", holonomic=["load.x - s"])',
    "scenario": 'm.scenario("fast", parameters={"n": 20}, t_end=1)',
}
