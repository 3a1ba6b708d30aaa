//! The whole product in one process, used through its public door.

mod access;
mod bad_input;
mod cookies;
mod equipment;
mod foreign;
mod grpc_web;
mod headers;
mod health;
mod journey;
mod limits;
mod outgoing;
mod people;
mod product;
mod races;
mod serving;
mod split;
mod startup;
mod subscription;
mod web;
