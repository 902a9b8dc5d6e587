//! Bodies as users give them: mass, inertia, and where they are at the start, roughly.

use crate::algebra::{IDENTITY, Matrix, Vector, ZERO, add_matrix, cross, dot, outer, scaled, unit};
use crate::assembly::Inertia;
use crate::shape::Solid;

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub(crate) inertia: Inertia,
    /// The centre of mass, from the drawing origin and in its axes.
    pub(crate) centre: Vector,
    /// Where the drawing origin is.
    pub(crate) at: Vector,
    /// Unit quaternion, scalar first.
    pub(crate) turn: [f64; 4],
    /// The angle of a planar body.
    pub(crate) angle: f64,
    /// Of the centre of mass.
    pub(crate) speed: Option<Vector>,
    /// In body axes.
    pub(crate) spin: Vector,
    /// Whether that was given.
    pub(crate) spun: bool,
    /// Whether the pose means anything.
    pub(crate) posed: bool,
    /// Whether it is a point that does not turn.
    pub(crate) particle: bool,
}

impl Body {
    /// A body with principal inertias about its centre of mass.
    pub fn new(mass: f64, inertia: Vector) -> Self {
        let mut moments = ZERO;
        (0..3).for_each(|i| moments[i][i] = inertia[i]);
        Self::with_moments(mass, moments)
    }

    /// A body with a matrix of inertia about its centre of mass.
    pub fn with_moments(mass: f64, moments: Matrix) -> Self {
        Body {
            inertia: Inertia { mass, moments },
            centre: [0.0; 3],
            at: [0.0; 3],
            turn: [1.0, 0.0, 0.0, 0.0],
            angle: 0.0,
            speed: None,
            spin: [0.0; 3],
            spun: false,
            posed: true,
            particle: false,
        }
    }

    /// A body in the plane.
    pub fn planar(mass: f64, inertia: f64) -> Self {
        Self::new(mass, [0.0, 0.0, inertia])
    }

    /// A point mass: it has three coordinates in space, two in the plane, and does not turn.
    pub fn particle(mass: f64) -> Self {
        Body { particle: true, ..Self::with_moments(mass, ZERO) }
    }

    /// A body made of solids, placed in its drawing.
    pub fn of(solids: &[Solid]) -> Self {
        let mass: f64 = solids.iter().map(Solid::mass).sum();
        let mut centre = [0.0; 3];
        solids.iter().for_each(|solid| crate::algebra::add(&mut centre, solid.mass() / mass, &solid.centre));
        let mut moments = ZERO;
        for solid in solids {
            let arm = crate::algebra::difference(&solid.centre, &centre);
            add_matrix(&mut moments, 1.0, &solid.moments());
            add_matrix(&mut moments, solid.mass() * dot(&arm, &arm), &IDENTITY);
            add_matrix(&mut moments, -solid.mass(), &outer(&arm, &arm));
        }
        Body { centre, ..Self::with_moments(mass, moments) }
    }

    /// The centre of mass in the drawing, where it is not its origin.
    #[must_use]
    pub fn centred(self, centre: Vector) -> Self {
        Body { centre, ..self }
    }

    /// It has no pose: [closing](crate::Mechanism::close) finds one where its joints put it.
    #[must_use]
    pub fn unposed(self) -> Self {
        Body { posed: false, ..self }
    }

    /// Where the drawing origin is at the start.
    #[must_use]
    pub fn at(self, at: Vector) -> Self {
        Body { at, ..self }
    }

    /// How it is turned at the start: a quaternion, scalar first.
    #[must_use]
    pub fn quaternion(self, turn: [f64; 4]) -> Self {
        let size = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
        Body { turn: turn.map(|x| x / size), ..self }
    }

    /// How it is turned at the start: by an angle about an axis.
    #[must_use]
    pub fn turned(self, axis: Vector, angle: f64) -> Self {
        let axis = unit(&axis).unwrap_or([f64::NAN; 3]);
        let x = alembert::rotation::exp(&scaled(angle, &axis));
        Body { turn: x, ..self }
    }

    /// The angle of a planar body at the start.
    #[must_use]
    pub fn angled(self, angle: f64) -> Self {
        Body { angle, ..self }
    }

    /// The velocity of the drawing origin at the start, roughly: where joints prescribe another one, the nearest is taken.
    #[must_use]
    pub fn moving(self, speed: Vector) -> Self {
        Body { speed: Some(speed), ..self }
    }

    /// The angular velocity at the start, in body axes; as rough as the other one.
    #[must_use]
    pub fn spinning(self, spin: Vector) -> Self {
        Body { spin, spun: true, ..self }
    }

    /// The velocity of the centre of mass, turned as the body is.
    pub(crate) fn centre_speed(&self, r: &Matrix) -> Vector {
        let around = crate::algebra::times(r, &cross(&self.spin, &self.centre));
        crate::algebra::sum(&self.speed.unwrap_or_default(), &around)
    }
}
