//! Is the motion smooth over a step? The transformed tolerance rtol' = L rtol of [`Weights`](super::weights) admits an
//! estimate e of L tolerances, because the error of a smooth step is O(h^(2s)) where e is O(h^(s+1)). A kink or a jump inside
//! the step makes both O(h^2) or O(h), and the error is e itself.
//!
//! The polynomial of degree s through a0 at the start and the stages K_1 .. K_s is written in Legendre's polynomials P_j on the
//! step. Smooth: their coefficients fall geometrically. Not smooth: all are of one size.
//!
//! ```text
//! c_j = |h (coefficient of P_j)|_w        j = s, s-1, s-2, s-3,     top = max(c_s, c_{s-1})
//! r_a = C sqrt(top/max(c_{s-2}, c_{s-3}))
//! r_b = B sqrt(top/c_{s-2}) min(1, sqrt(surprise/30)),   surprise = top/max(c_s w^(s+1), c_{s-1} w^s of the step before),   w = h/h_before
//! rho = min(1, max(r_a, r_b))
//! E   = e L rho^(s-1) max(c_s, rho c_{s-1})/c_s          the error if coefficients go on falling by rho, in tolerances
//! ```
//!
//! With rho ~ h this is O(h^(2s)), with rho = 1 the plain test. c_s/c_{s-1} is of no use: in constrained systems both carry the
//! O(h^(s-1)) error of the stages' accelerations. r_b sees what is small beside large smooth accelerations; `surprise` keeps
//! it quiet where nothing new happens. c_{s-1} stands in for c_s where that is small by chance, at some places of a kink.
//!
//! Where E decides, the coefficients are filtered with the factors of the real eigenvalue, so that stiff modes which
//! the method damps raise no alarm.
//!
//! **Rounding.** Stage accelerations carry the rounding of the constraints over h^2, which looks like a kink at any h. Of a
//! kink, `top` falls with h; of rounding it grows. A `top` that has not fallen to a third although h has shrunk to a
//! twentieth since the first attempt of this step, or has grown to twice its size with h at most half as long, is rounding, and
//! E is not asked for a while; nor after it alone has rejected four attempts. Where e itself then fails, the attempts have come
//! to where it is rounding, too, and the step goes back to the length at which e was met.
//!
//! **Vibrations.** A fast mode that the steps damp instead of resolving is rough in every step, and costs its amplitude once,
//! not in each step. Kinks are met in short steps, which take little of the time: where steps with E > e cover half of the
//! recent time, the motion vibrates, and e alone decides.

use std::sync::OnceLock;

use super::polynomial::{gauss, lagrange, legendre_at};
use super::tableau::Tableau;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

/// How many coefficients are looked at.
pub(super) const LOOKED_AT: usize = 4;
/// Steps for which E is not asked after rounding was met, doubled each time.
const PAUSE: usize = 20;
/// How much shorter an attempt is, and how large its `top` must then be in units of the first one to be rounding.
const ROUNDING: [(f64, f64); 2] = [(0.5, 2.0), (0.05, 0.3)];
/// Length, in units of a longer attempt whose estimate was met, at which one that is not met can only be rounding.
const WORSE: f64 = 0.01;
/// Attempts of one step that E may reject alone: a kink is left behind by the shorter steps after one or two.
const MOST_REJECTIONS: usize = 4;
/// Growth of the top coefficients beyond what the last step promised that counts as surprise.
const SURPRISE: f64 = 30.0;

/// Share of the recent time in rough steps above which the motion vibrates, and how many of the longest steps are recent.
const VIBRATION: f64 = 0.5;
const RECENT: f64 = 10.0;
/// By how much the longest of the recent steps is forgotten in a step.
const FORGET: f64 = 0.98;

/// L up to which there is nothing to gain: what the estimate admits is a few tolerances at most.
const LEAST_LIFT: f64 = 3.0;
/// Tolerance below which the rounding of stage accelerations, L times as large, is no smaller than what is asked for.
const TIGHTEST: f64 = 1e-10;

/// What the coefficients of a step say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// The step is rough.
    Rough(Roughness),
    /// The attempt is rounding; one of this length, which E rejected, was good.
    Return(f64),
    /// Rounding was met lately, and the estimate may grow where h falls: no trend can be seen in it.
    Noise,
}

/// How rough a step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Roughness {
    /// E, in tolerances.
    pub error: f64,
    /// By how much coefficients fall.
    pub rho: f64,
}

pub(super) struct Smoothness {
    /// Of each of a0, K_1 .. K_s: its weights in the coefficients of P_s, P_{s-1}, P_{s-2}, P_{s-3}.
    pub weights: Vec<[f64; LOOKED_AT]>,
    stages: i32,
    /// C and B.
    factors: [f64; 2],
    /// L.
    pub lift: f64,
    /// h, c_s and c_{s-1} of the attempt and of the last accepted step.
    attempt: Option<[f64; 3]>,
    before: Option<[f64; 3]>,
    /// h and top of the first attempt of this step that E rejected, and how many it has rejected since.
    rejected: Option<(f64, f64)>,
    rejections: usize,
    /// The longest attempt of this step that E alone rejected.
    met: Option<f64>,
    /// Steps left for which E is not asked, and the length of the next pause.
    pause: usize,
    next_pause: usize,
    /// Whether the attempt is rough: E > e.
    is_rough: bool,
    /// Share of the recent time in rough steps, and the longest step of that time.
    rough_share: f64,
    longest: f64,
}

impl Keep for Smoothness {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let mut known = self.before.is_some();
        let [mut h, mut first, mut second] = self.before.unwrap_or_default();
        keep!(archive; known, h, first, second, self.rejected, self.rejections, self.met)?;
        keep!(archive; self.pause, self.next_pause, self.rough_share, self.longest)?;
        self.before = known.then_some([h, first, second]);
        Ok(())
    }
}

impl Smoothness {
    /// For Radau IIA with s stages, a tolerance and L = rtol'/rtol; nothing where it would be of no use.
    pub fn useful(s: usize, rtol: f64, lift: f64) -> Option<Self> {
        let has_enough = s + 1 >= LOOKED_AT;
        (has_enough && lift >= LEAST_LIFT && rtol >= (1.0 - 1e-9) * TIGHTEST).then(|| Self::new(s, lift))
    }

    fn weights(s: usize) -> Vec<[f64; LOOKED_AT]> {
        let tableau = Tableau::radau_iia(s);
        let nodes: Vec<f64> = std::iter::once(0.0).chain(tableau.c().iter().copied()).collect();
        // The coefficient of P_j is (2j+1) times the integral of P_j and the polynomial; degree 2s at most.
        let quadrature = gauss(s + 1);
        let weight = |node: usize, j: usize| -> f64 {
            let part = |&(x, weight): &(f64, f64)| weight * legendre_at(j, x) * lagrange(&nodes, node, x);
            (2 * j + 1) as f64 * quadrature.iter().map(part).sum::<f64>()
        };
        (0..=s).map(|node| std::array::from_fn(|k| weight(node, s - k))).collect()
    }

    fn new(s: usize, lift: f64) -> Self {
        // The same in all runs of a program, and short ones would notice.
        static KNOWN: [OnceLock<Vec<[f64; LOOKED_AT]>>; 16] = [const { OnceLock::new() }; 16];
        Smoothness {
            weights: KNOWN
                .get(s)
                .map_or_else(|| Self::weights(s), |known| known.get_or_init(|| Self::weights(s)).clone()),
            stages: s as i32,
            factors: if s > 3 { [2.0, 1.0] } else { [1.5, 0.5] },
            lift,
            attempt: None,
            before: None,
            rejected: None,
            rejections: 0,
            met: None,
            pause: 0,
            next_pause: PAUSE,
            is_rough: false,
            rough_share: 0.0,
            longest: 0.0,
        }
    }

    /// Forgets the past.
    pub fn restart(&mut self) {
        (self.attempt, self.before) = (None, None);
        (self.rejected, self.rejections, self.met) = (None, 0, None);
        (self.pause, self.next_pause) = (0, PAUSE);
        (self.rough_share, self.longest) = (0.0, 0.0);
    }

    /// The attempt has become a step.
    pub fn accept(&mut self) {
        if let Some([h, ..]) = self.attempt {
            self.longest = h.max(FORGET * self.longest);
            let rough = if self.is_rough || self.rejections > 0 { 1.0 } else { 0.0 };
            self.rough_share += (rough - self.rough_share) * h / (RECENT * self.longest);
        }
        self.before = self.attempt;
        (self.rejected, self.rejections, self.met) = (None, 0, None);
        self.pause = self.pause.saturating_sub(1);
    }

    /// E from the sizes of the coefficients, highest first, where the estimate is `norm`. `raw` is `c` before any filter.
    fn error(&self, h: f64, norm: f64, c: [f64; LOOKED_AT], raw: [f64; LOOKED_AT]) -> Roughness {
        let s = self.stages;
        let [factor_a, factor_b] = self.factors;
        let root = |top: f64, below: f64| if below > 0.0 { (top / below).sqrt() } else { f64::INFINITY };
        let top = c[0].max(c[1]);
        let expected = self.before.map_or(0.0, |[before, first, second]| {
            let w = h / before;
            f64::max(first * w.powi(s + 1), second * w.powi(s))
        });
        let surprise = if expected > 0.0 { raw[0].max(raw[1]) / expected } else { f64::INFINITY };
        let r_a = factor_a * root(top, c[2].max(c[3]));
        let r_b = factor_b * root(top, c[2]) * (surprise / SURPRISE).sqrt().min(1.0);
        let rho = r_a.max(r_b).min(1.0);
        let stand_in = if c[0] > 0.0 { (rho * c[1] / c[0]).max(1.0) } else { 1.0 };
        Roughness { error: norm * self.lift * rho.powi(s - 1) * stand_in, rho }
    }

    /// What is to be done about an attempt, if anything. `filtered` makes the sizes of filtered coefficients, when asked.
    pub fn judge(
        &mut self,
        h: f64,
        norm: f64,
        raw: [f64; LOOKED_AT],
        filtered: impl FnOnce() -> [f64; LOOKED_AT],
    ) -> Option<Verdict> {
        self.attempt = Some([h, raw[0], raw[1]]);
        self.is_rough = false;
        if let Some(longer) = self.met.filter(|longer| norm > 1.0 && h <= WORSE * longer) {
            self.met = None;
            self.rest();
            return Some(Verdict::Return(longer));
        }
        if self.pause > 0 {
            return Some(Verdict::Noise);
        }
        if self.error(h, norm, raw, raw).error <= norm {
            return None;
        }
        let c = filtered();
        let roughness = self.error(h, norm, c, raw);
        self.is_rough = roughness.error > norm;
        if !self.is_rough || self.rough_share > VIBRATION {
            return None;
        }
        if roughness.error > 1.0 {
            let top = c[0].max(c[1]);
            let (first, before) = *self.rejected.get_or_insert((h, top));
            let is_rounding = ROUNDING.iter().any(|(shrunk, most)| h <= shrunk * first && top >= most * before);
            // An estimate that fails by itself needs no other judge.
            if norm <= 1.0 {
                self.rejections += 1;
                self.met.get_or_insert(h);
            }
            if is_rounding || self.rejections > MOST_REJECTIONS {
                self.rest();
                return Some(Verdict::Noise);
            }
        }
        Some(Verdict::Rough(roughness))
    }

    /// E is not asked for a while.
    fn rest(&mut self) {
        (self.pause, self.next_pause) = (self.next_pause, 2 * self.next_pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_those_of_legendre() {
        for s in [3, 5, 7] {
            let smoothness = Smoothness::new(s, 1.0);
            let tableau = Tableau::radau_iia(s);
            let nodes: Vec<f64> = std::iter::once(0.0).chain(tableau.c().iter().copied()).collect();
            // P_j itself has the coefficient 1 in row j and 0 in the others.
            for k in 0..LOOKED_AT {
                let values: Vec<f64> = nodes.iter().map(|x| legendre_at(s - k, *x)).collect();
                for other in 0..LOOKED_AT {
                    let coefficient: f64 = smoothness.weights.iter().zip(&values).map(|(w, y)| w[other] * y).sum();
                    let expected = if other == k { 1.0 } else { 0.0 };
                    assert!((coefficient - expected).abs() < 1e-11, "{s} stages: {coefficient} in row {other}");
                }
            }
        }
    }

    #[test]
    fn vibrations_are_told_from_kinks() {
        let all = |top: f64| [top, top, top, top];
        let mut smoothness = Smoothness::new(5, 100.0);
        // Kinks, each met in ten rough steps that take a tenth of the time.
        for step in 0..200 {
            let (h, rough) = if step % 20 >= 10 { (0.01, true) } else { (0.1, false) };
            let c = if rough { all(1.0) } else { [1e-6, 1e-4, 1e-2, 1.0] };
            let decides = smoothness.judge(h, 5e-3, c, || c).is_some();
            assert_eq!(decides, rough, "step {step}");
            smoothness.accept();
        }
        // Every step is rough: soon it is not asked any more.
        let asked = (0..50).filter(|_| {
            let decides = smoothness.judge(0.1, 5e-3, all(1.0), || all(1.0)).is_some();
            smoothness.accept();
            decides
        });
        assert!((2..15).contains(&asked.count()));
    }

    #[test]
    fn rounding_is_told_from_a_kink() {
        let all = |top: f64| [top, top, top, top];
        let mut smoothness = Smoothness::new(5, 100.0);
        // A kink: coefficients fall with h.
        for k in 0..4 {
            let h = 0.3_f64.powi(k);
            assert!(smoothness.judge(h, 0.5, all(h), || all(h)).is_some(), "attempt {k}");
        }
        smoothness.accept();
        // Rounding: they grow.
        let mut heard = true;
        for k in 0..4 {
            let h = 0.3_f64.powi(k);
            heard = smoothness.judge(h, 0.5, all(1.0 / h), || all(1.0 / h)) != Some(Verdict::Noise);
        }
        assert!(!heard);
        smoothness.accept();
        assert_eq!(smoothness.judge(1.0, 0.5, all(1.0), || all(1.0)), Some(Verdict::Noise), "a pause");
    }

    #[test]
    fn attempts_return_from_where_they_are_rounding() {
        let all = |top: f64| [top, top, top, top];
        let mut smoothness = Smoothness::new(5, 100.0);
        assert!(matches!(smoothness.judge(1.0, 0.5, all(1.0), || all(1.0)), Some(Verdict::Rough(_))));
        assert_eq!(smoothness.judge(0.01, 7.0, all(0.9), || all(0.9)), Some(Verdict::Return(1.0)));
        assert_eq!(smoothness.judge(1.0, 0.5, all(1.0), || all(1.0)), Some(Verdict::Noise));
    }
}
