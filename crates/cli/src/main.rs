//! tmp
mod reproduce;
use reproduce::experiment::VARIABLES;
fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    for e in reproduce::catalogue::all().unwrap() {
        if !e.name.starts_with(&only) {
            continue;
        }
        println!("{} {}", e.name, e.title);
        match e.run() {
            Err(err) => println!("FAILED {err}"),
            Ok(o) => {
                for r in &o.rows {
                    print!("{:10.3e} {:6}", r.h, r.steps);
                    for i in 0..5 {
                        print!(
                            "  {}:{:.3e} ({:.2})",
                            VARIABLES[i],
                            r.errors[i].unwrap_or(f64::NAN),
                            r.orders[i].unwrap_or(f64::NAN)
                        );
                    }
                    println!();
                }
                for d in &o.disagreements {
                    println!("   !! {}", d.0);
                }
                println!("   {} compared, {} wrong", o.compared, o.disagreements.len());
            }
        }
    }
}
