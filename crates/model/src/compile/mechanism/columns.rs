//! What the numbers of bodies and joints are called in results and messages.

use alembert::{ConstrainedSystem, Dims};
use alembert_mechanism::formal::Moving;

use crate::formula::AXES;
use crate::scope::{NUMBERS, Scope, written};

/// Names of coordinates, velocities, accelerations and multipliers of a mechanism, in their order.
#[derive(Default)]
pub(crate) struct Bodies {
    pub dims: Dims,
    pub q: Vec<String>,
    pub v: Vec<String>,
    pub a: Vec<String>,
    pub lambda: Vec<String>,
    pub psi: Vec<String>,
    pub directions: Vec<String>,
    /// Names of constraints, holonomic and nonholonomic.
    pub constraints: [Vec<String>; 2],
    /// The first number of each quaternion among the coordinates, and of its angular velocity among the velocities.
    pub turns: Vec<(usize, usize)>,
}

impl Bodies {
    /// Those of the mechanism of a file; none if it has none.
    pub fn of(scope: &Scope) -> Option<Bodies> {
        let mechanism = scope.mechanism()?;
        let system = mechanism.system();
        let dims = system.description().dims;
        let mut names = Bodies { dims, ..Bodies::default() };
        for (body, name) in mechanism.bodies() {
            if mechanism.carrier(body) != body {
                continue;
            }
            let at = mechanism.standing(body);
            // Coordinates are those of the centre of mass; `b.x` alone is where the drawing origin is.
            let drawn_there = mechanism.arm(&body.origin()) == [0.0; 3];
            // Those of welded bodies belong to all of them.
            let place = match (mechanism.seat(body).is_own(), drawn_there) {
                (false, _) => format!("{name}.group"),
                (true, true) => name.to_owned(),
                (true, false) => format!("{name}.centre"),
            };
            let flat = |primes: &str, third: &str| {
                let of = if third == "angle" { name } else { &place };
                [format!("{place}.x{primes}"), format!("{place}.y{primes}"), format!("{of}.{third}{primes}")]
            };
            match at.kind {
                Moving::InPlane => {
                    names.q.extend(flat("", "angle"));
                    names.v.extend(flat("'", "angle"));
                    names.a.extend(flat("''", "angle"));
                    names.directions.extend(flat("", "angle"));
                }
                Moving::InSpace => {
                    names.turns.push((at.q + 3, at.v + 3));
                    names.q.extend(flat("", "z"));
                    names.q.extend(NUMBERS.map(|number| format!("{name}.{number}")));
                    names.directions.extend(flat("", "z"));
                    names.directions.extend(AXES.map(|axis| format!("{name} about {axis}")));
                    for (list, primes) in [(&mut names.v, "'"), (&mut names.a, "''")] {
                        list.extend(flat(primes, "z"));
                        list.extend(AXES.map(|axis| format!("{name}.omega.{axis}{}", &primes[1..])));
                    }
                }
                Moving::Particle | Moving::PlanarParticle => {
                    let count = at.kind.shifts();
                    names.q.extend(flat("", "z").into_iter().take(count));
                    names.v.extend(flat("'", "z").into_iter().take(count));
                    names.a.extend(flat("''", "z").into_iter().take(count));
                    names.directions.extend(flat("", "z").into_iter().take(count));
                }
                Moving::Not | Moving::Number => {}
            }
        }
        for (joint, what) in mechanism.numbers() {
            let what = written(what);
            names.q.push(format!("{joint}.{what}"));
            names.directions.push(format!("{joint}.{what}"));
            names.v.push(format!("{joint}.{what}'"));
            names.a.push(format!("{joint}.{what}''"));
        }
        names.constraints = system.row_names();
        let [lambda, psi] = names.constraints.each_ref().map(|rows| {
            rows.iter()
                .map(|row| row.trim_start_matches('`').replacen("` ", ": ", 1).replace('`', ""))
                .collect::<Vec<String>>()
        });
        (names.lambda, names.psi) = (lambda, psi);
        Some(names)
    }
}
