//! scratch
use alembert::*;
use alembert_problems::bead::Bead;
use alembert_problems::rope::*;
fn main() {
    let (gravity, angle, restitution) = (9.81, 0.3_f64, 0.7);
    let system = Differentiated::new(Rope { gravity, taut: true });
    let start = consistent(&system, &Guess::new(0.0, vec![-1.0, 0.0], vec![0.0, 0.0])).unwrap();
    let quarter = std::f64::consts::FRAC_PI_2;
    let u = (2.0 * gravity).sqrt();
    let mut times = vec![turning_time(gravity, quarter, 0.0) + swing_time(gravity, u, 0.0, angle)];
    let mut speed = (u * u - 2.0 * gravity * (1.0 - angle.cos())).sqrt();
    for n in 1..4 {
        speed *= restitution;
        let u = (speed * speed + 2.0 * gravity * (1.0 - angle.cos())).sqrt();
        let top = (1.0 - u * u / (2.0 * gravity)).acos();
        times.push(times[n - 1] + 2.0 * (swing_time(gravity, u, 0.0, angle) + turning_time(gravity, top, 0.0)));
    }
    for stages in [3, 5, 7] { for tol in [1e-6,1e-8, 1e-10, 1e-12] {
        let scheme = RungeKutta::radau(stages).unwrap();
        let mut i = Integrator::new(&system, &start, &scheme, ErrorControl::new(), Tolerance::new(tol, tol).unwrap()).unwrap();
        i.add_event(Event::new("wall", |s| angle.sin() - s.q[0]).with_direction(Direction::Falling).with_bounce(restitution));
        i.run(times[3] + 0.1, &mut Unobserved).unwrap();
        let e: Vec<String> = i.occurrences().iter().zip(&times).map(|(o, t)| format!("{:.1e}", o.t - t)).collect();
        let mut j = Integrator::new(&system, &start, &scheme, ErrorControl::new(), Tolerance::new(tol, tol).unwrap()).unwrap();
        j.run(times[0], &mut Unobserved).unwrap();
        println!("{stages} {tol:e} {e:?} steps {} q error at exact time {:e}", i.stats().steps, (j.state().q[0]-angle.sin())/j.state().v[0]);
    }}
    for e in [0.5, 0.0] {
    let bead = Bead { restitution: e, ..Bead::default() };
    let system = Differentiated::new(bead);
    let start = consistent(&system, &Guess::new(0.0, bead.start(), vec![0.0, 0.0])).unwrap();
    let scheme = GeneralizedAlpha::from_rho_infinity(0.8).unwrap();
        let mut i = Integrator::new(&system, &start, &scheme, ErrorControl::new(), Tolerance::new(1e-8, 1e-8).unwrap()).unwrap();
        i.add_event(Event::new("wall", |s| bead.gap(s)).with_direction(Direction::Falling).with_bounce(e));
        println!("{:?}", i.run(10.0, &mut Unobserved));
        for o in i.occurrences() { println!("{} {:?} {:?} {:e}", o.t, o.before.v, o.after.v, o.t - bead.rest_time()); }
    }
}
