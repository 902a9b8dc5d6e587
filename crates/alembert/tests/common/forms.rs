//! The same system with patterns and without: its matrices are gathered or spread, everything else is handed on.

#![allow(dead_code)] // several test binaries share this file, and each uses its part

use std::sync::Arc;

use alembert::{
    Answer, At, ConstrainedSystem, Description, Named, Pattern, Patterns, Quantity, SolverChoice, Workspace,
};

/// A system in another form.
pub struct Form {
    inner: Box<dyn ConstrainedSystem>,
    description: Description,
}

/// Whether a quantity is a matrix, and of which rows.
enum Matrix {
    Top,
    Holonomic,
    Nonholonomic,
}

fn matrix(quantity: Quantity) -> Option<Matrix> {
    use Quantity::*;
    match quantity {
        Mass | MassQ | ForceQ | ForceV | ReactionQ | ReactionV | ResidualQ => Some(Matrix::Top),
        HolonomicQ | HolonomicVelocityQ | ReactionLambda => Some(Matrix::Holonomic),
        NonholonomicV | NonholonomicQ | ReactionPsi => Some(Matrix::Nonholonomic),
        _ => None,
    }
}

impl Form {
    /// Without patterns.
    pub fn dense(inner: Box<dyn ConstrainedSystem>) -> Self {
        let description = Description { patterns: None, ..inner.description().clone() };
        Form { inner, description }
    }

    /// With the patterns of what is not zero near a point, and sparse matrices however small they are.
    pub fn sparse(inner: Box<dyn ConstrainedSystem>, q: &[f64]) -> Self {
        let mut description = inner.description().clone();
        assert!(description.patterns.is_none(), "the system is dense");
        let dims = description.dims;
        let mut top: Vec<(usize, usize)> = (0..dims.v).map(|i| (i, i)).collect();
        let mut rows = Vec::new();
        for trial in 0..4 {
            let vary = |count: usize, base: f64| -> Vec<f64> {
                (0..count).map(|i| base + (1.3 * i as f64 + 0.7 * f64::from(trial)).sin()).collect()
            };
            let mut q: Vec<f64> = q.iter().zip(vary(dims.q, 0.0)).map(|(q, d)| q + 0.3 * d).collect();
            for (k, first) in description.rotations.iter().enumerate() {
                let turn = &mut q[first + k..first + k + 4];
                let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
                turn.iter_mut().for_each(|x| *x /= length);
            }
            let (v, a, lambda, psi) =
                (vary(dims.v, 0.2), vary(dims.v, -0.4), vary(dims.lambda, 0.6), vary(dims.psi, 0.5));
            let at = At { t: 0.1, q: &q, v: &v, a: &a, lambda: &lambda, psi: &psi, ..At::default() };
            for quantity in description.supplied.iter() {
                let Some(kind) = matrix(quantity) else { continue };
                let (count, first) = match kind {
                    Matrix::Top => (dims.v, None),
                    Matrix::Holonomic => (dims.lambda, Some(0)),
                    Matrix::Nonholonomic => (dims.psi, Some(dims.lambda)),
                };
                let mut values = vec![0.0; count * dims.v];
                let _ = inner.ask(quantity, &at, &mut values);
                let found = values.iter().enumerate().filter(|(_, x)| **x != 0.0);
                let places = found.map(|(e, _)| (e / dims.v + first.unwrap_or(0), e % dims.v));
                if first.is_some() { rows.extend(places) } else { top.extend(places) }
            }
        }
        let top: Vec<(usize, usize)> = top.iter().flat_map(|&(i, j)| [(i, j), (j, i)]).collect();
        let patterns = Patterns::of(
            Pattern::from_entries(dims.v, dims.v, top),
            Pattern::from_entries(dims.constraints(), dims.v, rows),
        );
        description.patterns = Some(patterns.closed(&description.rotations));
        description.solver = SolverChoice::Sparse;
        Form { inner, description }
    }

    fn pattern(&self, patterns: &Patterns, kind: Matrix) -> Arc<Pattern> {
        let (lambda, all) = (self.description.dims.lambda, self.description.dims.constraints());
        match kind {
            Matrix::Top => patterns.top.clone(),
            Matrix::Holonomic => Arc::new(patterns.rows.part(0..lambda)),
            Matrix::Nonholonomic => Arc::new(patterns.rows.part(lambda..all)),
        }
    }
}

impl ConstrainedSystem for Form {
    fn description(&self) -> &Description {
        &self.description
    }

    fn workspace(&self) -> Workspace {
        self.inner.workspace()
    }

    fn evaluate(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        let n = self.description.dims.v;
        let (inner, outer) = (&self.inner.description().patterns, &self.description.patterns);
        while let Some((quantity, out)) = answer.take_any() {
            let mut ask = |out: &mut [f64]| {
                self.inner.evaluate(at, &mut Answer::new(&mut [(quantity, out)]), workspace);
            };
            match (matrix(quantity), inner, outer) {
                (Some(kind), Some(patterns), None) => {
                    let pattern = self.pattern(patterns, kind);
                    let mut values = vec![0.0; pattern.len()];
                    ask(&mut values);
                    (0..pattern.rows()).for_each(|i| pattern.row(i).for_each(|(j, e)| out[i * n + j] = values[e]));
                }
                (Some(kind), None, Some(patterns)) => {
                    let pattern = self.pattern(patterns, kind);
                    let mut values = vec![0.0; pattern.rows() * n];
                    ask(&mut values);
                    (0..pattern.rows()).for_each(|i| pattern.row(i).for_each(|(j, e)| out[e] = values[i * n + j]));
                }
                _ => ask(out),
            }
        }
    }

    fn name(&self, what: Named, index: usize) -> String {
        self.inner.name(what, index)
    }
}
