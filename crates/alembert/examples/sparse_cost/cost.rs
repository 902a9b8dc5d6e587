//! The cases and their measurement.

use std::sync::Arc;
use std::time::Instant;

use alembert::ConstrainedSystem;
use alembert::linear::{Pattern, SparseSolver, Symbolic, bordered_order};
use alembert_problems::ball_chain::{BallChain, Design};

/// A saddle point: patterns of its parts, then all entries with values.
struct Case {
    name: String,
    top: Pattern,
    rows: Pattern,
}

/// Bodies of `c` coordinates in a row, each joined to the one before by `j` rows.
fn chain(name: &str, links: usize, c: usize, j: usize, stiff: bool) -> Case {
    let n = c * links;
    let couples = move |a: usize, b: usize| a == b || stiff && a.abs_diff(b) == 1;
    let near = move |i: usize| (i.saturating_sub(2 * c)..(i + 2 * c).min(n)).filter(move |k| couples(i / c, k / c));
    let top = Pattern::from_entries(n, n, (0..n).flat_map(|i| near(i).map(move |k| (i, k))));
    let held = |i: usize| (c * (i / j).saturating_sub(1)..c * (i / j + 1)).map(move |k| (i, k));
    let rows = Pattern::from_entries(j * links, n, (0..j * links).flat_map(held));
    Case { name: format!("{name} {links}"), top, rows }
}

/// Links on balls with the exact pattern of their leading block.
fn balls(links: usize) -> Case {
    let patterns = BallChain::new(Design::hanging(links)).description().patterns.clone().expect("stated");
    Case { name: format!("balls {links}"), top: (*patterns.top).clone(), rows: (*patterns.rows).clone() }
}

/// Bodies of three coordinates on a grid, one row for each pair of neighbours.
fn lattice(side: usize) -> Case {
    let (bodies, n) = (side * side, 3 * side * side);
    let top = Pattern::from_entries(n, n, (0..n).flat_map(|i| (i / 3 * 3..i / 3 * 3 + 3).map(move |j| (i, j))));
    let right = (0..bodies).filter(|k| k % side + 1 < side).map(|k| [k, k + 1]);
    let pairs: Vec<[usize; 2]> = right.chain((0..bodies - side).map(|k| [k, k + side])).collect();
    let columns = |[a, b]: [usize; 2]| (3 * a..3 * a + 3).chain(3 * b..3 * b + 3);
    let entries = pairs.iter().enumerate().flat_map(|(i, pair)| columns(*pair).map(move |j| (i, j)));
    let rows = Pattern::from_entries(pairs.len(), n, entries);
    Case { name: format!("lattice {side} x {side}"), top, rows }
}

/// Least time of a call in microseconds.
fn least(mut call: impl FnMut()) -> f64 {
    let begin = Instant::now();
    let mut least = f64::INFINITY;
    for run in 0.. {
        let start = Instant::now();
        call();
        least = least.min(start.elapsed().as_secs_f64() * 1e6);
        if run > 2 && begin.elapsed().as_secs_f64() > 0.5 {
            break;
        }
    }
    least
}

fn measure(case: &Case) {
    let (n, m) = (case.top.rows(), case.rows.rows());
    let (mut entries, mut values) = (Vec::new(), Vec::new());
    let mut put = |i: usize, j: usize, x: f64| {
        entries.push((i as u32, j as u32));
        values.push(x);
    };
    for i in 0..n {
        for (j, _) in case.top.row(i) {
            put(i, j, if i == j { 2.0 } else { 0.1 * ((i.min(j) + 3 * i.max(j)) as f64).sin() });
        }
    }
    // Anything without a pattern of its own, so that rows are independent.
    let border = |i: usize, j: usize| ((i * i + 7 * i * j + j * j * j) as f64).sin();
    for i in 0..m {
        case.rows.row(i).for_each(|(j, _)| put(n + i, j, border(i, j)));
    }
    for i in 0..m {
        case.rows.row(i).for_each(|(j, _)| put(j, n + i, border(i, j)));
    }
    let start = Instant::now();
    let order = bordered_order(&case.top, &case.rows);
    let ordered = start.elapsed().as_secs_f64() * 1e6;
    let symbolic = Arc::new(Symbolic::new(n + m, &entries, &order));
    let analysed = start.elapsed().as_secs_f64() * 1e6;
    let mut solver = SparseSolver::<f64>::new(symbolic.clone());
    let exact: Vec<f64> = (0..n + m).map(|k| (k as f64).cos()).collect();
    let mut rhs = vec![0.0; n + m];
    for (&(i, j), x) in entries.iter().zip(&values) {
        rhs[i as usize] += x * exact[j as usize];
    }
    let unsymmetric = least(|| solver.factor(&values, false).expect("regular"));
    let (mut x, mut y, mut scratch) = (rhs.clone(), rhs.clone(), vec![0.0; 2 * (n + m)]);
    let solve_unsymmetric = least(|| {
        x.copy_from_slice(&rhs);
        solver.solve(&mut x, &mut scratch);
    });
    let factor = least(|| solver.factor(&values, true).expect("regular"));
    let solve = least(|| {
        x.copy_from_slice(&rhs);
        solver.solve(&mut x, &mut scratch);
    });
    let two = least(|| {
        x.copy_from_slice(&rhs);
        y.copy_from_slice(&rhs);
        solver.solve_two(&mut x, &mut y, &mut scratch);
    });
    let error = x.iter().zip(&exact).fold(0.0_f64, |max, (x, e)| max.max((x - e).abs()));
    println!(
        "{:<22} {ordered:>9.0} {analysed:>9.0} {factor:>10.1} {unsymmetric:>10.1} {solve:>9.1} {solve_unsymmetric:>9.1} {two:>9.1} {:>9} {:>6} {:>9.2e} {error:>8.1e} {:>8.1e}",
        case.name,
        symbolic.fill(),
        symbolic.largest_front(),
        symbolic.operations(),
        solver.smallest_pivot(),
    );
}

pub fn run() {
    println!(
        "{:<22} {:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9} {:>6} {:>9} {:>8} {:>8}",
        "",
        "order",
        "analysis",
        "LDL^T",
        "LU",
        "solve",
        "with LU",
        "two",
        "fill",
        "front",
        "products",
        "error",
        "pivot"
    );
    let planar = [10, 100, 1000, 10_000, 100_000]
        .into_iter()
        .flat_map(|links| [chain("chain", links, 3, 2, false), chain("stiff chain", links, 3, 2, true)]);
    let spatial = [chain("spherical joints", 1000, 6, 3, false), chain("revolutes", 1000, 6, 5, false)];
    let balls = [100, 1000, 10_000].map(balls);
    let cases = planar.chain(spatial).chain(balls).chain([10, 30, 100].map(lattice));
    // Names of cases may be given.
    let asked: Vec<String> = std::env::args().skip(1).collect();
    cases.filter(|case| asked.is_empty() || asked.contains(&case.name)).for_each(|case| measure(&case));
}
