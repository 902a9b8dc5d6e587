//! A step of a Runge-Kutta method takes no memory from the heap.

use crate::counting::allocations;
use alembert::{ErrorControl, Guess, Integrator, RungeKutta, Tolerance, consistent};

#[test]
fn steps_do_not_allocate() {
    for name in ["andrews", "sleigh_bowl", "paper3", "paper5_sphere", "chain"] {
        let p = alembert_problems::by_name(name).expect("a problem of that name");
        let s = &p.start;
        let guess = Guess::new(s.t, s.q.clone(), s.v.clone()).with_multipliers(s.lambda.clone(), s.psi.clone());
        let start = consistent(&*p.system, &guess).expect("a start");
        let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
        let mut integrator =
            Integrator::new(&*p.system, &start, &RungeKutta::default(), ErrorControl::new(), tolerance).expect("valid");
        let mut out = integrator.state().clone();
        // The pools of the system's derivatives fill in the first steps.
        for _ in 0..3 {
            integrator.step(p.t_end).expect("succeeds");
        }
        let before = allocations();
        let mut steps = 0;
        while p.t_end - integrator.state().t > 1e-9 && steps < 50 {
            integrator.step(p.t_end).expect("succeeds");
            integrator.interpolate(integrator.state().t, &mut out);
            steps += 1;
        }
        let taken = allocations() - before;
        assert!(steps > 0 && taken == 0, "{name}: {taken} allocations in {steps} steps");
    }
}
