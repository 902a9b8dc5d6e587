//! Between the frames of a motion.
//!
//! Channels are linear in between. The four numbers of a quaternion are too, and are normed where they turn something; `q` and `−q` are the
//! same turn, so the end of the interval takes the sign that is nearer to its beginning.

use crate::scene::{Figure, Motion, Quantity, Scene, Turn};

impl Motion {
    /// The number of frames.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }

    /// The channels of a frame.
    pub fn frame(&self, k: usize) -> &[f64] {
        let channels = self.values.len().checked_div(self.t.len()).unwrap_or_default();
        &self.values[k * channels..(k + 1) * channels]
    }

    /// First and last time; zero twice without frames.
    pub fn span(&self) -> (f64, f64) {
        (self.t.first().copied().unwrap_or_default(), self.t.last().copied().unwrap_or_default())
    }

    /// Times at equal distances from the first to the last.
    pub fn times(&self, count: usize) -> Vec<f64> {
        let (from, to) = self.span();
        match count {
            0 => Vec::new(),
            1 => vec![from],
            _ => (0..count).map(|k| from + (to - from) * k as f64 / (count - 1) as f64).collect(),
        }
    }

    /// The frames before and after a time, and how far it is from the first to the second.
    pub(crate) fn around(&self, t: f64) -> (usize, usize, f64) {
        let after = self.t.partition_point(|other| *other <= t).min(self.len().saturating_sub(1));
        let before = after.saturating_sub(1);
        let (from, to) = (self.t[before], self.t[after]);
        let part = if to > from { ((t - from) / (to - from)).clamp(0.0, 1.0) } else { 1.0 };
        (before, after, part)
    }
}

/// The channels of a scene at a time; before the first frame those of the first, after the last those of the last.
pub fn interpolate(scene: &Scene, motion: &Motion, t: f64) -> Vec<f64> {
    if motion.is_empty() {
        return vec![0.0; scene.channels];
    }
    let (before, after, part) = motion.around(t);
    let (from, to) = (motion.frame(before), motion.frame(after));
    // At a frame the channels are those of the frame, also where the other one has none.
    if part == 0.0 || part == 1.0 {
        return if part == 0.0 { from.to_vec() } else { to.to_vec() };
    }
    let mut channels: Vec<f64> = from.iter().zip(to).map(|(from, to)| from + part * (to - from)).collect();
    for numbers in quaternions(scene) {
        let product: f64 = numbers.iter().map(|number| number.at(from) * number.at(to)).sum();
        if product < 0.0 {
            for c in
                numbers.iter().filter_map(|number| if let Quantity::Channel { c } = number { Some(*c) } else { None })
            {
                channels[c] = from[c] + part * (-to[c] - from[c]);
            }
        }
    }
    channels
}

fn quaternions(scene: &Scene) -> impl Iterator<Item = [Quantity; 4]> {
    let frames = scene.frames.iter().map(|frame| frame.turn);
    let boxes = scene
        .items
        .iter()
        .filter_map(|item| if let Figure::Box { turn, .. } = item.figure { Some(turn) } else { None });
    frames.chain(boxes).filter_map(|turn| if let Turn::Quaternion(numbers) = turn { Some(numbers) } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Frame;

    fn scene(turn: Turn) -> Scene {
        let channel = |c| Quantity::Channel { c };
        let frame = Frame { name: "body".into(), origin: [channel(0), 0.0.into(), 0.0.into()], turn };
        Scene { planar: false, up: [0.0, 0.0, 1.0], unit: "m".into(), frames: vec![frame], items: vec![], channels: 5 }
    }

    #[test]
    fn channels_are_linear_and_constant_beyond_the_ends() {
        let scene = scene(Turn::None);
        let mut values = vec![0.0; 15];
        (values[0], values[5], values[10]) = (1.0, 3.0, -1.0);
        let motion = Motion { t: vec![0.0, 1.0, 3.0], values };
        let x = |t: f64| interpolate(&scene, &motion, t)[0];
        assert_eq!([-1.0, 0.0, 0.25, 1.0, 2.0, 3.0, 9.0].map(x), [1.0, 1.0, 1.5, 3.0, 1.0, -1.0, -1.0]);
        assert_eq!(motion.times(4), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(interpolate(&scene, &Motion::default(), 1.0), [0.0; 5]);
    }

    #[test]
    fn turns_take_the_short_way() {
        let numbers = std::array::from_fn(|k| Quantity::Channel { c: k + 1 });
        let scene = scene(Turn::Quaternion(numbers));
        // From nothing to a third of a turn about (1, 1, 1), with the other sign at its end.
        let motion = Motion { t: vec![0.0, 1.0], values: vec![0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -0.5, -0.5, -0.5, -0.5] };
        let channels = interpolate(&scene, &motion, 0.5);
        let pose = scene.poses(&channels)[0];
        // Half of it is a sixth of a turn: (1, 0, 0) goes to (2, 2, −1) / 3.
        let there = pose.direction([1.0, 0.0, 0.0]);
        for (got, known) in there.iter().zip([2.0 / 3.0, 2.0 / 3.0, -1.0 / 3.0]) {
            assert!((got - known).abs() < 1e-15, "{there:?}");
        }
    }

    #[test]
    fn instants_with_two_frames_have_the_later() {
        let scene = scene(Turn::None);
        let mut values = vec![0.0; 20];
        (values[5], values[10], values[15]) = (1.0, 7.0, 8.0);
        let motion = Motion { t: vec![0.0, 1.0, 1.0, 2.0], values };
        assert_eq!(interpolate(&scene, &motion, 1.0)[0], 7.0);
        assert!((interpolate(&scene, &motion, 1.0 - 1e-9)[0] - 1.0).abs() < 1e-8);
    }
}
