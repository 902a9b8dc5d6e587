//! Beams that hang one below the other, each by parallel bars of length 1 at the same places of both. Two bars are enough:
//! every further one follows from them as long as the beams are parallel, which two bars see to.

use alembert::{Differentiated, Dims, Formulas, Guess, Pattern, Patterns, Redundancy, Scalar, Supplied};

const INERTIA: f64 = 0.3;
const GRAVITY: f64 = 9.81;
/// Where bars are fixed, as many as there are.
const PLACES: [f64; 4] = [-0.5, 0.7, 0.1, 0.4];

#[derive(Clone, Debug)]
pub struct Train {
    pub beams: usize,
    /// Bars of each beam.
    pub bars: usize,
    /// Length of the last bar of the last beam.
    pub last: f64,
    /// Whether the last beam is also held parallel to the ground, which follows from the first two bars of all beams.
    pub level: bool,
    /// How much of its x that constraint holds, too: it is then nearly dependent only.
    pub lean: f64,
    /// Whether the reaction is written out.
    pub own_reaction: bool,
    pub redundancy: Redundancy,
    pub patterns: Option<Patterns>,
}

impl Train {
    /// Matrices dense.
    pub fn new(beams: usize, bars: usize, redundancy: Redundancy) -> Self {
        Train { beams, bars, last: 1.0, level: false, lean: 0.0, own_reaction: false, redundancy, patterns: None }
    }

    /// With patterns: each bar sees its beam and the one above.
    pub fn sparse(self) -> Self {
        let Train { beams, bars, .. } = self;
        let columns = |k: usize| 3 * k.saturating_sub(1)..3 * k + 3;
        let entries = (0..beams).flat_map(|k| (0..bars).flat_map(move |i| columns(k).map(move |j| (bars * k + i, j))));
        let level = [3 * beams - 3, 3 * beams - 1].map(|j| (bars * beams, j)).into_iter().filter(|_| self.level);
        let rows = Pattern::from_entries(self.dims().lambda, 3 * beams, entries.chain(level));
        Train { patterns: Some(Patterns::new([], rows)), ..self }
    }

    pub fn system(self) -> Differentiated<Train> {
        Differentiated::new(self)
    }

    /// Bars at different angles, at rest.
    pub fn guess(beams: usize) -> Guess {
        let (mut x, mut y, mut q) = (0.0, 0.0, Vec::new());
        for k in 0..beams {
            let angle = 0.6 + 0.3 * (k as f64).sin();
            (x, y) = (x + f64::sin(angle), y - f64::cos(angle));
            q.extend([x, y, 0.0]);
        }
        Guess::new(0.0, q, vec![0.0; 3 * beams])
    }
}

impl Formulas for Train {
    fn dims(&self) -> Dims {
        let (n, lambda) = (3 * self.beams, self.bars * self.beams + usize::from(self.level));
        Dims { q: n, v: n, lambda, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let n = 3 * self.beams;
        for i in 0..n {
            let place = self.patterns.as_ref().and_then(|patterns| patterns.top.position(i, i)).unwrap_or(i * (n + 1));
            mass[place] = S::from(if i % 3 == 2 { INERTIA } else { 1.0 });
        }
    }
    fn force<S: Scalar>(&self, t: S, _: &[S], v: &[S], force: &mut [S]) {
        for (i, force) in force.iter_mut().enumerate() {
            *force = match i % 3 {
                0 => (t * 3.0).sin() - v[i] * 0.2,
                1 => S::from(-GRAVITY),
                // Off the middle, so that the bars do not share the load evenly.
                _ => S::from(1.5),
            };
        }
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        for (row, g) in g.iter_mut().enumerate() {
            let (k, place) = (row / self.bars, PLACES[row % self.bars]);
            if k == self.beams {
                *g = q[3 * k - 1].sin() + (q[3 * k - 3] - Self::guess(k).q[3 * k - 3]) * self.lean;
                continue;
            }
            let end = |beam: usize| {
                let [x, y, angle] = [q[3 * beam], q[3 * beam + 1], q[3 * beam + 2]];
                (x + angle.cos() * place, y + angle.sin() * place)
            };
            let above = if k == 0 { (S::from(place), S::from(0.0)) } else { end(k - 1) };
            let below = end(k);
            let (x, y) = (below.0 - above.0, below.1 - above.1);
            let length = if row + 1 == self.bars * self.beams { self.last } else { 1.0 };
            *g = x * x + y * y - length * length;
        }
    }
    /// Of one beam and one bar, by hand.
    fn reaction<S: Scalar>(&self, _: S, q: &[S], _: &[S], lambda: &[S], _: &[S], r: &mut [S]) -> Supplied {
        if !self.own_reaction {
            return Supplied::No;
        }
        for (i, lambda) in lambda.iter().enumerate() {
            let (place, (sin, cos)) = (PLACES[i], q[2].sin_cos());
            let (x, y) = (q[0] + cos * place - place, q[1] + sin * place);
            r[0] -= x * *lambda * 2.0;
            r[1] -= y * *lambda * 2.0;
            r[2] -= (y * cos - x * sin) * *lambda * (2.0 * place);
        }
        Supplied::Yes
    }
    fn redundancy(&self) -> Redundancy {
        self.redundancy
    }
    fn patterns(&self) -> Option<Patterns> {
        self.patterns.clone()
    }
    fn holonomic_name(&self, row: usize) -> String {
        match row / self.bars {
            k if k == self.beams => "level".into(),
            k => format!("bar {} of beam {}", row % self.bars + 1, k + 1),
        }
    }
}
