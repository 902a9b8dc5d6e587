//! 500 random impacts: fixed, moving and curved surfaces from a micrometre to a thousand kilometres, masses over decades, with
//! and without constraints, derivatives by formula, by hand and by differences.
//!
//! The law is computed here in reduced coordinates, v = v_p + Z z with C Z = 0:
//!
//! ```text
//! v+ = v - (1+e) (phi_t + phi_q v) / (n (Z^T M Z)^-1 n^T) Z (Z^T M Z)^-1 n^T,      n = phi_q Z
//! ```

use alembert::method::Scheme;
use alembert::{
    Differentiated, Dims, Direction, ErrorControl, Event, EventFormula, Formulas, GeneralizedAlpha, Guess, HhtAlpha,
    Integrator, RungeKutta, Scalar, State, Tolerance, VariableBdf, consistent,
};

type Vector = [f64; 3];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
    fn decades(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(self.between(low, high))
    }
    fn unit(&mut self) -> Vector {
        loop {
            let v = [0; 3].map(|_| self.between(-1.0, 1.0));
            let length = dot(v, v).sqrt();
            if (0.3..1.0).contains(&length) {
                return v.map(|x| x / length);
            }
        }
    }
}

fn dot(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn times(m: &[Vector; 3], x: Vector) -> Vector {
    m.map(|row| dot(row, x))
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn add(a: Vector, s: f64, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] + s * b[i])
}

#[derive(Clone, Copy, Debug)]
enum Constraint {
    Free,
    /// c q = c q0 + w t.
    Plane {
        c: Vector,
        at: f64,
        w: f64,
    },
    /// |q - k - w t|^2 = r^2.
    Sphere {
        k: Vector,
        w: Vector,
        r: f64,
    },
    /// (b + skew q/s) v = w, not integrable.
    Rolling {
        b: Vector,
        skew: Vector,
        s: f64,
        w: f64,
    },
}

/// Three coordinates with a full mass matrix in a constant field.
#[derive(Clone, Copy, Debug)]
struct Body {
    mass: [Vector; 3],
    field: Vector,
    constraint: Constraint,
}

impl Body {
    /// C at (t,q), if there is a constraint.
    fn row(&self, t: f64, q: Vector) -> Option<Vector> {
        match self.constraint {
            Constraint::Free => None,
            Constraint::Plane { c, .. } => Some(c),
            Constraint::Sphere { k, w, .. } => Some(add(add(q, -1.0, k), -t, w)),
            Constraint::Rolling { b, skew, s, .. } => Some(add(b, 1.0 / s, cross(skew, q))),
        }
    }
}

impl Formulas for Body {
    fn dims(&self) -> Dims {
        let (lambda, psi) = match self.constraint {
            Constraint::Free => (0, 0),
            Constraint::Rolling { .. } => (0, 1),
            _ => (1, 0),
        };
        Dims { q: 3, v: 3, lambda, psi }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass.iter_mut().zip(self.mass.as_flattened()).for_each(|(out, m)| *out = S::from(*m));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force.iter_mut().zip(times(&self.mass, self.field)).for_each(|(out, f)| *out = S::from(f));
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        match self.constraint {
            Constraint::Plane { c, at, w } => g[0] = q[0] * c[0] + q[1] * c[1] + q[2] * c[2] - at - t * w,
            Constraint::Sphere { k, w, r } => {
                let away = |i: usize| q[i] - k[i] - t * w[i];
                // In units of length, so that a millimetre is not a millionth.
                g[0] = (away(0).powi(2) + away(1).powi(2) + away(2).powi(2)) / (2.0 * r) - 0.5 * r;
            }
            _ => {}
        }
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        if let Constraint::Rolling { b, skew, s, w } = self.constraint {
            let turned = |i: usize, j: usize, l: usize| (q[l] * skew[j] - q[j] * skew[l]) / s + b[i];
            k[0] = turned(0, 1, 2) * v[0] + turned(1, 2, 0) * v[1] + turned(2, 0, 1) * v[2] - w;
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Surface {
    /// n q - d - w t - a sin(om t), times k.
    Plane { n: Vector, d: f64, w: f64, a: f64, om: f64, k: f64 },
    /// |q - c - w t| - r, or the square of it.
    Ball { c: Vector, w: Vector, r: f64, squared: bool },
    /// n q - |q - c|^2/2r - d - w t.
    Bowl { n: Vector, c: Vector, r: f64, d: f64, w: f64 },
}

impl EventFormula for Surface {
    fn value<S: Scalar>(&self, t: S, q: &[S], _: &[S]) -> S {
        let along = |n: &Vector| q[0] * n[0] + q[1] * n[1] + q[2] * n[2];
        match self {
            Surface::Plane { n, d, w, a, om, k } => (along(n) - *d - t * *w - (t * *om).sin() * *a) * *k,
            Surface::Ball { c, w, r, squared } => {
                let away = |i: usize| q[i] - c[i] - t * w[i];
                let square = away(0).powi(2) + away(1).powi(2) + away(2).powi(2);
                if *squared { square - r * r } else { square.sqrt() - *r }
            }
            Surface::Bowl { n, c, r, d, w } => {
                let away = |i: usize| q[i] - c[i];
                let square = away(0).powi(2) + away(1).powi(2) + away(2).powi(2);
                along(n) - square / (2.0 * *r) - *d - t * *w
            }
        }
    }
}

impl Surface {
    /// phi_t and phi_q by hand.
    fn gradient(&self, t: f64, q: Vector) -> (f64, Vector) {
        match *self {
            Surface::Plane { n, w, a, om, k, .. } => (-k * (w + a * om * (om * t).cos()), n.map(|n| k * n)),
            Surface::Ball { c, w, squared, .. } => {
                let away = add(add(q, -1.0, c), -t, w);
                let unit = if squared { away.map(|x| 2.0 * x) } else { away.map(|x| x / dot(away, away).sqrt()) };
                (-dot(unit, w), unit)
            }
            Surface::Bowl { n, c, r, w, .. } => (-w, add(n, -1.0 / r, add(q, -1.0, c))),
        }
    }
}

/// The velocity after an impact, by elimination of the constraint.
fn law(body: &Body, surface: &Surface, before: &State, e: f64) -> Vector {
    let (t, q, v) = (before.t, [before.q[0], before.q[1], before.q[2]], [before.v[0], before.v[1], before.v[2]]);
    let (phi_t, normal) = surface.gradient(t, q);
    let u = phi_t + dot(normal, v);
    let basis: Vec<Vector> = match body.row(t, q) {
        None => vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        Some(row) => {
            let smallest = (0..3).min_by(|i, j| row[*i].abs().total_cmp(&row[*j].abs())).unwrap_or(0);
            let first = cross(row, std::array::from_fn(|i| f64::from(u8::from(i == smallest))));
            let second = cross(row, first);
            [first, second].iter().map(|x| x.map(|y| y / dot(*x, *x).sqrt())).collect()
        }
    };
    let k = basis.len();
    // (Z^T M Z) z = Z^T n by elimination with pivots.
    let mut rows: Vec<Vec<f64>> = basis
        .iter()
        .map(|z| basis.iter().map(|y| dot(*z, times(&body.mass, *y))).chain([dot(*z, normal)]).collect())
        .collect();
    for i in 0..k {
        let pivot = (i..k).max_by(|a, b| rows[*a][i].abs().total_cmp(&rows[*b][i].abs())).unwrap_or(i);
        rows.swap(i, pivot);
        for j in i + 1..k {
            let factor = rows[j][i] / rows[i][i];
            for l in i..=k {
                rows[j][l] -= factor * rows[i][l];
            }
        }
    }
    let mut z = vec![0.0; k];
    for i in (0..k).rev() {
        z[i] = (rows[i][k] - (i + 1..k).map(|j| rows[i][j] * z[j]).sum::<f64>()) / rows[i][i];
    }
    let x = basis.iter().zip(&z).fold([0.0; 3], |x, (b, z)| add(x, *z, *b));
    add(v, -(1.0 + e) * u / dot(normal, x), x)
}

/// A random body, its start and a surface that it meets within a time.
struct Case {
    body: Body,
    surface: Surface,
    q: Vector,
    v: Vector,
    restitution: f64,
    length: f64,
    time: f64,
}

fn case(random: &mut Random, number: usize) -> Case {
    let length = [1e-6, 1e-3, 1.0, 1e3, 1e6][number % 5];
    let speed = length * random.decades(-2.0, 2.0);
    let time = length / speed;
    // Masses over decades with some coupling: D (I + small) D.
    let scale = [0; 3].map(|_| random.decades(-3.0, 3.0).sqrt());
    let coupling = random.between(-0.4, 0.4);
    let mass =
        std::array::from_fn(|i| std::array::from_fn(|j| scale[i] * scale[j] * if i == j { 1.0 } else { coupling }));
    let unit = random.unit();
    let field = random.unit().map(|x| random.between(0.0, 0.2) * x * speed / time);
    let q = random.unit().map(|x| x * length);
    let v = random.unit().map(|x| x * speed);
    let constraint = match number / 5 % 4 {
        0 => Constraint::Free,
        1 => Constraint::Plane { c: unit, at: dot(unit, q), w: dot(unit, v) },
        2 => Constraint::Sphere {
            k: add(q, -2.0 * length, unit),
            w: random.unit().map(|x| 0.3 * x * speed),
            r: 2.0 * length,
        },
        _ => Constraint::Rolling { b: unit.map(|x| 2.0 * x), skew: random.unit(), s: length, w: 0.1 * speed },
    };
    // Surfaces start ahead of the body and come towards it, some slowly and some fast. Where a constraint leads the body away
    // from its line, only a fast one is sure to meet it.
    let body = Body { mass, field, constraint };
    let ahead = add(v.map(|x| x / speed), 0.3, random.unit());
    let n = ahead.map(|x| -x / dot(ahead, ahead).sqrt());
    let free = matches!(constraint, Constraint::Free);
    let w = match number / 20 % 3 {
        0 if free => 0.0,
        1 if free => random.between(-0.3, 0.3) * speed,
        _ => random.between(3.0, 6.0) * speed,
    };
    let gap = random.between(0.2, 0.8) * length;
    let surface = match number / 60 % 4 {
        0 => Surface::Plane {
            n,
            d: dot(n, q) - gap,
            w,
            a: 0.01 * random.next() * length,
            om: 2.0 / time,
            k: random.decades(-3.0, 3.0),
        },
        kind @ (1 | 2) => {
            let r = random.between(1.0, 3.0) * length;
            let c = add(q, -(gap + r), n);
            Surface::Ball { c, w: n.map(|x| w * x), r, squared: kind == 2 }
        }
        _ => Surface::Bowl { n, c: q, r: 20.0 * length, d: dot(n, q) - gap, w },
    };
    Case { body, surface, q, v, restitution: [0.0, 0.3, 0.8, 1.0][number % 4], length, time }
}

#[test]
fn five_hundred_random_impacts_meet_the_exact_law() {
    let mut random = Random(20_240_613);
    let mut worst = [(0.0, 0); 3];
    let (mut impacts, mut constrained, mut number) = (0, 0, 0);
    while impacts < 500 {
        assert!(number < 700, "only {impacts} of {number} bodies meet their surfaces");
        let Case { body, surface, q, v, restitution, length, time } = case(&mut random, number);
        let system = Differentiated::new(body);
        let guess = Guess::new(0.0, q.to_vec(), v.to_vec());
        let start = consistent(&system, &guess).unwrap_or_else(|e| panic!("{number}: {e}"));
        let kind = number % 3;
        let event = match kind {
            0 => Event::from_formula("surface", surface),
            1 => Event::new("surface", |state| surface.value(state.t, &state.q, &[])).with_gradient(|state, out| {
                let (t, q) = surface.gradient(state.t, [state.q[0], state.q[1], state.q[2]]);
                out.t = t;
                out.q.copy_from_slice(&q);
            }),
            _ => Event::new("surface", |state| surface.value(state.t, &state.q, &[])),
        };
        let scheme: Box<dyn Scheme> = match number / 3 % 4 {
            0 | 1 => Box::new(RungeKutta::default()),
            2 => Box::new(VariableBdf::new()),
            _ if number % 2 == 0 && !matches!(body.constraint, Constraint::Rolling { .. }) => {
                Box::new(HhtAlpha::new(-0.1).expect("in range"))
            }
            _ => Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")),
        };
        let tolerance = Tolerance { rtol: 1e-7, atol_q: 1e-7 * length, atol_v: 1e-7 * length / time };
        let mut integrator =
            Integrator::new(&system, &start, &*scheme, ErrorControl::new(), tolerance).expect("starts");
        integrator.add_event(event.with_direction(Direction::Falling).with_bounce(restitution));
        while integrator.occurrences().is_empty() && integrator.state().t < 3.0 * time {
            let stepped = integrator.step(3.0 * time).map(|_| ());
            stepped.unwrap_or_else(|e| panic!("{number} {body:?} {surface:?}: {e}"));
        }
        number += 1;
        let Some(impact) = integrator.occurrences().first() else { continue };
        impacts += 1;
        constrained += usize::from(!matches!(body.constraint, Constraint::Free));
        let exact = law(&body, &surface, &impact.before, restitution);
        let size = impact.before.v.iter().chain(&exact).fold(0.0, |max: f64, v| max.max(v.abs()));
        let error = exact.iter().zip(&impact.after.v).fold(0.0, |max: f64, (x, y)| max.max((x - y).abs())) / size;
        assert!(error < 1e-9, "{}: {error:e} {body:?} {surface:?} {impact:?}", number - 1);
        if error > worst[kind].0 {
            worst[kind] = (error, number - 1);
        }
        // Where it bounced, it was on the surface.
        let (phi_t, normal) = surface.gradient(impact.t, [impact.after.q[0], impact.after.q[1], impact.after.q[2]]);
        let value = surface.value(impact.t, &impact.after.q, &[]);
        let steep = dot(normal, normal).sqrt() * length + phi_t.abs() * time;
        assert!(value.abs() < 1e-12 * steep, "{}: off by {value:e}", number - 1);
    }
    println!("formula, gradient, differences: {worst:?}; {constrained} with a constraint, of {number} bodies");
    assert!(constrained > 300);
}
