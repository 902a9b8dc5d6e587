//! Reaction nodes: the places where a step evaluates M^-1 r(t,q,v,mu).

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::{Bordered, Kkt};
use crate::method::StepFailure;
use crate::method::matrix::{subtract, transpose};
use crate::system::{Dims, Point};

/// A place with its mass matrix factored.
pub(super) struct Node {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// C = [W; K] at the node.
    pub c_v: Vec<f64>,
    pub mass: Kkt,
    /// R = M^-1 r.
    pub acceleration: Vec<f64>,
    /// M^-1 r_mu, n by m, as of the last linearisation.
    pub response: Vec<f64>,
    /// The transpose of r_mu.
    r_mu: Vec<f64>,
}

impl Keep for Node {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.t, self.q, self.v, self.c_v, self.mass, self.acceleration, self.response)
    }
}

impl Node {
    pub fn new(equations: &Equations) -> Self {
        let dims = equations.dims();
        let (n, m) = (dims.v, dims.constraints());
        Node {
            t: 0.0,
            q: vec![0.0; dims.q],
            v: vec![0.0; n],
            c_v: vec![0.0; m * n],
            mass: Kkt::dense(n, 0),
            acceleration: vec![0.0; n],
            response: vec![0.0; n * m],
            r_mu: vec![0.0; m * n],
        }
    }

    /// Factors a mass matrix for this node.
    pub fn factor(&mut self, mass: &[f64]) -> Result<(), StepFailure> {
        self.mass
            .factor(Bordered { top: &[(1.0, mass)], border: (1.0, &[]), rows: &[], corner: None })
            .map_err(|singular| StepFailure::Massless { coordinate: singular.column })
    }

    /// C at the node.
    pub fn constrain(&mut self, equations: &mut Equations) -> Result<(), StepFailure> {
        let Dims { v: n, lambda: nl, .. } = equations.dims();
        let (w_v, k_v) = self.c_v.split_at_mut(nl * n);
        equations.holonomic_q(self.t, &self.q, w_v)?;
        equations.nonholonomic_v(self.t, &self.q, &self.v, k_v)?;
        Ok(())
    }

    fn point<'a>(&'a self, mu: &'a [f64], nl: usize) -> (Point<'a>, &'a [f64], &'a [f64]) {
        let (lambda, psi) = mu.split_at(nl);
        let (w_v, k_v) = self.c_v.split_at(nl * self.v.len());
        (Point { t: self.t, q: &self.q, v: &self.v, lambda, psi }, w_v, k_v)
    }

    /// R for multipliers mu.
    pub fn react(&mut self, equations: &mut Equations, mu: &[f64]) -> Result<(), StepFailure> {
        let mut r = std::mem::take(&mut self.acceleration);
        let (point, w_v, k_v) = self.point(mu, equations.dims().lambda);
        let outcome = equations.reaction(point, w_v, k_v, &mut r);
        self.mass.solve(&mut r);
        self.acceleration = r;
        Ok(outcome?)
    }

    /// d/dq (M R - r) at the R last computed, for multipliers mu of holonomic constraints; `scratch` is n by n.
    pub fn stiffness(
        &self,
        equations: &mut Equations,
        mu: &[f64],
        out: &mut [f64],
        scratch: &mut [f64],
    ) -> Result<(), StepFailure> {
        let (point, ..) = self.point(mu, equations.dims().lambda);
        equations.mass_q(self.t, &self.q, &self.acceleration, out)?;
        equations.reaction_q(point, scratch)?;
        subtract(out, scratch);
        Ok(())
    }

    /// Replaces an n by n matrix X by M^-1 X.
    pub fn divide_by_mass(&mut self, x: &mut [f64], scratch: &mut [f64]) {
        let n = self.v.len().max(1);
        transpose(x, n, scratch);
        scratch.chunks_exact_mut(n).for_each(|column| self.mass.solve(column));
        transpose(scratch, n, x);
    }

    /// M^-1 r_mu for multipliers mu.
    pub fn respond(&mut self, equations: &mut Equations, mu: &[f64]) -> Result<(), StepFailure> {
        let mut r_mu = std::mem::take(&mut self.r_mu);
        let (point, w_v, k_v) = self.point(mu, equations.dims().lambda);
        let outcome = equations.reaction_mu(point, w_v, k_v, &mut r_mu);
        let n = self.v.len().max(1);
        r_mu.chunks_exact_mut(n).for_each(|column| self.mass.solve(column));
        transpose(&r_mu, n, &mut self.response);
        self.r_mu = r_mu;
        Ok(outcome?)
    }
}
