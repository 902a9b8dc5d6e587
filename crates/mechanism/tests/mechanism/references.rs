//! Stored motions of mechanisms: positions, velocities, accelerations and reactions.

use crate::machines::Machine;
use alembert::method::Scheme;
use alembert::{
    At, Bdf, ConstrainedSystem, FixedSteps, GeneralizedAlpha, Plan, Quantity, RungeKutta, Supplied, Tolerance, solve,
};

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

// Positions, velocities, accelerations, reactions. A rotor at 400 rad/s and springs of 8e5 N/m make 1e-13 of velocities and
// positions 1e-10 of accelerations. Bricard's redundant row is shared by least squares, which bounds its accuracy.
reference! {
    heavy_top: 1e-12, 2.0, [1e-10; 4];
    slider_crank: 5e-13, 5.0, [1e-10; 4];
    four_bar: 1e-12, 2.0, [1e-10; 4];
    gyroscope: 1e-13, 2.0, [1e-10, 1e-10, 5e-10, 1e-10];
    governor: 1e-13, 0.5, [1e-10, 1e-10, 5e-10, 1e-10];
    chain: 1e-12, 1.0, [1e-10; 4];
    disk: 1e-12, 2.0, [1e-10; 4];
    n_four_bar: 1e-12, 0.6, [1e-10; 4];
    bricard: 1e-8, 2.0, [1e-7; 4];
}

/// Differences at the last stored time until `until`, at fixed steps.
fn at_fixed_steps(machine: &Machine, scheme: impl Scheme + 'static, h: f64, until: f64) -> [f64; 4] {
    let Machine { name, stored, mechanism, joints } = machine;
    let at = stored.times().iter().rposition(|t| *t <= until).expect("a time");
    let end = stored.times()[at];
    let plan = Plan::new(Tolerance::new(1e-11, 1e-11).expect("in range"))
        .with_method(scheme)
        .with_steps(FixedSteps::new(h).expect("positive"));
    let motion = solve(mechanism.system(), mechanism.guess(), 0.0..end, plan).unwrap_or_else(|e| panic!("{name}: {e}"));
    let motion = motion.whole().unwrap_or_else(|e| panic!("{name}: {e}"));
    stored.differences(at, mechanism, joints, motion.last())
}

#[test]
fn soi2_and_bdf_have_their_orders() {
    use crate::machines;
    // The coarser step, and until when.
    let cases: [(Machine, f64, f64); 6] = [
        (machines::heavy_top(), 2.5e-4, 0.1),
        (machines::slider_crank(), 2e-3, 0.5),
        (machines::four_bar(), 1e-3, 0.25),
        (machines::chain(), 2e-3, 0.25),
        (machines::disk(), 2e-3, 0.25),
        (machines::n_four_bar(), 2e-3, 0.4),
    ];
    for (machine, h, until) in &cases {
        let soi2 =
            |h: f64| at_fixed_steps(machine, GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"), h, *until);
        let bdf = |k: usize, h: f64| at_fixed_steps(machine, Bdf::new(k).expect("an order"), h, *until);
        let runs = [
            ("soi2", 2.0, soi2(*h), soi2(0.5 * h)),
            ("bdf 2", 2.0, bdf(2, *h), bdf(2, 0.5 * h)),
            ("bdf 3", 3.0, bdf(3, *h), bdf(3, 0.5 * h)),
        ];
        for (method, order, coarse, fine) in runs {
            let orders: Vec<f64> = coarse.iter().zip(&fine).map(|(coarse, fine)| (coarse / fine).log2()).collect();
            println!("{} {method}: {} | {} | {orders:.2?}", machine.name, written(&coarse), written(&fine));
            for kind in 0..4 {
                assert!(orders[kind] > order - 0.35, "{} by {method}: order {:.2}", machine.name, orders[kind]);
            }
        }
    }
}

#[test]
fn energy_is_that_of_the_stored_states() {
    use crate::machines;
    for machine in [machines::heavy_top(), machines::slider_crank(), machines::gyroscope(), machines::chain()] {
        let system = machine.mechanism.system();
        let start = alembert::consistent(system, machine.mechanism.guess()).expect("consistent");
        let mut energy = [0.0; 5];
        let supplied = system.ask(Quantity::Energy, &At::new(0.0, &start.q, &start.v), &mut energy);
        assert_eq!(supplied, Supplied::Yes);
        let (ours, stored) = (energy[0] + energy[1], machine.stored.energy(0));
        assert!((ours - stored).abs() < 1e-12 * stored.abs(), "{}: {ours} {stored}", machine.name);
    }
}
