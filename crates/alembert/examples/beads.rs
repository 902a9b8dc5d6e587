//! A string of beads: a system that states where its matrices may be nonzero.
//!
//! ```text
//! cargo run --release --example beads -- 10000
//! ```

use alembert::{
    Differentiated, Dims, FixedSteps, Formulas, GeneralizedAlpha, Guess, Integrator, Pattern, Patterns, Scalar,
    Tolerance, Unobserved, consistent,
};

struct Beads {
    count: usize,
    patterns: Patterns,
}

impl Beads {
    fn new(count: usize) -> Self {
        // Thread i ties bead i to the bead before: four columns, for the first thread two.
        let columns = |i: usize| 2 * i.saturating_sub(1)..2 * i + 2;
        let threads = (0..count).flat_map(|i| columns(i).map(move |j| (i, j)));
        // M and the derivatives of f have nothing beyond the diagonal, which is always there.
        Beads { count, patterns: Patterns::new([], Pattern::from_entries(count, 2 * count, threads)) }
    }
}

impl Formulas for Beads {
    fn dims(&self) -> Dims {
        Dims { q: 2 * self.count, v: 2 * self.count, lambda: self.count, psi: 0 }
    }
    fn patterns(&self) -> Option<Patterns> {
        Some(self.patterns.clone())
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        // One value for each entry of the pattern, so ask where (i, i) is.
        for i in 0..2 * self.count {
            mass[self.patterns.top.position(i, i).expect("on the diagonal")] = S::from(0.01);
        }
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        (0..self.count).for_each(|i| force[2 * i + 1] = S::from(-0.0981));
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let mut before = [S::default(); 2];
        for i in 0..self.count {
            let bead = [q[2 * i], q[2 * i + 1]];
            let (x, y) = (bead[0] - before[0], bead[1] - before[1]);
            g[i] = (x * x + y * y - 1.0) * 0.5;
            before = bead;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = std::env::args().nth(1).map_or(Ok(1000), |count| count.parse())?;
    let system = Differentiated::new(Beads::new(count));
    // Stretched along the x-axis, at rest.
    let q = (0..count).flat_map(|i| [(i + 1) as f64, 0.0]).collect();
    let start = consistent(&system, &Guess::new(0.0, q, vec![0.0; 2 * count]))?;
    let scheme = GeneralizedAlpha::from_rho_infinity(0.8)?;
    let mut integrator =
        Integrator::new(&system, &start, &scheme, FixedSteps::new(1e-3)?, Tolerance::new(1e-6, 1e-6)?)?;
    integrator.run(0.1, &mut Unobserved)?;
    println!("the last bead is at {:?}", &integrator.state().q[2 * count - 2..]);
    println!("{}", integrator.stats());
    Ok(())
}
