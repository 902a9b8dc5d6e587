//! What the sparse solver costs on chains and lattices: least times of several runs, in microseconds. The solver is a private
//! part of the library, which a flag of the compiler opens for this measurement only:
//!
//! ```text
//! RUSTFLAGS="--cfg alembert_internals" cargo run --release -p alembert --example sparse_cost
//! ```

#[cfg(alembert_internals)]
mod cost;

#[cfg(alembert_internals)]
fn main() {
    cost::run();
}

#[cfg(not(alembert_internals))]
fn main() {
    eprintln!("the solver is private\nhint: build this example with RUSTFLAGS=\"--cfg alembert_internals\"");
    std::process::exit(1);
}
