//! billing
