//! Pictures of equations: formulas with multipliers, repetition, rotations as frames, and what is guessed of names.

use alembert::{State, Tolerance, solve};
use alembert_model::Model;
use alembert_picture::scene::Figure;

use super::eye::{Eye, near};
use super::seen::same;

fn parse(text: &str) -> Model {
    Model::parse("model", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

fn at(model: &Model, t: f64) -> State {
    let tolerance = Tolerance::relative(1e-10).expect("in range");
    let motion = solve(&model.system, &model.guess, model.guess.t..t, tolerance).expect("a motion");
    motion.at(t).expect("inside").clone()
}

macro_rules! model {
    ($name:literal) => {
        parse(include_str!(concat!("../../../../models/", $name, ".toml")))
    };
}

/// The rod pulls with -2 lambda r: m g (3 cos - 2 cos at the start) along the rod, three weights at the lowest point.
#[test]
fn a_pendulum_and_the_force_in_its_rod() {
    let model = model!("pendulum");
    let scene = model.view.as_ref().expect("a view").scene();
    assert!(scene.planar && scene.unit.is_empty(), "{scene:?}");
    for t in [0.01, 0.3, 0.6, 1.1] {
        let state = at(&model, t);
        let eye = Eye::new(&model, &state);
        let (x, y) = (state.q[0], state.q[1]);
        near("bob", eye.trace("bob"), [x, y, 0.0], 0.0);
        near("rod", eye.line("rod")[1], [x, y, 0.0], 0.0);
        near("pivot", eye.line("rod")[0], [0.0; 3], 0.0);
        let [begin, force] = eye.arrow("rod.force");
        near("begin", begin, [x, y, 0.0], 0.0);
        // From the horizontal: tension 3 m g sin of the angle below it, towards the pivot.
        let tension = -3.0 * 9.81 * y;
        near("force", force, [-tension * x, -tension * y, 0.0], 1e-6);
    }
}

#[test]
fn a_chain_is_drawn_link_by_link() {
    let model = model!("chain");
    let state = at(&model, 0.4);
    let eye = Eye::new(&model, &state);
    let mut hook = [0.0; 3];
    for i in 1..=5 {
        let [from, to] = eye.ends(&format!("bar[{i}]"));
        near("joint", from, hook, 1e-8);
        let (x, y, theta) = (state.q[i - 1], state.q[4 + i], state.q[9 + i]);
        near("end", to, [x + theta.cos() / 2.0, y + theta.sin() / 2.0, 0.0], 1e-12);
        hook = to;
    }
    near("tip", eye.trace("tip"), hook, 0.0);
}

/// The tip of the top stays, its middle is where the coordinates are, and the joint carries what Newton says.
#[test]
fn a_rotation_is_a_frame() {
    let model = model!("top");
    let state = at(&model, 0.3);
    let eye = Eye::new(&model, &state);
    let centre = [state.q[0], state.q[1], state.q[2]];
    near("middle", eye.trace("top"), centre, 1e-8);
    let [_, force] = eye.arrow("joint.force");
    let expected = [15.0 * state.a[0], 15.0 * state.a[1], 15.0 * (state.a[2] + 9.81)];
    near("force", force, expected, 1e-6);
    assert!(!model.view.as_ref().expect("a view").scene().planar);
}

/// The disk touches the floor where its coordinates say, and its rim does not slip there.
#[test]
fn a_disk_rolls_in_its_picture() {
    let model = model!("rolling_disk");
    let dt = 1e-4;
    let states = [2.0 - dt, 2.0, 2.0 + dt].map(|t| at(&model, t));
    let eyes = states.each_ref().map(|state| Eye::new(&model, state));
    let hub = eyes.each_ref().map(|eye| eye.line("disk")[0]);
    let rim = eyes.each_ref().map(|eye| eye.line("disk")[1]);
    let contact = eyes[1].trace("contact");
    near("contact", contact, [states[1].q[0], states[1].q[1], 0.0], 0.0);
    let way = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|i| a[i] - b[i]);
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| a[i] * b[i]).sum::<f64>();
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let down = way(contact, hub[1]);
    same("radius", dot(down, down).sqrt(), 1.0, 1e-12);
    // The contact lies in the plane of the circle, which is that of two spokes a moment apart.
    let figure = eyes[1].one("disk", |figure| match figure {
        Figure::Circle { at, axis, .. } => Some((eyes[1].world(at), *axis)),
        _ => None,
    });
    near("hub", figure.0, hub[1], 1e-15);
    assert_eq!(figure.1, [0.0, 1.0, 0.0]);
    // v + omega x r = 0 with omega from how the frame turns: d/dt of two directions of the body.
    let frame = alembert_picture::scene::Place { frame: 1, at: [0.0.into(), 1.0.into(), 0.0.into()] };
    let axle = eyes.each_ref().map(|eye| way(eye.world(&frame), eye.line("disk")[0]));
    let spoke = [0, 1, 2].map(|k| way(rim[k], hub[k]));
    let rate = |x: &[[f64; 3]; 3]| way(x[2], x[0]).map(|x| x / (2.0 * dt));
    let (axle_rate, spoke_rate) = (rate(&axle), rate(&spoke));
    let third = cross(spoke[1], axle[1]);
    let third_rate = [0, 1, 2].map(|i| cross(spoke_rate, axle[1])[i] + cross(spoke[1], axle_rate)[i]);
    // omega = 1/2 sum e x e'
    let omega = [0, 1, 2]
        .map(|i| 0.5 * (cross(spoke[1], spoke_rate)[i] + cross(axle[1], axle_rate)[i] + cross(third, third_rate)[i]));
    let slip = [0, 1, 2].map(|i| rate(&hub)[i] + cross(omega, down)[i]);
    near("slip", slip, [0.0; 3], 1e-6);
}

#[test]
fn flat_scenes_are_found() {
    for (model, planar) in [
        (model!("tailgate"), true),
        (model!("slider_crank_flexible"), true),
        (model!("governor"), false),
        (model!("rolling_disk"), false),
        (model!("ball_on_turntable"), false),
    ] {
        assert_eq!(model.view.as_ref().map(|view| view.scene().planar), Some(planar), "{}", model.name);
    }
}

/// Frames by tables, lists that keep them, boxes that turn, springs, planes, words.
#[test]
fn every_figure() {
    let text = r#"
format = 1
[parameters]
l = 2
[variables]
coordinates = ["x", "y", "phi", "r[1..3]"]
[definitions]
tip = "[x + l*cos(phi), y + l*sin(phi), 0]"
[equations]
mass = [1, 1, 1, 1, 1, 1]
force = [0, 0, 0, 0, 0, 0]
[initial]
x = 1
y = 2
phi = "pi/2"
r = [3, 4, 5]
"x'" = 7
[outputs]
height = { formula = "y", unit = "mm" }
[view]
arm = [
    { frame = { at = ["x", "y"], angle = "phi" }, line = [[0, 0], ["l", 0]] },
    { sphere = { at = ["l", 0], radius = "0.1*l" } },
    { frame = "rotation([1, 0, 0], phi)", at = "r", box = { size = [1, 2, 3] }, trace = true },
    { at = [0, 1, 0], circle = 1 },
]
plate = { at = ["x", "y"], box = { size = [1, 2], angle = "phi" }, velocity = ["x'", "y'"], label = "plate" }
tube = { cylinder = { length = "l*x", radius = 0.1, axis = [0, 2], at = [0, 0, 1] } }
coil = { spring = { from = [0, 0], to = "tip", coils = 12, radius = "x/10" } }
pot = { damper = { from = [0, 0], to = "tip" } }
floor = { plane = { at = [0, -1], normal = [0, 3, 4] } }
moment = { at = "r", torque = "3*phi" }
[run]
t_end = 1
"#;
    let model = parse(text);
    let eye = Eye::at_start(&model);
    let scene = model.view.as_ref().expect("a view").scene();
    assert_eq!((scene.unit.as_str(), scene.planar), ("mm", false));
    let arm = eye.line("arm");
    near("arm", arm[0], [1.0, 2.0, 0.0], 1e-15);
    near("arm", arm[1], [1.0, 4.0, 0.0], 1e-15);
    let sphere = eye.one("arm", |figure| match figure {
        Figure::Sphere { at, radius } => Some((eye.world(at), eye.number(radius))),
        _ => None,
    });
    near("sphere", sphere.0, [1.0, 4.0, 0.0], 1e-15);
    same("radius", sphere.1, 0.2, 1e-15);
    near("trace", eye.trace("arm"), [3.0, 4.0, 5.0], 1e-15);
    // The y axis of the frame is turned to z.
    let boxed = eye.one("arm", |figure| match figure {
        Figure::Box { at, .. } => Some(at.frame),
        _ => None,
    });
    let up = alembert_picture::scene::Place { frame: boxed, at: [0.0.into(), 1.0.into(), 0.0.into()] };
    near("frame", eye.world(&up), [3.0, 4.0, 6.0], 1e-12);
    // Further entries of the list have the same frame, at the same place.
    let circle = eye.one("arm", |figure| match figure {
        Figure::Circle { at, .. } => Some(eye.world(at)),
        _ => None,
    });
    near("circle", circle, [3.0, 4.0, 6.0], 1e-12);
    near("plate", eye.arrow("plate")[1], [7.0, 0.0, 0.0], 0.0);
    let [from, to] = eye.ends("tube");
    near("tube", from, [0.0, -1.0, 1.0], 1e-15);
    near("tube", to, [0.0, 1.0, 1.0], 1e-15);
    let coil = eye.one("coil", |figure| match figure {
        Figure::Spring { to, coils, radius, .. } => Some((eye.world(to), *coils, eye.number(radius))),
        _ => None,
    });
    near("coil", coil.0, [1.0, 4.0, 0.0], 1e-15);
    assert_eq!((coil.1, coil.2), (12, 0.1));
    let normal = eye.one("floor", |figure| match figure {
        Figure::Plane { normal, .. } => Some(*normal),
        _ => None,
    });
    near("normal", normal, [0.0, 0.6, 0.8], 1e-15);
    near("moment", eye.arrow("moment")[1], [0.0, 0.0, 1.5 * std::f64::consts::PI], 1e-12);
}

fn guessed(coordinates: &str, holonomic: &str, initial: &str) -> Model {
    let count = coordinates.matches('"').count() / 2;
    let ones = vec!["1"; count].join(", ");
    parse(&format!(
        "format = 1\n[variables]\ncoordinates = [{coordinates}]\n[equations]\nmass = [{ones}]\nforce = [{}]\nholonomic = [{holonomic}]\n[initial]\n{initial}\n[run]\nt_end = 1\n",
        ones.replace('1', "0")
    ))
}

#[test]
fn names_say_what_can_be_drawn() {
    // Two rods, one of them about a fixed point, in two ways of writing a distance.
    let pair = guessed(
        r#""x1", "y1", "x2", "y2""#,
        r#"{ name = "first", formula = "(x1 - 0.5)^2 + (y1 + 2)^2 - 1" }, { name = "second", formula = "hypot(x2 - x1, y2 - y1) - 2" }"#,
        "x1 = 1.5\ny1 = -2\nx2 = 3.5\ny2 = -2",
    );
    let eye = Eye::at_start(&pair);
    let first = eye.line("first");
    near("first", first[0], [1.5, -2.0, 0.0], 0.0);
    near("fixed", first[1], [0.5, -2.0, 0.0], 1e-12);
    let second = eye.line("second");
    near("second", second[0], [1.5, -2.0, 0.0], 0.0);
    near("second", second[1], [3.5, -2.0, 0.0], 0.0);
    near("trace", eye.trace("x2, y2"), [3.5, -2.0, 0.0], 0.0);
    assert!(pair.view.as_ref().expect("a view").scene().planar);
    // Neither an ellipse nor a rod about a point that moves is drawn; in space a sphere is.
    let ellipse = guessed(r#""x", "y""#, r#""x^2 + 4*y^2 - 1""#, "x = 1\ny = 0");
    let driven = guessed(r#""x", "y""#, r#""(x - sin(t))^2 + y^2 - 1""#, "x = 1\ny = 0");
    for model in [ellipse, driven] {
        let scene = model.view.as_ref().expect("a view").scene();
        assert!(scene.items.iter().all(|item| !matches!(item.figure, Figure::Line { .. })), "{scene:?}");
        assert_eq!(scene.items.len(), 2);
    }
    let sphere = guessed(
        r#""x_a", "y_a", "z_a""#,
        r#"{ name = "rod", formula = "x_a^2 + y_a^2 + (z_a - 3)^2 - 1" }"#,
        "x_a = 1\ny_a = 0\nz_a = 3",
    );
    near("rod", Eye::at_start(&sphere).line("rod")[1], [0.0, 0.0, 3.0], 1e-12);
    assert!(!sphere.view.as_ref().expect("a view").scene().planar);
    // Angles say nothing.
    assert!(guessed(r#""phi", "x""#, "", "phi = 1\nx = 0").view.is_none());
}

/// Examples without a picture: coordinates of theirs are no places.
const WITHOUT: [&str; 3] = ["paper1", "paper2", "paper3"];

#[test]
fn every_example_has_a_scene() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut count = 0;
    for folder in [folder.clone(), folder.join("mechanisms")] {
        let beside = Beside(folder.clone());
        for file in std::fs::read_dir(&folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a file");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let model = Model::parse_with(&name, &text, &[], &beside).unwrap_or_else(|mistakes| panic!("{mistakes}"));
            assert_eq!(model.view.is_none(), WITHOUT.contains(&name.as_str()), "{name}");
            if model.view.is_some() {
                let eye = Eye::at_start(&model);
                assert!(eye.channels.iter().all(|x| x.is_finite()), "{name}: {:?}", eye.channels);
                count += 1;
            }
        }
    }
    assert!(count >= 50, "{count}");
}

struct Beside(std::path::PathBuf);

impl alembert_model::source::Source for Beside {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(name)).map_err(|error| error.to_string())
    }
}
