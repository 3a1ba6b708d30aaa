#![doc = include_str!("../README.md")]

mod catalogue;
mod command;
mod compare;
mod csv;
mod databases;
mod delete;
mod export;
mod figures;
mod mark;
mod relay;
mod rows;
mod schema;

pub use catalogue::{Column, EXCLUDED_TABLES, Quantity, Table, is_secret, quantity, tables};
pub use command::Command;
pub use compare::compare;
pub use databases::{Databases, RecordsError};
pub use delete::{Deletion, Done, OPEN_CALLS_WAIT, delete, delete_due, unfinished};
pub use export::{Export, export};
pub use figures::{Figure, Figures, figures};
pub use mark::{Mark, Snapshot};
pub use relay::{Deliveries, deliveries};
