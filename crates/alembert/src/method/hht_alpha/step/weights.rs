//! Weights of a step with two reaction nodes: p_j in q (times h^2/2), s_j in v (times h).
//!
//! Full and predicted: p = (1-b, b), s = (1/2, 1/2). Both midpoint forms: p = (1, 0), s = (0, 1). Index 2: one node, p = s = (0, 1).

use crate::method::hht_alpha::{Form, HhtAlpha};

#[derive(Clone, Copy)]
pub(super) struct Weights {
    pub alpha: f64,
    pub beta: f64,
    pub gamma: f64,
    pub c_m: f64,
    /// Weights in q and v.
    pub p: [f64; 2],
    pub s: [f64; 2],
    /// k_j = s_j - gamma p_j/(2 beta).
    pub k: [f64; 2],
    /// W = [p_0 p_1; k_0 k_1]^-1; meaningless in the index-2 form.
    pub w: [[f64; 2]; 2],
}

impl Weights {
    pub fn new(scheme: HhtAlpha) -> Self {
        let HhtAlpha { alpha, b, form, .. } = scheme;
        let (beta, gamma) = ((1.0 - alpha).powi(2) / 4.0, 0.5 - alpha);
        let (p, s) = match form {
            Form::Full | Form::Predicted => ([1.0 - b, b], [0.5, 0.5]),
            Form::Midpoint | Form::MidpointPredicted => ([1.0, 0.0], [0.0, 1.0]),
            Form::Index2 => ([0.0, 1.0], [0.0, 1.0]),
        };
        let k = [0, 1].map(|j| s[j] - gamma * p[j] / (2.0 * beta));
        let det = p[0] * k[1] - p[1] * k[0];
        let w = [[k[1] / det, -p[1] / det], [-k[0] / det, p[0] / det]];
        Weights { alpha, beta, gamma, c_m: 1.0 / (1.0 + alpha), p, s, k, w }
    }
}
