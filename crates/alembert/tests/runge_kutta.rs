//! Projected Runge-Kutta methods: orders, drift, error control, dense output, failures.

#[path = "runge_kutta/adaptive.rs"]
mod adaptive;
#[path = "runge_kutta/common.rs"]
mod common;
#[path = "runge_kutta/dense.rs"]
mod dense;
#[path = "runge_kutta/drift.rs"]
mod drift;
#[path = "runge_kutta/failures.rs"]
mod failures;
#[path = "runge_kutta/orders.rs"]
mod orders;
#[path = "runge_kutta/rough.rs"]
mod rough;
#[path = "runge_kutta/steady.rs"]
mod steady;
#[path = "runge_kutta/systems.rs"]
mod systems;
