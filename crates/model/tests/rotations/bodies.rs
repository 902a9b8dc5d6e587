//! Bodies that roll, hang on each other, strike the floor.

use alembert::rotation::{cross, to_body, to_space};
use alembert::{ConstrainedSystem, ErrorControl, RungeKutta, Tolerance};

use super::{distance, fixed, model, outputs, reached, run, schemes, start};

/// A homogeneous ball on a turntable: its centre goes round a circle at 2/7 of the table's speed.
const TURNTABLE: &str = "format = 1
[parameters]
m = 0.4
r = 0.1
table = 3.0
[variables]
coordinates = [\"x\", \"y\", \"R : rotation\"]
[definitions]
w = \"R*R.omega\"
[equations]
kinetic = \"m/2*(x'^2 + y'^2) + m*r^2/5*dot(R.omega, R.omega)\"
nonholonomic = [\"x' - r*w.y + table*y\", \"y' + r*w.x - table*x\"]
[initial]
x = 1
y = 0
R = \"rotation([1, 2, 0], 0.8)\"
\"x'\" = 0.2
\"y'\" = 0.5
[start]
fixed = [\"x'\", \"y'\"]
[run]
t_end = 4
";

#[test]
fn a_ball_on_a_turntable_goes_round_at_two_sevenths() {
    let model = model(TURNTABLE);
    assert_eq!(model.start.fixed_v, [0, 1]);
    let options = alembert::initial::Options { fixed_v: model.start.fixed_v.clone(), ..Default::default() };
    let (begin, _) = alembert::initial::consistent_with(&model.system, &model.guess, &options).expect("consistent");
    let tolerance = Tolerance::new(1e-11, 1e-11).expect("in range");
    let scheme = RungeKutta::radau(5).expect("odd");
    let mut integrator =
        alembert::Integrator::new(&model.system, &begin, &scheme, ErrorControl::new(), tolerance).expect("fits");
    for t in [1.0_f64, 4.0] {
        integrator.run(t, &mut alembert::Unobserved).expect("runs");
        // z' = i s z + z'(0) - i s z(0) with s = 2/7 of the speed, z = x + i y: a circle about its centre c.
        let s = 2.0 / 7.0 * 3.0;
        let c = [1.0 - 0.5 / s, 0.2 / s];
        let (sin, cos) = (s * t).sin_cos();
        let d = [1.0 - c[0], -c[1]];
        let exact = [c[0] + d[0] * cos - d[1] * sin, c[1] + d[0] * sin + d[1] * cos];
        let state = integrator.state();
        assert!(distance(&state.q[..2], &exact) < 1e-9, "at {t}: {:?} {exact:?}", &state.q[..2]);
    }
}

/// A disk that rolls, by a rotation, and by Euler angles with its Lagrangian written out (the axis is turned by theta from the vertical).
#[test]
fn a_disk_rolls_as_it_does_with_euler_angles() {
    let by_rotation = model(
        "format = 1
[parameters]
r = 0.5
m = 2.0
g = 9.81
[variables]
coordinates = [\"x\", \"y\", \"z\", \"R : rotation\"]
[definitions]
a = \"R*[0, 0, 1]\"
up = \"sqrt(1 - a.z^2)\"
contact = \"-r/up*([0, 0, 1] - a.z*a)\"
slip = \"[x', y', z'] + cross(R*R.omega, contact)\"
[equations]
kinetic = \"m/2*(x'^2 + y'^2 + z'^2) + m*r^2/8*(R.omega.x^2 + R.omega.y^2 + 2*R.omega.z^2)\"
potential = \"m*g*z\"
holonomic = [\"z - r*up\"]
nonholonomic = [\"slip.x\", \"slip.y\"]
[initial]
x = 0
y = 0
z = \"r*sin(1.2)\"
R = \"rotation([0, 0, 1], 0.3)*rotation([1, 0, 0], 1.2)*rotation([0, 0, 1], 0.5)\"
\"R.omega\" = \"[0.4*sin(1.2)*sin(0.5) + 0.2*cos(0.5), 0.4*sin(1.2)*cos(0.5) - 0.2*sin(0.5), 0.4*cos(1.2) + 6]\"
[start]
fixed = [\"R\", \"R.omega\", \"x\", \"y\"]
[outputs]
p = \"[x, y, z]\"
axis = \"a\"
w = \"R*R.omega\"
[run]
t_end = 2
",
    );
    let by_angles = model(
        "format = 1
[parameters]
r = 0.5
m = 2.0
g = 9.81
[variables]
coordinates = [\"x\", \"y\", \"phi\", \"theta\", \"psi\"]
[definitions]
z = \"r*sin(theta)\"
a = \"[sin(phi)*sin(theta), -cos(phi)*sin(theta), cos(theta)]\"
w0 = \"[theta'*cos(phi) + psi'*a.x, theta'*sin(phi) + psi'*a.y, phi' + psi'*a.z]\"
contact = \"-r/sin(theta)*([0, 0, 1] - a.z*a)\"
slip = \"[x', y', r*cos(theta)*theta'] + cross(w0, contact)\"
[equations]
kinetic = \"m/2*(x'^2 + y'^2 + r^2*cos(theta)^2*theta'^2) + m*r^2/8*(theta'^2 + phi'^2*sin(theta)^2 + 2*(psi' + phi'*cos(theta))^2)\"
potential = \"m*g*z\"
nonholonomic = [\"slip.x\", \"slip.y\"]
[initial]
x = 0
y = 0
phi = 0.3
theta = 1.2
psi = 0.5
\"phi'\" = 0.4
\"theta'\" = 0.2
\"psi'\" = 6
[start]
fixed = [\"phi'\", \"theta'\", \"psi'\"]
[outputs]
p = \"[x, y, z]\"
axis = \"a\"
w = \"w0\"
[run]
t_end = 2
",
    );
    let [one, other] = [&by_rotation, &by_angles].map(|model| {
        let options = alembert::initial::Options {
            fixed_q: model.start.fixed_q.clone(),
            fixed_v: model.start.fixed_v.clone(),
            ..Default::default()
        };
        let (begin, _) = alembert::initial::consistent_with(&model.system, &model.guess, &options)
            .unwrap_or_else(|error| panic!("{error}"));
        let tolerance = Tolerance::new(1e-11, 1e-11).expect("in range");
        let scheme = RungeKutta::radau(5).expect("odd");
        let mut integrator =
            alembert::Integrator::new(&model.system, &begin, &scheme, ErrorControl::new(), tolerance).expect("fits");
        integrator.run(2.0, &mut alembert::Unobserved).unwrap_or_else(|error| panic!("{error}"));
        outputs(model, integrator.state())
    });
    assert_eq!(by_rotation.start.fixed_q, [0, 1, 3, 4, 5]);
    assert!(distance(&one, &other) < 1e-8, "{one:?}\n{other:?}");
}

/// Two rods, the first on a ball joint, the second on the first one's end.
fn rods(tilt: f64, twist: f64) -> String {
    format!("format = 1\n[parameters]\ntilt = {tilt}\ntwist = {twist}\n{RODS}")
}

const RODS: &str = "m = 1.2
a = 0.4
J = \"m*a^2/3\"
g = 9.81
[variables]
coordinates = [\"x[1..2]\", \"y[1..2]\", \"z[1..2]\", \"R[1..2] : rotation\"]
[definitions]
top1 = \"[x[1], y[1], z[1]] + R[1]*[0, 0, a]\"
top2 = \"[x[2], y[2], z[2]] + R[2]*[0, 0, a] - ([x[1], y[1], z[1]] - R[1]*[0, 0, a])\"
spin = \"sum(m*(x[i]*y[i]' - y[i]*x[i]') + (R[i]*[J*R[i].omega.x, J*R[i].omega.y, 0.01*J*R[i].omega.z]).z for i in 1..2)\"
[equations]
kinetic = \"sum(m/2*(x[i]'^2 + y[i]'^2 + z[i]'^2) + J/2*(R[i].omega.x^2 + R[i].omega.y^2 + 0.01*R[i].omega.z^2) for i in 1..2)\"
potential = \"sum(m*g*z[i] for i in 1..2)\"
holonomic = [\"top1.x\", \"top1.y\", \"top1.z\", \"top2.x\", \"top2.y\", \"top2.z\"]
[initial]
R = \"rotation([0, 0, 1], twist*(i - 1))*rotation([0, 1, 0], -tilt*i) for i in 1..2\"
\"R.omega\" = \"[2*twist, 0.5*twist, 0] for i in 1..2\"
x = [\"-(R[1]*[0, 0, a]).x\", \"(-2*(R[1]*[0, 0, a]) - R[2]*[0, 0, a]).x\"]
y = [\"-(R[1]*[0, 0, a]).y\", \"(-2*(R[1]*[0, 0, a]) - R[2]*[0, 0, a]).y\"]
z = [\"-(R[1]*[0, 0, a]).z\", \"(-2*(R[1]*[0, 0, a]) - R[2]*[0, 0, a]).z\"]
[outputs]
about = \"spin\"
x1 = \"x[1]\"
z1 = \"z[1]\"
x2 = \"x[2]\"
z2 = \"z[2]\"
[run]
t_end = 2
";

#[test]
fn two_rods_swing_as_a_double_pendulum() {
    let spatial = model(&rods(0.7, 0.0));
    let planar = model(
        "format = 1
[parameters]
m = 1.2
a = 0.4
J = \"m*a^2/3\"
g = 9.81
[variables]
coordinates = [\"p\", \"q\"]
[definitions]
x1 = \"a*sin(p)\"
z1 = \"-a*cos(p)\"
x2 = \"2*a*sin(p) + a*sin(q)\"
z2 = \"-2*a*cos(p) - a*cos(q)\"
[equations]
kinetic = \"m/2*(x1'^2 + z1'^2 + x2'^2 + z2'^2) + J/2*(p'^2 + q'^2)\"
potential = \"m*g*(z1 + z2)\"
[initial]
p = 0.7
q = 1.4
[run]
t_end = 2
",
    );
    let (one, other) = (reached(&spatial, 2.0, 1e-11), reached(&planar, 2.0, 1e-11));
    let found = &outputs(&spatial, &one)[1..];
    let (p, q, a) = (other.q[0], other.q[1], 0.4);
    let exact = [a * p.sin(), -a * p.cos(), 2.0 * a * p.sin() + a * q.sin(), -2.0 * a * p.cos() - a * q.cos()];
    assert!(distance(found, &exact) < 1e-8, "{found:?} {exact:?}");
}

#[test]
fn two_rods_in_space_keep_what_they_should() {
    let model = model(&rods(0.7, 1.1));
    let begin = start(&model);
    let (spin, energy) = (outputs(&model, &begin)[0], model.energy(&begin).expect("of energies"));
    assert!(spin.abs() > 0.05, "{spin}");
    let tight = Tolerance::new(1e-9, 1e-9).expect("in range");
    for (name, _, scheme) in schemes() {
        let (state, within) = match name {
            "radau 3" | "radau 5" | "bdf" => (run(&model, &*scheme, ErrorControl::new(), tight, 1.0, |_| {}), 1e-6),
            _ => (run(&model, &*scheme, fixed(2e-3), tight, 1.0, |_| {}), 2e-2),
        };
        let (after, now) = (outputs(&model, &state)[0], model.energy(&state).expect("of energies"));
        println!("{name}: spin {:e}, energy {:e}", after - spin, now - energy);
        assert!(
            (after - spin).abs() < within && (now - energy).abs() < within,
            "{name}: {after} {spin} {now} {energy}"
        );
    }
}

#[test]
fn a_corner_strikes_the_floor() {
    let text = "format = 1
[parameters]
m = 2.0
[variables]
coordinates = [\"x\", \"y\", \"z\", \"R : rotation\"]
[definitions]
corner = \"[x, y, z] + R*[0.3, 0.2, -0.1]\"
[equations]
kinetic = \"m/2*(x'^2 + y'^2 + z'^2) + (0.1*R.omega.x^2 + 0.2*R.omega.y^2 + 0.25*R.omega.z^2)/2\"
potential = \"m*9.81*z\"
[initial]
x = 0
y = 0
z = 0.6
R = \"rotation([1, -1, 0.5], 0.9)\"
\"R.omega\" = [1, -2, 0.5]
[[events]]
name = \"floor\"
formula = \"corner.z\"
direction = \"falling\"
action = \"bounce\"
restitution = 0.6
[[events]]
name = \"brake\"
formula = \"t - 0.05\"
action = \"set\"
set = { \"R.omega\" = \"R.omega/2\", \"R.omega.x\" = 0.25 }
[run]
t_end = 0.5
";
    let twice = super::mistakes(text);
    assert!(twice.contains("`R.omega.x` is given twice"), "{twice}");
    let model = model(&text.replace(", \"R.omega.x\" = 0.25", ""));
    let begin = start(&model);
    let tolerance = Tolerance::new(1e-10, 1e-10).expect("in range");
    let scheme = RungeKutta::radau(5).expect("odd");
    let mut integrator =
        alembert::Integrator::new(&model.system, &begin, &scheme, ErrorControl::new(), tolerance).expect("fits");
    model.events.iter().for_each(|event| {
        integrator.add_event(event.watcher());
    });
    integrator.run(0.5, &mut alembert::Unobserved).expect("runs");
    let [brake, floor, ..] = integrator.occurrences() else { panic!("two events") };
    for i in 0..3 {
        assert_eq!(brake.after.v[3 + i], 0.5 * brake.before.v[3 + i]);
    }
    // The corner comes back with 0.6 of its speed, by an impulse along z that acts there and nowhere else.
    let (q, before, after) = (&floor.before.q, &floor.before.v, &floor.after.v);
    let p = [q[3], q[4], q[5], q[6]];
    let arm = [0.3, 0.2, -0.1];
    assert!((q[2] + to_space(&p, &arm)[2]).abs() < 1e-12);
    let speed = |v: &[f64]| v[2] + to_space(&p, &cross(&[v[3], v[4], v[5]], &arm))[2];
    assert!((speed(after) + 0.6 * speed(before)).abs() < 1e-11, "{} {}", speed(before), speed(after));
    let impulse = 2.0 * (after[2] - before[2]);
    let moment = cross(&arm, &to_body(&p, &[0.0, 0.0, impulse]));
    let change = [0.1, 0.2, 0.25].iter().enumerate().map(|(i, j)| j * (after[3 + i] - before[3 + i]));
    assert!(distance(&change.collect::<Vec<f64>>(), &moment) < 1e-11);
    assert!(distance(&after[..2], &before[..2]) < 1e-12 && impulse > 0.1);
    assert_eq!(model.system.dims().q, 7);
}
