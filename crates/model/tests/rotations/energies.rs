//! The equations that energies give, against Euler angles, Euler's equations and exact motions.

use alembert::rotation::to_space;
use alembert::{At, ConstrainedSystem, Quantity};

use super::{Random, distance, model, outputs, reached};

/// A body with a full inertia matrix and its centre away from the point that moves with x: masses depend on the rotation.
/// `R` or three angles z x z, with what is made of them written out.
fn body(rotation: bool) -> String {
    let (coordinates, omega, axes, initial) = if rotation {
        (
            "\"R : rotation\"",
            "w = \"R.omega\"",
            "turned(a) = R*a",
            "R = \"rotation([0, 0, 1], 0.3)*rotation([1, 0, 0], 0.9)*rotation([0, 0, 1], -0.4)\"\n\"R.omega\" = \"[phi_1*sin(0.9)*sin(-0.4) + theta_1*cos(-0.4), phi_1*sin(0.9)*cos(-0.4) - theta_1*sin(-0.4), phi_1*cos(0.9) + psi_1]\"\n",
        )
    } else {
        (
            "\"phi\", \"theta\", \"psi\"",
            "w = \"[phi'*sin(theta)*sin(psi) + theta'*cos(psi), phi'*sin(theta)*cos(psi) - theta'*sin(psi), phi'*cos(theta) + psi']\"",
            "turned(a) = rotate([0, 0, 1], phi, rotate([1, 0, 0], theta, rotate([0, 0, 1], psi, a)))",
            "phi = 0.3\ntheta = 0.9\npsi = -0.4\n\"phi'\" = \"phi_1\"\n\"theta'\" = \"theta_1\"\n\"psi'\" = \"psi_1\"\n",
        )
    };
    let (head, body) = axes.split_once(" = ").expect("a function");
    format!(
        "format = 1
[parameters]
phi_1 = 0.8
theta_1 = -0.5
psi_1 = 2.0
m = 1.5
[functions]
\"{head}\" = \"{body}\"
[variables]
coordinates = [\"x\", {coordinates}, \"y\"]
[definitions]
{omega}
Jw = \"[2*w.x + 0.3*w.y, 0.3*w.x + 3*w.y - 0.2*w.z, 4*w.z - 0.2*w.y]\"
point = \"[x, y, 0] + turned([0.2, -0.1, 0.5])\"
[equations]
kinetic = \"m/2*dot(der(point), der(point)) + dot(w, Jw)/2 + x'^2 + y'^2 + sin(t)*dot(turned([0, 0, 1]), [x', y', 0])\"
potential = \"9.81*m*point.z + x^2 + 2*y^2 + x*turned([1, 0, 0]).y\"
dissipation = \"0.05*dot(w, w)\"
[initial]
x = 0.4
y = -0.2
{initial}\"x'\" = 0.3
[outputs]
a = \"turned([1, 0, 0])\"
b = \"turned([0, 1, 0])\"
omega = \"w\"
alpha = \"der(w)\"
x0 = \"x\"
y0 = \"y\"
[run]
t_end = 1
"
    )
}

#[test]
fn a_body_moves_as_it_does_with_euler_angles() {
    let (by_rotation, by_angles) = (model(&body(true)), model(&body(false)));
    for t in [0.4, 1.0] {
        let (a, b) = (reached(&by_rotation, t, 1e-12), reached(&by_angles, t, 1e-12));
        let (x, y) = (outputs(&by_rotation, &a), outputs(&by_angles, &b));
        assert!(distance(&x, &y) < 2e-10, "at {t}: {x:?}\n{y:?}");
        // Energies are the same, and so is what was lost.
        let energies = |model: &alembert_model::Model, state| model.energy(state).expect("made of energies");
        assert!((energies(&by_rotation, &a) - energies(&by_angles, &b)).abs() < 1e-9);
    }
}

#[test]
fn eulers_equations_are_those_of_a_free_body() {
    let text = "format = 1
[variables]
coordinates = [\"R : rotation\"]
[equations]
kinetic = \"(2*R.omega.x^2 + 3*R.omega.y^2 + 5*R.omega.z^2)/2\"
force = [\"R^-1*[0, 0, 7]\"]
[initial]
R = [1, 0, 0, 0]
[run]
t_end = 1
";
    let model = model(text);
    let mut random = Random(1);
    for _ in 0..20 {
        let (p, w) = (random.unit(), random.many(3));
        let (mut force, mut mass) = ([0.0; 3], [0.0; 9]);
        let mut workspace = model.system.workspace();
        let at = At::new(0.0, &p, &w);
        model.system.single(Quantity::Force, &at, &mut force, &mut workspace);
        model.system.single(Quantity::Mass, &at, &mut mass, &mut workspace);
        assert_eq!(mass, [2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 5.0]);
        let moment = alembert::rotation::to_body(&p, &[0.0, 0.0, 7.0]);
        let own = [(3.0 - 5.0) * w[1] * w[2], (5.0 - 2.0) * w[2] * w[0], (2.0 - 3.0) * w[0] * w[1]];
        let exact = [0, 1, 2].map(|i| own[i] + moment[i]);
        assert!(distance(&force, &exact) < 1e-14, "{force:?} {exact:?}");
    }
}

/// sn, cn, dn by the descending Landen transformation (arithmetic-geometric mean).
fn jacobi(u: f64, m: f64) -> [f64; 3] {
    let (mut a, mut b, mut c) = (vec![1.0], (1.0 - m).sqrt(), vec![m.sqrt()]);
    while c[c.len() - 1].abs() > 1e-12 {
        let last = a[a.len() - 1];
        a.push(0.5 * (last + b));
        c.push(0.5 * (last - b));
        b = (last * b).sqrt();
    }
    let n = a.len() - 1;
    let mut phi = f64::from(1_u32 << n) * a[n] * u;
    for k in (1..=n).rev() {
        phi = 0.5 * (phi + (c[k] / a[k] * phi.sin()).asin());
    }
    let sn = phi.sin();
    [sn, phi.cos(), (1.0 - m * sn * sn).sqrt()]
}

#[test]
fn a_free_body_tumbles_by_jacobis_functions() {
    // I1 < I2 < I3 with 2 T I2 < L^2: w1 = a cn, w2 = b sn, w3 = c dn at (n t, m), up to signs.
    let [i1, i2, i3] = [1.0_f64, 2.0, 3.5];
    let (w1, w3) = (0.9_f64, 1.4_f64);
    let text = format!(
        "format = 1\n[variables]\ncoordinates = [\"R : rotation\"]\n[equations]\nkinetic = \"({i1}*R.omega.x^2 + {i2}*R.omega.y^2 + {i3}*R.omega.z^2)/2\"\n\
         [initial]\nR = \"rotation([1, 2, -1], 1)\"\n\"R.omega\" = [{w1}, 0, {w3}]\n[run]\nt_end = 20\n"
    );
    let model = model(&text);
    let (twice, square) = (i1 * w1 * w1 + i3 * w3 * w3, (i1 * w1).powi(2) + (i3 * w3).powi(2));
    assert!(square > twice * i2);
    let n = ((i3 - i2) * (square - twice * i1) / (i1 * i2 * i3)).sqrt();
    let m = (i2 - i1) * (twice * i3 - square) / ((i3 - i2) * (square - twice * i1));
    let b = ((twice * i3 - square) / (i2 * (i3 - i2))).sqrt();
    let start = &model.guess.q;
    let momentum = |q: &[f64], w: &[f64]| to_space(&[q[0], q[1], q[2], q[3]], &[i1 * w[0], i2 * w[1], i3 * w[2]]);
    let before = momentum(start, &[w1, 0.0, w3]);
    for t in [1.0, 7.5, 20.0] {
        let state = reached(&model, t, 1e-12);
        let [sn, cn, dn] = jacobi(n * t, m);
        // I2 w2' = (I3 - I1) w3 w1 > 0 at the start.
        let exact = [w1 * cn, b * sn, w3 * dn];
        assert!(distance(&state.v, &exact) < 1e-9, "at {t}: {:?} {exact:?}", state.v);
        assert!(distance(&momentum(&state.q, &state.v), &before) < 1e-9, "at {t}");
    }
}
