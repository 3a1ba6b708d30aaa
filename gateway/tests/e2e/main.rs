//! The whole product in one process, used through its public door.

mod access;
mod bad_input;
mod cookies;
mod documented_calls;
mod equipment;
mod foreign;
mod fuel;
mod grpc_web;
mod headers;
mod health;
mod journey;
mod limits;
mod outgoing;
mod people;
mod plan;
mod product;
mod races;
mod serving;
mod split;
mod startup;
mod subscription;
mod tasks;
mod time_zone;
mod web;
mod whole_lists;
