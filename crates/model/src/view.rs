//! Pictures of a model: a scene, and its channels as formulas of a state.
//!
//! ```text
//! channels c = f(t, q, v, a, lambda, psi)       one tape for all of them, the same machinery as outputs
//! ```
//!
//! What is drawn is a [`Scene`], which knows nothing of the model: numbers that change are channels, by their places in the list that
//! [`View::channels_into`] writes.

use alembert::State;
use alembert_picture::Scene;

use crate::model::arguments;
use crate::tape::{Registers, Tape};

/// What a model looks like.
#[derive(Clone, Debug)]
pub struct View {
    pub(crate) scene: Scene,
    pub(crate) tape: Tape,
}

/// Room for the evaluation of channels, for one view after the other; filled when it is first used.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    registers: Registers,
}

impl View {
    /// What is drawn.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// How many channels there are.
    pub fn channels(&self) -> usize {
        self.scene.channels
    }

    /// The channels at a state, one frame of an animation. Values that do not exist there are not numbers.
    ///
    /// # Panics
    /// If `out` is shorter than the number of channels.
    pub fn channels_into(&self, state: &State, workspace: &mut Workspace, out: &mut [f64]) {
        let out = &mut out[..self.scene.channels];
        // What is constantly zero is not written.
        out.fill(0.0);
        self.tape.run(arguments(state), &mut workspace.registers, out);
    }
}
