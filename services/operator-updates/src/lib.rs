//! operator-updates
