//! standalone
