//! Files with welded bodies, merged and not: the same columns with the same values.

use alembert::{At, ConstrainedSystem, Quantity, State};
use alembert_model::Model;

use super::seen::{Seen, same};

/// A pair on a hinge, welded at frames that are turned and off the centres, and a free body that springs hold.
const SPACE: &str = r#"
[[bodies]]
name = "base"
mass = 1
inertia = [0.2, 0.3, 0.4]
centre = [0.1, 0.05, 0]
pose = { at = [0.5, 0, 0] }
points = { O = [-0.5, 0, 0] }
frames = { end = { at = [0.5, 0.1, 0], z = [1, 1, 0.3], x = [1, 0, 0] } }

[[bodies]]
name = "arm"
mass = 0.7
inertia = [0.1, 0.2, 0.15]
centre = [0, 0.1, 0.2]
points = { tip = [0.3, 0.2, 0.5] }
frames = { root = { at = [0, -0.2, 0.1], z = [0.2, 1, 0], x = [0, 0, 1] } }

[[bodies]]
name = "lump"
mass = 0.4
inertia = 0
points = { A = [0, 0, 0] }

[[bodies]]
name = "free"
mass = 2
inertia = [0.5, 0.6, 0.7]
pose = { at = [1.5, 0.4, 0.3] }

[[joints]]
name = "hinge"
type = "revolute"
of = ["ground", "base.O"]
axis = "y"

[[joints]]
name = "weld"
type = "fixed"
of = ["base.end", "arm.root"]

[[forces]]
name = "spring"
type = "spring"
of = ["arm.tip", "free"]
law = "20*(length - 0.5) + 0.5*length'"

[[forces]]
name = "push"
type = "force"
at = "arm.tip"
axes = "body"
force = ["sin(3*t)", "0.5", "0.1*arm.omega.x"]

[[forces]]
name = "twist"
type = "torque"
on = "arm"
axes = "body"
torque = ["0.3", "0.2*cos(t)", "-0.1*arm.tip.x'"]

[[forces]]
name = "air"
type = "drag"
at = "arm.tip"
coefficient = 0.3
"#;

const OUTPUTS: &str = r#"
[outputs]
tip = "arm.tip.y"
rise = "arm.tip.z'"
rush = "arm.tip.x''"
middle = "arm.centre.x + base.centre.z"
along = "dot(arm.R*[1, 0, 0], base.position)"
spin = "arm.omega.z"
place = "arm.z - base.x"
[run]
t_end = 0.6
"#;

fn file(head: &str, bodies: &str, rest: &str) -> String {
    format!("format = 1\n{head}\n{bodies}\n{rest}")
}

/// All columns of the unmerged file that are not of the weld are in the merged one, with the same values.
fn agree(head: &str, bodies: &str, rest: &str, welds: &[&str]) -> [Seen; 2] {
    let seen = ["true", "false"].map(|merge| Seen::new(&file(&format!("{head}\nmerge = {merge}"), bodies, rest), 0.6));
    let [one, many] = &seen;
    let names = &many.model.names;
    assert!(one.model.names.v.len() < names.v.len(), "nothing is merged");
    let columns = [&names.q, &names.v, &names.a, &names.outputs];
    let mut compared = 0;
    for name in columns.into_iter().flatten() {
        if welds.iter().any(|weld| name.starts_with(&format!("{weld}."))) {
            continue;
        }
        let (x, y) = (one.get(name), many.get(name));
        // A rotation has two quaternions.
        let turn = ["e0", "e1", "e2", "e3"].iter().any(|number| name.ends_with(&format!(".{number}")));
        let [x, y] = if turn { [x.abs(), y.abs()] } else { [x, y] };
        same(name, x, y, 1e-7);
        compared += 1;
    }
    assert!(compared > 30, "only {compared} columns");
    let energy = |seen: &Seen| {
        let State { t, q, v, .. } = &seen.state;
        let mut out = vec![0.0; 5];
        let _supplied = seen.model.system.ask(Quantity::Energy, &At::new(*t, q, v), &mut out);
        out
    };
    for (x, y) in energy(one).into_iter().zip(energy(many)) {
        same("energy", x, y, 1e-7);
    }
    seen
}

#[test]
fn welded_bodies_in_space() {
    let bodies =
        SPACE.replace("name = \"lump\"\nmass = 0.4\ninertia = 0", "name = \"lump\"\nmass = 0.4\ninertia = 0.01");
    let bodies = bodies + "\n[[joints]]\nname = \"nail\"\ntype = \"fixed\"\nof = [\"lump.A\", \"arm.tip\"]\n";
    let [one, _] = agree("gravity = [0, 0, -9.81]", &bodies, OUTPUTS, &["weld", "nail"]);
    // What the three have for coordinates is called so, and means the same in formulas.
    let asked = OUTPUTS.replace("[run]", "group = \"lump.group.x - base.group.x\"\nx = \"base.group.x\"\n[run]");
    let again = Seen::new(&file("gravity = [0, 0, -9.81]", &bodies, &asked), 0.6);
    same("group", again.get("group"), 0.0, 1e-15);
    same("x", again.get("x"), one.get("base.group.x"), 1e-9);
}

#[test]
fn a_welded_point_mass_is_a_lump_without_inertia() {
    let nail = "\n[[joints]]\nname = \"nail\"\ntype = \"fixed\"\nof = [\"arm.tip\", \"lump.A\"]\n";
    let point = Seen::new(&file("gravity = [0, 0, -9.81]", &(SPACE.to_owned() + nail), OUTPUTS), 0.6);
    let small = SPACE.replace("inertia = 0\n", "inertia = 1e-12\n");
    let lump = Seen::new(&file("gravity = [0, 0, -9.81]", &(small + nail), OUTPUTS), 0.6);
    for name in ["tip", "rise", "hinge.force.x", "lump.x", "lump.y''", "free.z'"] {
        same(name, point.get(name), lump.get(name), 1e-8);
    }
}

/// The same kind of machine in the plane, with a post on the ground.
const PLANE: &str = r#"
[[bodies]]
name = "post"
mass = 3
inertia = 0.1
centre = [0, 0.5]
pose = { at = [0.2, 0], angle = 0.3 }
points = { top = [0, 1] }

[[bodies]]
name = "rod"
mass = 1
inertia = 0.2
pose = { at = [0.8, 1], angle = 0.4 }
points = { A = [-0.5, 0] }
frames = { B = { at = [0.5, 0.1], z = [1, 0.3] } }

[[bodies]]
name = "tail"
mass = 0.5
inertia = 0.1
centre = [0.3, 0]
frames = { at = { at = [0, 0.1], z = [0.6, 0.8] } }
points = { end = [0.6, 0] }

[[joints]]
name = "foot"
type = "fixed"
of = ["ground(0.2, 0)", "post"]

[[joints]]
name = "hinge"
type = "revolute"
of = ["post.top", "rod.A"]
start = { angle = 0.4, speed = 0.5 }

[[joints]]
name = "weld"
type = "fixed"
of = ["tail.at", "rod.B"]

[[forces]]
name = "spring"
type = "spring"
of = ["post.top", "tail.end"]
law = "20*(length - 1)"

[[forces]]
name = "twist"
type = "torque"
on = "tail"
torque = "sin(t) - 0.1*tail.angle'"

[[forces]]
name = "push"
type = "force"
at = "tail.end"
axes = "body"
force = ["1", "0.5*t"]
"#;

#[test]
fn welded_bodies_in_the_plane() {
    let outputs = r#"
[outputs]
end = "tail.end.x - post.top.y"
turn = "tail.angle + post.angle"
rate = "tail.omega.z + post.omega.z"
rush = "tail.end.y''"
[run]
t_end = 0.6
"#;
    let [one, _] = agree("dimension = 2\ngravity = [0, -9.81]", PLANE, outputs, &["foot", "weld"]);
    assert_eq!(one.model.names.v.len(), 3);
    // What is welded to the ground as it was closed: its axes are those of the ground.
    same("post", one.get("post.centre.y"), 0.5, 1e-12);
    same("post", one.get("post.angle''"), 0.0, 1e-12);
}

#[test]
fn a_weld_is_kept_where_its_reaction_is_asked_for() {
    let parse = |text: &str| Model::parse("model", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let head = "dimension = 2\ngravity = [0, -9.81]";
    let run = "[run]\nt_end = 0.1\n";
    let merged = parse(&file(head, PLANE, run));
    assert!(!merged.names.outputs.iter().any(|name| name.starts_with("weld.")));
    let asked = parse(&file(head, PLANE, &format!("[outputs]\nshear = \"weld.force.x\"\n{run}")));
    let kept = parse(&file(
        head,
        &PLANE.replace("of = [\"tail.at\", \"rod.B\"]", "of = [\"tail.at\", \"rod.B\"]\nkeep = true"),
        run,
    ));
    for model in [asked, kept] {
        assert_eq!(model.names.v.len(), merged.names.v.len() + 3);
        assert!(model.names.outputs.iter().any(|name| name == "weld.force.x"));
        assert!(!model.names.outputs.iter().any(|name| name.starts_with("foot.")), "the other weld is merged");
    }
    let mistakes = Model::parse(
        "model",
        &file(head, &PLANE.replace("type = \"revolute\"", "type = \"revolute\"\nkeep = true"), run),
        &[],
    );
    let words = mistakes.expect_err("a hinge is not kept").to_string();
    assert!(words.contains("keep"), "{words}");
}
