//! tmp
pub mod catalogue;
pub mod experiment;
