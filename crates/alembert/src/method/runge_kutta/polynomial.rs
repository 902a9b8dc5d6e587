//! Polynomials on [0, 1]: nodes of quadrature formulas as roots of Legendre polynomials, and Lagrange's basis with its
//! integrals. Everything is good to a few roundings, so that tableaus of many stages need no table.

/// A family of quadrature nodes: the roots of P_s + first P_{s-1} + second P_{s-2} in x = 2c - 1.
#[derive(Clone, Copy)]
pub(super) struct Family {
    first: f64,
    second: f64,
    /// Whether c = 0 and c = 1 are nodes.
    ends: (bool, bool),
}

pub(super) const GAUSS: Family = Family { first: 0.0, second: 0.0, ends: (false, false) };
pub(super) const RADAU_LEFT: Family = Family { first: 1.0, second: 0.0, ends: (true, false) };
pub(super) const RADAU_RIGHT: Family = Family { first: -1.0, second: 0.0, ends: (false, true) };
pub(super) const LOBATTO: Family = Family { first: 0.0, second: -1.0, ends: (true, true) };

impl Family {
    /// The `s` nodes in increasing order.
    pub fn nodes(self, s: usize) -> Vec<f64> {
        let value = |x: f64| {
            let p = legendre(s, x);
            p[0] + self.first * p[1] + self.second * p[2]
        };
        let mut nodes = Vec::with_capacity(s);
        if self.ends.0 {
            nodes.push(0.0);
        }
        // Roots are spaced like the cosines of equal angles; 20 intervals for each keep them apart.
        let grid = |i: usize| -(std::f64::consts::PI * (i as f64 + 0.5) / (20 * s + 1) as f64).cos();
        for i in 0..20 * s {
            let (mut low, mut high) = (grid(i), grid(i + 1));
            if value(low) * value(high) > 0.0 {
                continue;
            }
            let rising = value(high) > 0.0;
            while high - low > f64::EPSILON {
                let middle = 0.5 * (low + high);
                if middle == low || middle == high {
                    break;
                }
                if (value(middle) > 0.0) == rising {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            nodes.push(0.5 + 0.25 * (low + high));
        }
        if self.ends.1 {
            nodes.push(1.0);
        }
        debug_assert_eq!(nodes.len(), s);
        nodes
    }
}

/// P_n at a place x of [0, 1].
pub(super) fn legendre_at(n: usize, x: f64) -> f64 {
    legendre(n, 2.0 * x - 1.0)[0]
}

/// P_n, P_{n-1}, P_{n-2} at x (zero below degree 0).
fn legendre(n: usize, x: f64) -> [f64; 3] {
    let (mut p, mut before, mut earlier) = (1.0, 0.0, 0.0);
    for k in 1..=n {
        let k = k as f64;
        let next = ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k;
        (p, before, earlier) = (next, p, before);
    }
    [p, before, earlier]
}

/// The basis polynomial of node j at x.
pub(super) fn lagrange(nodes: &[f64], j: usize, x: f64) -> f64 {
    nodes.iter().enumerate().filter(|(k, _)| *k != j).map(|(_, c)| (x - c) / (nodes[j] - c)).product()
}

/// All basis polynomials at once, without divisions.
pub(super) struct Basis {
    nodes: Vec<f64>,
    /// 1/prod (c_j - c_k).
    scales: Vec<f64>,
}

impl Basis {
    pub fn new(nodes: &[f64]) -> Self {
        let scale = |(j, c): (usize, &f64)| -> f64 {
            let others = nodes.iter().enumerate().filter(|(k, _)| *k != j);
            1.0 / others.map(|(_, other)| c - other).product::<f64>()
        };
        Basis { nodes: nodes.to_vec(), scales: nodes.iter().enumerate().map(scale).collect() }
    }

    /// Every polynomial at x.
    pub fn at(&self, x: f64, out: &mut [f64]) {
        // Products of the factors before each node, then times those after it.
        let mut product = 1.0;
        for (out, c) in out.iter_mut().zip(&self.nodes) {
            *out = product;
            product *= x - c;
        }
        product = 1.0;
        for ((out, c), scale) in out.iter_mut().zip(&self.nodes).zip(&self.scales).rev() {
            *out *= product * scale;
            product *= x - c;
        }
    }
}

/// Nodes and weights of the Gauss formula of so many nodes on [0, 1].
pub(super) fn gauss(count: usize) -> Vec<(f64, f64)> {
    let weighed = |x: f64| {
        let place = 2.0 * x - 1.0;
        let [_, before, _] = legendre(count, place);
        // On [-1, 1] the weight is 2 (1 - x^2)/(n P_{n-1})^2; half of it on [0, 1].
        (x, (1.0 - place * place) / (count as f64 * before).powi(2))
    };
    GAUSS.nodes(count).into_iter().map(weighed).collect()
}

/// Integral of the basis polynomial of node j from `from` to `to`, by a Gauss formula that is exact for its degree.
pub(super) fn lagrange_integral(nodes: &[f64], j: usize, from: f64, to: f64) -> f64 {
    integral(&gauss(nodes.len() / 2 + 1), nodes, j, from, to)
}

/// The same of all basis polynomials.
pub(super) fn lagrange_integrals(nodes: &[f64], from: f64, to: f64) -> Vec<f64> {
    // The formula's nodes take longer than everything else.
    let rule = gauss(nodes.len() / 2 + 1);
    (0..nodes.len()).map(|j| integral(&rule, nodes, j, from, to)).collect()
}

fn integral(rule: &[(f64, f64)], nodes: &[f64], j: usize, from: f64, to: f64) -> f64 {
    let sum: f64 = rule.iter().map(|(x, weight)| weight * lagrange(nodes, j, from + (to - from) * x)).sum();
    sum * (to - from)
}
