//! Evaluating a model does not allocate, nor do the frames of its picture.

mod common;
#[path = "../../alembert/tests/common/counting.rs"]
mod counting;

use alembert::{ErrorControl, Integrator, Tolerance, consistent};
use alembert_model::view::Workspace;
use common::load;
use counting::allocations;

#[test]
fn steps_do_not_allocate() {
    for name in ["pendulum", "rolling_disk", "car_axis", "andrews", "governor"] {
        let model = load(name, &[]);
        let start = consistent(&model.system, &model.guess).expect("a start");
        let scheme = model.run.method.scheme(&model.run.steps).expect("a scheme");
        let tolerance = Tolerance::new(1e-6, 1e-6).expect("a tolerance");
        let mut integrator =
            Integrator::new(&model.system, &start, &*scheme, ErrorControl::new(), tolerance).expect("a start");
        let mut steps = |count: usize| {
            for _ in 0..count {
                integrator.step(model.run.t_end).expect("a step");
            }
        };
        steps(8);
        let before = allocations();
        steps(8);
        assert_eq!(allocations() - before, 0, "{name}");
        let view = model.view.as_ref().expect("a view");
        let (mut room, mut channels) = (Workspace::default(), vec![0.0; view.channels()]);
        view.channels_into(integrator.state(), &mut room, &mut channels);
        let before = allocations();
        (0..8).for_each(|_| view.channels_into(integrator.state(), &mut room, &mut channels));
        assert_eq!(allocations() - before, 0, "frames of {name}");
    }
    assert!(allocations() > 0, "the counter counts");
}
