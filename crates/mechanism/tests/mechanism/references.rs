//! Stored motions of mechanisms: positions, velocities, accelerations and reactions.

use crate::machines::Machine;
use alembert::{Plan, RungeKutta, Tolerance, solve};

fn written(x: &[f64]) -> String {
    x.iter().map(|x| format!("{x:.1e}")).collect::<Vec<_>>().join(", ")
}

/// The largest differences over all stored times, by Radau with 7 stages.
fn by_radau(machine: &Machine, rtol: f64, until: f64) -> [f64; 4] {
    let Machine { name, stored, mechanism, joints } = machine;
    let times: Vec<f64> = stored.times().into_iter().filter(|t| *t <= until).collect();
    let end = times.last().copied().expect("times");
    let plan =
        Plan::new(Tolerance::new(rtol, rtol).expect("in range")).with_method(RungeKutta::radau(7).expect("stages"));
    let motion = solve(mechanism.system(), mechanism.guess(), 0.0..end, plan).unwrap_or_else(|e| panic!("{name}: {e}"));
    let motion = motion.whole().unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut worst = [0.0_f64; 4];
    for (at, t) in times.iter().enumerate() {
        let state = motion.at(*t).expect("in range");
        let differences = stored.differences(at, mechanism, joints, &state);
        println!("{name} t = {t}: {}", written(&differences));
        (0..4).for_each(|i| worst[i] = worst[i].max(differences[i]));
    }
    worst
}

macro_rules! reference {
    ($($name:ident: $rtol:expr, $until:expr, $limits:expr;)+) => {$(
        #[test]
        fn $name() {
            let worst = by_radau(&crate::machines::$name(), $rtol, $until);
            let limits: [f64; 4] = $limits;
            assert!((0..4).all(|i| worst[i] <= limits[i]), "{} beyond {}", written(&worst), written(&limits));
        }
    )+};
}

// Positions, velocities, accelerations, reactions.
reference! {
    heavy_top: 1e-12, 2.0, [1e-10; 4];
    slider_crank: 1e-12, 5.0, [1e-10; 4];
    four_bar: 1e-12, 2.0, [1e-10; 4];
    gyroscope: 1e-12, 2.0, [1e-10; 4];
    governor: 1e-12, 0.5, [1e-10; 4];
    chain: 1e-12, 1.0, [1e-10; 4];
    disk: 1e-12, 2.0, [1e-10; 4];
    n_four_bar: 1e-12, 0.6, [1e-10; 4];
    bricard: 1e-10, 5.0, [1e-10; 4];
}
