//! Where rotations start, what is fixed of them, what is said of files that write them otherwise.

use alembert::equilibrium::equilibrium;
use alembert::initial::{Options, consistent_with, moves};
use alembert::rotation::{product, to_space};

use super::{distance, mistakes, model, start};

fn body(initial: &str) -> String {
    format!(
        "format = 1\n[variables]\ncoordinates = [\"R : rotation\"]\n[equations]\nkinetic = \"dot(R.omega, R.omega)\"\n[initial]\n{initial}\n[run]\nt_end = 1\n"
    )
}

#[test]
fn starts_are_quaternions_axes_with_angles_or_products() {
    let turn = |axis: usize, angle: f64| {
        let mut p = [(0.5 * angle).cos(), 0.0, 0.0, 0.0];
        p[axis] = (0.5 * angle).sin();
        p
    };
    for (initial, exact) in [
        ("R = [0.5, 0.5, -0.5, 0.5]", [0.5, 0.5, -0.5, 0.5]),
        ("R = \"rotation([0, 0, 2], 0.3)\"", turn(3, 0.3)),
        (
            "R = \"rotation([0, 0, 1], 0.3)*rotation([1, 0, 0], 20*deg)*rotation([0, 0, 1], -0.4)\"",
            product(&product(&turn(3, 0.3), &turn(1, 20f64.to_radians())), &turn(3, -0.4)),
        ),
        ("R = \"rotation([0, 0, 1], 0.3)^-1\"", turn(3, -0.3)),
    ] {
        let found = model(&body(initial)).guess.q;
        assert!(distance(&found, &exact) < 1e-15, "{initial}: {found:?} {exact:?}");
    }
    // Roundings are mended to the last digit.
    let rounded = model(&body("R = [0.7071, 0.7071, 0, 0]")).guess.q;
    assert!(distance(&rounded, &[0.5f64.sqrt(), 0.5f64.sqrt(), 0.0, 0.0]) < 1e-15, "{rounded:?}");
    let given = model(&body("R = [1, 0, 0, 0]\n\"R.omega\" = [1, \"2*3\", 3]")).guess.v;
    assert_eq!(given, [1.0, 6.0, 3.0]);
    let given = model(&body("R = [1, 0, 0, 0]\n\"R.omega.y\" = 4")).guess.v;
    assert_eq!(given, [0.0, 4.0, 0.0]);
    // In the axes of space.
    let given = model(&body("R = \"rotation([1, 2, 3], 1)\"\n\"R.omega\" = \"R^-1*[0, 0, 5]\"")).guess;
    let q = [given.q[0], given.q[1], given.q[2], given.q[3]];
    assert!(distance(&to_space(&q, &[given.v[0], given.v[1], given.v[2]]), &[0.0, 0.0, 5.0]) < 1e-14);
}

#[test]
fn bad_starts_are_told() {
    for (initial, message, hint) in [
        ("R = [1, 1, 0, 0]", "the quaternion of `R` has length 1.414", "rotation([0, 0, 1], 0.3)"),
        ("R = [1, 0, 0]", "3 values for 1 entries of `R`", "[1, 0, 0, 0]"),
        ("R = 0.3", "`R` is a rotation, and this is a number", "rotation([0, 0, 1], 0.3)"),
        ("R = \"[1, 0, 0]\"", "`R` is a rotation, and this is a triple", "[1, 0, 0, 0]"),
        ("", "no initial value of R", "every coordinate"),
        ("R = [1, 0, 0, 0]\n\"R'\" = [0, 0, 1]", "the rotation `R` has no rate", "R.omega"),
        ("R = [1, 0, 0, 0]\n\"R.omega\" = 3", "`R.omega` is a triple, and this is a number", "[0, 0, 50]"),
        ("R = [1, 0, 0, 0]\n\"R.w\" = [0, 0, 1]", "`R.w` is not a variable", "R.omega"),
        ("R = [1, 0, 0, 0]\n\"R.e0\" = 1", "`R.e0` is not a variable", "R.omega"),
        ("R = [1, 0, 0, 0]\n\"R.omega'\" = [0, 0, 1]", "accelerations cannot be given", ""),
        ("R.omega = [0, 0, 1]", "a part of `R` stands in quotes", "\"R.omega\""),
        ("R = \"rotation([1, 0, 0], 0)\"\nS = 1", "unknown variable `S`", ""),
    ] {
        let told = mistakes(&body(initial));
        assert!(told.contains(message) && told.contains(hint), "{initial}: {told}");
    }
}

/// A plate that leans on two constraints; what is fixed stays.
#[test]
fn a_fixed_rotation_stays_and_a_moved_one_is_told_as_a_turn() {
    let text = "format = 1
[variables]
coordinates = [\"x\", \"R : rotation\"]
[equations]
kinetic = \"x'^2 + dot(R.omega, R.omega)\"
holonomic = [\"x - (R*[1, 0, 0]).z\"]
[initial]
x = 0.5
R = \"rotation([0, 1, 0], -0.3)\"
[run]
t_end = 1
";
    let free = model(text);
    let state = start(&free);
    let told = moves(&free.system, &free.guess, &state);
    let turned: Vec<&str> = told.iter().filter(|moved| moved.turn).map(|moved| moved.name.as_str()).collect();
    assert!(turned.contains(&"R about y") && told.iter().any(|moved| moved.name == "x"), "{told:?}");
    // The turn that is told is the one that was made.
    let angle = told.iter().find(|moved| moved.name == "R about y").expect("told").now;
    let p = &state.q[1..5];
    let expected = alembert::rotation::log(&product(
        &alembert::rotation::inverse(&[free.guess.q[1], free.guess.q[2], free.guess.q[3], free.guess.q[4]]),
        &[p[0], p[1], p[2], p[3]],
    ));
    assert!((angle - expected[1]).abs() < 1e-14 && angle.abs() > 1e-3);
    let fixed = model(&text.replace("[run]", "[start]\nfixed = [\"R\"]\n[run]"));
    assert_eq!(fixed.start.fixed_q, [1, 2, 3]);
    let options = Options { fixed_q: fixed.start.fixed_q.clone(), ..Options::default() };
    let (state, _) = consistent_with(&fixed.system, &fixed.guess, &options).expect("consistent");
    assert!(distance(&state.q[1..5], &fixed.guess.q[1..5]) < 1e-15);
    assert!((state.q[0] - 0.3f64.sin()).abs() < 1e-12, "{:?}", state.q);
}

#[test]
fn a_body_is_found_at_rest() {
    // It hangs from its point with the centre of mass below: R*[1, 2, 2] points down.
    let model = model(
        "format = 1\n[variables]\ncoordinates = [\"R : rotation\"]\n[equations]\nkinetic = \"dot(R.omega, R.omega)\"\npotential = \"(R*[1, 2, 2]).z\"\n\
         [initial]\nR = \"rotation([1, 0, 0], 2.0)\"\n[start]\nequilibrium = true\n[run]\nt_end = 1\n",
    );
    let found = equilibrium(&model.system, &model.guess).unwrap_or_else(|error| panic!("{error}"));
    let q = &found.state.q;
    let down = to_space(&[q[0], q[1], q[2], q[3]], &[1.0, 2.0, 2.0]);
    assert!(distance(&down, &[0.0, 0.0, -3.0]) < 1e-6, "{down:?}");
}

#[test]
fn columns_tolerances_and_outputs_have_the_names_of_rotations() {
    let text = "format = 1
[variables]
coordinates = [\"x\", \"R[1..2] : rotation\", \"S : rotation\"]
[equations]
kinetic = \"x'^2 + sum(dot(R[i].omega, R[i].omega) for i in 1..2) + dot(S.omega, S.omega)\"
holonomic = [{ name = \"held\", formula = \"x - (S*[1, 0, 0]).z\" }]
[initial]
x = 0
R = [\"rotation([0, 0, 1], 0.1)\", \"rotation([0, 0, 1], 0.2)\"]
S = [1, 0, 0, 0]
\"R[2].omega\" = [1, 2, 3]
[outputs]
F = { reaction = \"held\", at = [\"x\", \"S\"] }
[run]
t_end = 1
atol = { x = 1e-9, S = 1e-7, \"S.omega\" = 1e-6, \"R[2].omega.z\" = 1e-5 }
columns = [\"S\", \"S.omega\", \"R\", \"R.omega\", \"R[2].omega'\"]
";
    let model = model(&text.replace("columns = ", "#columns = "));
    assert_eq!(
        model.names.q,
        [
            "x", "R[1].e0", "R[1].e1", "R[1].e2", "R[1].e3", "R[2].e0", "R[2].e1", "R[2].e2", "R[2].e3", "S.e0",
            "S.e1", "S.e2", "S.e3"
        ]
    );
    assert_eq!(model.guess.v, [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
    assert!((model.guess.q[8] - 0.1f64.sin()).abs() < 1e-16 && (model.guess.q[4] - 0.05f64.sin()).abs() < 1e-16);
    assert_eq!(model.names.outputs, ["F_x", "F_S_x", "F_S_y", "F_S_z", "F"]);
    // The moment of a force -lambda along z at S*[1, 0, 0], in the axes of the body.
    let mut state: alembert::State = (*start(&model)).clone();
    state.lambda[0] = 2.0;
    let mut out = vec![0.0; 5];
    model.outputs_into(&state, &mut out);
    assert!(distance(&out, &[-2.0, 0.0, -2.0, 0.0, 8f64.sqrt()]) < 1e-14, "{out:?}");
    let sizes = model.run.sizes();
    assert_eq!(sizes.q.len() + sizes.v.len(), 1 + 3 + 3 + 1, "{sizes:?}");
    let names = &model.names;
    assert_eq!(names.chosen("S").expect("known"), ["S.e0", "S.e1", "S.e2", "S.e3"]);
    assert_eq!(names.chosen("S.omega").expect("known"), ["S.omega.x", "S.omega.y", "S.omega.z"]);
    assert_eq!(names.chosen("R").expect("known").len(), 8);
    assert_eq!(names.chosen("R.omega").expect("known").len(), 6);
    assert_eq!(names.chosen("R[2].omega'").expect("known"), ["R[2].omega.x'", "R[2].omega.y'", "R[2].omega.z'"]);
    assert!(names.chosen("R.e").is_none() && names.chosen("T").is_none());
    let shown = super::model(text).shown_names();
    assert_eq!((shown.q.len(), shown.v.len(), shown.a.len()), (12, 9, 3));
}

#[test]
fn euler_parameters_by_hand_are_pointed_to_rotations() {
    let by_hand = |names: [&str; 4], constraint: &str| {
        let [a, b, c, d] = names;
        format!(
            "format = 1\n[variables]\ncoordinates = [\"{a}\", \"{b}\", \"{c}\", \"{d}\", \"z\"]\n[equations]\nkinetic = \"{a}'^2 + {b}'^2 + {c}'^2 + {d}'^2 + z'^2\"\n\
             holonomic = [\"{constraint}\"]\n[initial]\n{a} = 1\n{b} = 0\n{c} = 0\n{d} = 0\nz = 0\n[run]\nt_end = 1\n"
        )
    };
    let names = ["e0", "e1", "e2", "e3"];
    for (names, constraint) in [
        (names, "e0^2 + e1^2 + e2^2 + e3^2 - 1"),
        (names, "1 - e3*e3 - e1^2 - (e0^2 + e2^2)"),
        (names, "sqrt(e0^2 + e1^2 + e2^2 + e3^2) - 1"),
        (["w", "i", "j", "k"], "(w^2 + i^2 + j^2 + k^2)/2 - 1/2"),
    ] {
        let notes = model(&by_hand(names, constraint)).notes;
        assert!(notes.len() == 1 && notes[0].0.contains(names[1]) && notes[0].1.contains("R : rotation"), "{notes:?}");
    }
    for constraint in [
        "e0^2 + e1^2 + e2^2 - 1",
        "e0^2 + e1^2 + e2^2 + 2*e3^2 - 1",
        "e0^2 + e1^2 + e2^2 + z^2 - 1 + e3",
        "e0 + e1 + e2 + e3 - 1",
    ] {
        assert!(model(&by_hand(names, constraint)).notes.is_empty(), "{constraint}");
    }
    let rotation = model(&body("R = [1, 0, 0, 0]"));
    assert!(rotation.notes.is_empty());
}
