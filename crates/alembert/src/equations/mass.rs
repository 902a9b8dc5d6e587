//! The mass matrix as those keep it who need it: their own, or where it never changes that of the equations.

use std::ops::Deref;
use std::sync::Arc;

use super::{Equations, NotFinite};
use crate::checkpoint::{Archive, BadCheckpoint, Keep};

/// Values of M in its pattern.
pub enum Mass {
    /// One's own.
    Own(Vec<f64>),
    /// Those of the equations.
    Shared(Arc<[f64]>),
}

impl Default for Mass {
    fn default() -> Self {
        Mass::Own(Vec::new())
    }
}

impl Deref for Mass {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Mass::Own(mass) => mass,
            Mass::Shared(mass) => mass,
        }
    }
}

impl Mass {
    /// One's own values, to be written.
    pub fn own(&mut self) -> &mut [f64] {
        if let Mass::Shared(mass) = self {
            *self = Mass::Own(mass.to_vec());
        }
        match self {
            Mass::Own(mass) => mass,
            Mass::Shared(_) => &mut [],
        }
    }
}

impl Keep for Mass {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        archive.same("size of a vector", self.len() as f64)?;
        match self {
            // What is written needs no copy.
            Mass::Shared(mass) if !archive.is_reading() => mass.iter().try_for_each(|x| (*x).clone().keep(archive)),
            mass => mass.own().iter_mut().try_for_each(|x| x.keep(archive)),
        }
    }
}

impl Equations<'_> {
    /// Room for M, or M itself where it never changes and is known.
    pub(crate) fn room_for_mass(&self) -> Mass {
        match &self.constant_mass {
            Some(mass) => Mass::Shared(mass.clone()),
            None => Mass::Own(vec![0.0; self.layout.top.len()]),
        }
    }

    /// M(t,q), which is that of the equations where it never changes.
    pub(crate) fn share_mass(&mut self, t: f64, q: &[f64], out: &mut Mass) -> Result<(), NotFinite> {
        if self.constant_mass.is_none() {
            self.mass(t, q, out.own())?;
        }
        if let Some(mass) = &self.constant_mass {
            *out = Mass::Shared(mass.clone());
        }
        Ok(())
    }

    /// What of M has to be asked for with others: nothing where it never changes, which is then in `out`.
    pub(crate) fn unshared_mass<'m>(
        &mut self,
        t: f64,
        q: &[f64],
        out: &'m mut Mass,
    ) -> Result<&'m mut [f64], NotFinite> {
        if !self.has_constant_mass {
            return Ok(out.own());
        }
        self.share_mass(t, q, out)?;
        Ok(&mut [])
    }
}
