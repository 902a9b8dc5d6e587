//! Gauss' collocation on (0, 1), and polynomials through places by barycentric weights.
//!
//! ```text
//! P_s(2 c_i - 1) = 0      b_i = 1/(x (1 - x) P_s'(x)^2) at x = 2 c - 1, suitably scaled      A_ij = integral of l_j from 0 to c_i
//! p(c) = sum w_k y_k/(c - c_k) / sum w_k/(c - c_k),      1/w_k = product over j of (c_k - c_j)
//! ```

/// Nodes, weights and the matrix of the method.
pub(super) struct Gauss {
    nodes: Vec<f64>,
    pub weights: Vec<f64>,
    pub matrix: Vec<Vec<f64>>,
}

/// Legendre's polynomial of a degree and its derivative.
fn legendre(degree: usize, x: f64) -> (f64, f64) {
    let (mut before, mut p) = (1.0, x);
    for k in 2..=degree {
        let k = k as f64;
        (before, p) = (p, ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k);
    }
    (p, degree as f64 * (x * p - before) / (x * x - 1.0))
}

impl Gauss {
    pub fn new(count: usize) -> Self {
        let (mut nodes, mut weights) = (Vec::new(), Vec::new());
        for i in 0..count {
            let angle = std::f64::consts::PI * (i as f64 + 0.75) / (count as f64 + 0.5);
            let mut x = -angle.cos();
            for _ in 0..6 {
                let (p, slope) = legendre(count, x);
                x -= p / slope;
            }
            let (_, slope) = legendre(count, x);
            nodes.push(0.5 + 0.5 * x);
            weights.push(1.0 / ((1.0 - x * x) * slope * slope));
        }
        let bary = barycentric(&nodes);
        // The polynomials l_j are of degree s - 1: the rule itself integrates them exactly.
        let share = |i: usize, j: usize| -> f64 {
            let unit = |k: usize| if k == j { [1.0] } else { [0.0] };
            let at = |c: f64| {
                let mut out = [0.0];
                blend(&nodes, &bary, c, unit, &mut out);
                out[0]
            };
            nodes.iter().zip(&weights).map(|(c, b)| nodes[i] * b * at(nodes[i] * c)).sum()
        };
        let matrix = (0..count).map(|i| (0..count).map(|j| share(i, j)).collect()).collect();
        Gauss { nodes, weights, matrix }
    }

    /// The start, the nodes and the end.
    pub fn places(&self) -> Vec<f64> {
        [0.0].into_iter().chain(self.nodes.iter().copied()).chain([1.0]).collect()
    }
}

/// Barycentric weights of places.
pub(super) fn barycentric(places: &[f64]) -> Vec<f64> {
    let weight = |k: usize| {
        let others = places.iter().enumerate().filter(|(j, _)| *j != k);
        1.0 / others.map(|(_, place)| places[k] - place).product::<f64>()
    };
    (0..places.len()).map(weight).collect()
}

/// The polynomial through values at places.
pub(super) fn blend<V: AsRef<[f64]>>(
    places: &[f64],
    weights: &[f64],
    at: f64,
    value: impl Fn(usize) -> V,
    out: &mut [f64],
) {
    if let Some(k) = places.iter().position(|place| *place == at) {
        out.copy_from_slice(value(k).as_ref());
        return;
    }
    out.fill(0.0);
    let mut whole = 0.0;
    for (k, (place, weight)) in places.iter().zip(weights).enumerate() {
        let share = weight / (at - place);
        whole += share;
        out.iter_mut().zip(value(k).as_ref()).for_each(|(out, y)| *out += share * y);
    }
    out.iter_mut().for_each(|out| *out /= whole);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_integrates_polynomials_exactly() {
        for count in [2, 6, 8] {
            let gauss = Gauss::new(count);
            assert!(gauss.nodes.iter().all(|c| (c - 0.5).abs() > 0.05), "none in the middle: {:?}", gauss.nodes);
            for degree in 0..2 * count {
                let sum: f64 = gauss.nodes.iter().zip(&gauss.weights).map(|(c, b)| b * c.powi(degree as i32)).sum();
                assert!((sum - 1.0 / (degree as f64 + 1.0)).abs() < 1e-14, "{count} nodes, degree {degree}: {sum}");
            }
            for (row, end) in gauss.matrix.iter().zip(&gauss.nodes) {
                for degree in 0..count {
                    let sum: f64 = gauss.nodes.iter().zip(row).map(|(c, a)| a * c.powi(degree as i32)).sum();
                    let exact = end.powi(degree as i32 + 1) / (degree as f64 + 1.0);
                    assert!((sum - exact).abs() < 1e-14, "{count} nodes, degree {degree}: {sum} {exact}");
                }
            }
        }
    }
}
