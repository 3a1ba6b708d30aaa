//! equipment
