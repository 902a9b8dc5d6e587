//! Bytes of checkpoints changed at random, with the checksum made right again: every one is read or refused. None makes a program
//! panic or ask for more memory than the checkpoint has bytes, and what was read can be saved again and stepped on from.

use alembert::method::{GeneralizedAlpha, HhtAlpha, RungeKutta, Scheme, VariableBdf};
use alembert::{
    Action, ConsistentState, ConstrainedSystem, Direction, ErrorControl, Event, Guess, Integrator, Tolerance,
    consistent,
};

/// So many for each method and problem; `SPOILT` asks for more.
const SPOILT: usize = 3000;

/// Steps from each one that was read.
const STEPS: usize = 2;

fn build<'s>(system: &'s dyn ConstrainedSystem, start: &ConsistentState, scheme: &dyn Scheme) -> Integrator<'s> {
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let mut integrator = Integrator::new(system, start, scheme, ErrorControl::new(), tolerance).expect("starts");
    integrator.add_event(Event::new("turn", |state| state.v[0]).with_direction(Direction::Falling));
    integrator.add_event(Event::new("half", |state| state.q[0] - 0.1).with_action(|_| Action::Restart));
    integrator
}

/// FNV-1a, as it stands at the end of a checkpoint.
fn seal(bytes: &mut Vec<u8>) {
    let sum = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    bytes.extend(sum.to_le_bytes());
}

#[test]
fn spoilt_bytes_with_a_right_checksum_are_read_or_refused() {
    let count = std::env::var("SPOILT").ok().and_then(|count| count.parse().ok()).unwrap_or(SPOILT);
    let schemes: [Box<dyn Scheme>; 4] = [
        Box::new(RungeKutta::default()),
        Box::new(VariableBdf::new()),
        Box::new(GeneralizedAlpha::from_rho_infinity(0.5).expect("in range")),
        Box::new(HhtAlpha::new(-0.2).expect("in range")),
    ];
    let mut bits = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |most: usize| {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        (bits % most as u64) as usize
    };
    let (mut read, mut refused) = (0, 0);
    for name in ["rheonomic_pendulum", "andrews", "heavy_top"] {
        let problem = alembert_problems::by_name(name).expect("known");
        let from = &problem.start;
        let guess =
            Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
        let start = consistent(&*problem.system, &guess).expect("consistent");
        for scheme in &schemes {
            let mut one = build(&*problem.system, &start, &**scheme);
            for _ in 0..9 {
                one.step(problem.t_end).expect("steps");
            }
            let good = one.checkpoint().expect("can be saved");
            let mut other = build(&*problem.system, &start, &**scheme);
            other.restore(&good).unwrap_or_else(|bad| panic!("{name}: {bad}"));
            for _ in 0..count {
                let mut bytes = good[..good.len() - 8].to_vec();
                for _ in 0..1 + random(3) {
                    // Whole words: sizes, counts, flags and numbers are words.
                    let place = 24 + 8 * random((bytes.len() - 24) / 8);
                    let word: u64 = match random(7) {
                        0 => u64::MAX,
                        1 => 0,
                        2 => 1 << random(64),
                        3 => f64::NAN.to_bits(),
                        4 => f64::INFINITY.to_bits(),
                        5 => random(40) as u64,
                        _ => f64::MAX.to_bits(),
                    };
                    if let Some(there) = bytes.get_mut(place..place + 8) {
                        there.copy_from_slice(&word.to_le_bytes());
                    }
                }
                if random(20) == 0 {
                    bytes.truncate(random(bytes.len()).max(16));
                }
                seal(&mut bytes);
                match other.restore(&bytes) {
                    Err(_) => refused += 1,
                    Ok(()) => {
                        read += 1;
                        let _ = other.summary();
                        other.checkpoint().expect("can be saved");
                        // Whatever comes of it: steps or a failure.
                        for _ in 0..STEPS {
                            if other.step(problem.t_end).is_err() {
                                break;
                            }
                        }
                        other.restore(&good).unwrap_or_else(|bad| panic!("{name}: {bad}"));
                    }
                }
            }
            assert_eq!(one.state(), other.state(), "{name}: a refusal has left a trace");
        }
    }
    println!("{read} read, {refused} refused");
    assert!(refused > read / 10 && read > 0, "{read} read, {refused} refused");
}
