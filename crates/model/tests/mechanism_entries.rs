//! What each kind of entry of a mechanism file does, against motions known in closed form.

use alembert::{Tolerance, solve};
use alembert_model::Model;

/// The output `y` of a model at a time.
fn at(t: f64, y: &str, parts: &[&str]) -> f64 {
    let text = format!("format = 1\n{}\n[outputs]\ny = \"{y}\"\n[run]\nt_end = {t}\n", parts.concat());
    let model = Model::parse("model", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"));
    let tolerance = Tolerance::relative(1e-11).expect("in range");
    let motion =
        solve(&model.system, &model.guess, 0.0..t, tolerance).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let motion = motion.whole().unwrap_or_else(|error| panic!("{error}\n{text}"));
    let state = motion.at(t).expect("inside").clone();
    let mut out = vec![0.0; model.names.outputs.len()];
    model.outputs_into(&state, &mut out);
    let place = model.names.outputs.iter().position(|name| name == "y").expect("the output");
    out[place]
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{what}: {found}, not {expected}");
}

/// 2 kg on a guide along x, at 0.3.
const CART: &str = "
[[bodies]]
name = \"cart\"
mass = 2
inertia = 1
pose = { at = [0.3, 0, 0] }
points = { side = [0, 0.2, 0] }

[[joints]]
name = \"guide\"
type = \"prismatic\"
of = [\"ground\", \"cart\"]
axis = \"x\"
start = { displacement = 0.3, speed = 0 }
";

/// A wheel of inertia 2 on a hinge about z.
const WHEEL: &str = "
[[bodies]]
name = \"wheel\"
mass = 1
inertia = [1, 1, 2]

[[joints]]
name = \"hinge\"
type = \"revolute\"
of = [\"ground\", \"wheel\"]
axis = \"z\"
";

fn force(entry: &str) -> String {
    format!("\n[[forces]]\nname = \"f\"\n{entry}\n")
}

#[test]
fn springs_by_numbers_and_by_laws() {
    let ends = "type = \"spring\"\nof = [\"ground(-1, 0, 0)\", \"cart\"]\n";
    let numbers = force(&format!("{ends}stiffness = 8\nrest = 1"));
    let law = force(&format!("{ends}law = \"8*(length - 1)\""));
    for spring in [&numbers, &law] {
        near(at(1.3, "guide.displacement", &[CART, spring]), 0.3 * 2.6_f64.cos(), spring);
    }
    // 2 x'' + 2 x' + 8 x = 0.
    let numbers = force(&format!("{ends}stiffness = 8\nrest = 1\ndamping = 2"));
    let law = force(&format!("{ends}law = \"8*(length - 1) + 2*length'\""));
    let (t, w) = (1.3_f64, 3.75_f64.sqrt());
    let expected = 0.3 * (-0.5 * t).exp() * ((w * t).cos() + 0.5 / w * (w * t).sin());
    for spring in [&numbers, &law] {
        near(at(t, "cart.x", &[CART, spring]), expected, spring);
    }
}

#[test]
fn forces_at_points_and_on_joints() {
    let t = 1.5_f64;
    let constant = force("type = \"force\"\nat = \"cart.side\"\nforce = [\"2*2\", 7, 0]");
    near(at(t, "cart.side.x", &[CART, &constant]), 0.3 + t * t, &constant);
    let formula = force("type = \"force\"\nat = \"cart.side\"\nforce = [\"4*cos(t)\", 7, 0]\naxes = \"body\"");
    near(at(t, "cart.x", &[CART, &formula]), 0.3 + 2.0 * (1.0 - t.cos()), &formula);
    let joint = force("type = \"force\"\njoint = \"guide\"\nlaw = \"6*t\"");
    near(at(t, "cart.x", &[CART, &joint]), 0.3 + 0.5 * t.powi(3), &joint);
    let bushing = force("type = \"bushing\"\nof = [\"ground\", \"cart\"]\nstiffness = [50, 1, 1]");
    near(at(t, "cart.x", &[CART, &bushing]), 0.3 * (5.0 * t).cos(), &bushing);
}

#[test]
fn torques_on_bodies_and_on_joints() {
    let t = 1.5_f64;
    for torque in [
        "type = \"torque\"\non = \"wheel\"\ntorque = [0, 0, 3]",
        "type = \"torque\"\non = \"wheel\"\ntorque = [0, 0, \"3 + 0*t\"]\naxes = \"body\"",
        "type = \"torque\"\njoint = \"hinge\"\nlaw = \"3\"",
    ] {
        near(at(t, "hinge.angle", &[WHEEL, &force(torque)]), 0.75 * t * t, torque);
    }
    let start = "start = { angle = 0.5, speed = 0 }\n";
    for torsion in ["stiffness = 8", "law = \"8*angle\"", "stiffness = 8\ndamping = 0\nrest = 0"] {
        let torsion = force(&format!("type = \"torsion\"\njoint = \"hinge\"\n{torsion}"));
        near(at(t, "hinge.angle", &[WHEEL, start, &torsion]), 0.5 * (2.0 * t).cos(), &torsion);
    }
}

#[test]
fn drivers_of_coordinates_speeds_and_paths() {
    let t = 1.2_f64;
    let driver = |entry: &str| format!("\n[[drivers]]\nname = \"hand\"\n{entry}\n");
    let angle = driver("joint = \"hinge\"\nangle = \"t^2\"");
    near(at(t, "hinge.angle", &[WHEEL, &angle]), t * t, &angle);
    // The hand accelerates the wheel: 2 times its inertia.
    near(at(t, "hand.torque", &[WHEEL, &angle]), 4.0, &angle);
    let speed = driver("joint = \"hinge\"\nspeed = \"3*t^2\"");
    near(at(t, "hinge.angle", &[WHEEL, &speed]), t.powi(3), &speed);
    let path = driver("of = [\"ground\", \"ball\"]\npath = [\"cos(t)\", \"sin(t)\", \"t\"]");
    let ball = "\n[[bodies]]\nname = \"ball\"\nmass = 1\ninertia = 1\npose = { at = [1, 0, 0] }\n";
    near(at(t, "ball.x", &[ball, &path]), t.cos(), &path);
    near(at(t, "ball.z", &[ball, &path]), t, &path);
}

/// Two wheels, of which the first turns by t^2, and the cart.
#[test]
fn gears_belts_racks_and_screws() {
    let second =
        WHEEL.replace("wheel", "other").replace("hinge", "second").replace("\"ground\"", "\"ground(1, 0, 0)\"");
    let motor = "\n[[drivers]]\nname = \"motor\"\njoint = \"hinge\"\nangle = \"t^2\"\n";
    let t = 2.5_f64;
    let coupling = |entry: &str| format!("\n[[joints]]\nname = \"c\"\n{entry}\n");
    for (entry, expected) in [
        ("type = \"gear\"\njoints = [\"hinge\", \"second\"]\nradii = [1, 3]", -t * t / 3.0),
        ("type = \"gear\"\njoints = [\"hinge\", \"second\"]\nradii = [1, 3]\ninternal = true", t * t / 3.0),
        ("type = \"belt\"\njoints = [\"hinge\", \"second\"]\nradii = [1, 3]", t * t / 3.0),
        ("type = \"coupling\"\njoints = [\"second\", \"hinge.angle\"]\nratios = [2, -5]", 2.5 * t * t),
    ] {
        near(at(t, "second.angle", &[WHEEL, &second, &coupling(entry), motor]), expected, entry);
    }
    let rack = coupling("type = \"rack\"\njoints = [\"hinge\", \"guide\"]\nradius = 0.2");
    near(at(t, "cart.x", &[WHEEL, CART, &rack, motor]), 0.3 + 0.2 * t * t, &rack);
    // Which of them turns is plain in any order; on the other side of the pinion the rack goes the other way.
    let other_side = coupling("type = \"rack\"\njoints = [\"guide\", \"hinge\"]\nradius = -0.2");
    near(at(t, "cart.x", &[WHEEL, CART, &other_side, motor]), 0.3 - 0.2 * t * t, &other_side);
    let sleeve = WHEEL.replace("revolute", "cylindrical");
    let screw = coupling("type = \"screw\"\njoint = \"hinge\"\npitch = 0.5");
    near(at(t, "wheel.z", &[&sleeve, &screw, motor]), 0.5 * t * t / std::f64::consts::TAU, &screw);
}

#[test]
fn a_bead_on_a_circle_keeps_its_speed() {
    let bead = "
[[bodies]]
name = \"bead\"
mass = 1
inertia = 1
pose = { at = [1, 0, 0] }
velocity = { at = [0, 2, 0] }

[[joints]]
name = \"wire\"
type = \"point on curve\"
of = [\"ground\", \"bead\"]
curve = [\"cos(s)\", \"sin(s)\", 0]
start = { parameter = 0 }
";
    near(at(1.3, "bead.x", &[bead]), 2.6_f64.cos(), "bead");
    let planar = bead.replace(", 0]", "]");
    near(at(1.3, "bead.y", &["dimension = 2\n", &planar]), 2.6_f64.sin(), "bead in the plane");
}

#[test]
fn a_negative_axis_turns_the_other_way() {
    let motor = "\n[[drivers]]\nname = \"motor\"\njoint = \"hinge\"\nangle = \"t\"\n";
    near(at(1.0, "wheel.omega.z", &[&WHEEL.replace("\"z\"", "\"-z\""), motor]), -1.0, "-z");
    near(at(1.0, "wheel.omega.x", &[&WHEEL.replace("\"z\"", "[3, 0, 0]"), motor]), 1.0, "x");
    // One axis on each body: the wheel lies on its side.
    near(at(1.0, "wheel.omega.y", &[&WHEEL.replace("\"z\"", "[\"z\", \"y\"]"), motor]), 1.0, "z and y");
}

/// A block of weight 19.62 N on a level guide with mu = 0.1 loses 0.981 m/s in a second; what fades below 1e-3 m/s is 1e-6 of it.
#[test]
fn friction_brakes_by_the_weight() {
    let guide = CART.replace("speed = 0 }", "speed = 3 }\nfriction = { mu = 0.1 }");
    let found = at(1.0, "cart.x", &["gravity = [0, 0, -9.81]\n", &guide]);
    assert!((found - (0.3 + 3.0 - 0.4905)).abs() < 1e-6, "{found}");
}

/// Parameters that are triples, names with formulas, and the plane: a chain of sliders, each driven by the next.
#[test]
fn repeated_entries_know_their_indices() {
    let row = "dimension = 2
[parameters]
N = 4

[[bodies]]
for = \"i in 1..N\"
name = \"block[i]\"
mass = 1
inertia = 1
pose = { at = [\"i\", 0] }

[[joints]]
for = \"i in 1..N\"
name = \"slide[N + 1 - i]\"
type = \"prismatic\"
of = [\"ground(N + 1 - i, 0)\", \"block[N + 1 - i]\"]
axis = \"x\"

[[forces]]
for = \"i in 1..N\"
name = \"push[i]\"
type = \"force\"
joint = \"slide[i]\"
law = \"i*t\"
";
    for i in 1..=4 {
        let expected = f64::from(i) * (1.0 + 8.0 / 6.0);
        near(at(2.0, &format!("block[{i}].x"), &[row]), expected, "block");
    }
}

#[test]
fn drag_slows_down_by_the_square_of_the_speed() {
    let guide = CART.replace("speed = 0 }", "speed = 3 }");
    let drag = force("type = \"drag\"\nat = \"cart.side\"\ncoefficient = 1");
    let t = 1.5_f64;
    near(at(t, "cart.x", &[&guide, &drag]), 0.3 + 2.0 * (1.0 + 1.5 * t).ln(), &drag);
    // In the wind of its own speed nothing happens.
    let wind = drag.replace("coefficient = 1", "coefficient = 1\nwind = [3, 0, 0]");
    near(at(t, "cart.x", &[&guide, &wind]), 0.3 + 3.0 * t, &wind);
}

/// Without damping a stop gives back what it takes.
#[test]
fn stops_turn_a_cart_round() {
    let guide = CART.replace("speed = 0 }", "speed = 1 }\nlimits = { max = 0.5, stiffness = 1e4 }");
    near(at(1.0, "guide.displacement'", &[&guide]), -1.0, "upper stop");
    let guide = CART.replace("speed = 0 }", "speed = -1 }\nlimits = { min = 0, max = 9, stiffness = 1e4 }");
    near(at(1.0, "guide.displacement'", &[&guide]), 1.0, "lower stop");
}

fn ball(name: &str, at: &str, speed: &str) -> String {
    format!(
        "\n[[bodies]]\nname = \"{name}\"\nsolid = {{ sphere = 0.1, mass = 2 }}\npose = {{ at = {at} }}\nvelocity = {{ at = {speed} }}\n"
    )
}

/// Balls rest where the plane carries them, m g = k d^(3/2), and equal balls exchange their speeds.
#[test]
fn contacts_carry_and_throw_back() {
    let depth = (2.0_f64 * 9.81 / 1e5).powf(2.0 / 3.0);
    let rest = ball("ball", &format!("[0, 0, {}]", 0.1 - depth), "[0, 0, 0]");
    let plane = force("type = \"contact\"\nof = [\"ball\", \"ground\"]\nradius = 0.1\nstiffness = 1e5");
    near(at(0.3, "ball.z", &["gravity = [0, 0, -9.81]\n", &rest, &plane]), 0.1 - depth, &plane);
    // The same on a wall of the other direction, from a list of components.
    let wall = plane.replace("radius = 0.1", "radius = 0.1\naxis = [-2, 0, 0]");
    let rest = ball("ball", &format!("[{}, 0, 0]", depth - 0.1), "[0, 0, 0]");
    near(at(0.3, "ball.x", &["gravity = [9.81, 0, 0]\n", &rest, &wall]), depth - 0.1, &wall);
    let two = [ball("one", "[0, 0, 0]", "[1, 0, 0]"), ball("other", "[0.3, 0, 0]", "[0, 0, 0]")].concat();
    let spheres = force("type = \"contact\"\nof = [\"one\", \"other\"]\nradii = [0.1, 0.1]\nstiffness = 1e5");
    near(at(0.5, "other.x'", &[&two, &spheres]), 1.0, &spheres);
}

#[test]
fn a_tyre_carries_its_wheel() {
    let wheel = "
[[bodies]]
name = \"wheel\"
mass = 20
inertia = [1, 2, 1]
pose = { at = [0, 0, \"0.3 - 20*9.81/1e5\"] }
";
    let tyre = force(
        "type = \"tyre\"\nof = [\"wheel\", \"ground\"]\naxis = \"y\"\nradius = 0.3\nstiffness = 1e5\nfriction = 0.8\n\
         slip_stiffness = 1e4\ncornering_stiffness = 1e4",
    );
    near(at(0.1, "wheel.z", &["gravity = [0, 0, -9.81]\n", wheel, &tyre]), 0.3 - 20.0 * 9.81 / 1e5, &tyre);
}
