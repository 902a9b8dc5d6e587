//! Files with rotations as a user of the commands sees them.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::fs;

use folder::folder;
use program::alembert;

/// A file in a folder of its own.
fn file(name: &str, text: &str) -> (String, std::path::PathBuf) {
    let out = folder(&format!("rotations-{name}"));
    fs::create_dir_all(&out).expect("a folder");
    let path = out.join("model.toml");
    fs::write(&path, text).expect("a file");
    (path.display().to_string(), out)
}

/// A top that precesses steadily about its fixed point.
const PRECESSION: &str = "format = 1
[parameters]
A = 2.0
C = 0.8
mgl = 1.3
theta = 0.7
Omega = 0.9
n = \"(mgl + A*Omega^2*cos(theta))/(C*Omega)\"
[variables]
coordinates = [\"R : rotation\"]
[equations]
kinetic = \"(A*(R.omega.x^2 + R.omega.y^2) + C*R.omega.z^2)/2\"
potential = \"mgl*(R*[0, 0, 1]).z\"
[initial]
R = \"rotation([1, 0, 0], theta)\"
\"R.omega\" = \"[0, Omega*sin(theta), n]\"
[exact]
R = \"rotation([0, 0, 1], Omega*t)*rotation([1, 0, 0], theta)*rotation([0, 0, 1], (n - Omega*cos(theta))*t)\"
[outputs]
axis = \"R*[0, 0, 1]\"
[results]
lowest = { min = \"axis_z\" }
[run]
t_end = 4
";

fn last_row(folder: &std::path::Path) -> Vec<f64> {
    let text = fs::read_to_string(folder.join("result.csv")).expect("a result");
    text.lines().last().expect("a row").split(',').map(|x| x.parse().expect("a number")).collect()
}

#[test]
fn a_run_goes_on_from_its_last_row() {
    let (model, out) = file("from", PRECESSION);
    let [first, second] = ["first", "second"].map(|name| out.join(name));
    let [one, two] = [&first, &second].map(|path| path.display().to_string());
    let (_, stderr, code) = alembert(&["run", &model, "--out", &one, "--t-end", "2", "-q"]);
    assert_eq!(code, 0, "{stderr}");
    let header = fs::read_to_string(first.join("result.csv")).expect("a result");
    let columns =
        "t,R.e0,R.e1,R.e2,R.e3,R.omega.x,R.omega.y,R.omega.z,R.omega.x',R.omega.y',R.omega.z',axis_x,axis_y,axis_z";
    assert_eq!(header.lines().next(), Some(columns));
    let (_, stderr, code) = alembert(&["run", &model, "--from", &one, "--out", &two, "-q"]);
    assert_eq!(code, 0, "{stderr}");
    let row = last_row(&second);
    // Exactly: the axis has turned by Omega t about the vertical.
    let (theta, turned): (f64, f64) = (0.7, 0.9 * 4.0);
    let axis = [theta.sin() * turned.sin(), -theta.sin() * turned.cos(), theta.cos()];
    for (found, exact) in row[11..].iter().zip(axis) {
        assert!((found - exact).abs() < 1e-5, "{found} {exact}");
    }
    assert!((row[1..5].iter().map(|p| p * p).sum::<f64>() - 1.0).abs() < 1e-14);
}

#[test]
fn verify_knows_exact_rotations_and_sweeps_vary_them() {
    let (model, out) = file("verify", PRECESSION);
    let (stdout, stderr, code) = alembert(&["verify", &model]);
    assert!(code == 0 && stdout.contains("converges; error bars of the result"), "{stdout}{stderr}");
    // A wrong exact solution is found out by the name of its column.
    let (wrong, _) =
        file("wrong", &PRECESSION.replace("rotation([0, 0, 1], Omega*t)", "rotation([0, 0, 1], 1.1*Omega*t)"));
    let (stdout, stderr, _) = alembert(&["verify", &wrong]);
    assert!(format!("{stdout}{stderr}").contains("R.e"), "{stdout}{stderr}");
    let table = out.join("sweep").display().to_string();
    let (_, stderr, code) = alembert(&["sweep", &model, "--set", "theta=0.5,0.9", "--out", &table, "-q"]);
    assert_eq!(code, 0, "{stderr}");
    let text = fs::read_to_string(out.join("sweep/sweep.csv")).expect("a table");
    let lowest = text.lines().next().and_then(|line| line.split(',').position(|name| name == "lowest"));
    let lowest = lowest.unwrap_or_else(|| panic!("{text}"));
    for (line, theta) in text.lines().skip(1).zip([0.5_f64, 0.9]) {
        let found: f64 = line.split(',').nth(lowest).and_then(|x| x.parse().ok()).expect("a number");
        assert!((found - theta.cos()).abs() < 1e-5, "{line}");
    }
}

#[test]
fn euler_parameters_by_hand_are_pointed_to_rotations() {
    let (model, _) = file(
        "hand",
        "format = 1\n[variables]\ncoordinates = [\"a\", \"b\", \"c\", \"d\"]\n[equations]\nkinetic = \"2*(a'^2 + b'^2 + c'^2 + d'^2)\"\n\
         holonomic = [{ name = \"unit\", formula = \"a^2 + b^2 + c^2 + d^2 - 1\" }]\n[initial]\na = 1\nb = 0\nc = 0\nd = 0\n\"d'\" = 1\n[run]\nt_end = 1\n",
    );
    let (stdout, _, code) = alembert(&["check", &model]);
    assert_eq!(code, 0);
    assert!(stdout.contains("note: constraint `unit` makes a, b, c, d a unit quaternion\nhint: "), "{stdout}");
    assert!(stdout.contains("coordinates = [\"R : rotation\"]"), "{stdout}");
    let (stdout, _, code) = alembert(&["check", "models/top.toml"]);
    assert!(code == 0 && !stdout.contains("note:") && stdout.contains("supplied derivatives agree"), "{stdout}");
}

#[test]
fn equations_are_explained_with_the_axes_of_bodies() {
    let (model, _) = file("explain", PRECESSION);
    let (stdout, _, code) = alembert(&["explain", &model]);
    assert_eq!(code, 0);
    // m g l times the horizontal axes of the body: A omega_x' = (A - C) omega_y omega_z + mgl (axis y).z.
    for words in ["4 coordinates: R.e0, R.e1, R.e2, R.e3", "(R*[0, 1, 0]).z", "(R*[1, 0, 0]).z"] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
}
