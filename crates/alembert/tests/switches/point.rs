//! A point on a line under forces with kinks and jumps, whose motions are known piece by piece.

use std::sync::atomic::{AtomicUsize, Ordering};

use alembert::{Differentiated, Dims, Formulas, Held, Scalar, Switch};

/// The acceleration of the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// -a x for x > 0, -b x for x < 0: two springs.
    Bilinear { a: f64, b: f64 },
    /// -1 below d, -1 - c from there on.
    Ceiling { c: f64, d: f64 },
    /// The whole number below x.
    Stairs,
    /// -x + drive - mu sign(x'): a spring, and dry friction.
    Friction { mu: f64, drive: f64 },
    /// c - mu sign(x'), where c grows with time.
    Pushed { mu: f64 },
    /// -1, and k max(0, -x)^(3/2): a ball on an elastic floor. Beyond the end of its branch the power has no value.
    Hertz { k: f64 },
    /// max(0, |x| - 1) towards the middle: play, with one switch inside the other.
    Play,
    /// c sign(x).
    Away { c: f64 },
}

/// As many points as there are places, all under one law.
pub struct Points {
    pub law: Law,
    pub count: usize,
    kinds: Vec<Switch>,
    /// How often the switches were asked for.
    pub questions: AtomicUsize,
}

impl Points {
    pub fn new(law: Law, count: usize) -> Differentiated<Self> {
        let kind = match law {
            Law::Stairs => vec![Switch::Whole],
            Law::Play => vec![Switch::Sign; 2],
            _ => vec![Switch::Sign],
        };
        Differentiated::new(Points { law, count, kinds: kind.repeat(count), questions: AtomicUsize::new(0) })
    }

    fn each(&self) -> usize {
        self.kinds.len() / self.count
    }
}

impl Formulas for Points {
    fn dims(&self) -> Dims {
        Dims { q: self.count, v: self.count, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (0..self.count).for_each(|i| mass[i * (self.count + 1)] = S::from(1.0));
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        self.force_on(Held::default(), t, q, v, force);
    }
    fn force_on<S: Scalar>(&self, held: Held, t: S, q: &[S], v: &[S], force: &mut [S]) {
        for i in 0..self.count {
            let (x, v, first) = (q[i], v[i], i * self.each());
            let is_positive = |k: usize, s: f64| held.select(first + k, s) >= 0.0;
            let sign = |k: usize, s: f64| if is_positive(k, s) { 1.0 } else { -1.0 };
            force[i] = match self.law {
                Law::Bilinear { a, b } => -x * if is_positive(0, x.value()) { a } else { b },
                Law::Ceiling { c, d } => S::from(if is_positive(0, x.value() - d) { -1.0 - c } else { -1.0 }),
                Law::Stairs => S::from(held.select(first, x.value()).floor()),
                Law::Friction { mu, drive } => -x + (drive - mu * sign(0, v.value())),
                Law::Pushed { mu } => t - mu * sign(0, v.value()),
                Law::Hertz { k } => {
                    let pushed = is_positive(0, -x.value());
                    S::from(-1.0) + if pushed { (-x) * (-x).sqrt() * k } else { S::from(0.0) }
                }
                Law::Play => {
                    let way = sign(0, x.value());
                    let beyond = x * way - 1.0;
                    if is_positive(1, beyond.value()) { -beyond * way } else { S::from(0.0) }
                }
                Law::Away { c } => S::from(c * sign(0, x.value())),
            };
        }
    }
    fn switches(&self) -> &[Switch] {
        &self.kinds
    }
    fn switch_values(&self, _: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.questions.fetch_add(1, Ordering::Relaxed);
        for i in 0..self.count {
            match self.law {
                Law::Bilinear { .. } | Law::Stairs | Law::Away { .. } => out[i] = q[i],
                Law::Ceiling { d, .. } => out[i] = q[i] - d,
                Law::Friction { .. } | Law::Pushed { .. } => out[i] = v[i],
                Law::Hertz { .. } => out[i] = -q[i],
                Law::Play => (out[2 * i], out[2 * i + 1]) = (q[i], q[i].abs() - 1.0),
            }
        }
    }
    fn switch_name(&self, index: usize) -> String {
        format!("the friction of point {}", index / self.each())
    }
}
