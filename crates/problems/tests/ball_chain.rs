//! The reference of the chain of links on balls, against numbers that were found in joint coordinates.

use alembert_problems::ball_chain::{Design, Posture, momentum, new, solution};

fn apart(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).fold(0.0, |most, (x, y)| most.max((x - y).abs()))
}

/// Ten links at t = 1: by Gauss collocation of order 16 on the relative rotations of the links and by extrapolation in absolute
/// coordinates, which agree to 2e-15. Forces are those on the second body of a joint.
#[test]
fn ten_links_are_where_joint_coordinates_say() {
    let end = solution(Design::hanging(10), Posture::Straight(1.0), 1.0);
    let first = [0.120_822_396_742_528_15, 0.315_678_042_574_187_25, -0.368_441_748_288_546_64];
    let last = [3.329_196_558_206_055, 6.937_887_443_442_405, -4.912_538_360_695_859_5];
    let turn =
        [0.877_075_639_488_834_2, 0.019_386_219_086_272_15, -0.034_748_865_341_995_235, 0.478_701_382_369_254_86];
    let spin = [0.0, -1.747_902_429_700_361, 0.896_258_965_768_800_5];
    let acceleration = [-19.665_187_528_252_57, -29.835_062_700_474_41, -12.624_678_785_871_431];
    let force = [-45.018_814_725_865_25, -117.548_172_255_770_68, 141.382_301_052_830_48];
    assert!(apart(&end.q[..3], &first) < 1e-12 && apart(&end.q[63..66], &last) < 1e-11, "{:?}", &end.q[63..]);
    assert!(apart(&end.q[66..], &turn) < 1e-11 && apart(&end.v[57..], &spin) < 1e-11, "{:?}", &end.v[57..]);
    assert!(apart(&end.a[54..57], &acceleration) < 1e-9, "{:?}", &end.a[54..57]);
    assert!(apart(&end.lambda[..3], &force.map(|x| -x)) < 1e-9, "{:?}", &end.lambda[..3]);
}

#[test]
fn momentum_and_energy_of_a_free_chain_stay() {
    let problem = new(Design::free(7), Posture::Bent(1.5));
    let energy = problem.energy.as_ref().expect("known");
    let [start, end] = [0.0, 0.8].map(|t| problem.reference_at(t));
    let [before, after] = [&start, &end].map(|s| (momentum(&s.q, &s.v), energy(s.t, &s.q, &s.v)));
    assert!(apart(&before.0, &after.0) < 1e-11 && (before.1 - after.1).abs() < 1e-11, "{before:?} {after:?}");
    assert!(apart(&start.q, &end.q) > 0.1, "it moves");
}
