//! Mechanism files: formulas over bodies and joints against the same machines written as equations, by hand or by other elements.

#[path = "mechanisms/eye.rs"]
mod eye;
#[path = "mechanisms/pictures.rs"]
mod pictures;
#[path = "mechanisms/seen.rs"]
mod seen;
#[path = "mechanisms/views.rs"]
mod views;
#[path = "mechanisms/welds.rs"]
mod welds;

use seen::{Seen, same};

/// A rod on a hinge in the plane, with a motor that a PI controller drives through its inductance, against the equations of one angle.
#[test]
fn a_controlled_motor() {
    let common = r#"
format = 1
[parameters]
L = 0.6
m = 1.5
tau = 0.05
"#;
    let states = r#"
[states]
"u'" = "(4*(sin(2*t) - ANGLE) + z - u)/tau"
"z'" = "3*(sin(2*t) - ANGLE)"
[run]
t_end = 1.5
"#;
    let mechanism = format!(
        "{}{}{}",
        common.replace("format = 1", "format = 1\ndimension = 2\ngravity = [0, -9.81]"),
        r#"
[[bodies]]
name = "rod"
mass = "m"
inertia = "m*L^2/12"
pose = { at = [0.3, 0] }
points = { O = ["-L/2", 0], tip = ["L/2", 0] }
[[joints]]
name = "hinge"
type = "revolute"
of = ["ground", "rod.O"]
start = { angle = 0.3, speed = 1 }
[[forces]]
name = "motor"
type = "torque"
joint = "hinge"
law = "u - 0.1*hinge.angle'"
[outputs]
power = "motor.value*hinge.angle'"
height = "rod.tip.y"
rise = "rod.tip.y'"
"#,
        states.replace("ANGLE", "hinge.angle")
    );
    let equations = format!(
        "{common}{}{}",
        r#"
[variables]
coordinates = ["phi"]
[equations]
mass = ["m*L^2/3"]
force = ["u - 0.1*phi' - m*9.81*L/2*cos(phi)"]
[initial]
phi = 0.3
"phi'" = 1
[outputs]
power = "(u - 0.1*phi')*phi'"
height = "L*sin(phi)"
rise = "L*cos(phi)*phi'"
"#,
        states.replace("ANGLE", "phi")
    );
    let (a, b) = (Seen::new(&mechanism, 1.5), Seen::new(&equations, 1.5));
    for (ours, theirs) in
        [("hinge.angle", "phi"), ("u", "u"), ("z", "z"), ("power", "power"), ("height", "height"), ("rise", "rise")]
    {
        same(ours, a.get(ours), b.get(theirs), 1e-8);
    }
    // Newton's law along x: the hinge accelerates the centre of mass.
    same("reaction", a.get("hinge.force.x"), 1.5 * a.get("rod.x''"), 1e-8);
    same("reaction", a.get("hinge.force.y"), 1.5 * (a.get("rod.y''") + 9.81), 1e-8);
}

/// Two bodies in space on hinges that are not parallel; what is written at the end of it changes.
fn two_links(more: &str) -> String {
    format!(
        r#"
format = 1
gravity = [0, 0, -9.81]
[parameters]
k = 40
[[bodies]]
name = "upper arm"
mass = 2
inertia = [0.02, 0.1, 0.11]
pose = {{ at = [0.4, 0, 0] }}
points = {{ O = [-0.4, 0, 0], E = [0.4, 0.1, 0] }}
[[bodies]]
name = "hand"
mass = 1
inertia = [0.03, 0.04, 0.05, 0.001, 0.002, -0.003]
centre = [0.1, 0.05, 0]
pose = {{ at = [1.0, 0.1, 0] }}
points = {{ E = [-0.2, 0, 0], tip = [0.3, 0.1, 0.2] }}
[[joints]]
name = "shoulder"
type = "revolute"
of = ["ground", "`upper arm`.O"]
axis = "y"
start = {{ angle = 0, speed = 0.5 }}
[[joints]]
name = "elbow"
type = "revolute"
of = ["`upper arm`.E", "hand.E"]
axis = "x"
start = {{ angle = 0, speed = 2 }}
{more}
[run]
t_end = 1
"#
    )
    .replace("`upper arm`.", "upper arm.")
}

/// Everything that moves.
const MOVING: [&str; 6] =
    ["upper arm.z", "hand.centre.x", "hand.centre.y", "hand.centre.z", "hand.omega.x", "hand.omega.y"];

fn agree(a: &str, b: &str) {
    let (a, b) = (Seen::new(&two_links(a), 1.0), Seen::new(&two_links(b), 1.0));
    for name in MOVING.iter().chain(&["shoulder.force.x", "elbow.torque.y", "elbow.torque.z"]) {
        same(name, a.get(name), b.get(name), 1e-7);
    }
}

const SPRING: &str = r#"
[[forces]]
name = "cord"
type = "spring"
of = ["ground(0, 1, 0.5)", "hand.tip"]
stiffness = "k"
damping = 3
rest = 0.7
"#;

#[test]
fn laws_of_springs_are_springs() {
    let law = SPRING.replace("stiffness = \"k\"\ndamping = 3\nrest = 0.7", "law = \"k*(length - 0.7) + 3*length'\"");
    assert_ne!(law, SPRING);
    agree(SPRING, &law);
}

#[test]
fn energies_over_bodies_are_springs() {
    let energies = r#"
[definitions]
d = "hand.tip - [0, 1, 0.5]"
long = "norm(d)"
[equations]
potential = "k*(long - 0.7)^2/2"
dissipation = "3*long'^2/2"
"#;
    agree(SPRING, energies);
}

#[test]
fn a_force_at_a_point_is_a_spring() {
    let force = r#"
[definitions]
d = "hand.tip - [0, 1, 0.5]"
pull = "k*(norm(d) - 0.7) + 3*dot(d, d')/norm(d)"
[[forces]]
name = "cord"
type = "force"
at = "hand.tip"
force = ["-pull*d.x/norm(d)", "-pull*d.y/norm(d)", "-pull*d.z/norm(d)"]
"#;
    agree(SPRING, force);
    // The same in the axes of the body.
    let turned = force.replace(
        "force = [\"-pull*d.x/norm(d)\", \"-pull*d.y/norm(d)\", \"-pull*d.z/norm(d)\"]",
        "axes = \"body\"\nforce = [\"f.x\", \"f.y\", \"f.z\"]",
    );
    let turned = turned.replace("[[forces]]", "f = \"hand.R^-1*(-pull/norm(d)*d)\"\n[[forces]]");
    agree(SPRING, &turned);
}

#[test]
fn torques_in_both_axes_and_on_joints() {
    let torsion = r#"
[[forces]]
name = "spring"
type = "torsion"
joint = "elbow"
stiffness = 5
damping = 0.2
"#;
    let law = torsion.replace("stiffness = 5\ndamping = 0.2", "law = \"5*angle + 0.2*angle'\"");
    agree(torsion, &law);
    let motor = torsion
        .replace("torsion", "torque")
        .replace("stiffness = 5\ndamping = 0.2", "law = \"-5*elbow.angle - 0.2*elbow.angle'\"");
    agree(torsion, &motor);
    // About the axis of the elbow, on both of its bodies; that axis is x of both.
    let pair = r#"
[definitions]
T = "-5*elbow.angle - 0.2*elbow.angle'"
n = "hand.R*[1, 0, 0]"
[[forces]]
name = "on the hand"
type = "torque"
on = "hand"
torque = ["T*n.x", "T*n.y", "T*n.z"]
[[forces]]
name = "on the arm"
type = "torque"
on = "upper arm"
axes = "body"
torque = ["-T", 0, 0]
"#;
    agree(torsion, pair);
}

/// A constraint by a formula is the joint that says the same, with the same reaction.
#[test]
fn constraints_over_bodies_are_joints() {
    let line = r#"
[[joints]]
name = "guide"
type = "point on plane"
of = ["ground(0, 0.2, 0)", "hand.tip"]
axis = "y"
"#;
    let formula = r#"
[equations]
holonomic = [{ name = "guide", formula = "hand.tip.y - 0.2" }]
"#;
    // As drawn and at rest, where both are met.
    let text = |more: &str| {
        two_links(more)
            .replace("start = { angle = 0, speed = 2 }", "")
            .replace("start = { angle = 0, speed = 0.5 }", "")
    };
    let (a, b) = (Seen::new(&text(line), 0.5), Seen::new(&text(formula), 0.5));
    for name in MOVING {
        same(name, a.get(name), b.get(name), 1e-7);
    }
    same("guide", a.get("guide.force.z").abs(), b.get("lambda1").abs(), 1e-7);
    assert!(a.get("guide.force.z").abs() > 0.1);
}

/// Variables of the file beside bodies: a mass on a spring that hangs from a body, once as a body and once as equations.
#[test]
fn variables_beside_bodies() {
    let common = r#"
format = 1
dimension = 2
gravity = [0, -9.81]
[[bodies]]
name = "beam"
mass = 2
inertia = 0.4
pose = { at = [0.5, 0] }
points = { O = [-0.5, 0], end = [0.5, 0] }
[[joints]]
name = "O"
type = "revolute"
of = ["ground", "beam.O"]
start = { angle = -0.2 }
"#;
    let as_body = format!(
        "{common}{}",
        r#"
[[bodies]]
name = "bob"
mass = 0.5
inertia = 1
pose = { at = [0.9, -1] }
[[joints]]
name = "upright"
type = "orientation"
of = ["ground", "bob"]
[[forces]]
name = "spring"
type = "spring"
of = ["beam.end", "bob"]
stiffness = 30
rest = 0.5
damping = 0
[run]
t_end = 1
"#
    );
    let as_equations = format!(
        "{common}{}",
        r#"
[variables]
coordinates = ["x", "y"]
[equations]
kinetic = "0.5*(x'^2 + y'^2)/2"
potential = "0.5*9.81*y + 30*(hypot(x - beam.end.x, y - beam.end.y) - 0.5)^2/2"
[initial]
x = 0.9
y = -1
[run]
t_end = 1
"#
    );
    let (a, b) = (Seen::new(&as_body, 1.0), Seen::new(&as_equations, 1.0));
    for (ours, theirs) in [("bob.x", "x"), ("bob.y", "y"), ("beam.angle", "beam.angle"), ("O.force.y", "O.force.y")] {
        same(ours, a.get(ours), b.get(theirs), 1e-7);
    }
    let energy = |seen: &Seen| seen.model.energy(&seen.state).expect("made of energies");
    let start = |seen: &Seen| {
        let guess = &seen.model.guess;
        let energy = seen.model.system.energy(0.0, &guess.q, &guess.v).expect("made of energies");
        energy.kinetic + energy.potential
    };
    for seen in [&a, &b] {
        same("energy", energy(seen), start(seen), 1e-7);
    }
}

/// Friction by a law of the reaction: a sledge on a guide that gravity presses on it, pushed by a force.
#[test]
fn friction_by_a_law_of_the_reaction() {
    let text = r#"
format = 1
gravity = [0, 0, -9.81]
[parameters]
mu = 0.2
[[bodies]]
name = "sledge"
mass = 3
inertia = 0.1
[[joints]]
name = "guide"
type = "prismatic"
of = ["ground", "sledge"]
axis = "x"
start = { speed = 4 }
[[forces]]
name = "friction"
type = "force"
joint = "guide"
law = "-mu*guide.force*sign(guide.displacement')"
[outputs]
pressed = "guide.force"
[run]
t_end = 1
"#;
    let seen = Seen::new(text, 1.0);
    let a = 0.2 * 9.81;
    same("pressed", seen.get("pressed"), 3.0 * 9.81, 1e-9);
    same("speed", seen.get("sledge.x'"), 4.0 - a, 1e-9);
    same("way", seen.get("guide.displacement"), 4.0 - a / 2.0, 1e-9);
}

/// Drivers, their torques, tables and inputs that formulas of time use.
#[test]
fn drivers_follow_formulas_of_time() {
    let text = r#"
format = 1
dimension = 2
gravity = [0, -9.81]
[parameters]
w = 3
[tables.lift]
x = [0, 1, 2]
y = [0, 0.5, 0.2]
kind = "spline"
[definitions]
swing = "0.4*sin(w*t)"
[[bodies]]
name = "arm"
mass = 1
inertia = 0.3
points = { O = [-0.5, 0] }
[[bodies]]
name = "slide"
mass = 2
inertia = 0.1
[[joints]]
name = "hinge"
type = "revolute"
of = ["slide", "arm.O"]
[[joints]]
name = "rail"
type = "prismatic"
of = ["ground", "slide"]
axis = "y"
[[drivers]]
name = "motor"
joint = "hinge"
angle = "swing + 0.1"
[[drivers]]
name = "jack"
joint = "rail"
displacement = "lift(t)"
[run]
t_end = 1
"#;
    let seen = Seen::new(text, 1.0);
    same("angle", seen.get("hinge.angle"), 0.4 * 3.0_f64.sin() + 0.1, 1e-10);
    same("lift", seen.get("slide.y"), 0.5, 1e-10);
    let (angle, alpha) = (seen.get("hinge.angle"), -0.4 * 9.0 * 3.0_f64.sin());
    // Moments about the hinge: J alpha + m r x (a + g), with the acceleration of the hinge from the table.
    let up = seen.get("slide.y''") + 9.81;
    let torque = (0.3 + 0.25) * alpha + 0.5 * angle.cos() * up;
    same("torque", seen.get("motor.torque"), torque, 1e-8);
    let centre = 0.5 * (angle.cos() * alpha - angle.sin() * (0.4 * 3.0 * 3.0_f64.cos()).powi(2));
    same("jack", seen.get("jack.force"), 2.0 * up + up + centre, 1e-8);
}

/// A number that is not known until the mechanism is closed: the wheel of a gear turns many times, and events see it.
#[test]
fn angles_count_their_turns() {
    let text = r#"
format = 1
[[bodies]]
name = "wheel"
mass = 1
inertia = 0.2
[[joints]]
name = "axle"
type = "revolute"
of = ["ground", "wheel"]
axis = [1, 2, 2]
start = { angle = 0.5, speed = 30 }
[outputs]
turns = "axle.angle/(2*pi)"
[[events]]
name = "tenth turn"
formula = "axle.angle - 20*pi"
direction = "rising"
action = "stop"
[run]
t_end = 2
"#;
    let seen = Seen::new(text, 1.9);
    same("turns", seen.get("turns"), (0.5 + 30.0 * 1.9) / (2.0 * std::f64::consts::PI), 1e-9);
}

/// A body without inertia is a point mass: a spherical pendulum keeps its energy and its moment of momentum about the vertical, and the cord
/// carries m (v^2/l - g z/l).
#[test]
fn point_masses_hang_on_cords() {
    let text = r#"
format = 1
gravity = [0, 0, -9.81]
[[bodies]]
name = "bob"
mass = 0.5
inertia = 0
pose = { at = [1, 0, 0] }
velocity = { at = [0, 2, 0] }
[[joints]]
name = "cord"
type = "distance"
of = ["ground", "bob"]
length = 1
[outputs]
pull = "cord.force"
[run]
t_end = 2
"#;
    let seen = Seen::new(text, 2.0);
    assert_eq!(seen.model.names.q, ["bob.x", "bob.y", "bob.z"]);
    let [x, y, z] = ["bob.x", "bob.y", "bob.z"].map(|name| seen.get(name));
    let [u, v, w] = ["bob.x'", "bob.y'", "bob.z'"].map(|name| seen.get(name));
    same("momentum", x * v - y * u, 2.0, 1e-8);
    let square = u * u + v * v + w * w;
    same("energy", square + 2.0 * 9.81 * z, 4.0, 1e-8);
    same("pull", seen.get("pull"), 0.5 * (square - 9.81 * z), 1e-8);
}
