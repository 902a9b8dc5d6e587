//! What formulas with `if` and functions of the file cost beside Rust written by hand with the same branches: nanoseconds for one
//! evaluation of the residual (M a - f - r, g, k) and of its derivative in q, over points on both sides of every condition.
//!
//! ```sh
//! cargo run --release -p alembert-model --example branches
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

use alembert::{ConstrainedSystem, Differentiated, Dims, Equations, Formulas, Point, Scalar};
use alembert_model::Model;

/// A suspension: a stop with a stiffening rubber, a tyre that lifts off, a damper with two rates.
const SUSPENSION: &str = r#"
format = 1
[parameters]
k = 2e4
c = [1500, 400]
tyre = 2e5
gap = 0.02
[functions]
"damper(w)" = "if(w > 0, c[1]*w, c[2]*w)"
"stop(s)" = "if(s > gap, 3e3*(exp(40*(s - gap)) - 1), 0)"
[variables]
coordinates = ["z", "y"]
[definitions]
lift = "0.01*sin(9*t) - y"
strut = "-k*(z - y) - damper(z' - y') - stop(z - y) + stop(y - z)"
[equations]
mass = [250, 40]
force = ["strut - 2452.5", "-strut - 392.4 + if(lift > 0, tyre*lift, 0)"]
[initial]
z = 0
y = 0
[run]
t_end = 1
"#;

/// Dry friction with the law of Stribeck, and a drive with three cases, all of them expensive.
const FRICTION: &str = r#"
format = 1
[functions]
"stribeck(w)" = "if(abs(w) < 0.01, 100*w, sign(w)*(0.6 + 0.4*exp(-(w/0.1)^2)))"
"drive(s)" = "if(s < -0.5, sin(3*s)*exp(s), if(s < 0.5, tanh(5*s) + cos(s), log(1 + s^2)*sqrt(1 + s)))"
[variables]
coordinates = ["z", "y"]
[equations]
mass = [1, 2]
force = ["drive(z) - stribeck(z' - y')", "drive(y) + stribeck(z' - y')"]
[initial]
z = 0
y = 0
[run]
t_end = 1
"#;

struct Suspension;

impl Formulas for Suspension {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(250.0), S::from(40.0));
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        let stop = |s: S| {
            if s.value() > 0.02 { (((s - 0.02) * 40.0).exp() - 1.0) * 3e3 } else { S::from(0.0) }
        };
        let (s, w) = (q[0] - q[1], v[0] - v[1]);
        let damper = if w.value() > 0.0 { w * 1500.0 } else { w * 400.0 };
        let strut = -(s * 2e4) - damper - stop(s) + stop(-s);
        let lift = (t * 9.0).sin() * 0.01 - q[1];
        let tyre = if lift.value() > 0.0 { lift * 2e5 } else { S::from(0.0) };
        force[0] = strut - 2452.5;
        force[1] = -strut - 392.4 + tyre;
    }
}

struct Friction;

impl Formulas for Friction {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(2.0));
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        let drive = |s: S| match s.value() {
            x if x < -0.5 => (s * 3.0).sin() * s.exp(),
            x if x < 0.5 => (s * 5.0).tanh() + s.cos(),
            _ => (s * s + 1.0).ln() * (s + 1.0).sqrt(),
        };
        let w = v[0] - v[1];
        let friction = if w.value().abs() < 0.01 {
            w * 100.0
        } else {
            let ratio = w / S::from(0.1);
            ((-(ratio * ratio)).exp() * 0.4 + 0.6) * w.value().signum()
        };
        force[0] = drive(q[0]) - friction;
        force[1] = drive(q[1]) + friction;
    }
}

/// (t, q, v) on all sides, in no order that a processor could learn.
fn points() -> Vec<(f64, [f64; 2], [f64; 2])> {
    let mut state = 7_u64;
    let mut next = |size: f64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        size * ((state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    };
    (0..512).map(|_| (next(3.0), [next(0.9), next(0.9)], [next(0.05), next(0.05)])).collect()
}

/// Nanoseconds of the fastest of some rounds over the points, for each of two calls in turn.
fn time(count: usize, calls: &mut [&mut dyn FnMut(usize); 2]) -> [f64; 2] {
    let mut best = [Duration::MAX; 2];
    for _ in 0..400 {
        for (call, best) in calls.iter_mut().zip(&mut best) {
            let clock = Instant::now();
            (0..count).for_each(&mut *call);
            *best = (*best).min(clock.elapsed());
        }
    }
    best.map(|best| best.as_nanos() as f64 / count as f64)
}

fn compare(name: &str, text: &str, theirs: &dyn ConstrainedSystem, scale: f64) {
    let model = match Model::parse(name, text, &[]) {
        Ok(model) => model,
        Err(mistakes) => return println!("{mistakes}"),
    };
    let points: Vec<_> = points().into_iter().map(|(t, q, v)| (t, q.map(|q| q * scale), v)).collect();
    let systems: [&dyn ConstrainedSystem; 2] = [&model.system, theirs];
    let at = |i: usize| {
        let (t, q, v) = &points[i];
        Point { t: *t, q, v, lambda: &[], psi: &[] }
    };
    // Both must say the same before it matters which is faster.
    for i in 0..points.len() {
        let [mine, theirs] = systems.map(|system| {
            let mut r = [0.0; 2];
            let _ = Equations::new(system).residual(at(i), &[0.0; 2], &mut r, &mut []);
            r
        });
        for (mine, theirs) in mine.iter().zip(theirs) {
            assert!((mine - theirs).abs() <= 1e-12 * (1.0 + theirs.abs()), "{name}: {mine} {theirs}");
        }
    }
    let measure = |wanted: usize| {
        let [mut first, mut second] = systems.map(|system| {
            let mut equations = Equations::new(system);
            let (mut r, mut s, mut work) = ([0.0; 2], [0.0; 4], [0.0; 4]);
            move |i: usize| {
                let a = [0.3, 0.2];
                if wanted == 0 {
                    let _ = black_box(equations.residual(black_box(at(i)), &a, &mut r, &mut []));
                } else {
                    let _ = black_box(equations.residual_q(black_box(at(i)), &a, &mut s, &mut work));
                }
            }
        });
        time(points.len(), &mut [&mut first, &mut second])
    };
    print!("{name:12}");
    for wanted in [0, 1] {
        let [mine, theirs] = measure(wanted);
        print!("  {mine:9.1} {theirs:9.1} {:9.2} ", mine / theirs);
    }
    println!();
}

fn main() {
    println!("{:12}  {:>30}  {:>30}", "", "residual (ns)", "residual_q (ns)");
    println!("{:12}  {}", "model", "   file      Rust      ratio    ".repeat(2));
    compare("suspension", SUSPENSION, &Differentiated::new(Suspension), 0.05);
    compare("friction", FRICTION, &Differentiated::new(Friction), 1.0);
}
