//! What a method tells a step controller about the error of an attempt. Whatever is peculiar to a method is data here,
//! so that the controller needs no special case.

/// The estimated error of a step, and how the method wants its steps to follow it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorEstimate {
    /// Size in units of the tolerance: at most 1 is accepted.
    pub norm: f64,
    /// The norm behaves like h^(1/exponent).
    pub exponent: f64,
    /// How the next step follows.
    pub law: Law,
    /// Least and largest h_next/h.
    pub ratio: (f64, f64),
    /// A ratio h_next/h between 1 and this keeps h, which saves factorisations.
    pub keep: f64,
    /// Largest h_next/h that Newton's method can take, judged by its contraction.
    pub limit: f64,
}

/// Rules for the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Gustafsson's predictive rule, for stiffly accurate methods of high order:
    /// `h_next/h = safety min(norm^-e, (h/h_before) (norm_before/norm^2)^e)`.
    Predictive {
        /// Factor below 1, less after many Newton iterations.
        safety: f64,
    },
    /// `h_next/h = safety norm^-e`, for a step whose norm says nothing about those before and after it.
    Proportional {
        /// Factor below 1.
        safety: f64,
    },
    /// Shorter attempts have become worse: the attempt is not kept, and the next one has the length h of an earlier one.
    Return {
        /// That length.
        h: f64,
    },
    /// Proportional-integral: `h_next/h = (target/norm)^(0.7 e) (norm_before/target)^(0.4 e)`.
    ProportionalIntegral {
        /// The norm aimed at, below 1.
        target: f64,
    },
}
