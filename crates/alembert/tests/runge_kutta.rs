//! Projected Runge-Kutta methods: orders, drift, error control, dense output, failures.

#[path = "runge_kutta/adaptive.rs"]
mod adaptive;
#[path = "runge_kutta/common.rs"]
mod common;
#[path = "runge_kutta/orders.rs"]
mod orders;
#[path = "runge_kutta/timing.rs"]
mod timing;
