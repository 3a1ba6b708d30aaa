//! Holds the files of `deploy/` and the migrations against the code; all of it is in `tests/`.
