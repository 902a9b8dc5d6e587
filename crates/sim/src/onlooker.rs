//! Who looks on while work is done: sees how far it is, and may want it to stop.

/// Is told of progress and asked whether to go on. Several runs at the same time have one onlooker.
pub trait Onlooker: Sync {
    /// Whether the work is to stop here; what was computed so far is kept where that makes sense.
    fn wants_to_stop(&self) -> bool {
        false
    }

    /// A part of the work begins, in words.
    #[allow(unused_variables)]
    fn begins(&self, what: &str) {}

    /// This share of the work is done; details are made only if someone wants to read them.
    #[allow(unused_variables)]
    fn advanced(&self, done: f64, details: &dyn Fn() -> String) {}

    /// What began is over.
    fn finished(&self) {}

    /// Something is done whose progress nobody knows, such as finding the start of a large model.
    #[allow(unused_variables)]
    fn waits(&self, what: &str, work: &mut (dyn FnMut() + Send)) {
        work();
    }

    /// From here on there is something to keep: before, who wants to stop may end the program at once.
    fn keeps_from_here(&self) {}
}

/// Nobody looks on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Onlooker for Alone {}

/// Sees nothing of the progress of one run among many, but may want all of them to stop.
pub struct Unseen<'a>(pub &'a dyn Onlooker);

impl Onlooker for Unseen<'_> {
    fn wants_to_stop(&self) -> bool {
        self.0.wants_to_stop()
    }
}
