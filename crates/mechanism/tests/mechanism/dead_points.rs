//! Linkages through their dead points, against the motion of one angle that their energy gives.
//!
//! On the branch of momentum every point is a known function of one angle theta, so that
//!
//! ```text
//! I(theta) theta'^2/2 + V(theta) = E        theta' = sqrt(2 (E - V)/I), as long as it turns in one direction
//! ```
//!
//! with I = sum m |dp/dtheta|^2 + J (dpsi/dtheta)^2 over the bodies. The pantograph has two angles; its reference is their equations of motion.

use std::f64::consts::{PI, TAU};

use alembert::{GeneralizedAlpha, Plan, RungeKutta, Tolerance, VariableBdf, solve};
use alembert_mechanism::joint::{PointOnLine, Revolute};
use alembert_mechanism::{Body, GROUND, Mechanism};

/// A rigid body of a linkage at an angle: mass, moment of inertia about its centre, centre, and angle of its axis.
#[derive(Clone, Copy)]
struct Rod {
    mass: f64,
    inertia: f64,
    p: [f64; 2],
    angle: f64,
}

/// A bar between two points, of a mass per length.
fn bar(from: [f64; 2], to: [f64; 2], density: f64) -> Rod {
    let d = [to[0] - from[0], to[1] - from[1]];
    let length = d[0].hypot(d[1]);
    let mass = density * length;
    let p = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])];
    Rod { mass, inertia: mass * length * length / 12.0, p, angle: d[1].atan2(d[0]) }
}

fn polar(r: f64, angle: f64) -> [f64; 2] {
    [r * angle.cos(), r * angle.sin()]
}

fn plus(x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    [x[0] + y[0], x[1] + y[1]]
}

/// The first body, or the ground; the second body; the place.
type Pin = (Option<usize>, usize, [f64; 2]);

/// A linkage of one angle.
struct Linkage {
    name: &'static str,
    /// Its bodies at an angle.
    bodies: fn(f64) -> Vec<Rod>,
    /// Pins, whose places are fixed by the poses at the start.
    pins: fn(f64) -> Vec<Pin>,
    /// A body whose centre slides along the axis x.
    slider: Option<usize>,
    /// Angles at which it is singular, within a turn.
    dead: &'static [f64],
}

/// Cranks of 1 on a ground of 1.7, the coupler stays level.
const PARALLELOGRAM: Linkage = Linkage {
    name: "parallelogram",
    bodies: |theta| {
        let (a, b) = (polar(1.0, theta), plus([1.7, 0.0], polar(1.0, theta)));
        vec![bar([0.0; 2], a, 1.0), bar(a, b, 2.0), bar([1.7, 0.0], b, 1.5)]
    },
    pins: |theta| {
        let (a, b) = (polar(1.0, theta), plus([1.7, 0.0], polar(1.0, theta)));
        vec![(None, 0, [0.0; 2]), (Some(0), 1, a), (Some(1), 2, b), (None, 2, [1.7, 0.0])]
    },
    slider: None,
    dead: &[0.0, PI],
};

/// The end of the other crank where the bars cross: tan(phi/2) = -(b + a)/(b - a) tan(theta/2).
fn crossed(theta: f64) -> [f64; 2] {
    let k = (1.7 + 1.0) / (1.7 - 1.0);
    let phi = 2.0 * (-k * (0.5 * theta).sin()).atan2((0.5 * theta).cos());
    plus([1.7, 0.0], polar(1.0, phi))
}

/// The same bars crossed.
const ANTIPARALLELOGRAM: Linkage = Linkage {
    name: "antiparallelogram",
    bodies: |theta| {
        let (a, b) = (polar(1.0, theta), crossed(theta));
        vec![bar([0.0; 2], a, 1.0), bar(a, b, 2.0), bar([1.7, 0.0], b, 1.5)]
    },
    pins: |theta| {
        let (a, b) = (polar(1.0, theta), crossed(theta));
        vec![(None, 0, [0.0; 2]), (Some(0), 1, a), (Some(1), 2, b), (None, 2, [1.7, 0.0])]
    },
    slider: None,
    dead: &[0.0, PI],
};

/// The tip of a kite of sides 1, 1, 1.6, 1.6.
fn tip(theta: f64) -> [f64; 2] {
    let (s, c) = (0.5 * theta).sin_cos();
    polar(c + (1.6 * 1.6 - s * s).sqrt(), 0.5 * theta)
}

/// A kite: crank and ground of 1, two rods of 1.6. Where the crank lies on the ground the rods could turn together, and the crank rest.
const KITE: Linkage = Linkage {
    name: "kite",
    bodies: |theta| {
        let (a, b) = (polar(1.0, theta), tip(theta));
        vec![bar([0.0; 2], a, 1.0), bar(a, b, 1.0), bar([1.0, 0.0], b, 0.5)]
    },
    pins: |theta| {
        let (a, b) = (polar(1.0, theta), tip(theta));
        vec![(None, 0, [0.0; 2]), (Some(0), 1, a), (Some(1), 2, b), (None, 2, [1.0, 0.0])]
    },
    slider: None,
    dead: &[0.0],
};

/// Crank and rod of 1, upright one lies on the other: the slider could rest, and both turn.
const SLIDER_CRANK: Linkage = Linkage {
    name: "slider-crank",
    bodies: |theta| {
        let (a, b) = (polar(1.0, theta), [2.0 * theta.cos(), 0.0]);
        let slider = Rod { mass: 0.7, inertia: 0.01, p: b, angle: 0.0 };
        vec![bar([0.0; 2], a, 1.0), bar(a, b, 1.0), slider]
    },
    pins: |theta| {
        let a = polar(1.0, theta);
        vec![(None, 0, [0.0; 2]), (Some(0), 1, a), (Some(1), 2, [2.0 * theta.cos(), 0.0])]
    },
    slider: Some(2),
    dead: &[0.5 * PI, 1.5 * PI],
};

const ALL: [&Linkage; 4] = [&PARALLELOGRAM, &ANTIPARALLELOGRAM, &KITE, &SLIDER_CRANK];

/// How large, heavy and fast it is, and gravity.
#[derive(Clone, Copy)]
struct Scale {
    length: f64,
    mass: f64,
    /// Where it starts, and how fast.
    start: [f64; 2],
    gravity: f64,
}

const PLAIN: Scale = Scale { length: 1.0, mass: 1.0, start: [1.0, -2.0], gravity: 0.0 };

impl Linkage {
    /// Derivatives of centres and angles by theta, by differences of sixth order.
    fn slopes(&self, theta: f64) -> Vec<[f64; 3]> {
        let e = 2e-3;
        let at = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0].map(|k| (self.bodies)(theta + k * e));
        let weights = [-1.0 / 60.0, 0.15, -0.75, 0.75, -0.15, 1.0 / 60.0];
        let count = at[0].len();
        let slope = |body: usize, part: fn(&Rod) -> f64| {
            let middle = part(&at[2][body]);
            // Angles may jump by a turn between places.
            let near = |x: f64, turns: bool| if turns { x - TAU * ((x - middle) / TAU).round() } else { x };
            let turns = part(&Rod { mass: 0.0, inertia: 0.0, p: [0.0; 2], angle: 1.0 }) == 1.0;
            at.iter().zip(weights).map(|(rods, w)| w * near(part(&rods[body]), turns)).sum::<f64>() / e
        };
        (0..count).map(|k| [slope(k, |r| r.p[0]), slope(k, |r| r.p[1]), slope(k, |r| r.angle)]).collect()
    }

    /// I and V at an angle, for length and mass 1.
    fn energies(&self, theta: f64, gravity: f64) -> [f64; 2] {
        let (rods, slopes) = ((self.bodies)(theta), self.slopes(theta));
        let one = |rod: &Rod, [x, y, psi]: &[f64; 3]| rod.mass * (x * x + y * y) + rod.inertia * psi * psi;
        let inertia = rods.iter().zip(&slopes).map(|(rod, slope)| one(rod, slope)).sum();
        [inertia, rods.iter().map(|rod| rod.mass * gravity * rod.p[1]).sum()]
    }

    /// theta at times from 0 to the end, and the times of dead points.
    fn exact(&self, scale: &Scale, until: f64, count: usize) -> (Vec<f64>, Vec<f64>) {
        let ([theta, speed], gravity) = (scale.start, scale.gravity / scale.length);
        let [inertia, potential] = self.energies(theta, gravity);
        let energy = 0.5 * inertia * speed * speed + potential;
        let rate = |theta: f64| {
            let [inertia, potential] = self.energies(theta, gravity);
            assert!(energy > potential, "{}: it has to turn on", self.name);
            speed.signum() * (2.0 * (energy - potential) / inertia).sqrt()
        };
        let parts = 400;
        let h = until / (count * parts) as f64;
        let step = |x: f64, h: f64| {
            let k1 = rate(x);
            let k2 = rate(x + 0.5 * h * k1);
            let k3 = rate(x + 0.5 * h * k2);
            let k4 = rate(x + h * k3);
            x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        };
        let (mut x, mut out, mut dead) = (theta, vec![theta], Vec::new());
        for k in 0..count * parts {
            let next = step(x, h);
            for angle in self.dead {
                let turns = |x: f64| ((x - angle) / TAU).floor();
                if turns(x) != turns(next) {
                    let wanted = angle + TAU * turns(x.max(next));
                    let (mut low, mut high) = (0.0, h);
                    for _ in 0..40 {
                        let middle = 0.5 * (low + high);
                        *if (step(x, middle) - wanted) * (x - wanted) > 0.0 { &mut low } else { &mut high } = middle;
                    }
                    dead.push(k as f64 * h + high);
                }
            }
            x = next;
            if (k + 1) % parts == 0 {
                out.push(x);
            }
        }
        (out, dead)
    }

    fn build(&self, scale: &Scale) -> Mechanism {
        let Scale { length: l, mass: m, start: [theta, speed], gravity } = *scale;
        let mut b = Mechanism::builder();
        b.planar().gravity([0.0, -gravity, 0.0]);
        let (rods, slopes) = ((self.bodies)(theta), self.slopes(theta));
        let ids: Vec<_> = (rods.iter().zip(&slopes).enumerate())
            .map(|(k, (rod, [x, y, psi]))| {
                let body = Body::new(rod.mass * m, [1.0, 1.0, rod.inertia * m * l * l]);
                let body = body.at([rod.p[0] * l, rod.p[1] * l, 0.0]).angled(rod.angle);
                let body = body.moving([x * l * speed, y * l * speed, 0.0]).spinning([0.0, 0.0, psi * speed]);
                b.body(format!("{} {k}", self.name), body)
            })
            .collect();
        let local = |k: usize, place: [f64; 2]| {
            let rod = &rods[k];
            let ((s, c), d) = (rod.angle.sin_cos(), [place[0] - rod.p[0], place[1] - rod.p[1]]);
            [l * (c * d[0] + s * d[1]), l * (c * d[1] - s * d[0]), 0.0]
        };
        for (pin, (first, second, place)) in (self.pins)(theta).into_iter().enumerate() {
            let first = first.map_or(GROUND.at([place[0] * l, place[1] * l, 0.0]), |k| ids[k].at(local(k, place)));
            b.joint(format!("pin {pin}"), Revolute, first, ids[second].at(local(second, place)));
        }
        if let Some(k) = self.slider {
            b.joint("guide", PointOnLine, GROUND.origin().axis([1.0, 0.0, 0.0]), ids[k].origin());
        }
        let mut mechanism = b.build().expect("right");
        mechanism.close().expect("drawn closed");
        mechanism
    }

    /// Runs it, and returns the largest error of positions relative to the size, and that of the times of passages.
    fn compare(&self, scale: &Scale, until: f64, method: Method) -> [f64; 2] {
        let mechanism = self.build(scale);
        let through = mechanism.solve_through(0.0..until, || method.plan());
        let through = through.unwrap_or_else(|error| panic!("{} by {method:?}: {error}", self.name));
        let count = 24;
        let (angles, dead) = self.exact(scale, until, count);
        let mut off = 0.0_f64;
        for (k, theta) in angles.iter().enumerate() {
            let state = through.at(until * k as f64 / count as f64).expect("in range");
            for ((id, _), rod) in mechanism.bodies().zip((self.bodies)(*theta)) {
                let p = mechanism.motion(id, &state).p;
                off = off.max((p[0] / scale.length - rod.p[0]).abs()).max((p[1] / scale.length - rod.p[1]).abs());
            }
        }
        let times: Vec<f64> = through.passages.iter().map(|passage| passage.at.t).collect();
        assert!(!dead.is_empty() && times.len() == dead.len(), "{}: {times:?} {dead:?}", self.name);
        let late = times.iter().zip(&dead).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs())) / until;
        for passage in &through.passages {
            assert!(passage.at.joints.len() >= 3, "{}: {}", self.name, passage.at);
        }
        [off, late]
    }
}

fn tolerance(rtol: f64) -> Tolerance {
    Tolerance::relative(rtol).expect("in range")
}

#[derive(Clone, Copy, Debug)]
enum Method {
    Radau,
    Bdf,
    Soi2,
}

impl Method {
    fn plan<'s>(self) -> Plan<'s> {
        match self {
            Method::Radau => Plan::new(tolerance(1e-9)).with_method(RungeKutta::default()),
            Method::Bdf => Plan::new(tolerance(1e-9)).with_method(VariableBdf::new()),
            Method::Soi2 => {
                Plan::new(tolerance(1e-6)).with_method(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))
            }
        }
    }
}

#[test]
fn linkages_pass_their_dead_points_with_every_method() {
    for linkage in ALL {
        for (method, limit) in [(Method::Radau, 1e-7), (Method::Bdf, 1e-7), (Method::Soi2, 1e-5)] {
            let [off, late] = linkage.compare(&PLAIN, 5.0, method);
            println!("{} by {method:?}: off by {off:.1e}, times by {late:.1e}", linkage.name);
            assert!(off < limit && late < limit, "{} by {method:?}: {off:e} {late:e}", linkage.name);
        }
    }
}

#[test]
fn no_method_steps_over_a_dead_point() {
    for linkage in ALL {
        let (mechanism, (_, dead)) = (linkage.build(&PLAIN), linkage.exact(&PLAIN, 5.0, 24));
        for method in [Method::Radau, Method::Bdf, Method::Soi2] {
            let motion = solve(mechanism.system(), mechanism.guess(), 0.0..5.0, method.plan()).expect("starts");
            let error = motion.outcome().clone().expect_err("there is a dead point");
            let at = mechanism.stopped_at(&error, motion.last()).unwrap_or_else(|| panic!("{}: {error}", linkage.name));
            println!("{} by {method:?}: {at}, {:.1e} off", linkage.name, at.t - dead[0]);
            // The last steps before the point are not accurate any more.
            assert!((at.t - dead[0]).abs() < 3e-5, "{} by {method:?}: {at}, not {}", linkage.name, dead[0]);
        }
    }
}

#[test]
fn size_mass_and_speed_do_not_matter() {
    for linkage in ALL {
        for (length, mass, speed) in
            [(1e3, 1e3, -2.0), (1e-3, 1e-6, -2.0), (1e3, 1e6, -2.0), (1.0, 1.0, 2e-4), (1.0, 1.0, 2e4)]
        {
            let scale = Scale { length, mass, start: [1.0, speed], gravity: 0.0 };
            let [off, late] = linkage.compare(&scale, 6.0 / f64::abs(speed), Method::Radau);
            println!("{} of {length}, {mass}, {speed}: off by {off:.1e}, times by {late:.1e}", linkage.name);
            assert!(off < 1e-7 && late < 1e-7, "{} of {length}, {mass}, {speed}: {off:e} {late:e}", linkage.name);
        }
    }
}

#[test]
fn slow_passages_on_top_are_passed() {
    // Upright the slider-crank has the highest energy. It comes there with a small part of the speed that it has below.
    for share in [0.3, 0.1, 0.03] {
        let gravity = 9.81;
        let [_, top] = SLIDER_CRANK.energies(0.5 * PI, gravity);
        let [inertia, start] = SLIDER_CRANK.energies(0.0, gravity);
        let speed = (2.0 * (top - start) / inertia * (1.0 + share * share)).sqrt();
        let scale = Scale { length: 1.0, mass: 1.0, start: [0.0, speed], gravity };
        let [off, late] = SLIDER_CRANK.compare(&scale, 4.0, Method::Radau);
        println!("{share}: off by {off:.1e}, times by {late:.1e}");
        // An error of the speed on top is divided by this speed.
        assert!(off < 1e-8 / share.powi(3) && late < 1e-8 / share.powi(3), "{share}: {off:e} {late:e}");
    }
}

/// Bars OA, OC of 1 and 1.3 about a fixed pin, CB and AB parallel to them: two freedoms, flat wherever the angles are equal.
#[test]
fn a_pantograph_of_two_freedoms_passes_its_flat_position() {
    let (a, c) = (1.0, 1.3);
    let place = |x: [f64; 2]| {
        let (p, r) = (polar(a, x[0]), polar(c, x[1]));
        let b = plus(p, r);
        [bar([0.0; 2], p, 1.0), bar([0.0; 2], r, 1.0), bar(p, b, 1.0), bar(r, b, 1.0)]
    };
    // T = (A x' ^2 + 2 B cos(x - y) x' y' + C y'^2)/2.
    let inertia = [a * a * a / 3.0 + a * a * c + a * a * a / 3.0, c * c * c / 3.0 + c * c * a + c * c * c / 3.0];
    let coupling = 0.5 * a * c * c + 0.5 * c * a * a;
    let rate = |x: [f64; 4]| {
        let (s, k) = (x[0] - x[1]).sin_cos();
        let right = [-coupling * s * x[3] * x[3], coupling * s * x[2] * x[2]];
        let determinant = inertia[0] * inertia[1] - coupling * coupling * k * k;
        let first = (inertia[1] * right[0] - coupling * k * right[1]) / determinant;
        let second = (inertia[0] * right[1] - coupling * k * right[0]) / determinant;
        [x[2], x[3], first, second]
    };
    let start = [0.9, 0.2, -1.0, 1.5];
    let mut b = Mechanism::builder();
    b.planar();
    let slope = |k: usize| {
        let moved = |e: f64| place([start[0] + e * start[2], start[1] + e * start[3]])[k].p;
        let (up, down) = (moved(1e-6), moved(-1e-6));
        [(up[0] - down[0]) / 2e-6, (up[1] - down[1]) / 2e-6, 0.0]
    };
    let rods = place([start[0], start[1]]);
    let spins = [start[2], start[3], start[3], start[2]];
    let names = ["OA", "OC", "AB", "CB"];
    let ids: Vec<_> = (0..4)
        .map(|k| {
            let rod = &rods[k];
            let body = Body::new(rod.mass, [1.0, 1.0, rod.inertia]).at([rod.p[0], rod.p[1], 0.0]).angled(rod.angle);
            b.body(names[k], body.moving(slope(k)).spinning([0.0, 0.0, spins[k]]))
        })
        .collect();
    let end = |k: usize, side: f64| ids[k].at([0.5 * side * [a, c, c, a][k], 0.0, 0.0]);
    b.joint("O1", Revolute, GROUND.origin(), end(0, -1.0));
    b.joint("O2", Revolute, GROUND.origin(), end(1, -1.0));
    b.joint("A", Revolute, end(0, 1.0), end(2, -1.0));
    b.joint("C", Revolute, end(1, 1.0), end(3, -1.0));
    b.joint("B", Revolute, end(2, 1.0), end(3, 1.0));
    let mut mechanism = b.build().expect("right");
    mechanism.close().expect("drawn closed");
    let through = mechanism.solve_through(0.0..4.0, || Method::Radau.plan()).unwrap_or_else(|error| panic!("{error}"));
    let (mut x, h, mut off, mut flat) = (start, 1.0 / 4096.0, 0.0_f64, 0);
    for k in 1..=4 * 4096 {
        let moved = |x: [f64; 4], s: f64, k: [f64; 4]| [0, 1, 2, 3].map(|i| x[i] + s * k[i]);
        let k1 = rate(x);
        let k2 = rate(moved(x, 0.5 * h, k1));
        let k3 = rate(moved(x, 0.5 * h, k2));
        let k4 = rate(moved(x, h, k3));
        let next = [0, 1, 2, 3].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        flat += usize::from((x[0] - x[1]).sin() * (next[0] - next[1]).sin() < 0.0);
        x = next;
        if k % 512 == 0 {
            let state = through.at(k as f64 * h).expect("in range");
            for (id, rod) in ids.iter().zip(place([x[0], x[1]])) {
                let p = mechanism.motion(*id, &state).p;
                off = off.max((p[0] - rod.p[0]).abs()).max((p[1] - rod.p[1]).abs());
            }
        }
    }
    println!("{} passages, off by {off:.1e}", through.passages.len());
    assert!(off < 1e-7 && flat >= 2 && through.passages.len() == flat, "{off:e}: {flat} {}", through.passages.len());
}
