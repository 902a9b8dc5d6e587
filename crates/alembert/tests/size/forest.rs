//! Trees: chains of point masses on rods that hang from pivots of their own. Many of them side by side are one large system whose
//! parts do not know of each other, so that everything that holds for one tree alone holds for it among the others.

use alembert::initial::Guess;
use alembert::{Detected, Differentiated, Dims, Formulas, Point, Scalar, Supplied};

/// A tree: points from its pivot on, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Tree {
    pub number: usize,
    pub mass: Vec<f64>,
    pub length: Vec<f64>,
    pub odd: Odd,
}

/// What may be odd about the last point of a tree. Each adds one constraint, or changes its mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Odd {
    No,
    /// Its rod is there twice, with lengths that differ by so much.
    Twice(f64),
    /// A wire of this length leads to a place 3 to the right of the pivot.
    Wire(f64),
    /// It has no mass, and its rod is not there.
    Massless,
    /// It has a negative mass.
    Negative,
    /// Its rod is |d| - l instead of |d|^2 - l^2.
    Distance,
    /// k = x y: a nonholonomic constraint without velocities.
    WithoutVelocity,
    /// A speed of one is prescribed: vx^2 + vy^2 - 1.
    Speed,
}

impl Tree {
    /// Its pivot is at (x, 0). Trees stand in front of each other: a size of the whole that grows with the number of trees would be one
    /// of the scene.
    pub fn pivot(&self) -> f64 {
        3.0 * (self.number % 5) as f64
    }
    pub fn points(&self) -> usize {
        self.mass.len()
    }
    fn rods(&self) -> usize {
        let last = match self.odd {
            Odd::Twice(_) | Odd::Wire(_) => 2,
            Odd::Massless => 0,
            _ => 1,
        };
        self.points() - 1 + last
    }
    fn velocities(&self) -> usize {
        usize::from(matches!(self.odd, Odd::WithoutVelocity | Odd::Speed))
    }
    fn own_mass(&self, i: usize) -> f64 {
        match self.odd {
            Odd::Massless if i + 1 == self.points() => 0.0,
            Odd::Negative if i + 1 == self.points() => -self.mass[i],
            _ => self.mass[i],
        }
    }

    /// Near the configuration in which it hangs to the right, 60 degrees below the horizon and steeper from rod to rod.
    pub fn guess(&self, off: f64) -> Guess {
        let (mut q, mut v) = (Vec::new(), Vec::new());
        let mut r = [self.pivot(), 0.0];
        for (i, l) in self.length.iter().enumerate() {
            let angle = -1.0 - 0.2 * i as f64;
            r = [r[0] + l * angle.cos(), r[1] + l * angle.sin()];
            let wave = |k: f64| off * (k + 1.3 * i as f64 + 0.7 * self.number as f64).sin();
            q.extend([r[0] + wave(0.0), r[1] + wave(1.0)]);
            v.extend([0.5 + wave(2.0), 0.3 + wave(3.0)]);
        }
        Guess::new(0.0, q, v)
    }
}

#[derive(Clone, Debug)]
pub struct Forest(pub Vec<Tree>);

impl Forest {
    /// Trees 0 .. count with one to four points of various masses; that in the middle is odd.
    pub fn new(count: usize, odd: Odd) -> Self {
        let tree = |number: usize| {
            let points = 1 + (number * 7 + 3) % 4;
            Tree {
                number,
                mass: (0..points).map(|i| [1.0, 0.3, 2.5][(number + i) % 3]).collect(),
                length: (0..points).map(|i| [1.0, 0.8, 1.7][(number * 2 + i) % 3]).collect(),
                odd: if number == count / 2 { odd } else { Odd::No },
            }
        };
        Forest((0..count).map(tree).collect())
    }

    /// The tree in the middle alone.
    pub fn middle(&self) -> Forest {
        Forest(vec![self.0[self.0.len() / 2].clone()])
    }

    pub fn guess(&self, off: f64) -> Guess {
        let mut guess = Guess::new(0.0, Vec::new(), Vec::new());
        for tree in &self.0 {
            let part = tree.guess(off);
            guess.q.extend(part.q);
            guess.v.extend(part.v);
        }
        guess
    }

    /// The first coordinate and the first rod of tree k.
    pub fn place(&self, k: usize) -> (usize, usize) {
        (2 * self.0[..k].iter().map(Tree::points).sum::<usize>(), self.0[..k].iter().map(Tree::rods).sum())
    }

    pub fn system(&self) -> Differentiated<Forest> {
        Differentiated::new(self.clone())
    }

    /// The same with patterns.
    pub fn sparse(&self) -> Differentiated<Detected<Forest>> {
        let guess = self.guess(0.01);
        let (lambda, psi) = (vec![0.3; self.dims().lambda], vec![0.2; self.dims().psi]);
        let at = Point { t: 0.0, q: &guess.q, v: &guess.v, lambda: &lambda, psi: &psi };
        Differentiated::new(Detected::new(self.clone(), &[at]).expect("patterns are found"))
    }
}

impl Formulas for Forest {
    fn dims(&self) -> Dims {
        let points: usize = self.0.iter().map(Tree::points).sum();
        let (lambda, psi) = (self.0.iter().map(Tree::rods).sum(), self.0.iter().map(Tree::velocities).sum());
        Dims { q: 2 * points, v: 2 * points, lambda, psi }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let n = self.dims().v;
        let points = self.0.iter().flat_map(|tree| (0..tree.points()).map(|i| tree.own_mass(i)));
        for (i, m) in points.enumerate() {
            (mass[2 * i * (n + 1)], mass[(2 * i + 1) * (n + 1)]) = (S::from(m), S::from(m));
        }
    }
    fn inertia<S: Scalar>(&self, _: S, _: &[S], a: &[S], out: &mut [S]) -> Supplied {
        let points = self.0.iter().flat_map(|tree| (0..tree.points()).map(|i| tree.own_mass(i)));
        for (i, m) in points.enumerate() {
            (out[2 * i], out[2 * i + 1]) = (a[2 * i] * m, a[2 * i + 1] * m);
        }
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], f: &mut [S]) {
        f.chunks_exact_mut(2).for_each(|f| f[1] = S::from(-9.81));
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let (mut point, mut row) = (0, 0);
        for tree in &self.0 {
            let pivot = [S::from(tree.pivot()), S::from(0.0)];
            let mut before = pivot;
            for (i, l) in tree.length.iter().enumerate() {
                let here = [q[2 * point], q[2 * point + 1]];
                let square = |from: [S; 2]| {
                    let (x, y) = (here[0] - from[0], here[1] - from[1]);
                    x * x + y * y
                };
                let last = i + 1 == tree.points();
                if !(last && tree.odd == Odd::Massless) {
                    let distance = last && tree.odd == Odd::Distance;
                    g[row] = if distance { square(before).sqrt() - *l } else { square(before) - l * l };
                    row += 1;
                }
                match tree.odd {
                    Odd::Twice(longer) if last => {
                        g[row] = square(before) * 2.0 - 2.0 * (l + longer) * (l + longer);
                        row += 1;
                    }
                    Odd::Wire(length) if last => {
                        g[row] = square([pivot[0] + 3.0, pivot[1]]) - length * length;
                        row += 1;
                    }
                    _ => {}
                }
                before = here;
                point += 1;
            }
        }
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        let (mut point, mut row) = (0, 0);
        for tree in &self.0 {
            point += tree.points();
            let (x, y) = (2 * point - 2, 2 * point - 1);
            match tree.odd {
                Odd::WithoutVelocity => k[row] = q[x] * q[y],
                Odd::Speed => k[row] = v[x] * v[x] + v[y] * v[y] - 1.0,
                _ => continue,
            }
            row += 1;
        }
    }
    fn holonomic_name(&self, row: usize) -> String {
        let mut first = 0;
        for tree in &self.0 {
            if row < first + tree.rods() {
                return format!("rod {} of tree {}", row - first, tree.number);
            }
            first += tree.rods();
        }
        String::new()
    }
    fn nonholonomic_name(&self, row: usize) -> String {
        let odd: Vec<usize> = self.0.iter().filter(|tree| tree.velocities() > 0).map(|tree| tree.number).collect();
        format!("speed of tree {}", odd[row])
    }
    fn coordinate_name(&self, coordinate: usize) -> String {
        let mut first = 0;
        for tree in &self.0 {
            if coordinate < first + 2 * tree.points() {
                let i = coordinate - first;
                return format!("{}{} of tree {}", ["x", "y"][i % 2], i / 2, tree.number);
            }
            first += 2 * tree.points();
        }
        String::new()
    }
}
