//! Pictures of mechanisms: what draws itself is where closed forms say it is, arrows are reactions, residuals are gaps.

use alembert::State;
use alembert_model::Model;
use alembert_picture::scene::{Arrow, Figure, Quantity, Sign};

use super::eye::{Eye, near};
use super::seen::{Seen, same};

const FOUR_BAR: &str = include_str!("../../../../models/mechanisms/four_bar.toml");

fn parse(text: &str) -> Model {
    Model::parse("model", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

/// The file without its `[view]`.
fn without_view(text: &str) -> String {
    let (before, view) = text.split_once("[view]\n").expect("a view");
    format!("{before}[{}", view.split_once("\n[").expect("more").1)
}

fn length(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn turned(angle: f64, [x, y]: [f64; 2]) -> [f64; 3] {
    let (s, c) = angle.sin_cos();
    [c * x - s * y, s * x + c * y, 0.0]
}

/// The pins of the linkage from the angle of the crank: B is where two circles meet.
fn pins(alpha: f64) -> [[f64; 3]; 4] {
    let (a, c, d, b) = (0.1_f64, 0.3_f64, 0.25_f64, 0.3_f64);
    let pin_a = [a * alpha.cos(), a * alpha.sin()];
    let way = [b - pin_a[0], -pin_a[1]];
    let apart = way[0].hypot(way[1]);
    let along = (apart * apart + c * c - d * d) / (2.0 * apart);
    let across = (c * c - along * along).sqrt();
    let unit = [way[0] / apart, way[1] / apart];
    // The rocker stands above the line of A and C.
    let pin_b = [pin_a[0] + along * unit[0] - across * unit[1], pin_a[1] + along * unit[1] + across * unit[0]];
    [[0.0; 3], [pin_a[0], pin_a[1], 0.0], [pin_b[0], pin_b[1], 0.0], [b, 0.0, 0.0]]
}

#[test]
fn a_four_bar_is_drawn_where_its_pins_are() {
    for text in [FOUR_BAR.to_owned(), without_view(FOUR_BAR)] {
        for t in [0.01, 0.2, 0.71] {
            let seen = Seen::new(&text, t);
            let eye = Eye::new(&seen.model, &seen.state);
            let scene = seen.model.view.as_ref().expect("a view").scene();
            assert!(scene.planar && scene.unit == "m" && scene.up == [0.0, 1.0, 0.0], "{scene:?}");
            let [o, a, b, c] = pins(seen.get("crank.angle"));
            let pairs = [("crank", [o, a]), ("coupler", [a, b]), ("rocker", [b, c])];
            for (name, ends) in pairs {
                let mut found = eye.ends(name);
                // Bars of their own accord do not say which end is first.
                if length([0, 1, 2].map(|i| found[0][i] - ends[0][i])) > 1e-3 {
                    found.swap(0, 1);
                }
                near(&format!("{name} at {t}"), found[0], ends[0], 1e-9);
                near(&format!("{name} at {t}"), found[1], ends[1], 1e-9);
            }
            for (name, at) in [("O", o), ("A", a), ("B", b), ("C", c)] {
                let (place, sign) = eye.one(name, |figure| match figure {
                    Figure::Joint { at, sign, axis, .. } if *axis == [0.0, 0.0, 1.0] => Some((eye.world(at), *sign)),
                    _ => None,
                });
                near(name, place, at, 1e-9);
                assert_eq!(sign, Sign::Pin);
            }
        }
    }
}

#[test]
fn arrows_are_reactions() {
    let seen = Seen::new(FOUR_BAR, 0.6);
    let eye = Eye::new(&seen.model, &seen.state);
    // Columns have them along the axes of the first body: the ground, the crank, the coupler.
    for (name, first) in [("O", 0.0), ("A", seen.get("crank.angle")), ("B", seen.get("coupler.angle")), ("C", 0.0)] {
        let [_, force] = eye.arrow(&format!("{name}.force"));
        let columns = ["x", "y"].map(|axis| seen.get(&format!("{name}.force.{axis}")));
        near(name, force, turned(first, columns), 1e-9 * (1.0 + length(force)));
        assert!(length(force) > 0.1, "{name} {force:?}");
    }
    // Newton: m a = sum of the forces on each body, with accelerations of the state.
    let [o, a, b, c] = ["O", "A", "B", "C"].map(|name| eye.arrow(&format!("{name}.force"))[1]);
    let balance = [("crank", 0.5, o, a), ("coupler", 1.2, a, b), ("rocker", 1.0, b, [-c[0], -c[1], 0.0])];
    for (body, mass, on_it, handed_on) in balance {
        // The centre of the coupler is its drawing origin, as of the others.
        let acceleration = [seen.get(&format!("{body}.x''")), seen.get(&format!("{body}.y''"))];
        same(body, on_it[0] - handed_on[0], mass * acceleration[0], 1e-7);
        same(body, on_it[1] - handed_on[1] - 9.81 * mass, mass * acceleration[1], 1e-7);
    }
}

/// A body that is moved out of its joints by a known way opens them by that.
#[test]
fn residuals_are_gaps() {
    let seen = Seen::new(FOUR_BAR, 0.3);
    let eye = Eye::new(&seen.model, &seen.state);
    for joint in ["O", "A", "B", "C"] {
        assert!(eye.residual(joint) < 1e-9, "{joint}");
    }
    let mut state = seen.state.clone();
    let x = seen.model.names.q.iter().position(|name| name == "crank.x").expect("a column");
    state.q[x] += 3e-3;
    state.q[x + 1] -= 4e-3;
    let eye = Eye::new(&seen.model, &state);
    same("O", eye.residual("O"), 5e-3, 1e-9);
    same("A", eye.residual("A"), 5e-3, 1e-9);
    assert!(eye.residual("B") < 1e-9 && eye.residual("C") < 1e-9);
}

/// A cart with a spring, a damper, a force along its own axes, a wheel that rolls and a ball that touches, in space.
const YARD: &str = r#"
format = 1
gravity = [0, 0, -9.81]
[parameters]
F = 2
[[bodies]]
name = "block"
solid = [{ box = [0.2, 0.3, 0.4], density = 1000 }, { cylinder = { radius = 0.05, length = 0.6, axis = "y" }, density = 1000, at = [0, 0, 0.5] }]
pose = { at = [0, 0, 1], turn = { axis = [1, 1, 1], angle = "120*deg" } }
points = { eye = [0, 0, 0.2] }
[[bodies]]
name = "coin"
mass = 1
inertia = [0.1, 0.1, 0.2]
pose = { at = [2, 0, 0.5], turn = { axis = "x", angle = "90*deg" } }
[[bodies]]
name = "ball"
mass = 1
inertia = 0.1
pose = { at = [0, 2, 0.3] }
[[bodies]]
name = "bead"
mass = 0.1
inertia = 0
pose = { at = [0.5, 2, 1] }
[[joints]]
name = "slide"
type = "prismatic"
of = ["ground(0, 0, 0.5)", "block"]
axis = ["z", "y"]
[[joints]]
name = "roll"
type = "rolling disk"
of = ["ground", "coin"]
radius = 0.5
axis = ["z", "z"]
[[forces]]
name = "spring"
type = "spring"
of = ["ground(0, 0, 0)", "block.eye"]
stiffness = 100
rest = 0.5
[[forces]]
name = "dashpot"
type = "spring"
of = ["ball", "bead"]
damping = 3
[[forces]]
name = "push"
type = "force"
at = "block.eye"
force = [0, "F", 0]
axes = "body"
[[forces]]
name = "blow"
type = "force"
at = "ball"
force = ["cos(t)", 0, "ball.z"]
[[forces]]
name = "touch"
type = "contact"
of = ["ball", "ground"]
radius = 0.3
stiffness = 1e5
[run]
t_end = 0.1
"#;

#[test]
fn mechanisms_draw_themselves() {
    let model = parse(YARD);
    let eye = Eye::at_start(&model);
    let kinds = |name: &str| -> Vec<&str> {
        let word = |figure: &Figure| match figure {
            Figure::Box { .. } => "box",
            Figure::Cylinder { .. } => "cylinder",
            Figure::Circle { .. } => "circle",
            Figure::Line { .. } => "line",
            Figure::Sphere { .. } => "sphere",
            Figure::Point { .. } => "point",
            Figure::Plane { .. } => "plane",
            Figure::Spring { .. } => "spring",
            Figure::Damper { .. } => "damper",
            Figure::Arrow { .. } => "arrow",
            Figure::Joint { .. } => "joint",
            _ => "other",
        };
        eye.items(name).iter().map(|item| word(&item.figure)).collect()
    };
    assert_eq!(kinds("block"), ["box", "cylinder"]);
    assert_eq!(kinds("coin"), ["circle", "line"]);
    assert_eq!(kinds("ball"), ["sphere", "circle", "circle"]);
    assert_eq!(kinds("bead"), ["point"]);
    assert_eq!(kinds("slide"), ["joint", "line"]);
    assert_eq!(kinds("roll"), ["joint", "plane"]);
    assert_eq!(kinds("spring"), ["spring", "point"]);
    assert_eq!(kinds("dashpot"), ["damper"]);
    assert_eq!(kinds("touch"), ["plane"]);
    // The axes x, y, z of the block are y, z, x of the world: its cylinder stands, and the push along body y goes up.
    let [from, to] = eye.ends("block");
    near("from", from, [0.5, 0.0, 0.7], 1e-12);
    near("to", to, [0.5, 0.0, 1.3], 1e-12);
    let [at, push] = eye.arrow("push");
    near("push at", at, [0.2, 0.0, 1.0], 1e-12);
    near("push", push, [0.0, 0.0, 2.0], 1e-12);
    let [at, blow] = eye.arrow("blow");
    near("blow at", at, [0.0, 2.0, 0.3], 1e-12);
    near("blow", blow, [1.0, 0.0, 0.3], 1e-12);
    // The spoke reaches the rim, across the axle, which is -y of the world.
    let spoke = eye.line("coin");
    near("hub", spoke[0], [2.0, 0.0, 0.5], 1e-12);
    same("spoke", length([0, 1, 2].map(|i| spoke[1][i] - spoke[0][i])), 0.5, 1e-12);
    same("in the disk", spoke[1][1], 0.0, 1e-12);
    // The rail goes through both markers, along z.
    let rail = eye.line("slide");
    assert!(rail.iter().all(|p| p[0].abs() < 1e-12 && p[1].abs() < 1e-12), "{rail:?}");
    assert!(rail[0][2] < 0.5 && rail[1][2] > 1.0, "{rail:?}");
    let normals: Vec<[f64; 3]> = ["roll", "touch"]
        .into_iter()
        .map(|name| {
            eye.one(name, |figure| match figure {
                Figure::Plane { normal, .. } => Some(*normal),
                _ => None,
            })
        })
        .collect();
    assert_eq!(normals, [[0.0, 0.0, 1.0]; 2]);
}

#[test]
fn what_draws_itself_can_be_hidden_and_coloured() {
    let view = r#"
[view]
block = { color = "teal" }
spring = { color = "olive", label = { at = "ball", text = "k" } }
slide = { show = false }
"roll.force" = { show = false }
coin = { circle = { radius = 0.6, axis = "z" }, label = "coin" }
mark = { at = "block.eye + [0, 0, 0.1]", point = true }
tied = { line = ["ball", "block.eye", "ground(1, 0, 0)"], closed = true }
pull = { at = "ball", velocity = "ball.position'" }
[run]"#;
    let model = parse(&YARD.replace("\n[run]", view));
    let eye = Eye::at_start(&model);
    assert!(eye.items("block").iter().all(|item| item.color.as_deref() == Some("teal")));
    assert!(eye.items("spring").iter().all(|item| item.color.as_deref() == Some("olive")));
    assert_eq!(eye.items("spring").len(), 3);
    assert!(eye.items("slide").is_empty() && eye.items("slide.force").is_empty());
    assert!(eye.items("roll.force").is_empty() && !eye.items("roll").is_empty());
    // A shape of its own takes the place of the default one.
    assert_eq!(eye.items("coin").len(), 2);
    let circle = eye.one("coin", |figure| match figure {
        Figure::Circle { at, radius, .. } => Some((eye.world(at), *radius)),
        _ => None,
    });
    near("coin", circle.0, [2.0, 0.0, 0.5], 1e-12);
    assert_eq!(circle.1, Quantity::Fixed(0.6));
    let mark = eye.one("mark", |figure| match figure {
        Figure::Point { at } => Some(eye.world(at)),
        _ => None,
    });
    near("mark", mark, [0.2, 0.0, 1.1], 1e-12);
    let tied = eye.line("tied");
    near("ball", tied[0], [0.0, 2.0, 0.3], 1e-12);
    near("eye", tied[1], [0.2, 0.0, 1.0], 1e-12);
    near("ground", tied[2], [1.0, 0.0, 0.0], 1e-12);
    let of = eye.one("pull", |figure| match figure {
        Figure::Arrow { of, .. } => Some(*of),
        _ => None,
    });
    assert_eq!(of, Arrow::Velocity);
}

/// Bodies that are drawn off their centres of mass, and the repetition of links.
#[test]
fn drawing_origins_are_not_centres() {
    let text = r##"
format = 1
dimension = 2
[parameters]
N = 3
[[bodies]]
for = "i in 1..N"
name = "link[i]"
mass = 1
inertia = 0.1
centre = [0.3, 0.1]
pose = { at = ["i", 0], angle = "i*pi/2" }
points = { tip = [1, 0] }
[view]
"link[i]" = { for = "i in 1..N", box = [1, 0.1], at = [0.5, 0], trace = ["tip"], color = "#12ab34" }
"gap[i]" = { for = "i in 2..N", line = ["link[i-1].tip", "link[i]"] }
all = { line = ["link[i].tip for i in 1..N"] }
[run]
t_end = 1
"##;
    let model = parse(text);
    let eye = Eye::at_start(&model);
    for i in 1..=3 {
        let (origin, angle) = (f64::from(i), f64::from(i) * std::f64::consts::FRAC_PI_2);
        let tip = [origin + angle.cos(), angle.sin(), 0.0];
        near("tip", eye.trace(&format!("link[{i}]")), tip, 1e-12);
        let centre = eye.one(&format!("link[{i}]"), |figure| match figure {
            Figure::Box { at, .. } => Some(eye.world(at)),
            _ => None,
        });
        near("box", centre, [origin + 0.5 * angle.cos(), 0.5 * angle.sin(), 0.0], 1e-12);
        near("all", eye.line("all")[i as usize - 1], tip, 1e-12);
        if i > 1 {
            near("gap", eye.line(&format!("gap[{i}]"))[1], [origin, 0.0, 0.0], 1e-12);
        }
    }
    let scene = model.view.as_ref().expect("a view").scene();
    assert!(scene.items.iter().any(|item| item.color.as_deref() == Some("#12ab34")));
}

/// Residuals and arrows of a joint in space, off the constraints by a turn: the axis of a hinge leans by the angle.
#[test]
fn a_hinge_in_space_leans() {
    let text = r#"
format = 1
[[bodies]]
name = "door"
mass = 1
inertia = 0.1
pose = { at = [0, 0, 0] }
points = { knob = [1, 0, 0] }
[[joints]]
name = "hinge"
type = "revolute"
of = ["ground", "door"]
axis = "z"
[run]
t_end = 1
"#;
    let model = parse(text);
    let guess = model.guess.clone();
    let a = vec![0.0; guess.v.len()];
    let mut state = State { t: 0.0, q: guess.q, v: guess.v, a, lambda: guess.lambda, psi: guess.psi };
    let (s, c) = 0.05_f64.sin_cos();
    state.q[3..7].copy_from_slice(&[c, s, 0.0, 0.0]);
    let eye = Eye::new(&model, &state);
    let leaning = eye.residual("hinge");
    // The rows are cosines of right angles times a length, the sine of the lean of 0.1.
    assert!(leaning > 0.0, "{leaning}");
    state.q[3..7].copy_from_slice(&[c, 0.0, 0.0, s]);
    assert!(Eye::new(&model, &state).residual("hinge") < 1e-12, "a turn about the axis is free");
    let [_, knob] = Eye::new(&model, &state).ends("door");
    let [other, _] = Eye::new(&model, &state).ends("door");
    let knob = if length(knob) > length(other) { knob } else { other };
    near("knob", knob, [0.1_f64.cos(), 0.1_f64.sin(), 0.0], 1e-12);
}
