//! Why a mechanism cannot be built: in terms of its bodies and joints.

use std::error::Error;
use std::fmt;

use alembert::Advised;

/// What is wrong, with whom, and what to try.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildError {
    /// The body, joint, driver or force.
    pub name: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// A mass that is negative or not a number.
    Mass(f64),
    /// An inertia that is no matrix of inertia.
    Inertia,
    /// A number of a pose or marker that is not finite, or a direction of length zero.
    NotFinite,
    /// Both ends on one body.
    OneBody,
    /// A type of joint that has no meaning in the plane.
    InPlane(&'static str),
    /// A wheel that does not roll on the ground.
    OffGround(&'static str),
    /// A joint without such a coordinate.
    NoCoordinate(&'static str),
    /// A parameter out of range, in words.
    Parameter(String),
    /// A body without mass, or without inertia about an axis, that can move there: nothing determines how.
    Undetermined(&'static str),
    /// A point mass in a joint that would turn it, or away from its point.
    Turned(String),
    /// Something of a joint that is not there.
    NoJoint,
    /// A spring or damper whose ends are in one place at the start.
    NoDirection,
    /// Friction whose feedback on what presses it is at least one, and has no solution.
    SelfLocking(f64),
    /// Friction of a joint whose reaction is not unique.
    NotUnique,
    /// A name that is there twice.
    Twice,
}

impl Advised for BuildError {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.fault {
            Fault::Mass(mass) => write!(f, "`{name}` has the mass {mass}"),
            Fault::Inertia => write!(
                f,
                "the inertia of `{name}` is not one: it must be symmetric, and no motion may have a negative energy"
            ),
            Fault::NotFinite => write!(f, "`{name}` has a number that is not finite, or an axis without direction"),
            Fault::OneBody => write!(f, "both ends of `{name}` are on the same body"),
            Fault::InPlane(kind) => write!(f, "`{name}`: a {kind} joint has no meaning in the plane"),
            Fault::OffGround(kind) => write!(f, "`{name}`: the first marker of a {kind} must be on the ground"),
            Fault::NoCoordinate(coordinate) => write!(f, "`{name}` has no {coordinate}"),
            Fault::Parameter(words) => write!(f, "`{name}`: {words}"),
            Fault::Undetermined(what) => write!(f, "`{name}` has no {what}, and is free to move there"),
            Fault::Turned(body) => {
                write!(f, "`{body}` is a point mass, which has no axes and no other point, and `{name}` needs them")
            }
            Fault::NoJoint => write!(f, "`{name}` is of a joint that is not there"),
            Fault::NoDirection => {
                write!(f, "the ends of `{name}` are in one place at the start, where its force has no direction")
            }
            Fault::SelfLocking(gain) => write!(
                f,
                "`{name}` is self-locking: its friction presses it with {gain:.3} times itself, and there is no motion with that"
            ),
            Fault::NotUnique => write!(
                f,
                "friction of `{name}` depends on its reaction, which is not unique: constraints of the mechanism follow from others"
            ),
            Fault::Twice => write!(f, "there are two of the name `{name}`"),
        }
    }

    fn hint(&self) -> Option<String> {
        let words = match &self.fault {
            Fault::Mass(_) => "give it a positive mass",
            Fault::Inertia => "give principal inertias about the centre of mass that are not negative",
            Fault::NotFinite => "look at its pose and its markers",
            Fault::OneBody => "a joint or a force is between two bodies, or a body and the ground",
            Fault::InPlane(_) => "take a revolute or prismatic joint, or build the mechanism in space",
            Fault::OffGround(_) => "give the ground first, the wheel second",
            Fault::NoCoordinate(_) => "drive, couple or load a coordinate that joints of this type have",
            Fault::Parameter(_) => return None,
            Fault::Undetermined(_) => {
                "give it mass and inertia, a joint that holds it there, or make it a point mass (all inertias zero in a file, `Body::particle` in Rust)"
            }
            Fault::Turned(_) => {
                "take hold of it in its centre with a joint between points, or give the body an inertia"
            }
            Fault::NoJoint => "name a joint of this mechanism",
            Fault::NoDirection => {
                "move one of its ends a little; a spring of rest length zero without damping, given by numbers, may start there"
            }
            Fault::SelfLocking(_) => {
                "lower the coefficient of friction, or give the joint a longer arm; what sticks for good is fixed"
            }
            Fault::NotUnique => {
                "take joints with fewer rows where they follow from others (mobility names them), or `motor` with a law of the rate"
            }
            Fault::Twice => "names tell bodies, joints and forces apart in messages and results",
        };
        Some(words.to_owned())
    }

    fn blame(&self) -> Option<String> {
        Some(self.name.clone())
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tell(f)?;
        self.hint().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl Error for BuildError {}
