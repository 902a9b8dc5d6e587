//! Mechanisms: derivatives, reactions, stored motions.

#[path = "mechanism/adams.rs"]
mod adams;
#[path = "mechanism/balance.rs"]
mod balance;
#[path = "mechanism/bodies.rs"]
mod bodies;
#[path = "mechanism/bricard.rs"]
mod bricard;
#[path = "mechanism/closing.rs"]
mod closing;
#[path = "mechanism/contacts.rs"]
mod contacts;
#[path = "mechanism/curves.rs"]
mod curves;
#[path = "mechanism/dead_points.rs"]
mod dead_points;
#[path = "mechanism/derivatives.rs"]
mod derivatives;
#[path = "mechanism/diagnosis.rs"]
mod diagnosis;
#[path = "mechanism/drawings.rs"]
mod drawings;
#[path = "mechanism/driven.rs"]
mod driven;
#[path = "mechanism/exact.rs"]
mod exact;
#[path = "mechanism/far.rs"]
mod far;
#[path = "mechanism/formal.rs"]
mod formal;
#[path = "mechanism/friction.rs"]
mod friction;
#[path = "mechanism/kinematics.rs"]
mod kinematics;
#[path = "mechanism/machinery.rs"]
mod machinery;
#[path = "mechanism/machines.rs"]
mod machines;
#[path = "mechanism/mobility.rs"]
mod mobility;
#[path = "mechanism/parallelograms.rs"]
mod parallelograms;
#[path = "mechanism/random.rs"]
mod random;
#[path = "mechanism/reference.rs"]
mod reference;
#[path = "mechanism/references.rs"]
mod references;
#[path = "mechanism/rods.rs"]
mod rods;
#[path = "mechanism/starts.rs"]
mod starts;
#[path = "mechanism/statics.rs"]
mod statics;
#[path = "mechanism/through.rs"]
mod through;
#[path = "mechanism/unclosed.rs"]
mod unclosed;
#[path = "mechanism/welded_groups.rs"]
mod welded_groups;
#[path = "mechanism/welded_loads.rs"]
mod welded_loads;
#[path = "mechanism/welds.rs"]
mod welds;
#[path = "mechanism/wheels.rs"]
mod wheels;
