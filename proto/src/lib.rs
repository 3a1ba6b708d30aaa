//! Contracts of all services: message types, clients and servers, and the access policy of every
//! RPC, generated from the `.proto` files beside this crate.

#![warn(missing_docs)]

pub mod access;
mod audit;
mod redacted;

/// Encoded descriptors of all files, with custom options.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/hourmeter.bin"));

/// Declares the module of each package, with its version 1.
macro_rules! packages {
    ($($(#[doc = $help:literal])+ $name:ident = $package:literal;)+) => {$(
        $(#[doc = $help])+
        pub mod $name {
            /// Version 1.
            #[allow(clippy::all, clippy::pedantic, missing_docs)]
            pub mod v1 {
                tonic::include_proto!($package);
            }
        }
    )+};
}

packages! {
    /// Messages that several packages share.
    common = "hourmeter.common.v1";
    /// Companies, persons, sign-in and company settings.
    accounts = "hourmeter.accounts.v1";
    /// Equipment, its ledger and its service status.
    equipment = "hourmeter.equipment.v1";
    /// Operators' updates and their review.
    operator_updates = "hourmeter.operator_updates.v1";
    /// Plans, subscriptions and entitlements.
    billing = "hourmeter.billing.v1";
    /// Notifications of people.
    notifications = "hourmeter.notifications.v1";
    /// Change notifications.
    events = "hourmeter.events.v1";
}
