//! Checks of `deploy/` and the migrations against the code; see `tests/`.
