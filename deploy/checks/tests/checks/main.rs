//! What nobody would notice by hand: a metric that was renamed, a port that moved, a key without its
//! company.

mod audit;
mod backup;
mod compose;
mod distribution;
mod gate;
mod image;
mod kubernetes;
mod migrations;
mod observability;
