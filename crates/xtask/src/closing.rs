//! `cargo xtask closing`: what it takes to build and to close a large mechanism, and how much memory it has then.

use alembert_mechanism::joint::Spherical;
use alembert_mechanism::{Body, GROUND, Mechanism};

use crate::TaskError;
use crate::bench::process;

/// How the links of a chain are drawn.
#[derive(Clone, Copy)]
enum Drawn {
    Closed,
    /// Each off by a tenth of its length, and turned by a tenth.
    Rough,
    /// Without poses.
    Nowhere,
}

fn build(links: usize, drawn: Drawn) -> Result<Mechanism, TaskError> {
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -9.81]);
    let mut before = GROUND.origin();
    for i in 0..links {
        let off = |k: usize| match drawn {
            Drawn::Rough => 0.1 * ((3 * i + k) as f64 * 1.7).sin(),
            Drawn::Closed | Drawn::Nowhere => 0.0,
        };
        let body = Body::new(1.0, [0.01, 1.0 / 12.0, 1.0 / 12.0])
            .at([i as f64 + 0.5 + off(0), off(1), off(2)])
            .turned([1.0, 2.0, 2.0], off(3));
        let body = if matches!(drawn, Drawn::Nowhere) { body.unposed() } else { body };
        let link = b.body(format!("link {}", i + 1), body);
        b.joint(format!("ball {}", i + 1), Spherical, before, link.at([-0.5, 0.0, 0.0]));
        before = link.at([0.5, 0.0, 0.0]);
    }
    Ok(b.build()?)
}

/// Prints a table of processor times for a chain on balls.
pub fn run(links: &str) -> Result<(), TaskError> {
    let links: usize = links.parse()?;
    println!("{links} links  build s  close s  consistent s  steps  peak kB a link");
    for (name, drawn) in [("drawn closed", Drawn::Closed), ("rough", Drawn::Rough), ("without poses", Drawn::Nowhere)] {
        let (memory, begin) = (process::peak(), process::seconds());
        let mut mechanism = build(links, drawn)?;
        let built = process::seconds();
        let closed = mechanism.close()?;
        let end = process::seconds();
        let peak = memory.zip(process::peak()).map_or(0.0, |(before, peak)| (peak - before) / links as f64);
        let _start = alembert::consistent(mechanism.system(), mechanism.guess())?;
        let started = process::seconds();
        println!(
            "{name:14} {:8.3} {:8.3} {:8.3} {:6} {peak:8.2}",
            built - begin,
            end - built,
            started - end,
            closed.steps
        );
    }
    Ok(())
}
